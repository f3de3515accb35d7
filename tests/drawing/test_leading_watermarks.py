"""Watermarks are inserted before records for engines in which records advance event time."""

import pytest

from tidegauge.components.leading_watermarks import with_leading_watermarks
from tidegauge.components.registry import COMPONENTS
from tidegauge.components.shared.upstream import WORDS, breach_of
from tidegauge.components.within import within
from tidegauge.drawing.histories import draw_history
from tidegauge.drawing.scale import scale_scenario
from tidegauge.wire.shapes import WindowShape
from tidegauge.wire.steps.window import RecordStep, Trigger, WatermarkStep
from tidegauge_reference import CORE


def test_a_watermark_is_drawn_before_a_record_that_would_be_ahead() -> None:
    """A scenario without the required watermark is completed, not discarded."""
    shape = WindowShape(contract=("record-ahead",), lowest=0)
    component = within(COMPONENTS["window"], shape)
    record = RecordStep(5, 1)
    assert breach_of(shape.contract, [record]) == WORDS["record-ahead"]
    assert breach_of(shape.contract, [WatermarkStep(4), record]) == ""
    steps = with_leading_watermarks(component, (record, RecordStep(3, 2), WatermarkStep(4)))
    assert steps == (WatermarkStep(4), record, RecordStep(3, 2), WatermarkStep(4))
    assert with_leading_watermarks(component, (RecordStep(0, 1),)) == (WatermarkStep(0), RecordStep(0, 1))
    assert with_leading_watermarks(COMPONENTS["window"], (record,)) == (record,)


def test_watermarks_that_no_longer_rise_are_left_out_where_the_contract_says_so() -> None:
    shape = WindowShape(contract=("falling-watermark", "record-ahead"))
    component = within(COMPONENTS["window"], shape)
    steps = with_leading_watermarks(component, (RecordStep(5, 1), WatermarkStep(4), WatermarkStep(9)))
    assert steps == (WatermarkStep(4), RecordStep(5, 1), WatermarkStep(9))


def test_scenarios_with_leading_watermarks_still_have_records_in_windows() -> None:
    component = within(COMPONENTS["window"], WindowShape(contract=("record-ahead",)))
    drawn = [draw_history(component, 1, index, CORE) for index in range(200)]
    steps = [step for scenario in drawn for step in scenario.history]
    assert sum(isinstance(step, RecordStep) for step in steps) > len(steps) / 3
    assert all(breach_of(("record-ahead",), scenario.history) == "" for scenario in drawn)


@pytest.mark.parametrize("trigger", ["event-time", "per-record"])
def test_records_are_repeated_hundreds_of_times_under_the_contract(trigger: Trigger) -> None:
    """A record that is drawn with its watermark is not lost: engines that fail after 255 equal records fail."""
    component = within(COMPONENTS["window"], WindowShape(contract=("record-ahead",), triggers=(trigger,)))
    drawn = [scale_scenario(component, "repeated", index, CORE) for index in range(12)]
    most = max(
        sum(step == repeated for step in scenario.history)
        for scenario in drawn
        if scenario is not None
        for repeated in {step for step in scenario.history if isinstance(step, RecordStep)}
    )
    assert most > 500
