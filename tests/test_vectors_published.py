"""The published vectors: made from their sources, right under the policies they name, and usable by anybody."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Command

from tidegauge.components.registry import COMPONENTS
from tidegauge.judging.reference.oracle import expect
from tidegauge.vector_sources.writer import WRITTEN, vector_files
from tidegauge.vectors import Vector, load_vectors, published_outputs
from tidegauge.wire.scenario import component_of, problems
from tidegauge_reference import CORE, PROFILES
from tidegauge_spec import load_registry, read_policies, vector_lines, vector_versions, vectors_path

FLINK_FACTS = ROOT / "tests" / "data" / "flink" / "scenarios.jsonl"
VECTORS = [vector for component in COMPONENTS for vector in load_vectors(component)]
LARGEST_THAT_JAVASCRIPT_KEEPS = 2**53 - 1

each_vector = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector.id))


def test_the_files_are_what_their_sources_give() -> None:
    """If this fails on purpose after a release, the vectors belong into a folder of a new version."""
    folder = ROOT / "spec" / "tidegauge_spec" / "vectors" / "1.0"
    written = vector_files(FLINK_FACTS, folder)
    assert {file.name for file in folder.iterdir()} == set(written)
    for name, content in written.items():
        assert (folder / name).read_bytes() == content, name


def test_vectors_that_runs_have_found_stay_behind_those_of_the_sources(tmp_path: Path) -> None:
    found = {vector.id: vector for vector in load_vectors("source")[-3:]}
    assert list(found) == [
        "source/shared-output-idle-again",
        "source/main-output-stays-idle",
        "source/shared-output-stays-idle",
    ]
    assert not found.keys() & {vector.id for vector in WRITTEN["source"]}
    lines = vector_lines("source")
    (tmp_path / "source.jsonl").write_bytes(b"\n".join([*lines[-3:], lines[0]]) + b"\n")
    assert vector_files(FLINK_FACTS, tmp_path)["source.jsonl"].splitlines() == lines


def test_each_version_has_a_schema_and_files_of_components() -> None:
    folder = ROOT / "spec" / "tidegauge_spec" / "vectors"
    assert {file.name for file in folder.iterdir()} == set(vector_versions())
    for version in vector_versions():
        files = {file.name for file in (folder / version).iterdir()}
        assert "schema.json" in files
        assert files <= {"schema.json", *(f"{component}.jsonl" for component in COMPONENTS)}


def test_an_engine_is_not_given_vectors_that_need_what_it_does_not_claim(
    tidegauge: Command, engine_module: Callable[[str, str], None], tmp_path: Path
) -> None:
    engine_module("plain", PLAIN)
    ended = tidegauge("run", "--adapter", "plain:Plain", "--budget", "smoke", "-n", "1", "--out", "out")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    (item,) = [item for item in results["items"] if item["id"] == "clock-vectors"]
    needing = [vector.id for vector in load_vectors("clock") if vector.scenario.needs]
    assert needing
    assert item["scenarios"] == len(load_vectors("clock")) - len(needing)


PLAIN = """
from tidegauge import ComponentAdapter
from tidegauge.components.registry import COMPONENTS
from tidegauge_reference import CORE

class Plain(ComponentAdapter):
    def clock(self, setup):
        return COMPONENTS["clock"].reference(setup, CORE)
"""


def test_every_component_with_scenarios_of_its_own_has_vectors() -> None:
    for name, component in COMPONENTS.items():
        assert load_vectors(name) or not component.drawn


def test_a_component_without_vectors_has_none() -> None:
    assert vector_lines("teapot") == []
    assert load_vectors("teapot") == ()
    assert vectors_path("valve").is_file()


def test_ids_are_unique_and_stable_in_form() -> None:
    ids = [vector.id for vector in VECTORS]
    assert len(set(ids)) == len(ids) >= 30
    for vector in VECTORS:
        assert vector.id.startswith(f"{component_of(vector.scenario).replace('_', '-')}/")
        assert re.fullmatch(r"[A-Za-z0-9/-]+", vector.id)
        assert vector.scenario.id == vector.id


@each_vector
def test_a_vector_is_a_legal_scenario_about_rules_and_policies_that_exist(vector: Vector) -> None:
    assert problems(vector.scenario) == []
    assert set(vector.rules) <= set(load_registry().rules)
    assert vector.rules
    assert vector.source
    for transcript in vector.expected:
        assert len(transcript.outputs) == len(vector.scenario.history)
        for policy, value in transcript.policies.items():
            assert value in read_policies()[policy].values


@each_vector
@pytest.mark.parametrize("profile", PROFILES)
def test_the_reference_gives_the_published_outputs(vector: Vector, profile: str) -> None:
    published = published_outputs(vector, PROFILES[profile])
    if profile == "core":
        assert published is not None
    assert published is None or published == expect(vector.scenario, PROFILES[profile]).outputs


@each_vector
def test_the_rules_that_a_vector_shows_decide_in_it(vector: Vector) -> None:
    cited = {d.removesuffix("!") for step in expect(vector.scenario, CORE).cited for d in step}
    assert set(vector.rules) <= cited


def test_what_the_issue_asks_for_is_there() -> None:
    titles = " ".join(vector.title + vector.id for vector in VECTORS)
    for part in ("11:45", "12:30", "11:44", "minute", "essay", "flink-", "FLINK-40475", "FLINK-38477"):
        assert part in titles


def test_any_json_reader_keeps_the_numbers() -> None:
    for version in vector_versions():
        for component in COMPONENTS:
            for line in vector_lines(component, version):
                json.loads(line, parse_int=_kept, parse_float=_refused)


def _kept(digits: str) -> int:
    assert abs(int(digits)) <= LARGEST_THAT_JAVASCRIPT_KEEPS
    return int(digits)


def _refused(number: str) -> float:
    raise AssertionError(f"{number} is no integer")
