"""The valve of tidegauge_spark, stepped in PySpark's TwsTester: a stateful processor without a JVM.

Every expectation is worked out by hand from the rule in the name of the test. Comments give the watermarks
of the channels where they are not plain to see. Timestamps are in milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from pyspark.sql import Row
from pyspark.sql.streaming.tws_tester import TwsTester

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.valve import Valve
from tidegauge_spark.operators.valve import (
    VALVE_INPUT_SCHEMA,
    VALVE_OUTPUT_SCHEMA,
    VALVE_STATE_SCHEMA,
    ValveProcessor,
)

Output = tuple[str, int | None]

ACTIVE: Output = ("active", None)
IDLE: Output = ("idle", None)
REFUSED: Output = ("error", None)

step_row = Row(*VALVE_INPUT_SCHEMA.names)
output_row = Row(*VALVE_OUTPUT_SCHEMA.names)


def watermark(timestamp: int) -> Output:
    return ("watermark", timestamp)


class SteppedValve:
    """A valve that gets each step in a batch of its own and answers what goes downstream."""

    def __init__(self, channels: int) -> None:
        self.channels = channels
        self.sequence = 0
        self.tester = TwsTester(ValveProcessor())

    def watermark(self, channel: int | None, timestamp: int | None) -> list[Output]:
        return self.step("watermark", channel, timestamp)

    def idle(self, channel: int | None) -> list[Output]:
        return self.step("idle", channel, None)

    def active(self, channel: int | None) -> list[Output]:
        return self.step("active", channel, None)

    def step(self, kind: str | None, channel: int | None, timestamp: int | None) -> list[Output]:
        rows = self.batch([step_row("v", self.channels, self.sequence, kind, channel, timestamp)])
        for position, row in enumerate(rows):
            assert (row.valve, row.sequence, row.position) == ("v", self.sequence, position)
            assert row.error == ("illegal-argument" if row.kind == "error" else None)
        self.sequence += 1
        return [(row.kind, row.timestamp) for row in rows]

    def batch(self, rows: Sequence[Row]) -> list[Row]:
        return self.tester.test("v", list(rows))

    def state(self) -> Any:
        return self.tester.peekValueState("valve", "v")

    def restart(self) -> None:
        """Go on in a new processor with nothing but the stored state."""
        stored = self.state()
        self.tester = TwsTester(ValveProcessor())
        self.tester.updateValueState("valve", "v", stored)


def valve_at(*timestamps: int) -> SteppedValve:
    """Return a valve whose channels have delivered these; its output watermark is the smallest of them."""
    valve = SteppedValve(len(timestamps))
    outputs = [
        output
        for channel, timestamp in enumerate(timestamps)
        for output in valve.watermark(channel, timestamp)
    ]
    assert outputs == [watermark(min(timestamps))]
    return valve


def lagging_alone() -> SteppedValve:
    """Return a valve at 10 whose only active channel is 2, which lags; 0 is idle at 20 and 1 idle at 10."""
    valve = SteppedValve(3)
    assert valve.idle(2) == []
    assert valve.watermark(0, 20) == []
    assert valve.watermark(1, 10) == [watermark(10)]
    assert valve.active(2) == []
    assert valve.idle(0) == []
    assert valve.idle(1) == []
    return valve


# VALVE-1


def test_valve_1_no_watermark_before_every_channel_has_delivered_one() -> None:
    valve = SteppedValve(3)
    assert valve.watermark(0, 10) == []
    assert valve.watermark(2, 30) == []
    assert valve.watermark(0, 20) == []
    assert valve.watermark(1, 5) == [watermark(5)]


def test_valve_1_a_channel_that_comes_back_without_a_watermark_is_waited_for_again() -> None:
    valve = SteppedValve(2)
    assert valve.idle(1) == []
    assert valve.active(1) == []  # nothing was sent meanwhile, so it is not behind
    assert valve.watermark(0, 10) == []
    assert valve.watermark(1, 7) == [watermark(7)]


def test_valve_1_min_is_not_a_watermark_that_was_delivered() -> None:
    valve = SteppedValve(1)
    assert valve.watermark(0, MIN) == []
    assert valve.watermark(0, MIN + 1) == [watermark(MIN + 1)]


# VALVE-2


def test_valve_2_the_minimum_over_the_channels_is_the_output() -> None:
    valve = valve_at(10, 20)
    assert valve.watermark(0, 15) == [watermark(15)]
    assert valve.watermark(0, 30) == [watermark(20)]
    assert valve.watermark(1, 25) == [watermark(25)]
    assert valve.watermark(1, 40) == [watermark(30)]


def test_valve_2_a_single_channel_is_forwarded() -> None:
    valve = SteppedValve(1)
    assert valve.watermark(0, -5) == [watermark(-5)]
    assert valve.watermark(0, 0) == [watermark(0)]
    assert valve.watermark(0, 7) == [watermark(7)]


# VALVE-3


@pytest.mark.parametrize("timestamp", [20, 19, MIN])
def test_valve_3_a_watermark_that_is_not_greater_than_the_channels_own_is_ignored(timestamp: int) -> None:
    valve = valve_at(10, 20)
    assert valve.watermark(1, timestamp) == []
    assert valve.watermark(0, 30) == [watermark(20)]  # 1 is still at 20


def test_valve_3_a_repeated_end_is_ignored_also_while_the_valve_is_idle() -> None:
    valve = valve_at(10, 10)
    assert valve.idle(1) == []
    assert valve.watermark(0, MAX) == [IDLE]
    assert valve.watermark(0, MAX) == []


# VALVE-4


def test_valve_4_a_watermark_that_does_not_raise_the_minimum_outputs_nothing() -> None:
    valve = valve_at(10, 20)
    assert valve.watermark(1, 25) == []  # the minimum stays on 10


def test_valve_4_a_channel_that_catches_up_to_the_output_does_not_repeat_it() -> None:
    valve = lagging_alone()
    assert valve.watermark(2, 10) == []  # aligned at 10, the minimum is 10, the output was 10


def test_valve_4_the_flush_does_not_repeat_the_output() -> None:
    valve = valve_at(10, 20)
    assert valve.idle(0) == [watermark(20)]
    assert valve.idle(1) == [IDLE]


def test_valve_4_the_flush_does_not_go_back() -> None:
    valve = valve_at(20, 10)
    assert valve.idle(1) == [watermark(20)]
    assert valve.active(1) == []  # lagging at 10
    assert valve.watermark(0, MAX) == []  # leaves 1 alone
    assert valve.idle(1) == [IDLE]  # the largest unfinished is 10, the output was 20


# VALVE-5


def test_valve_5_a_watermark_of_an_idle_channel_outputs_nothing_and_is_not_remembered() -> None:
    valve = valve_at(10, 10)
    assert valve.idle(1) == []
    assert valve.watermark(1, 50) == []
    assert valve.watermark(0, 30) == [watermark(30)]
    assert valve.active(1) == []
    assert valve.state().watermarks == [30, 10]
    assert valve.watermark(0, 40) == [watermark(40)]  # 1 came back with 10, so it lags; with 50 it would not


def test_valve_5_the_end_of_an_idle_channel_is_not_heard_either() -> None:
    valve = valve_at(10, 10)
    assert valve.idle(1) == []
    assert valve.watermark(1, MAX) == []
    assert valve.watermark(0, MAX) == [IDLE]  # were 1 finished, this would be the end of time


# VALVE-6


def test_valve_6_a_channel_that_becomes_idle_releases_the_minimum_of_the_others_at_once() -> None:
    valve = valve_at(10, 30, 20)
    assert valve.idle(0) == [watermark(20)]
    assert valve.watermark(2, 40) == [watermark(30)]


def test_valve_6_a_channel_that_never_delivered_holds_nobody_once_it_is_idle() -> None:
    valve = SteppedValve(2)
    assert valve.watermark(0, 10) == []
    assert valve.idle(1) == [watermark(10)]


def test_valve_6_nothing_is_output_when_the_minimum_does_not_rise() -> None:
    valve = valve_at(10, 30)
    assert valve.idle(1) == []


# VALVE-7


def test_valve_7_a_repeated_idle_says_nothing() -> None:
    valve = valve_at(10)
    assert valve.idle(0) == [IDLE]
    assert valve.idle(0) == []


def test_valve_7_an_active_before_any_idle_says_nothing() -> None:
    valve = SteppedValve(2)
    assert valve.active(0) == []
    assert valve.watermark(0, 10) == []
    assert valve.watermark(1, 20) == [watermark(10)]


def test_valve_7_a_repeated_active_does_not_align_a_lagging_channel() -> None:
    valve = valve_at(10, 10)
    assert valve.idle(1) == []
    assert valve.watermark(0, 30) == [watermark(30)]
    assert valve.active(1) == []
    assert valve.active(1) == []
    assert valve.watermark(0, 40) == [watermark(40)]


# VALVE-8


def test_valve_8_a_channel_that_comes_back_ahead_takes_part_again() -> None:
    valve = valve_at(10, 30)
    assert valve.idle(1) == []
    assert valve.active(1) == []
    assert valve.watermark(0, 50) == [watermark(30)]


def test_valve_8_a_channel_that_comes_back_equal_takes_part_again() -> None:
    valve = valve_at(10, 30)
    assert valve.idle(1) == []
    assert valve.watermark(0, 30) == [watermark(30)]
    assert valve.active(1) == []
    assert valve.watermark(0, 50) == []  # held by 1, which is at 30


# VALVE-9


def test_valve_9_a_channel_that_comes_back_behind_holds_nobody() -> None:
    valve = valve_at(10, 29)
    assert valve.idle(1) == []
    assert valve.watermark(0, 30) == [watermark(30)]
    assert valve.active(1) == []
    assert valve.watermark(0, 40) == [watermark(40)]


def test_valve_9_a_lagging_channel_does_not_take_part_while_it_catches_up() -> None:
    valve = lagging_alone()
    assert valve.watermark(2, 9) == []
    assert valve.active(0) == [watermark(20)]  # the minimum over 0 alone


# VALVE-10


def test_valve_10_a_lagging_channel_that_reaches_the_output_takes_part_again() -> None:
    valve = valve_at(10, 10)
    assert valve.idle(1) == []
    assert valve.watermark(0, 30) == [watermark(30)]
    assert valve.active(1) == []
    assert valve.watermark(1, 30) == []
    assert valve.watermark(0, 40) == []  # held by 1, which is at 30
    assert valve.watermark(1, 35) == [watermark(35)]


def test_valve_10_a_lagging_channel_below_the_output_is_still_left_out() -> None:
    valve = valve_at(10, 10)
    assert valve.idle(1) == []
    assert valve.watermark(0, 30) == [watermark(30)]
    assert valve.active(1) == []
    assert valve.watermark(1, 29) == []
    assert valve.watermark(0, 40) == [watermark(40)]


def test_valve_10_a_lagging_channel_that_passes_the_output_takes_part_again() -> None:
    valve = lagging_alone()
    assert valve.watermark(2, 15) == [watermark(15)]  # the only aligned one


# VALVE-11


def test_valve_11_no_watermark_while_only_lagging_channels_are_active() -> None:
    valve = lagging_alone()
    assert valve.watermark(2, 5) == []
    assert valve.watermark(2, 9) == []


def test_valve_11_no_watermark_when_the_last_aligned_channel_finishes_beside_a_lagging_one() -> None:
    valve = valve_at(20, 10)
    assert valve.idle(1) == [watermark(20)]
    assert valve.active(1) == []
    assert valve.watermark(0, MAX) == []
    assert valve.watermark(1, 19) == []


# VALVE-12


def test_valve_12_a_channel_that_comes_back_releases_its_watermark() -> None:
    valve = lagging_alone()
    assert valve.active(0) == [watermark(20)]


def test_valve_12_a_channel_that_comes_back_level_with_the_output_releases_nothing() -> None:
    valve = lagging_alone()
    assert valve.active(1) == []
    assert valve.active(0) == []  # held by 1, which is at 10
    assert valve.watermark(1, 30) == [watermark(20)]


# VALVE-13


def test_valve_13_active_is_sent_when_the_first_channel_comes_back_and_only_then() -> None:
    valve = valve_at(10, 20)
    assert valve.idle(0) == [watermark(20)]
    assert valve.idle(1) == [IDLE]
    assert valve.active(0) == [ACTIVE]
    assert valve.active(1) == []


def test_valve_13_active_is_sent_also_for_a_lagging_channel() -> None:
    valve = valve_at(20, 10)
    assert valve.idle(0) == []
    assert valve.watermark(1, 15) == [watermark(15)]
    assert valve.idle(1) == [watermark(20), IDLE]
    assert valve.active(1) == [ACTIVE]
    assert valve.watermark(1, 18) == []  # behind 20
    assert valve.watermark(1, 25) == [watermark(25)]


# VALVE-14


def test_valve_14_idle_is_sent_when_the_last_channel_becomes_idle() -> None:
    valve = SteppedValve(3)
    assert valve.idle(2) == []
    assert valve.idle(0) == []
    assert valve.idle(1) == [IDLE]


def test_valve_14_a_lagging_channel_keeps_the_valve_active() -> None:
    valve = lagging_alone()
    assert valve.idle(2) == [watermark(20), IDLE]


# VALVE-15


def test_valve_15_the_largest_watermark_is_flushed_whichever_channel_goes_last() -> None:
    valve = valve_at(10, 30, 20)
    assert valve.idle(1) == []
    assert valve.idle(0) == [watermark(20)]
    assert valve.idle(2) == [watermark(30), IDLE]
    other = valve_at(10, 30, 20)
    assert other.idle(1) == []
    assert other.idle(2) == []
    assert other.idle(0) == [watermark(30), IDLE]


def test_valve_15_a_lagging_channel_that_goes_last_flushes_the_others() -> None:
    valve = lagging_alone()
    assert valve.watermark(2, 7) == []
    assert valve.idle(2) == [watermark(20), IDLE]


def test_valve_15_nothing_is_flushed_when_no_channel_has_delivered_a_watermark() -> None:
    valve = SteppedValve(1)
    assert valve.idle(0) == [IDLE]


def test_valve_15_the_flush_happens_too_when_the_last_active_channel_finishes() -> None:
    valve = valve_at(10, 30)
    assert valve.idle(1) == []
    assert valve.watermark(0, MAX) == [watermark(30), IDLE]


# VALVE-16


def test_valve_16_the_flush_goes_out_before_idle() -> None:
    valve = SteppedValve(2)
    assert valve.watermark(0, 10) == []
    assert valve.idle(0) == []  # 1 is waited for
    assert valve.idle(1) == [watermark(10), IDLE]


def test_valve_16_no_watermark_while_the_valve_is_idle() -> None:
    valve = valve_at(10)
    assert valve.idle(0) == [IDLE]
    assert valve.watermark(0, 20) == []
    assert valve.watermark(0, MAX) == []
    assert valve.idle(0) == []
    assert valve.active(0) == [ACTIVE]


# VALVE-17


def test_valve_17_a_finished_channel_holds_nobody_back() -> None:
    valve = valve_at(10, 30)
    assert valve.watermark(0, MAX) == [watermark(30)]
    assert valve.watermark(1, 40) == [watermark(40)]


def test_valve_17_a_finished_channel_does_not_push_when_the_others_are_idle() -> None:
    valve = valve_at(10, 10)
    assert valve.watermark(1, MAX) == []
    assert valve.idle(0) == [IDLE]
    assert valve.active(0) == [ACTIVE]
    assert valve.watermark(0, 20) == [watermark(20)]


def test_valve_17_a_finished_channel_does_not_push_when_the_others_lag() -> None:
    valve = lagging_alone()
    assert valve.active(1) == []
    assert valve.watermark(1, MAX) == []  # 0 idle at 20, 2 lagging
    assert valve.watermark(2, 12) == [watermark(12)]


# VALVE-18


def test_valve_18_a_finished_channel_is_not_flushed() -> None:
    valve = valve_at(10, 20, 30)
    assert valve.watermark(0, MAX) == [watermark(20)]
    assert valve.idle(2) == []
    assert valve.idle(1) == [watermark(30), IDLE]


# VALVE-19


def test_valve_19_max_is_output_when_every_channel_is_finished() -> None:
    valve = valve_at(10, 20)
    assert valve.watermark(1, MAX) == []
    assert valve.watermark(0, MAX) == [watermark(MAX)]
    assert valve.watermark(0, MAX) == []


def test_valve_19_the_end_may_come_without_any_watermark_before() -> None:
    valve = SteppedValve(2)
    assert valve.watermark(0, MAX) == []
    assert valve.watermark(1, MAX) == [watermark(MAX)]


def test_valve_19_a_channel_that_comes_back_to_finish_ends_time_under_active() -> None:
    valve = valve_at(10, 20)
    assert valve.idle(1) == []
    assert valve.watermark(0, MAX) == [watermark(20), IDLE]
    assert valve.active(1) == [ACTIVE]
    assert valve.watermark(1, MAX) == [watermark(MAX)]  # and no IDLE: no channel is unfinished


def test_valve_19_a_lagging_channel_that_finishes_ends_time() -> None:
    valve = valve_at(20, 10)
    assert valve.idle(1) == [watermark(20)]
    assert valve.active(1) == []
    assert valve.watermark(0, MAX) == []
    assert valve.watermark(1, MAX) == [watermark(MAX)]


# VALVE-20


def test_valve_20_the_valve_is_idle_when_all_unfinished_channels_are() -> None:
    valve = valve_at(10, 20)
    assert valve.watermark(0, MAX) == [watermark(20)]
    assert valve.idle(1) == [IDLE]


def test_valve_20_the_end_of_the_last_active_channel_makes_the_valve_idle() -> None:
    valve = valve_at(10, 10)
    assert valve.idle(1) == []
    assert valve.watermark(0, MAX) == [IDLE]


# VALVE-21


def test_valve_21_a_status_of_a_finished_channel_has_no_effect() -> None:
    valve = valve_at(10, 20)
    assert valve.watermark(0, MAX) == [watermark(20)]
    before = valve.state()
    assert valve.idle(0) == []
    assert valve.active(0) == []
    assert valve.state() == before
    assert valve.watermark(1, MAX) == [watermark(MAX)]
    assert valve.idle(1) == []


def test_valve_21_a_late_active_of_a_finished_channel_does_not_wake_an_idle_valve() -> None:
    valve = valve_at(10, 10)
    assert valve.idle(1) == []
    assert valve.watermark(0, MAX) == [IDLE]
    assert valve.active(0) == []
    assert valve.active(1) == [ACTIVE]


# VALVE-22


@pytest.mark.parametrize("channel", [2, -1, -2, -3, 2**31 - 1, -(2**31), None])
def test_valve_22_an_unknown_channel_is_refused_and_changes_nothing(channel: int | None) -> None:
    valve = valve_at(10, 20)
    before = valve.state()
    assert valve.watermark(channel, 99) == [REFUSED]
    assert valve.idle(channel) == [REFUSED]
    assert valve.active(channel) == [REFUSED]
    assert valve.state() == before
    assert valve.watermark(0, 15) == [watermark(15)]


@pytest.mark.parametrize("kind", ["Watermark", "error", "", None])
def test_valve_22_an_unknown_kind_is_refused_and_changes_nothing(kind: str | None) -> None:
    valve = valve_at(10, 20)
    before = valve.state()
    assert valve.step(kind, 0, 15) == [REFUSED]
    assert valve.state() == before


def test_valve_22_a_watermark_without_a_timestamp_is_refused_and_changes_nothing() -> None:
    valve = valve_at(10, 20)
    before = valve.state()
    assert valve.watermark(0, None) == [REFUSED]
    assert valve.state() == before


@pytest.mark.parametrize("channels", [1, 3, 0, -2, None])
def test_valve_22_another_number_of_channels_is_refused_and_changes_nothing(channels: int | None) -> None:
    valve = valve_at(10, 20)
    before = valve.state()
    rows = valve.batch([step_row("v", channels, 7, "watermark", 0, 15)])
    assert rows == [output_row("v", 7, 0, "error", None, "illegal-argument")]
    assert valve.state() == before


@pytest.mark.parametrize("channels", [0, -1, None])
def test_valve_22_a_valve_without_channels_is_refused(channels: int | None) -> None:
    valve = SteppedValve(2)
    rows = valve.batch([step_row("v", channels, 0, "watermark", 0, 15)])
    assert [row.error for row in rows] == ["illegal-argument"]
    assert valve.state() is None


def test_valve_22_a_refused_first_step_does_not_settle_the_number_of_channels() -> None:
    valve = SteppedValve(2)
    rows = valve.batch([step_row("v", 5, 0, "idle", 5, None), step_row("v", 2, 1, "idle", 0, None)])
    assert [(row.sequence, row.kind) for row in rows] == [(0, "error")]
    assert valve.idle(1) == [IDLE]


def test_valve_22_a_step_without_a_sequence_is_refused() -> None:
    valve = SteppedValve(1)
    rows = valve.batch([step_row("v", 1, 3, "watermark", 0, 5), step_row("v", 1, None, "watermark", 0, 9)])
    assert rows == [
        output_row("v", None, 0, "error", None, "illegal-argument"),
        output_row("v", 3, 0, "watermark", 5, None),
    ]


def test_valve_22_a_refused_step_leaves_the_rest_of_its_batch_alone() -> None:
    valve = SteppedValve(1)
    rows = valve.batch(
        [
            step_row("v", 1, 0, "watermark", 0, 5),
            step_row("v", 1, 1, "watermark", 1, 9),
            step_row("v", 1, 2, "watermark", 0, 6),
        ]
    )
    assert [(row.sequence, row.kind, row.timestamp) for row in rows] == [
        (0, "watermark", 5),
        (1, "error", None),
        (2, "watermark", 6),
    ]


def test_valve_22_the_decision_without_spark_raises() -> None:
    valve = Valve(2)
    with pytest.raises(IllegalArgumentError, match="no channel -1 among 2"):
        valve.watermark(-1, 10)
    with pytest.raises(IllegalArgumentError, match="at least one channel"):
        Valve(0)


# VALVE-23


def test_valve_23_a_restored_valve_knows_idle_lagging_and_finished_channels_and_what_it_sent() -> None:
    valve = SteppedValve(4)
    assert valve.idle(2) == []
    assert valve.watermark(3, MAX) == []
    assert valve.watermark(0, 20) == []
    assert valve.watermark(1, 10) == [watermark(10)]
    assert valve.active(2) == []
    assert valve.idle(0) == []
    valve.restart()
    assert valve.state() == (
        [20, 10, MIN, MAX],
        [True, False, False, False],
        [False, True, False, True],
        10,
        False,
    )
    assert valve.idle(3) == []  # finished
    assert valve.watermark(0, 50) == []  # idle
    assert valve.watermark(2, 9) == []  # lagging
    assert valve.watermark(1, 12) == [watermark(12)]
    assert valve.idle(1) == []
    assert valve.idle(2) == [watermark(20), IDLE]
    valve.restart()
    assert valve.idle(1) == []
    assert valve.active(0) == [ACTIVE]


# The operator around the rules


SHUFFLED = [
    step_row("v", 2, 4, "active", 1, None),
    step_row("v", 2, 1, "watermark", 1, 30),
    step_row("v", 2, 3, "idle", 1, None),
    step_row("v", 2, 0, "watermark", 0, 10),
    step_row("v", 2, 2, "idle", 0, None),
]

SHUFFLED_OUTPUTS = [
    output_row("v", 1, 0, "watermark", 10, None),
    output_row("v", 2, 0, "watermark", 30, None),
    output_row("v", 3, 0, "idle", None, None),
    output_row("v", 4, 0, "active", None, None),
]


def test_rows_of_a_batch_are_taken_by_sequence_and_not_as_they_come() -> None:
    assert SteppedValve(2).batch(SHUFFLED) == SHUFFLED_OUTPUTS


def test_columns_are_found_by_name_and_others_are_let_be() -> None:
    rows = [Row(note="other", **dict(reversed(row.asDict().items()))) for row in SHUFFLED]
    assert SteppedValve(2).batch(rows) == SHUFFLED_OUTPUTS


def test_outputs_of_one_step_are_numbered_in_their_order() -> None:
    rows = [step_row("v", 2, 0, "watermark", 0, 9), step_row("v", 2, 1, "idle", 0, None)]
    assert SteppedValve(2).batch([*rows, step_row("v", 2, 2, "idle", 1, None)]) == [
        output_row("v", 2, 0, "watermark", 9, None),
        output_row("v", 2, 1, "idle", None, None),
    ]


def test_the_timestamp_of_a_status_is_not_looked_at() -> None:
    valve = valve_at(10)
    assert valve.step("idle", 0, 99) == [IDLE]


def test_each_key_has_a_valve_of_its_own() -> None:
    tester = TwsTester(ValveProcessor())
    assert tester.test("a", [step_row("a", 2, 0, "watermark", 0, 10)]) == []
    assert tester.test("b", [step_row("b", 1, 0, "watermark", 0, 20)]) == [
        output_row("b", 0, 0, "watermark", 20, None)
    ]
    assert tester.test("a", [step_row("a", 2, 1, "watermark", 1, 5)]) == [
        output_row("a", 1, 0, "watermark", 5, None)
    ]


def test_the_state_is_written_once_a_batch_and_before_the_outputs_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    valve = SteppedValve(2)
    stored = valve.tester.handle.value_states["valve"]
    update = stored.update
    written: list[Any] = []

    def counted(state: Any) -> None:
        written.append(state)
        update(state)

    monkeypatch.setattr(stored, "update", counted)
    valve.tester.handle.setGroupingKey("v")
    processor: Any = valve.tester.processor
    outputs = processor.handleInputRows(("v",), iter(SHUFFLED), None)
    assert written == [([10, 30], [True, False], [False, True], 30, False)]
    assert list(outputs) == SHUFFLED_OUTPUTS
    assert list(processor.handleInputRows(("v",), iter([]), None)) == []
    assert len(written) == 1  # no rows, no write


def test_the_stored_state_is_not_changed_in_place() -> None:
    valve = valve_at(10, 20)
    before = valve.state()
    assert valve.watermark(0, 15) == [watermark(15)]
    assert before == ([10, 20], [False, False], [True, True], 10, False)
    assert valve.state() == ([15, 20], [False, False], [True, True], 15, False)


def test_the_state_of_the_decision_without_spark_is_a_copy() -> None:
    valve = Valve(2)
    before = valve.state()
    assert valve.watermark(0, 10) == []
    assert valve.idle(0) == []
    assert before == ([MIN, MIN], [False, False], [True, True], MIN, False)


def test_the_state_has_the_fields_of_its_schema() -> None:
    assert list(valve_at(10).state()._fields) == VALVE_STATE_SCHEMA.names
