"""The public Hypothesis strategies draw legal scenarios, of every kind of step."""

from __future__ import annotations

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from tidegauge.drawing.strategies import scenarios, setups, steps
from tidegauge.wire.scenario import Scenario, encode_scenario, problems, read_scenarios
from tidegauge.wire.steps.valve import ActiveStep, IdleStep, ValveSetup, WatermarkStep
from tidegauge.wire.vocabulary import Step

EXACTLY_AGAIN = settings(database=None, deadline=None, derandomize=True, max_examples=200)


@EXACTLY_AGAIN
@given(scenario=scenarios("valve"))
def test_drawn_scenarios_are_legal(scenario: Scenario) -> None:
    assert problems(scenario) == []
    assert list(read_scenarios([encode_scenario(scenario)], "drawn")) == [scenario]
    assert 1 <= len(scenario.history) <= 20
    assert sum(scenario.groups) in (0, len(scenario.history))


@EXACTLY_AGAIN
@given(data=st.data())
def test_steps_are_on_channels_that_exist(data: st.DataObject) -> None:
    setup = data.draw(setups("valve"))
    step = data.draw(steps("valve", setup))
    assert isinstance(setup, ValveSetup)
    assert step.channel in range(setup.channels)


@pytest.mark.parametrize("kind", [WatermarkStep, IdleStep, ActiveStep])
def test_every_kind_of_step_is_drawn(kind: type[Step]) -> None:
    found = find(
        scenarios("valve"), lambda scenario: isinstance(scenario.history[0], kind), settings=EXACTLY_AGAIN
    )
    assert isinstance(found.history[0], kind)


@pytest.mark.parametrize("timestamp", ["MIN", "MAX", 0, -1])
def test_the_timestamps_that_matter_are_drawn(timestamp: int | str) -> None:
    def has_it(scenario: Scenario) -> bool:
        return any(isinstance(s, WatermarkStep) and s.timestamp == timestamp for s in scenario.history)

    assert has_it(find(scenarios("valve"), has_it, settings=EXACTLY_AGAIN))


def test_a_component_without_strategies_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        scenarios("teapot")
