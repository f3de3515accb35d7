"""The strategy builder as people use it: immutable, with suppliers of their own, which are given a context."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from tidegauge_reference import IllegalArgument
from tidegauge_reference.generators import BoundedOutOfOrderness, Generator, NoWatermarks
from tidegauge_reference.strategy import WatermarkedInput, WatermarkStrategy


def test_a_builder_call_leaves_the_strategy_as_it_was() -> None:
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(5)
    other = strategy.with_idleness(10).with_watermark_alignment("group-1", 0)
    assert strategy == WatermarkStrategy.for_bounded_out_of_orderness(5) != other
    assert strategy.with_watermark_alignment("group-1", 0).with_idleness(10) == other
    with pytest.raises(FrozenInstanceError):
        strategy.bound = 6  # type: ignore[misc]


def test_two_inputs_of_one_strategy_share_nothing() -> None:
    strategy = WatermarkStrategy.for_monotonous_timestamps()
    one, other = (WatermarkedInput(strategy, mid_pipeline=False) for _ in range(2))
    one.record(7)
    assert one.tick() == [("watermark", 6)]
    assert other.tick() == [("watermark", -(2**63))]


class OfTheActivityClock(Generator):
    """A user's own: at a tick the ms for which its input was active."""

    periodic = True

    def time(self) -> int:
        return 1 + int(self.context.input_activity_clock.read()) // 10**6


def test_a_users_supplier_is_given_the_input_activity_clock() -> None:
    subject = WatermarkedInput(WatermarkStrategy.for_generator(OfTheActivityClock), mid_pipeline=False)
    subject.advance(3)
    subject.input_activity_clock.pause("backpressure")
    subject.advance(100)
    assert subject.tick() == [("watermark", 3)]
    subject.input_activity_clock.resume("backpressure")
    subject.advance(1)
    assert subject.tick() == [("watermark", 4)]


def test_an_input_that_is_blocked_does_not_become_idle() -> None:
    strategy = WatermarkStrategy.no_watermarks().with_idleness(10)
    subject = WatermarkedInput(strategy, mid_pipeline=True, now=1)
    subject.tick()
    subject.input_activity_clock.pause("alignment")
    subject.advance(1000)
    assert subject.tick() == []
    subject.input_activity_clock.resume("alignment")
    subject.advance(11)
    assert subject.tick() == [("idle",)]


def test_a_record_without_a_timestamp_gets_one_from_an_assigner() -> None:
    strategy = WatermarkStrategy.no_watermarks().with_timestamp_assigner(lambda timestamp, now: now + 1)
    assert WatermarkedInput(strategy, mid_pipeline=False, now=4).record(-(2**63)) == [("record", 5)]


@pytest.mark.parametrize(
    ("strategy", "watermark", "late"),
    [
        (WatermarkStrategy.for_monotonous_timestamps(), 4, False),
        (WatermarkStrategy.for_generator("processing-time"), 4, False),
        (WatermarkStrategy.for_generator("punctuated"), 5, True),
    ],
)
def test_on_ingestion_time_only_periodic_watermarks_are_perfect(
    strategy: WatermarkStrategy, watermark: int, late: bool
) -> None:
    """GEN-8 promises nothing of punctuated ones: behind them a second record of the same ms is late."""
    subject = WatermarkedInput(strategy.with_timestamp_assigner("ingestion-time"), mid_pipeline=False, now=5)
    assert subject.record(7) + subject.tick() == [("record", 5), ("watermark", watermark)]
    (name, timestamp) = subject.record(9)[0]
    assert name == "record"
    assert (timestamp <= watermark) == late


@pytest.mark.parametrize(
    "call",
    [
        lambda: BoundedOutOfOrderness(-1),
        lambda: BoundedOutOfOrderness(2**63),
        lambda: BoundedOutOfOrderness(None),
        lambda: WatermarkStrategy.no_watermarks().with_watermark_alignment("group-1", 2**63),
        lambda: WatermarkedInput(WatermarkStrategy(), mid_pipeline=False, now=-1),
    ],
)
def test_arguments_are_checked_where_they_are_given(call: Any) -> None:
    with pytest.raises(IllegalArgument, match="GEN-15"):
        call()


def test_the_longest_durations_are_legal() -> None:
    generator = BoundedOutOfOrderness(2**63 - 1)
    generator.on_event(5)
    assert generator.on_periodic_emit() == [("watermark", 5 - 2**63)]
    assert NoWatermarks().on_event(5) == NoWatermarks().on_periodic_emit() == []
