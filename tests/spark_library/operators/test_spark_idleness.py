"""Idleness and the input activity clock of tidegauge_spark: what rows and restarts add to IDLE and CLOCK.

Expectations are worked out by hand. Timestamps are in milliseconds, the clock is in nanoseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from component_scenarios import drawn
from judged import failing_rules
from pyspark.sql import Row
from pyspark.sql.streaming.tws_tester import TwsTester

from tidegauge_adapters.spark.adapter import SparkAdapter
from tidegauge_adapters.spark.decisions.clock import ClockDecisions
from tidegauge_adapters.spark.rows.idleness import idleness_processor
from tidegauge_spark import WatermarkStrategy
from tidegauge_spark.decisions.activity_clock import InputActivityClock
from tidegauge_spark.decisions.errors import IllegalArgumentError, IllegalStateError
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.watermark_generators import GeneratorContext, NoWatermarks
from tidegauge_spark.decisions.watermark_strategy import (
    processing_time_watermarks,
    punctuated_watermarks,
)
from tidegauge_spark.decisions.watermarks_with_idleness import WatermarksWithIdleness
from tidegauge_spark.operators.idleness import (
    IDLENESS_INPUT_SCHEMA,
    IDLENESS_STATE_SCHEMA,
    IdlenessProcessor,
    WatchedInput,
)

ACTIVE = ("active", None)
IDLE = ("idle", None)
BAD_ARGUMENT = ("error", "illegal-argument")
BAD_STATE = ("error", "illegal-state")

step_row = Row(*IDLENESS_INPUT_SCHEMA.names)


def row(kind: str | None, **columns: Any) -> Row:
    own = (columns.get(name) for name in ("timestamp", "nanoseconds", "reason"))
    return step_row("k", columns.get("sequence", 0), kind, *own)


def advance(nanoseconds: int | None) -> Row:
    return row("advance", nanoseconds=nanoseconds)


TICK = row("tick")


def each(tester: TwsTester, *rows: Row) -> list[tuple[str, Any]]:
    """What rows answer, one batch a row: kinds, with the timestamp of a watermark and the error of a refusal."""
    return [
        (answer.kind, answer.error if answer.kind == "error" else answer.timestamp)
        for step in rows
        for answer in tester.test("k", [step])
    ]


def restarted(tester: TwsTester, processor: IdlenessProcessor) -> TwsTester:
    """A query with nothing but the stored state."""
    after = TwsTester(processor)
    after.updateValueState("input", "k", tuple(tester.peekValueState("input", "k")))
    return after


# Rows


def test_columns_that_a_kind_needs_and_unknown_kinds_are_refused_and_change_nothing() -> None:
    tester = TwsTester(IdlenessProcessor(10))
    assert each(tester, TICK, advance(8)) == []
    before = tester.peekValueState("input", "k")
    wrong = [
        advance(None),
        advance(-1),
        row("pause"),
        row("pause", reason="lunch"),
        row("resume", reason="lunch"),
        row("idle"),
        row(None),
        row("record", timestamp=5, sequence=None),
    ]
    assert each(tester, *wrong) == [BAD_ARGUMENT] * len(wrong)
    assert each(tester, row("resume", reason="no-data")) == [BAD_STATE]
    assert tester.peekValueState("input", "k") == before
    assert each(tester, advance(3), TICK) == [IDLE]


def test_rows_of_a_batch_are_taken_by_sequence() -> None:
    tester = TwsTester(IdlenessProcessor(10))
    steps = [
        row("tick", sequence=3),
        row("record", sequence=4),
        row("tick", sequence=1),
        row("advance", nanoseconds=11, sequence=2),
    ]
    assert [(answer.sequence, answer.kind) for answer in tester.test("k", steps)] == [
        (3, "idle"),
        (4, "active"),
    ]


def test_a_record_without_a_timestamp_ends_idleness_too() -> None:
    tester = TwsTester(IdlenessProcessor(10, punctuated_watermarks))
    assert each(tester, TICK, advance(11), TICK, row("record")) == [IDLE, ACTIVE, ("watermark", MIN)]


def test_the_state_has_the_fields_of_its_schema() -> None:
    processor = IdlenessProcessor(10, WatermarkStrategy.for_bounded_out_of_orderness(5).supplier, 7)
    tester = TwsTester(processor)
    each(tester, row("record", timestamp=3), TICK, TICK, advance(2), row("pause", reason="busy-downstream"))
    assert dict(zip(IDLENESS_STATE_SCHEMA.names, tester.peekValueState("input", "k"), strict=True)) == {
        "activity": 9,
        "pauses": [0, 0, 1, 0],
        "generator_name": "WatermarksWithIdleness(BoundedOutOfOrderness)",
        "generator": [0, 0, 1, 7, 3],  # no record since, active, counting, since 7; the largest timestamp
    }


def test_keys_do_not_see_one_another() -> None:
    tester = TwsTester(IdlenessProcessor(10))
    steps = [step_row(None, place, *step[2:]) for place, step in enumerate([TICK, advance(11), TICK])]
    assert [answer.kind for answer in tester.test("a", steps[:2])] == []
    assert [answer.kind for answer in tester.test("b", steps[:1])] == []
    assert [answer.kind for answer in tester.test("a", steps[2:])] == ["idle"]
    assert [answer.kind for answer in tester.test("b", steps[2:])] == []


# Restarts


def test_idle_7_a_countdown_from_a_reading_of_zero_goes_on_after_a_restart() -> None:
    tester = TwsTester(IdlenessProcessor(10))
    assert each(tester, TICK, row("pause", reason="alignment")) == []
    tester = restarted(tester, IdlenessProcessor(10))
    assert each(tester, advance(11), TICK, row("resume", reason="alignment")) == []  # it was blocked
    tester = restarted(tester, IdlenessProcessor(10))
    assert each(tester, advance(11), TICK) == [IDLE]
    tester = restarted(tester, IdlenessProcessor(10))
    assert each(tester, TICK, row("record", timestamp=1)) == [ACTIVE]


def test_a_query_that_is_restarted_with_another_timeout_counts_to_that_one() -> None:
    tester = TwsTester(IdlenessProcessor(10))
    assert each(tester, TICK, advance(11)) == []
    assert each(restarted(tester, IdlenessProcessor(20)), TICK, advance(10), TICK) == [IDLE]


def test_a_query_that_is_restarted_with_another_generator_starts_it_anew() -> None:
    tester = TwsTester(IdlenessProcessor(10))
    assert each(tester, TICK, advance(11)) == []
    later = IdlenessProcessor(10, WatermarkStrategy.for_bounded_out_of_orderness(5).supplier)
    assert each(restarted(tester, later), TICK, advance(11), TICK) == [("watermark", MIN), IDLE]


# Without Spark


def test_clock_6_a_restored_clock_has_its_pauses_and_shares_nothing() -> None:
    clock = InputActivityClock(-3)
    clock.pause("alignment")
    clock.pause("no-data")
    saved = clock.state()
    clock.resume("alignment")
    restored = InputActivityClock.restored(saved)
    for each_clock in (clock, restored):
        each_clock.advance(5)
    assert (clock.read(), restored.read()) == (2, -3)
    restored.resume("no-data")
    with pytest.raises(IllegalStateError, match="no pause for no-data"):
        restored.resume("no-data")
    with pytest.raises(
        IllegalArgumentError, match="unknown reason 'lunch'; known are backpressure, alignment"
    ):
        restored.resume("lunch")
    assert saved == (-3, [0, 1, 0, 1])


def test_a_reading_does_not_leave_64_bits() -> None:
    clock = InputActivityClock(MAX - 1)
    clock.advance(MAX)
    assert clock.read() == MAX


@pytest.mark.parametrize("timeout", [0, -1])
def test_a_timeout_that_cannot_be_is_refused_before_the_query_starts(timeout: int) -> None:
    with pytest.raises(IllegalArgumentError, match=f"at least 1 ns, not {timeout}"):
        IdlenessProcessor(timeout)


def test_a_generator_that_needs_the_processing_time_is_refused_before_the_query_starts() -> None:
    with pytest.raises(IllegalArgumentError, match="tell no processing time"):
        IdlenessProcessor(10, processing_time_watermarks)


def test_idleness_may_be_put_around_a_generator_by_hand() -> None:
    def supplier(context: GeneratorContext) -> WatermarksWithIdleness:
        return WatermarksWithIdleness(NoWatermarks(), 5, context.input_activity_clock)

    tester = TwsTester(IdlenessProcessor(10, supplier))
    assert each(tester, TICK, advance(6)) == []
    tester = restarted(tester, IdlenessProcessor(10, supplier))
    assert each(tester, TICK) == [IDLE]  # the inner one, once
    assert each(tester, advance(5), TICK) == [IDLE]


# Wrong ones


class OnTheSystemClock(IdlenessProcessor):
    """Its timeout runs while the input is blocked."""

    def take(self, component: WatchedInput, step: Row) -> Sequence[tuple[Any, ...]]:
        if step.kind == "advance" and step.nanoseconds > 0:
            component.clock._nanoseconds += step.nanoseconds
            return ()
        return super().take(component, step)


class ActiveLast(IdlenessProcessor):
    """A record's watermark goes out before the ACTIVE that it needs."""

    def take(self, component: WatchedInput, step: Row) -> Sequence[tuple[Any, ...]]:
        return super().take(component, step)[::-1]


