"""Scenarios within the shape of an engine: all are drawn from it, and as many as for an engine with every
feature."""

from __future__ import annotations

from contextlib import suppress

import pytest
from msgspec.structs import replace

from tidegauge.components.component import Component
from tidegauge.components.outside import outside
from tidegauge.components.registry import COMPONENTS
from tidegauge.components.shared.times import durations_in
from tidegauge.components.shared.upstream import WORDS, breach_of
from tidegauge.components.within import component_within, fitted, outside_of_shapes, within
from tidegauge.detection.shapes import SHAPES_MEASURED
from tidegauge.drawing.cover import state_cover
from tidegauge.drawing.exhaustive import worlds_of
from tidegauge.drawing.histories import draw_history
from tidegauge.drawing.scale import scale_scenarios
from tidegauge.drawing.shape_sample import shape_sample
from tidegauge.run.named_scenarios import scenario_named
from tidegauge.vectors.published import load_vectors
from tidegauge.wire.scenario import Scenario, component_of, problems
from tidegauge.wire.shapes import (
    SHAPES,
    AnyShape,
    BacklogShape,
    ClockShape,
    CoordinatorShape,
    GeneratorShape,
    IdlenessShape,
    LowWatermarkShape,
    NeverSent,
    SourceShape,
    SplitsShape,
    ValveShape,
    WindowShape,
    component_of_shape,
    shape_mark,
)
from tidegauge.wire.steps.valve import ActiveStep, IdleStep, ValveSetup
from tidegauge.wire.steps.valve import WatermarkStep as ValveWatermark
from tidegauge.wire.steps.window import RecordStep, Session, Sliding, Tumbling, WatermarkStep, WindowSetup
from tidegauge.wire.vocabulary import Restore, Snapshot
from tidegauge_reference import CORE

DRAWN = 300

ALL = {
    **SHAPES_MEASURED,
    "short-names": CoordinatorShape(longest_name=8, name_characters="letters-digits-dashes"),
    "no-snapshots": CoordinatorShape(snapshots=False, without_steps=("ready", "failed")),
    "low-watermarks-in-seconds": LowWatermarkShape(resolution_ms=1_000, lowest=0),
    "backlog-in-seconds": BacklogShape(resolution_ms=1_000),
    "source-in-seconds": SourceShape(resolution_ms=1_000, outputs=("per-split",), readers=("pauses",)),
    "idleness-without-pauses": IdlenessShape(without_steps=("pause", "resume")),
    "clock-without-pauses": ClockShape(without_steps=("pause", "resume")),
    "two-splits": SplitsShape(parts=("splits",), most_parts=2),
    "short-histories": WindowShape(longest_history=30),
    "after-1970": WindowShape(lowest=0, highest=2**45, end_of_input=False, no_timestamp=False),
    "slides-that-divide": WindowShape(assigners=("sliding",), slides="divides-size"),
    "slides-that-divide-a-minute": WindowShape(
        assigners=("sliding",), sizes=(60_000,), slides="divides-size", resolution_ms=500
    ),
    "a-minute-every-ten-seconds": WindowShape(
        assigners=("sliding",), sizes=(60_000,), every=(10_000,), begins_at=(5_000,)
    ),
    "microseconds-in-64-bits": WindowShape(
        lowest=-(2**52), highest=2**52, no_timestamp=False, longest_duration=2**51
    ),
    "drifts-of-a-minute": CoordinatorShape(longest_duration=60_000, resolution_ms=7_000),
    "generators-in-minutes": GeneratorShape(resolution_ms=60_000, places=("source",), idleness=False),
}


EVERYTHING: tuple[NeverSent, ...] = ("falling-watermark", "input-after-end", "repeated-status")
CONTRACTS: list[AnyShape] = [
    ValveShape(contract=EVERYTHING),
    ValveShape(statuses="implied"),
    ValveShape(statuses="implied", contract=EVERYTHING),
    SplitsShape(contract=EVERYTHING),
    WindowShape(contract=("falling-watermark", "input-after-end", "repeated-status")),
    GeneratorShape(contract=("falling-watermark", "input-after-end")),
    WindowShape(contract=("record-ahead",)),
    WindowShape(contract=("falling-watermark", "record-ahead"), lowest=0, resolution_ms=1_000),
]


def narrowed(name: str) -> Component:
    return within(COMPONENTS[component_of_shape(ALL[name])], ALL[name])


def assert_within(component: Component, scenario: Scenario) -> None:
    assert outside(component, scenario.setup, scenario.history) == "", scenario
    assert problems(scenario) == []
    shape = component.shape
    assert shape is not None
    assert shape_mark(shape) in scenario.id
    assert scenario_named(scenario.id, CORE, shapes=(shape,)) == scenario
    assert scenario_named(scenario.id, CORE) is None, "an id of another shape names nothing"


