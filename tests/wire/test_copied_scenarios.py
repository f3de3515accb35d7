"""Engines are given copies of scenarios, also of those that no file can hold."""

from __future__ import annotations

import pytest

from tidegauge.wire.scenario import ValveScenario, copied
from tidegauge.wire.steps.valve import ValveSetup, WatermarkStep


@pytest.mark.parametrize("timestamp", [0, 2**60])
def test_a_copy_is_equal_and_shares_nothing(timestamp: int) -> None:
    scenario = ValveScenario(id="one", setup=ValveSetup(1), history=(WatermarkStep(0, timestamp),))
    copy = copied(scenario)
    assert copy == scenario
    assert copy.history[0] is not scenario.history[0]
    assert copy.setup is not scenario.setup
