"""The golden vectors: complete, right under the policies they name, laid out for readers, usable by anybody."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Command

from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.judging.reference.oracle import expect
from tidegauge.judging.reference.vector_expectations import expected_outputs
from tidegauge.mutants.mutant import Mutant
from tidegauge.run.promotion import content
from tidegauge.vectors.layout import vector_schema, vectors_laid_out
from tidegauge.vectors.published import Vector, load_vectors, published_outputs, vector_problems
from tidegauge.wire.scenario import component_of
from tidegauge.wire.steps.valve import ActiveStep, IdleStep, ValveStep, WatermarkStep
from tidegauge.wire.timestamps import to_wire
from tidegauge.wire.vocabulary import Active, AnyOutput, Idle, Watermark
from tidegauge_reference import CORE, FLINK_2_3, PROFILES
from tidegauge_spec import load_registry, vector_schema_path, vector_versions, vectors_document, vectors_path

FLINK_FACTS = ROOT / "tests" / "data" / "flink" / "scenarios.jsonl"
VECTORS = [vector for component in COMPONENTS for vector in load_vectors(component)]
LARGEST_THAT_JAVASCRIPT_KEEPS = 2**53 - 1

each_vector = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector.id))


def test_each_version_has_documents_of_components_and_one_schema_is_for_all() -> None:
    folder = ROOT / "spec" / "tidegauge_spec" / "vectors"
    assert {file.name for file in folder.iterdir()} == {"schema.json", *vector_versions()}
    for version in vector_versions():
        files = {file.name for file in (folder / version).iterdir()}
        assert files <= {f"{component}.json" for component in COMPONENTS}


def test_the_schema_is_that_of_the_documents() -> None:
    """If this fails, run `tidegauge vectors --rewrite`."""
    assert vector_schema_path().read_bytes() == vector_schema()


@pytest.mark.parametrize("component", COMPONENTS)
def test_documents_are_laid_out_as_the_commands_do(component: str) -> None:
    """If this fails, run `tidegauge vectors --rewrite`."""
    for version in vector_versions():
        if vectors_path(component, version).is_file():
            laid_out = vectors_laid_out(load_vectors(component, version))
            assert vectors_document(component, version) == laid_out, component


def test_a_step_is_on_a_line_of_its_own_and_so_are_its_outputs() -> None:
    lines = vectors_document("valve").decode().splitlines()
    steps = sum(len(vector.scenario.history) for vector in load_vectors("valve"))
    spans = sum(len(one.outputs) for vector in load_vectors("valve") for one in vector.expected)
    assert sum(bool(re.match(r' +\{"step": .*\},?$', line)) for line in lines) == steps
    assert sum(bool(re.match(r' +\[(\{"output": .*\})?\],?$', line)) for line in lines) == spans


@pytest.mark.slower
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
from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.of_the_reference import OfTheReference
from tidegauge_reference import CORE

class Plain(OfTheReference):
    def clock(self, setup):
        return COMPONENTS["clock"].reference(setup, CORE)
"""


def test_every_component_with_scenarios_of_its_own_has_vectors() -> None:
    for name, component in COMPONENTS.items():
        assert load_vectors(name) or not component.drawn


def test_a_component_without_vectors_has_none() -> None:
    assert vectors_document("teapot") == b"[]"
    assert load_vectors("teapot") == ()
    assert vectors_path("valve").is_file()


def test_ids_are_unique_and_stable_in_form() -> None:
    ids = [vector.id for vector in VECTORS]
    assert len(set(ids)) == len(ids) >= 30
    for vector in VECTORS:
        assert vector.id.startswith(f"{component_of(vector.scenario).replace('_', '-')}/")
        assert re.fullmatch(r"[A-Za-z0-9/-]+", vector.id)
        assert vector.scenario.id == vector.id


def test_no_two_vectors_do_the_same() -> None:
    assert len({content(vector.scenario) for vector in VECTORS}) == len(VECTORS)


@each_vector
def test_a_vector_says_what_it_is_and_is_about_rules_and_policies_that_exist(vector: Vector) -> None:
    assert list(vector_problems(vector)) == []
    assert vector.rules
    assert vector.scenario.origin.of == vector.source
    assert vector.title == vector.title.strip() != ""
    assert len(vector.reason.split()) >= 6
    assert vector.reason[-1] in ".?"


def test_reasons_are_of_their_vectors() -> None:
    assert len({vector.reason for vector in VECTORS}) == len(VECTORS)