@pytest.mark.parametrize("name", ALL)
def test_random_scenarios_lie_within_the_shape_and_differ(name: str) -> None:
    component = narrowed(name)
    drawn = [draw_history(component, 1, index, CORE) for index in range(DRAWN)]
    for scenario in drawn:
        assert_within(component, scenario)
    different = {(scenario.setup, scenario.history) for scenario in drawn}
    full = [draw_history(COMPONENTS[component.name], 1, index, CORE) for index in range(DRAWN)]
    assert len(different) >= 0.95 * len({(scenario.setup, scenario.history) for scenario in full})


@pytest.mark.parametrize("name", ALL)
def test_scenarios_of_scale_lie_within_the_shape(name: str) -> None:
    component = narrowed(name)
    drawn = scale_scenarios(component, "smoke", CORE)
    for scenario in drawn:
        assert_within(component, scenario)
    assert len(drawn) >= 0.5 * len(scale_scenarios(COMPONENTS[component.name], "smoke", CORE))


@pytest.mark.parametrize("name", ALL)
def test_state_covers_lie_within_the_shape_and_reach_every_state(name: str) -> None:
    component = narrowed(name)
    assert component.covers["smoke"], "each shape has a state cover at smoke"
    assert len(worlds_of(component)) == len(set(worlds_of(component)))
    for scope in component.covers["smoke"]:
        cover = state_cover(component, scope.name, CORE)
        for index in range(0, len(cover), max(1, len(cover) // 50)):
            assert_within(component, cover.scenario(index))
        for prefix in cover.prefixes:
            engine = component.reference(scope.setup, CORE)
            for step in prefix:
                component.calls[type(step)](engine, step)
        assert len(cover) == len(cover.prefixes) * len(scope.alphabet) ** 2


def test_state_covers_of_longer_windows_reach_their_ends() -> None:
    shape = WindowShape(assigners=("tumbling",), sizes=(60_000,), allowed_lateness=(0,))
    (scope,) = within(COMPONENTS["window"], shape).covers["smoke"]
    moments = {
        type(step): {getattr(one, "timestamp", 0) for one in scope.alphabet if type(one) is type(step)}
        for step in scope.alphabet
    }
    assert moments[RecordStep] == {0, 60_000, 120_000}
    assert moments[WatermarkStep] == {59_999, 119_999, 179_999, 209_999}
    (scope,) = within(COMPONENTS["window"], replace(shape, resolution_ms=500)).covers["smoke"]
    watermarks = [step.timestamp for step in scope.alphabet if isinstance(step, WatermarkStep)]
    assert watermarks == [59_500, 119_500, 179_500, 209_500]


def test_smaller_candidates_stay_within_the_shape() -> None:
    component = narrowed("minutes-fired-once")
    scenario = draw_history(component, 1, 5, CORE)
    smaller = component.simplify(scenario.setup, scenario.history)
    assert smaller
    assert {outside(component, setup, history) for setup, history in smaller} == {""}
    assert component.fewer(scenario.setup, scenario.history) == []


def test_long_scenarios_stay_within_the_shape_and_are_distinct() -> None:
    component = within(COMPONENTS["window"], replace(ALL["minutes-fired-once"], late_records=("drop",)))
    (endurance,) = component.endurance
    steps = (*endurance.opening, *endurance.round(0), *endurance.round(3))
    assert outside(component, endurance.setup, steps) == ""
    moments = [step.timestamp for step in steps if isinstance(step, WatermarkStep)]
    assert moments[1] - moments[0] >= 60_000, "windows of minutes are over before the next round begins"


@pytest.mark.parametrize("name", ALL)
def test_the_state_of_the_reference_stays_bounded_over_many_rounds(name: str) -> None:
    component = narrowed(name)
    for endurance in component.endurance:
        engine = component.reference(endurance.setup, CORE)
        sizes = []
        for number in range(200):
            for step in (*(endurance.opening if not number else ()), *endurance.round(number)):
                with suppress(ValueError, RuntimeError):
                    component.calls[type(step)](engine, step)
            sizes.append(len(repr(engine.state())))
        assert sizes[-1] <= sizes[20] + 60, endurance.name


@pytest.mark.parametrize("name", [name for name in SHAPES if COMPONENTS[name].drawn])
def test_a_shape_with_every_feature_changes_nothing(name: str) -> None:
    assert component_within(name, ()) is COMPONENTS[name]
    full: AnyShape = SHAPES[name]()
    assert component_within(name, (full,)) is COMPONENTS[name]
    assert (
        component_within(name, (WindowShape(offsets=False),) if name != "window" else ()) is COMPONENTS[name]
    )


def test_setups_have_the_declared_slide_and_offset_only() -> None:
    component = narrowed("a-minute-every-ten-seconds")
    drawn = {draw_history(component, 1, index, CORE).setup.assigner for index in range(DRAWN)}  # type: ignore[attr-defined]
    assert drawn == {Sliding(60_000, 10_000, 5_000)}
    lacking = {
        outside(component, WindowSetup(assigner), ())
        for assigner in (Sliding(60_000, 20_000, 5_000), Sliding(60_000, 10_000, 5_001))
    }
    assert lacking == {"windows every 20,000 ms", "windows at an offset of 5,001 ms"}


def test_every_component_whose_scenarios_are_drawn_has_a_shape() -> None:
    assert set(SHAPES) == {name for name, component in COMPONENTS.items() if component.drawn}


def test_the_feature_that_is_lacking_is_named() -> None:
    tumbling = (WindowShape(assigners=("tumbling",), allowed_lateness=(0,), sizes=(60_000,)),)
    lacking = {
        outside_of_shapes(vector.scenario, tumbling)
        for vector in load_vectors("window")
        if isinstance(vector.scenario.setup.assigner, Session)  # type: ignore[union-attr]
    }
    assert lacking == {"session windows"}
    setup = WindowSetup(Tumbling(60_000), allowed_lateness=1)
    component = within(COMPONENTS["window"], tumbling[0])
    assert outside(component, setup, ()) == "allowed lateness"


def test_a_component_without_snapshots_has_no_restarts() -> None:
    component = narrowed("no-snapshots")
    drawn = [draw_history(component, 1, index, CORE) for index in range(DRAWN)]
    drawn += scale_scenarios(component, "smoke", CORE)
    assert not any(isinstance(step, Snapshot | Restore) for one in drawn for step in one.history)


def _durations(scenario: Scenario) -> list[int]:
    names = COMPONENTS[component_of(scenario)].narrowing.milliseconds
    return [
        duration for each in (scenario.setup, *scenario.history) for duration in durations_in(each, names)
    ]


@pytest.mark.parametrize(
    ("name", "longest"), [("microseconds-in-64-bits", 2**51), ("drifts-of-a-minute", 56_000)]
)
def test_longer_durations_are_shortened_instead_of_left_out(name: str, longest: int) -> None:
    component = narrowed(name)
    drawn = [*scale_scenarios(component, "smoke", CORE)]
    drawn += [draw_history(component, 1, index, CORE) for index in range(DRAWN)]
    assert max(duration for scenario in drawn for duration in _durations(scenario)) == longest
    full = scale_scenarios(COMPONENTS[component.name], "smoke", CORE)
    assert max(duration for scenario in full for duration in _durations(scenario)) > longest


def test_durations_outside_are_named() -> None:
    component = within(COMPONENTS["window"], WindowShape(longest_duration=60_000))
    assert outside(component, WindowSetup(Tumbling(60_000, -60_000)), ()) == ""
    assert outside(component, WindowSetup(Tumbling(60_001)), ()) == "durations of more than 60,000 ms"
    assert outside(component, WindowSetup(Tumbling(5, -60_001)), ()) == "durations of more than 60,000 ms"


def test_windows_without_records_without_a_timestamp_have_no_record_at_the_end_of_time() -> None:
    component = within(COMPONENTS["window"], WindowShape(no_timestamp=False))
    assert (
        outside(component, WindowSetup(Session(1)), (RecordStep("MAX", 1),)) == "a record without a timestamp"
    )
    drawn = [draw_history(component, 1, index, CORE) for index in range(DRAWN)]
    moments = {
        (type(step), step.timestamp)
        for scenario in drawn
        for step in scenario.history
        if isinstance(step, RecordStep | WatermarkStep)
    }
    assert (RecordStep, "MAX") not in moments
    assert (WatermarkStep, "MAX") in moments, "the end of the input has a meaning"


@pytest.mark.parametrize("shape", CONTRACTS, ids=component_of_shape)
def test_the_sample_that_decides_which_rules_apply_keeps_the_contract(shape: AnyShape) -> None:
    """The last two steps of a state cover are any two steps."""
    component = within(COMPONENTS[component_of_shape(shape)], shape)
    claims = frozenset({component.name, *component.extras, "refuses"})
    small, large = shape_sample(component, CORE, claims)
    assert {outside(component, scenario.setup, scenario.history) for scenario in (*small, *large)} == {""}
    assert any(scenario.origin.kind == "cover" for scenario in small)


def _records(scenario: Scenario) -> list[RecordStep]:
    return [
        step for step in scenario.history if isinstance(step, RecordStep) and isinstance(step.timestamp, int)
    ]


def test_records_of_fixed_windows_fall_into_several_windows() -> None:
    """Sizes of minutes would otherwise put all records of a scenario into one window."""
    component = narrowed("minutes-fired-once")
    drawn = [draw_history(component, 1, index, CORE) for index in range(DRAWN)]
    several = [
        scenario for scenario in drawn if len({step.timestamp // 60_000 for step in _records(scenario)}) > 1
    ]
    assert len(several) > DRAWN // 2


@pytest.mark.parametrize("shape", CONTRACTS, ids=component_of_shape)
def test_steps_that_the_contract_excludes_are_not_drawn(shape: AnyShape) -> None:
    component = within(COMPONENTS[component_of_shape(shape)], shape)
    drawn = [draw_history(component, 1, index, CORE) for index in range(DRAWN)]
    for scenario in drawn:
        assert_within(component, scenario)
    full = [draw_history(COMPONENTS[component.name], 1, index, CORE) for index in range(DRAWN)]
    for each in shape.contract:
        breaches = {breach_of((each,), scenario.history) for scenario in full}
        assert WORDS[each] in breaches, "an engine without a contract is sent all of it"
    assert sum(len(one.history) for one in drawn) > 0.4 * sum(len(one.history) for one in full)
    for scenario in scale_scenarios(component, "smoke", CORE):
        assert_within(component, scenario)


@pytest.mark.parametrize("name", SHAPES_MEASURED)
def test_golden_vectors_are_fitted_to_the_shape(name: str) -> None:
    """A valve in seconds had 9 of 40 vectors, and VALVE-15 was rarely decided at smoke."""
    component = within(COMPONENTS[component_of_shape(SHAPES_MEASURED[name])], SHAPES_MEASURED[name])
    vectors = [vector.scenario for vector in load_vectors(component.name)]
    scenarios = [fitted(component, scenario) for scenario in vectors]
    inside = [each for each in scenarios if not outside(component, each.setup, each.history)]
    assert len(inside) >= (3 if name == "inputs-only" else 0.9 * len(vectors))
    for scenario in inside:
        assert problems(scenario) == []
        assert scenario_named(scenario.id, CORE, shapes=(SHAPES_MEASURED[name],)) == scenario
        assert scenario in vectors or scenario.id.endswith(component.mark)


def test_a_fitted_vector_keeps_what_happens() -> None:
    component = within(
        COMPONENTS["window"], WindowShape(assigners=("tumbling",), sizes=(60_000,), offsets=False)
    )
    vectors = [vector.scenario for vector in load_vectors("window")]
    records = [
        {step.timestamp // 60_000 for step in _records(fitted(component, scenario))}
        for scenario in vectors
        if len({step.timestamp for step in _records(scenario)}) > 2
    ]
    assert sum(len(windows) > 1 for windows in records) > len(records) / 2


@pytest.mark.parametrize("shape", CONTRACTS, ids=component_of_shape)
def test_the_fixed_sample_keeps_the_contract(shape: AnyShape) -> None:
    """The sample decides which rules are applicable: a breach in it would demand what a run never sends."""
    narrowed = component_within(component_of_shape(shape), (shape,))
    small, large = shape_sample(narrowed, CORE, frozenset({narrowed.name, *narrowed.extras}))
    assert small
    for scenario in (*small, *large):
        assert not breach_of(shape.contract, scenario.history), scenario.id


def test_a_restore_also_restores_the_upstream_state() -> None:
    watermarks = [ValveWatermark(0, 5), Snapshot(), ValveWatermark(0, 9), Restore(), ValveWatermark(0, 7)]
    assert breach_of(("falling-watermark",), watermarks) == ""
    assert breach_of(("falling-watermark",), [*watermarks, ValveWatermark(0, 7)])
    ended = [ValveWatermark(0, "MAX"), ValveWatermark(1, 3)]
    assert breach_of(("input-after-end",), ended) == ""
    assert breach_of(("input-after-end",), [*ended, ValveWatermark(0, "MAX")]) == "input after its end"


def test_where_statuses_are_implied_no_watermark_arrives_on_an_idle_channel() -> None:
    component = within(COMPONENTS["valve"], ValveShape(statuses="implied"))
    setup = ValveSetup(2)
    idle, watermark = IdleStep(0), ValveWatermark(0, 5)
    assert outside(component, setup, (idle, watermark)) == "a watermark on a channel that is still idle"
    assert outside(component, setup, (idle, ActiveStep(0), watermark)) == ""
    assert outside(component, setup, (Snapshot(), idle, Restore(), watermark)) == ""
    assert outside(component, setup, (idle, Snapshot(), ActiveStep(0), Restore(), watermark)) != ""
    full = [draw_history(COMPONENTS["valve"], 1, index, CORE) for index in range(DRAWN)]
    assert any(outside(component, scenario.setup, scenario.history) for scenario in full)
