"""The verdicts that come with Tidegauge are readable, of this version, and as fresh as the specification."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import PATIENCE, plain_environment
from live_defects import NAMED
from report_samples import job_picture, results, rule

from tidegauge import __version__
from tidegauge.wire.results import Results, decode_results
from tidegauge.words.diagnosis import differences_words
from tidegauge_reports.shipped import (
    decode_shipped,
    encode_shipped,
    freshness,
    load_shipped,
    shipped_document,
    shipped_run,
)
from tidegauge_reports.shipped.__main__ import ENGINES
from tidegauge_reports.shipped.freshness import specification_digest
from tidegauge_reports.shipped.pictures import draw, drawn_from
from tidegauge_spec import SPEC_VERSION, Registry, load_registry, vectors_document

LARGEST = 250_000
"""Bytes of an engine's verdicts, if it fails no rule."""
LARGEST_OF_FAILING = 550_000
"""Of one that does: each rule that fails has its smallest scenario."""
RENEW = "renew the verdicts: `tox -e verdicts`, or `python -m tidegauge_reports.shipped`"

PICTURES = ("matrix.md", "matrix.svg", "matrix-narrow.svg")

each_engine = pytest.mark.parametrize("engine", ENGINES)


def test_the_engines_of_the_project_are_shipped() -> None:
    assert set(load_shipped()) == set(ENGINES)


@each_engine
def test_shipped_verdicts_are_fresh(engine: str) -> None:
    """Made from these rules, these vectors and this version."""
    assert decode_shipped(shipped_document())[engine].specification == specification_digest(), RENEW


@each_engine
def test_shipped_verdicts_are_about_exactly_the_rules_there_are(engine: str) -> None:
    shipped = load_shipped()[engine]
    assert [found.id for found in shipped.rules] == list(load_registry().rules), RENEW
    assert (shipped.spec, shipped.tidegauge) == (SPEC_VERSION, __version__), RENEW


@each_engine
def test_shipped_verdicts_are_of_a_whole_run(engine: str) -> None:
    shipped = load_shipped()[engine]
    assert shipped.command == ["tidegauge", "run", *ENGINES[engine]]
    assert shipped.complete
    assert not any(shipped.selection.values())
    budget = "smoke" if "smoke" in ENGINES[engine] else "default"
    assert (shipped.budget, shipped.exit_code) == (budget, int(engine.endswith("-core")))


def test_the_live_defects_of_flink_are_named_under_core_and_nothing_fails_under_its_own_profile() -> None:
    own, core = load_shipped()["flink"], load_shipped()["flink-core"]
    assert {rule.verdict for rule in own.rules} == {"pass", "not-applicable"}
    assert own.components
    assert not any(found.failing for found in own.components)
    named = " ".join(differences_words(core))
    assert {bug for bug in NAMED if bug not in named} == set()


@pytest.mark.parametrize("name", PICTURES)
def test_the_pictures_of_the_readme_are_of_these_verdicts(root: Path, name: str) -> None:
    text = (root / "reports" / "matrix" / name).read_text(encoding="utf-8")
    assert text.endswith(drawn_from(shipped_document())), RENEW


def test_the_pictures_are_marked_with_the_verdicts_that_they_show(tmp_path: Path) -> None:
    paths = draw(load_shipped(), b"some verdicts", tmp_path)
    assert {path.name for path in paths} == set(PICTURES)
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert text.endswith(drawn_from(b"some verdicts"))
        assert not text.endswith(drawn_from(b"other verdicts"))
        assert all(name in text for name in ("tidegauge reference", "Spark Structured Streaming"))


def test_the_shipped_document_is_small_and_says_nothing_of_a_machine() -> None:
    document = shipped_document()
    assert encode_shipped(decode_shipped(document)) == document
    for run in decode_shipped(document).values():
        fails = decode_results(bytes(run.results), "x").counts["fail"] > 0
        assert len(run.results) < (LARGEST_OF_FAILING if fails else LARGEST)
    for word in (b'"platform"', b'"cpus"', b"/tmp/", b"site-packages", b"--out"):
        assert word not in document


