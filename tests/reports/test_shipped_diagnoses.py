"""The diagnoses that come with Tidegauge are complete, fresh, and what the kit says of the same engines now."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tidegauge.components.registry import load_mutants
from tidegauge.detection.mutant_diagnosis import can_be_diagnosed
from tidegauge.detection.soundness import components
from tidegauge.mutants.mutant import Mutant
from tidegauge_reports.shipped import __main__ as renewal
from tidegauge_reports.shipped import freshness
from tidegauge_reports.shipped.diagnoses import (
    Diagnosis,
    decode_diagnoses,
    diagnose,
    diagnosed_mutants,
    diagnoses_document,
    encode_diagnoses,
    load_diagnoses,
)
from tidegauge_reports.shipped.freshness import diagnosis_digest

LARGEST = 600_000
EVERY = 25
RENEW = "renew the diagnoses: `tox -e verdicts -- --diagnoses`, or `python -m tidegauge_reports.shipped --diagnoses`"

each_component = pytest.mark.parametrize("component", components())


def test_every_mutant_that_can_be_diagnosed_is() -> None:
    assert set(load_diagnoses()) == {mutant.name for mutant in diagnosed_mutants()}, RENEW
    assert {one.component for one in load_mutants().values() if not can_be_diagnosed(one)} == {"job"}


@each_component
def test_recorded_diagnoses_are_fresh(component: str) -> None:
    """Made from this specification, these candidates and this reference."""
    mutants = [mutant for mutant in diagnosed_mutants() if mutant.component == component]
    made_from = {load_diagnoses()[mutant.name].made_from for mutant in mutants}
    assert made_from == {diagnosis_digest(component)}, RENEW


def test_a_diagnosis_is_whole() -> None:
    for name, recorded in load_diagnoses().items():
        result = recorded.result
        assert result.component == load_mutants()[name].component
        assert result.failing, f"{name} differs in no scenario"
        assert not result.gave_up, name
        assert set(recorded.scenarios) <= {term.name for term in result.model}


def test_nothing_is_said_of_a_machine() -> None:
    document = diagnoses_document()
    assert len(document) < LARGEST
    assert not re.search(rb"/(home|tmp|work|root|usr)/|0x[0-9a-f]{6,}", document)


def test_a_document_is_read_as_it_was_written() -> None:
    assert encode_diagnoses(load_diagnoses()) == diagnoses_document()
    assert decode_diagnoses(diagnoses_document()) == load_diagnoses()
    assert len(diagnoses_document().splitlines()) == len(load_diagnoses()) + 2


@pytest.fixture
def digest() -> Iterator[None]:
    """Digests are computed again, here and behind."""
    diagnosis_digest.cache_clear()
    yield
    diagnosis_digest.cache_clear()


@pytest.mark.usefixtures("digest")
@pytest.mark.parametrize("field", ["name", "rules", "any_of", "policy"])
def test_another_candidate_makes_diagnoses_stale(monkeypatch: pytest.MonkeyPatch, field: str) -> None:
    before = diagnosis_digest("valve")
    changes = freshness.policy_changes
    values = {"name": "x", "rules": ("X-1",), "any_of": True, "policy": ("initial_watermark", "x")}
    monkeypatch.setattr(
        freshness,
        "policy_changes",
        lambda *those: [replace(one, **{field: values[field]}) for one in changes(*those)],
    )
    diagnosis_digest.cache_clear()
    assert diagnosis_digest("valve") != before


@pytest.mark.usefixtures("digest")
@pytest.mark.parametrize("field", ["summary", "replacements"])
def test_another_mutant_makes_diagnoses_of_its_component_stale(
    monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    before, elsewhere = diagnosis_digest("valve"), diagnosis_digest("window")
    others = dict(load_mutants())
    others["valve-no-flush"] = replace(others["valve-no-flush"], **{field: ()})
    for place in ("tidegauge_reports.shipped.freshness", "tidegauge.judging.changes.told"):
        monkeypatch.setattr(f"{place}.load_mutants", lambda: others)
    diagnosis_digest.cache_clear()
    assert diagnosis_digest("valve") != before
    assert diagnosis_digest("window") == elsewhere


@pytest.mark.usefixtures("digest")
@pytest.mark.parametrize(
    ("addition", "stale"),
    [("\nADDED = 1\n", True), ("\n# added\n\n", False)],
)
def test_other_code_of_the_reference_makes_diagnoses_stale(
    monkeypatch: pytest.MonkeyPatch, addition: str, stale: bool
) -> None:
    before = diagnosis_digest("valve")
    source = freshness.reference_source
    monkeypatch.setattr(freshness, "reference_source", lambda module: source(module) + addition)
    diagnosis_digest.cache_clear()
    assert (diagnosis_digest("valve") != before) is stale


def test_a_renewal_shows_its_progress_and_writes_what_is_shipped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(renewal.diagnoses, "diagnose", lambda mutant: load_diagnoses()[mutant.name])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports" / "matrix").mkdir(parents=True)
    written = tmp_path / "reports" / "tidegauge_reports" / "shipped" / "diagnoses.json"
    written.parent.mkdir(parents=True)
    assert renewal.main(["--diagnoses"]) == 0
    assert written.read_bytes() == diagnoses_document()
    number = len(load_diagnoses())
    assert f"{number} of {number}: " in capsys.readouterr().out


def test_a_renewal_makes_only_what_is_not_fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made: list[str] = []

    def remade(mutant: Mutant) -> Diagnosis:
        made.append(mutant.name)
        return load_diagnoses()[mutant.name]

    monkeypatch.setattr(renewal.diagnoses, "diagnose", remade)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports" / "matrix").mkdir(parents=True)
    written = tmp_path / "reports" / "tidegauge_reports" / "shipped" / "diagnoses.json"
    written.parent.mkdir(parents=True)
    first, second, *others = (mutant.name for mutant in diagnosed_mutants())
    there = {name: load_diagnoses()[name] for name in (second, *others)}
    there[second] = Diagnosis("made from something else", there[second].result, {})
    there["a-mutant-that-is-gone"] = there[others[0]]
    written.write_bytes(encode_diagnoses(there))
    assert renewal.main(["--diagnoses"]) == 0
    assert made == [first, second]
    assert written.read_bytes() == diagnoses_document()


def recomputed(names: list[str]) -> dict[str, Diagnosis]:
    """These diagnoses as they are made now."""
    return {name: diagnose(load_mutants()[name]) for name in names}


def test_a_recorded_diagnosis_is_what_the_kit_says_now() -> None:
    assert (
        recomputed(["clock-does-nothing"])["clock-does-nothing"] == load_diagnoses()["clock-does-nothing"]
    ), RENEW


@pytest.mark.slower
@pytest.mark.parametrize("name", sorted(load_diagnoses())[::EVERY])
def test_of_all_diagnoses_some_are_made_again(name: str) -> None:
    assert recomputed([name])[name] == load_diagnoses()[name], RENEW