@each_vector
def test_the_expected_outputs_are_those_of_the_reference_under_every_policy_that_matters(
    vector: Vector,
) -> None:
    """If this fails on purpose, run `tidegauge vectors --rewrite` and look at what has changed."""
    assert vector.expected == expected_outputs(vector.scenario)
    for name, policies in PROFILES.items():
        assert published_outputs(vector, policies) == expect(vector.scenario, policies).outputs, name


@each_vector
def test_the_rules_that_a_vector_shows_decide_in_it(vector: Vector) -> None:
    cited = {d.removesuffix("!") for step in expect(vector.scenario, CORE).cited for d in step}
    assert set(vector.rules) <= cited


def test_every_must_of_a_component_with_scenarios_of_its_own_has_a_vector() -> None:
    shown = {rule for vector in VECTORS for rule in vector.rules}
    drawn = {name for name, component in COMPONENTS.items() if component.drawn}
    for rule in load_registry().rules.values():
        if rule.level == "MUST" and (rule.component in drawn or rule.component not in COMPONENTS):
            assert rule.id in shown, rule.title


NOT_SHOWN = {
    "generator-idle-timeouts-nest": "found in Flink after the vectors were published; a state cover shows it"
}
"""Mutants that no vector shows, with the reason."""


@pytest.mark.parametrize(
    "mutant",
    [one for one in load_mutants().values() if COMPONENTS[one.component].drawn and not one.scale],
    ids=lambda mutant: str(mutant.name),
)
def test_every_named_mutant_is_shown_by_a_vector(mutant: Mutant) -> None:
    """If this fails, `tidegauge promote` the smallest scenario in which the mutant differs."""
    adapter = MutantAdapter(mutant, {})
    shown = any(
        list(transcript.outputs) != published_outputs(vector, CORE)
        for vector in load_vectors(mutant.component)
        for transcript in adapter.run([vector.scenario])
    )
    assert shown != (mutant.name in NOT_SHOWN)


def test_the_examples_of_the_sources_are_there() -> None:
    titles = " ".join(vector.title + vector.id for vector in VECTORS)
    for part in ("11:45", "12:30", "11:44", "minute", "essay", "flink-", "FLINK-40475", "FLINK-38477"):
        assert part in titles


def facts() -> list[dict[str, Any]]:
    """Apache Flink's tests of its valve: steps, and the outputs that were recorded for spans of them."""
    lines = FLINK_FACTS.read_text(encoding="utf-8").splitlines()
    return [fact for fact in map(json.loads, lines) if fact["component"] == "status_watermark_valve"]


@pytest.mark.parametrize("fact", facts(), ids=lambda fact: str(fact["id"]))
def test_each_of_flinks_own_tests_is_a_vector_with_the_outputs_recorded_on_flink(
    fact: dict[str, Any],
) -> None:
    policies = {"2.3.0": FLINK_2_3, "post-2.3.0:FLINK-40475": CORE}[fact["applies_to"]]
    name = fact["source_test"].partition("#test")[2].partition(" ")[0]
    (vector,) = [one for one in load_vectors("valve") if one.id == f"valve/flink-{name}"]
    outputs = published_outputs(vector, policies)
    assert outputs is not None
    steps = iter(zip(vector.scenario.history, outputs, strict=True))
    came_out: list[AnyOutput] = []
    for entry in fact["steps"]:
        if "do" in entry:
            step, given = next(steps)
            assert step == recorded_step(**entry["args"])
            came_out += given
        elif "outputs" in entry["expect"]:
            assert came_out == [recorded(output) for output in entry["expect"]["outputs"]]
            came_out = []
    assert next(steps, None) is None


def recorded_step(channel: int, ts: int | None = None, status: str = "") -> ValveStep:
    if ts is not None:
        return WatermarkStep(channel, to_wire(ts))
    return IdleStep(channel) if status == "IDLE" else ActiveStep(channel)


def recorded(output: list[Any]) -> AnyOutput:
    if output[0] == "watermark":
        return Watermark(to_wire(output[1]))
    return Idle() if output[1] == "IDLE" else Active()


def test_any_json_reader_keeps_the_numbers() -> None:
    for version in vector_versions():
        for component in COMPONENTS:
            document = vectors_document(component, version)
            json.loads(document, parse_int=_kept, parse_float=_refused)


def _kept(digits: str) -> int:
    assert abs(int(digits)) <= LARGEST_THAT_JAVASCRIPT_KEEPS
    return int(digits)


def _refused(number: str) -> float:
    raise AssertionError(f"{number} is no integer")