def a_rule_reads_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = load_registry()
    changed = {"VALVE-1": replace(registry.rules["VALVE-1"], sentence="The valve MAY do as it likes.")}
    monkeypatch.setattr(
        freshness, "load_registry", lambda: Registry(registry.chapters, registry.rules | changed)
    )


def a_vector_expects_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    def document(component: str, version: str) -> bytes:
        return vectors_document(component, version).replace(b'"timestamp": 5', b'"timestamp": 6')

    monkeypatch.setattr(freshness, "vectors_document", document)


def another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshness, "SPEC_VERSION", "1.1")


@pytest.mark.parametrize("change", [a_rule_reads_otherwise, a_vector_expects_otherwise, another_version])
def test_verdicts_are_stale_when_what_they_were_judged_by_has_changed(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[pytest.MonkeyPatch], None]
) -> None:
    before = specification_digest()
    change(monkeypatch)
    assert specification_digest() != before


def test_a_rule_elsewhere_in_its_file_and_another_title_of_a_vector_leave_verdicts_fresh(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = specification_digest()
    registry = load_registry()
    moved = {name: replace(rule, line=rule.line + 1) for name, rule in registry.rules.items()}
    monkeypatch.setattr(freshness, "load_registry", lambda: Registry(registry.chapters, moved))
    monkeypatch.setattr(
        freshness,
        "vectors_document",
        lambda *where: vectors_document(*where).replace(b'"title": "', b'"title": "Newly: '),
    )
    assert specification_digest() == before


def sample(**fields: object) -> Results:
    """A run of the reference with something of everything."""
    command = ["tidegauge", "run", "--adapter", "reference", "-n", "2", "--out", "/home/me", "--seed", "3"]
    environment = {"python": "3.11.7", "platform": "Linux", "cpus": "2"}
    values = {"command": command, "environment": environment, "jobs": [job_picture()]}
    return results([rule(1), rule(2, "fail")], **{**values, **fields})


def test_what_is_shipped_is_every_verdict_and_nothing_of_the_machine() -> None:
    full = sample()
    run = decode_shipped(encode_shipped({"reference": shipped_run(full, "digest")}))["reference"]
    shipped = decode_results(bytes(run.results), "x")
    assert run.specification == "digest"
    assert shipped.rules == full.rules
    assert shipped.properties == full.properties
    assert shipped.counts == full.counts
    assert shipped.jobs == []
    assert shipped.items == []
    assert shipped.environment == {"python": "3.11.7"}
    assert shipped.command == ["tidegauge", "run", "--adapter", "reference", "--seed", "3"]


def renewed(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tidegauge_reports.shipped", *arguments],
        cwd=folder,
        env=plain_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def test_verdicts_are_renewed_in_a_clone_and_for_the_engines_of_the_project_only(tmp_path: Path) -> None:
    elsewhere = renewed(tmp_path)
    assert (elsewhere.returncode, elsewhere.stderr) == (
        2,
        "run this in the folder of a clone, in which reports/ is\n",
    )
    stranger = renewed(tmp_path, "my_module:Engine")
    assert stranger.returncode == 2
    engines = ", ".join(ENGINES)
    assert f"my_module:Engine is none of {engines}" in stranger.stderr
    assert list(tmp_path.iterdir()) == []


def test_verdicts_that_are_there_are_drawn_without_a_run(tmp_path: Path) -> None:
    (tmp_path / "reports" / "matrix").mkdir(parents=True)
    verdicts = tmp_path / "reports" / "tidegauge_reports" / "shipped" / "verdicts.json"
    verdicts.parent.mkdir(parents=True)
    verdicts.write_bytes(shipped_document())
    ended = renewed(tmp_path, "--draw")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert verdicts.read_bytes() == shipped_document()
    for name in PICTURES:
        drawn = (tmp_path / "reports" / "matrix" / name).read_text(encoding="utf-8")
        assert drawn.endswith(drawn_from(shipped_document()))
