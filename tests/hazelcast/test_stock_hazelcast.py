"""Stock Hazelcast Jet under the kit, with the jar that `python -m tidegauge_adapters.hazelcast.jars` fetches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import Command, results_in
from declared_engines import undeclared_differences
from maven_jars_of import folder_with

from tidegauge import Scenario
from tidegauge.components.registry import COMPONENTS
from tidegauge.components.within import component_within
from tidegauge.drawing.histories import draw_history
from tidegauge.engine.loading import describe
from tidegauge.engine.runner import run
from tidegauge.wire.base_scenario import Origin
from tidegauge.wire.steps import valve, window
from tidegauge.wire.vocabulary import Active, AnyOutput, Drop, Error, Fire, Idle, Watermark
from tidegauge_adapters.hazelcast.adapter import HazelcastAdapter
from tidegauge_adapters.hazelcast.jars import JARS
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import CORE

pytestmark = pytest.mark.hazelcast


@pytest.fixture(scope="module", autouse=True)
def jar() -> None:
    """The jar of Hazelcast, or what to do about it."""
    folder_with(JARS)


@pytest.fixture
def hazelcast() -> Iterator[HazelcastAdapter]:
    adapter = HazelcastAdapter({})
    yield adapter
    adapter.close()


def scenario(component: str, setup: Any, *history: Any) -> Scenario:
    made: Scenario = COMPONENTS[component].scenario(
        id="difference", setup=setup, history=history, origin=Origin("own")
    )
    return made


def windows(assigner: window.Assigner, *history: Any) -> Scenario:
    setup = window.WindowSetup(assigner, accumulation="discarding", late_output=False)  # type: ignore[arg-type]
    return scenario("window", setup, *history)


def valves(*history: Any) -> Scenario:
    return scenario("valve", valve.ValveSetup(2), *history)


UNDER_CORE = ("--profile", "core", "--deviations", "none")

LOST_IDLE = valves(valve.IdleStep(0), valve.WatermarkStep(1, 5), valve.WatermarkStep(1, "MAX"))

DIFFERENCES: dict[str, tuple[Scenario, list[AnyOutput], list[AnyOutput]]] = {
    "a returning channel holds the output back": (
        valves(valve.IdleStep(0), valve.WatermarkStep(1, 1), valve.ActiveStep(0), valve.WatermarkStep(1, 2)),
        [Watermark(2)],
        [],
    ),
    "the flush takes a finished channel": (
        valves(
            valve.WatermarkStep(0, 9),
            valve.WatermarkStep(1, 5),
            valve.WatermarkStep(0, "MAX"),
            valve.IdleStep(1),
        ),
        [Idle()],
        [Watermark(9), Idle()],
    ),
    "what a finished channel was ahead by precedes the end": (
        valves(
            valve.WatermarkStep(0, 9),
            valve.WatermarkStep(1, 5),
            valve.WatermarkStep(0, "MAX"),
            valve.WatermarkStep(1, "MAX"),
        ),
        [Watermark("MAX")],
        [Watermark(9), Watermark("MAX")],
    ),
    "IDLE is lost when the last active channel ends": (LOST_IDLE, [Idle()], []),
    "sessions that touch stay apart": (
        windows(window.Session(2), window.RecordStep(0, 1), window.RecordStep(2, 2), window.WatermarkStep(9)),
        [Fire(0, 4, (1, 2)), Watermark(9)],
        [Fire(0, 2, (1,)), Fire(2, 4, (2,)), Watermark(9)],
    ),
    "a session fires a millisecond after its last timestamp": (
        windows(window.Session(4), window.RecordStep(0, 1), window.WatermarkStep(3)),
        [Fire(0, 4, (1,)), Watermark(3)],
        [Watermark(3)],
    ),
    "a record behind the watermark is late although its session is open": (
        windows(window.Session(4), window.WatermarkStep(2), window.RecordStep(1, 1)),
        [],
        [Drop()],
    ),
    "a record is late for all of its windows once the first is over": (
        windows(window.Sliding(10, 5), window.WatermarkStep(14), window.RecordStep(11, 1)),
        [],
        [Drop()],
    ),
    "a record at the end of time is accepted": (
        windows(window.Tumbling(10), window.RecordStep("MAX", 1)),
        [Error("illegal-argument")],
        [],
    ),
}
"""Each with the scenario that shows it, the outputs of its last step under `core`, and those of Jet."""


@pytest.mark.parametrize("name", DIFFERENCES)
def test_each_difference_shows_in_a_small_scenario(hazelcast: HazelcastAdapter, name: str) -> None:
    small, under_core, of_jet = DIFFERENCES[name]
    (expected,), (got,) = (run(engine, [small]) for engine in (ReferenceAdapter({}), hazelcast))
    assert expected is not None
    assert got is not None
    assert (list(expected.outputs[-1]), list(got.outputs[-1])) == (under_core, of_jet)
    assert expected.outputs[:-1] == got.outputs[:-1]


def test_a_valve_that_lost_idle_sends_no_active_either(hazelcast: HazelcastAdapter) -> None:
    steps = (*LOST_IDLE.history, valve.ActiveStep(0), valve.IdleStep(0), valve.ActiveStep(0))
    (transcript,) = run(hazelcast, [valves(*steps)])
    assert transcript is not None
    assert [list(outputs) for outputs in transcript.outputs[-3:]] == [[], [Idle()], [Active()]]


def verdicts(results: dict[str, Any]) -> dict[str, set[str]]:
    """Return the ids of the rules by their verdicts."""
    return {
        verdict: {rule["id"] for rule in results["rules"] if rule["verdict"] == verdict}
        for verdict in ("fail", "suspect", "error", "not-tested", "not-applicable")
    }


def assert_shown(results: dict[str, Any], rules: set[str]) -> None:
    """Each rule has a scenario that shows what it demands and what Jet does."""
    for rule in results["rules"]:
        if rule["id"] in rules:
            assert rule["counterexample"] is not None or rule["suspects"], rule["id"]


def test_the_valve_is_explained_by_two_choices_and_a_defect(tidegauge: Command, tmp_path: Path) -> None:
    command = ("run", "--adapter", "hazelcast", "--component", "valve", "--budget", "smoke", "-n", "2")
    ended = tidegauge(*command, *UNDER_CORE, "--out", "out")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    results = results_in(tmp_path / "out")
    assert results["errors"] == []
    (diagnosis,) = results["components"]
    assert {term["name"]: (term["kind"], set(term["rules"])) for term in diagnosis["model"]} == {
        "valve_returning_channel=holds-back": ("policy", {"VALVE-9", "VALVE-10", "VALVE-11", "VALVE-12"}),
        "valve_flush_channels=all-channels": ("policy", {"VALVE-18"}),
        "valve-end-without-idle": ("mutant", {"VALVE-14", "VALVE-20"}),
    }
    assert diagnosis["unexplained"] == ""
    failing = {f"VALVE-{number}" for number in (9, 10, 11, 12, 14, 18, 20)}
    assert verdicts(results) == {
        "fail": failing,
        "suspect": set(),
        "error": set(),
        "not-tested": {"VALVE-17"},
        "not-applicable": {"VALVE-22", "VALVE-23"},
    }
    assert_shown(results, failing)


def test_the_windows_are_explained_by_four_differences(tidegauge: Command, tmp_path: Path) -> None:
    command = ("run", "--adapter", "hazelcast", "--component", "window", "--budget", "smoke", "-n", "2")
    ended = tidegauge(*command, *UNDER_CORE, "--out", "out")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    results = results_in(tmp_path / "out")
    assert results["errors"] == []
    (diagnosis,) = results["components"]
    assert {term["name"]: term["kind"] for term in diagnosis["model"]} == {
        "window_session_end=inclusive": "policy",
        "window_touching_sessions=separate": "policy",
        "window-late-before-its-session": "mutant",
        "window-late-for-one-is-late-for-all": "mutant",
    }
    assert diagnosis["unexplained"] == ""
    failing = {"WIN-2", "WIN-3", "WIN-10", "WIN-13"}
    outside = {f"WIN-{number}" for number in (4, 5, 7, 9, 14, 15, 16)}
    none = {key: set[str]() for key in ("suspect", "error", "not-tested")}
    assert verdicts(results) == {"fail": failing, "not-applicable": outside, **none}
    assert sum(results["left_out"].values()) < 20
    assert_shown(results, failing)


def test_under_its_own_profile_no_rule_fails(tidegauge: Command, tmp_path: Path) -> None:
    ended = tidegauge("run", "--adapter", "hazelcast", "--budget", "smoke", "-n", "2", "--out", "out")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    results = results_in(tmp_path / "out")
    assert results["profile"] == "hazelcast-jet-5.7"
    assert {each["name"]: each["status"] for each in results["deviations"]} == {
        "mutant:valve-end-without-idle": "as-known",
        "mutant:window-late-for-one-is-late-for-all": "as-known",
        "mutant:window-late-before-its-session": "as-known",
    }
    assert results["counts"]["fail"] == results["counts"]["suspect"] == results["counts"]["error"] == 0


@pytest.mark.parametrize("component", ["valve", "window"])
def test_everything_else_is_declared(component: str) -> None:
    assert undeclared_differences("hazelcast", {}, component=component, scenarios=1_000) == []


def test_jet_agrees_with_core_in_most_scenarios_of_its_shape(hazelcast: HazelcastAdapter) -> None:
    shapes = describe("hazelcast", hazelcast).shapes
    for name, least in (("valve", 0.8), ("window", 0.5)):
        component = component_within(name, shapes)
        drawn = [draw_history(component, 2027, index, CORE) for index in range(400)]
        taken = [each for each in drawn if hazelcast.inexpressible(each) is None]
        assert len(taken) > 380
        pairs = zip(run(ReferenceAdapter({}), taken), run(hazelcast, taken), strict=True)
        agreeing = sum(
            ours is not None and theirs is not None and ours.outputs == theirs.outputs
            for ours, theirs in pairs
        )
        assert agreeing > least * len(taken)


def test_a_jvm_that_is_killed_costs_no_more_than_its_scenario(hazelcast: HazelcastAdapter) -> None:
    component = component_within("valve", describe("hazelcast", hazelcast).shapes)
    drawn = [draw_history(component, 1, index, CORE) for index in range(200)]
    before = run(hazelcast, drawn)
    (jvm,) = psutil.Process().children()
    jvm.kill()
    jvm.wait()
    assert run(hazelcast, drawn) == before
    hazelcast.close()
    assert psutil.Process().children() == []
