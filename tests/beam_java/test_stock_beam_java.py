"""Stock Apache Beam for Java under the kit, with the jars that `python -m tidegauge_adapters.beam_java.jars`
fetches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import Command, results_in
from declared_engines import undeclared_differences_of
from maven_jars_of import folder_with

from tidegauge import Scenario
from tidegauge.components.registry import COMPONENTS
from tidegauge.components.within import component_within
from tidegauge.drawing.histories import draw_history
from tidegauge.engine.loading import describe
from tidegauge.engine.runner import run
from tidegauge.judging.reference.profiles import declared_profile
from tidegauge.wire.base_scenario import Origin
from tidegauge.wire.steps.window import (
    Assigner,
    RecordStep,
    Session,
    Sliding,
    Tumbling,
    WatermarkStep,
    WindowSetup,
)
from tidegauge.wire.vocabulary import AnyOutput, Drop, Fire, Watermark
from tidegauge_adapters.beam_java.adapter import BeamJavaAdapter
from tidegauge_adapters.beam_java.jars import JARS
from tidegauge_adapters.reference import ReferenceAdapter

pytestmark = pytest.mark.beam_java


@pytest.fixture(scope="module", autouse=True)
def class_path() -> Path:
    """Return Beam's jars. Without them, the tests fail with the command that fetches them."""
    return folder_with(JARS)


@pytest.fixture
def beam() -> Iterator[BeamJavaAdapter]:
    adapter = BeamJavaAdapter({})
    yield adapter
    adapter.close()


def windows(assigner: Assigner, *history: Any, lateness: int = 0) -> Scenario:
    setup = WindowSetup(
        assigner,  # type: ignore[arg-type]
        allowed_lateness=lateness,
        accumulation="discarding",
        late_output=False,
    )
    scenario: Scenario = COMPONENTS["window"].scenario(
        id="difference", setup=setup, history=history, origin=Origin("own")
    )
    return scenario


CHOICES: dict[str, tuple[Scenario, list[AnyOutput], list[AnyOutput]]] = {
    "sessions that touch stay apart": (
        windows(Session(2), RecordStep(0, 1), RecordStep(2, 2), WatermarkStep(9)),
        [Fire(0, 4, (1, 2)), Watermark(9)],
        [Fire(0, 2, (1,)), Fire(2, 4, (2,)), Watermark(9)],
    ),
    "a record is late although it would join an open session": (
        windows(Session(10), WatermarkStep(11), RecordStep(9, 1), RecordStep(0, 2)),
        [],
        [Drop()],
    ),
}
"""For each choice: a scenario, and the outputs of its last step under `core` and of Beam."""

BEFORE_1970: dict[str, tuple[Scenario, list[AnyOutput], list[AnyOutput]]] = {
    "a fixed window does not cover its record": (
        windows(Tumbling(10), RecordStep(-13, 1), WatermarkStep(0)),
        [Fire(-20, -10, (1,)), Watermark(0)],
        [Fire(-10, 0, (1,)), Watermark(0)],
    ),
    "a record is in a sliding window that does not cover it": (
        windows(Sliding(10, 5), RecordStep(-13, 1), WatermarkStep(0)),
        [Fire(-20, -10, (1,)), Fire(-15, -5, (1,)), Watermark(0)],
        [Fire(-20, -10, (1,)), Fire(-15, -5, (1,)), Fire(-10, 0, (1,)), Watermark(0)],
    ),
}
"""The same for the defect before 1970, which is outside the shape that is tested by default."""


def assert_differs(
    adapter: BeamJavaAdapter, small: Scenario, under_core: list[AnyOutput], of_beam: list[AnyOutput]
) -> None:
    (expected,), (got,) = (run(engine, [small]) for engine in (ReferenceAdapter({}), adapter))
    assert expected is not None
    assert got is not None
    assert (list(expected.outputs[-1]), list(got.outputs[-1])) == (under_core, of_beam)
    assert expected.outputs[:-1] == got.outputs[:-1]


@pytest.mark.parametrize("name", CHOICES)
def test_each_choice_shows_in_a_small_scenario(beam: BeamJavaAdapter, name: str) -> None:
    assert_differs(beam, *CHOICES[name])


@pytest.mark.parametrize("name", BEFORE_1970)
def test_before_1970_windows_do_not_cover_their_records(beam: BeamJavaAdapter, name: str) -> None:
    assert_differs(beam, *BEFORE_1970[name])


def test_a_pipeline_fails_at_a_record_between_windows(beam: BeamJavaAdapter) -> None:
    (transcript,) = run(beam, [windows(Sliding(2, 5), RecordStep(1, 1), RecordStep(3, 2))])
    assert transcript is not None
    assert transcript.failure is not None
    assert "WindowedValue requires windows, but there were none" in transcript.failure.text


def test_a_late_record_is_counted_once_whatever_the_number_of_its_windows(beam: BeamJavaAdapter) -> None:
    (transcript,) = run(
        beam, [windows(Sliding(10, 5), WatermarkStep(14), RecordStep(9, 1), RecordStep(11, 2))]
    )
    assert transcript is not None
    assert [list(outputs) for outputs in transcript.outputs] == [[Watermark(14)], [Drop()], []]


def verdicts(results: dict[str, Any]) -> dict[str, set[str]]:
    """Return the ids of the rules by their verdicts."""
    return {
        verdict: {rule["id"] for rule in results["rules"] if rule["verdict"] == verdict}
        for verdict in ("pass", "fail", "suspect", "error", "not-tested")
    }


def test_under_its_own_profile_no_rule_fails(tidegauge: Command, tmp_path: Path) -> None:
    command = ("run", "--adapter", "beam-java", "--component", "window", "--budget", "smoke", "-n", "2")
    ended = tidegauge(*command, "--out", "out")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    results = results_in(tmp_path / "out")
    assert results["own_profile"]["name"] == "beam-java"
    assert verdicts(results) == {
        "pass": {f"WIN-{number}" for number in (1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 13)},
        "fail": set(),
        "suspect": set(),
        "error": set(),
        "not-tested": set(),
    }


def differing(adapter: BeamJavaAdapter, seed: int, count: int) -> list[Scenario]:
    """Return the scenarios in which Beam differs from the reference under Beam's own profile."""
    return undeclared_differences_of(
        "beam-java", adapter, component="window", scenarios=count, at_least=count, seed=seed
    )


def test_beam_agrees_with_the_reference_under_its_profile(beam: BeamJavaAdapter) -> None:
    assert differing(beam, 2027, 400) == []


def test_the_other_event_time_trigger_agrees_as_well() -> None:
    adapter = BeamJavaAdapter({"trigger": "after-watermark"})
    try:
        assert differing(adapter, 2028, 200) == []
    finally:
        adapter.close()


def test_a_jvm_that_is_killed_costs_no_more_than_its_scenario(beam: BeamJavaAdapter) -> None:
    component = component_within("window", describe("beam-java", beam).shapes)
    policies = declared_profile(beam.describe()).policies
    drawn = [draw_history(component, 1, index, policies) for index in range(40)]
    before = run(beam, drawn)
    (jvm,) = psutil.Process().children()
    jvm.kill()
    jvm.wait()
    assert run(beam, drawn) == before
    beam.close()
    assert psutil.Process().children() == []
