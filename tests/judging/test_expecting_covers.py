"""Scenarios of a cover, whose common beginnings the oracle steps once, are expected as each of them alone."""

import pytest

from tidegauge.components.registry import COMPONENTS
from tidegauge.drawing.cover import state_cover
from tidegauge.judging.reference.oracle import Expectation, expect, expect_each
from tidegauge.wire.base_scenario import Origin
from tidegauge.wire.steps.valve import ActiveStep, IdleStep, ValveScenario, ValveSetup, WatermarkStep
from tidegauge.wire.vocabulary import Restore, Snapshot
from tidegauge_reference import CORE, PROFILES

COVERS = [
    (name, scope.name)
    for name, component in COMPONENTS.items()
    for scope in component.covers.get("default", ())
]


def told(expectation: Expectation) -> tuple[object, ...]:
    """Outputs and decisions; which of the decisions of a step came first says nothing of an engine."""
    return expectation.outputs, [sorted(step) for step in expectation.cited]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("component", "scope"), COVERS, ids=lambda name: name)
def test_a_common_beginning_changes_nothing(component: str, scope: str, profile: str) -> None:
    cover = state_cover(COMPONENTS[component], scope, PROFILES[profile])
    last_steps = len(cover.scope.alphabet)
    scenarios = [cover.scenario(index) for index in range(len(cover)) if index // last_steps % 29 == 0]
    expected = expect_each(scenarios, PROFILES[profile])
    for scenario, together in zip(scenarios, expected, strict=True):
        assert told(together) == told(expect(scenario, PROFILES[profile])), scenario


def test_a_snapshot_in_the_common_beginning_can_be_restored() -> None:
    beginning = (WatermarkStep(0, 5), Snapshot(), IdleStep(0))
    scenarios = [
        ValveScenario(
            id=f"last-{number}", setup=ValveSetup(1), history=(*beginning, last), origin=Origin("seed")
        )
        for number, last in enumerate((Restore(), WatermarkStep(0, 7), ActiveStep(0)))
    ]
    assert list(expect_each(scenarios, CORE)) == [expect(one, CORE) for one in scenarios]


def test_nothing_is_expected_of_no_scenario_and_of_no_step() -> None:
    assert list(expect_each([], CORE)) == []
    without_steps = [
        ValveScenario(id=id, setup=ValveSetup(1), history=(), origin=Origin("seed")) for id in ("one", "two")
    ]
    assert list(expect_each(without_steps, CORE)) == [Expectation([], [])] * 2