@pytest.mark.parametrize(("wrong", "rule"), [(OnTheSystemClock, "IDLE-1"), (ActiveLast, "IDLE-5")])
def test_wrong_idleness_fails_its_rule_by_name(wrong: type[IdlenessProcessor], rule: str) -> None:
    adapter = SparkAdapter.having(idleness=lambda setup: idleness_processor(setup, wrong))
    without_own_clocks = [one for one in drawn("idleness", 250) if one.setup.generator != "after-silence"]
    assert failing_rules(adapter({"engine": "tester"}), without_own_clocks) == {rule}


class OneFlag(InputActivityClock):
    """The first resumption ends every pause."""

    def resume(self, reason: str = "backpressure") -> None:
        super().resume(reason)
        self._pauses = dict.fromkeys(self._pauses, 0)


class EveryPauseHides(InputActivityClock):
    """Mere absence of data stops it, too."""

    def _is_blocked(self) -> bool:
        return any(self._pauses.values())


@pytest.mark.parametrize(("wrong", "rule"), [(OneFlag, "CLOCK-2"), (EveryPauseHides, "CLOCK-3")])
def test_a_wrong_clock_fails_its_rule_by_name(wrong: type[InputActivityClock], rule: str) -> None:
    adapter = SparkAdapter.having(clock=lambda setup: ClockDecisions(setup, wrong))
    assert failing_rules(adapter({"engine": "tester"}), drawn("clock", 200)) == {rule}
