"""What the checks of a processor cannot see is told, and what Spark makes of times and keys is played."""

import itertools
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from tidegauge_adapters.processors import ProcessorUnderTest, check_processor
from tidegauge_adapters.processors.batch_results import BatchFunctionFails
from tidegauge_adapters.processors.playing.player import Player
from tidegauge_adapters.processors.playing.trace import Arrival, Passage
from tidegauge_adapters.processors.searching.search import Searched, searched
from tidegauge_adapters.processors.session_time import in_zone
from tidegauge_adapters.processors.terminal import lines_of_gaps, lines_of_trace


class Failures(StatefulProcessor):
    """Returns a failed login when ten ms have passed."""

    def init(self, handle: Any) -> None:
        self.handle = handle
        self.failed = handle.getMapState("failed", "at long", "n long")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        for row in rows:
            if row.outcome == "failed":
                self.failed.updateValue((row.ts,), (1,))
                self.handle.registerTimer(row.ts + 10)
        return iter(())

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        at = expiredTimerInfo.getExpiryTimeInMs() - 10
        if self.failed.containsKey((at,)):
            self.failed.removeKey((at,))
            yield Row(user=key[0], at=at)


class Earliest(StatefulProcessor):
    """The earliest time of a user, again at each row."""

    def init(self, handle: Any) -> None:
        self.earliest = handle.getValueState("earliest", "at timestamp")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        for row in rows:
            if not self.earliest.exists():
                self.earliest.update((row.at,))
            yield Row(user=key[0], at=self.earliest.get()[0])

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        return iter(())


class Remembered(StatefulProcessor):
    """Returns an id once an hour; state expires, and nothing clears it."""

    def init(self, handle: Any) -> None:
        self.handle = handle
        self.seen = handle.getMapState("seen", "id string", "n int", ttlDurationMs=3_600_000)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        for row in rows:
            if not self.seen.containsKey((row.id,)):
                self.seen.updateValue((row.id,), (1,))
                yield Row(user=key[0], id=row.id)


class Clock(Remembered):
    """Its result depends on how often it was called in this process, as if it read the wall clock."""

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        if next(_CALLS) == 40:
            yield Row(user=key[0], id="now")


_CALLS = itertools.count()


class NarrowKeys(Failures):
    def init(self, handle: Any) -> None:
        self.handle = handle
        self.failed = handle.getMapState("failed", "at int", "n long")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        for row in rows:
            self.failed.updateValue((row.ts * 1_000,), (1,))
        return iter(())


def failures(**more: Any) -> ProcessorUnderTest:
    described = {
        "make": Failures,
        "input_schema": "user string, ts long, outcome string",
        "output_schema": "user string, at long",
        "key": "user",
        "time": "ts",
    }
    return ProcessorUnderTest(**{**described, **more})


def test_a_processor_of_which_no_row_comes_out_is_not_held() -> None:
    result = searched(Player(failures()), traces=20)
    assert not result.broken
    assert result.is_vacuous
    first, second = lines_of_gaps(result)
    assert first.startswith("No row came out of any trace, so that nothing is checked")
    assert second.startswith("Not reached by any trace: test_gaps.py, lines ")
    with pytest.raises(AssertionError, match="No row came out of any trace"):
        check_processor(failures(), traces=20)


def test_few_results_are_told() -> None:
    result = Searched(traces=300, rows=1_000, outputs=15)
    (text,) = lines_of_gaps(result)
    assert text.startswith("Only 15 rows came out for 1000 rows, so that what needs several results")
    assert not list(lines_of_gaps(Searched(traces=300, rows=1_000, outputs=51)))


def remembered(make: Any) -> ProcessorUnderTest:
    return ProcessorUnderTest(
        make=make,
        input_schema="user string, id string",
        output_schema="user string, id string",
        key="user",
        time_mode="ProcessingTime",
    )


def test_state_with_a_time_to_live_is_not_left() -> None:
    result = searched(Player(remembered(Remembered)), traces=40)
    assert [broken.check.name for broken in result.broken] == []
    assert "end" in [check.name for check in result.held]


def test_a_failure_that_does_not_repeat_is_told() -> None:
    """A processor that reads the wall clock fails a check on a trace, and later no more."""
    (broken,) = searched(Player(remembered(Clock)), traces=40, only=["repeat"]).broken
    assert broken.wrong.text.endswith("(the same rows pass at other times)")


def test_examples_of_each_kind_lead_to_all_lines() -> None:
    examples = [{"outcome": "failed"}, {"outcome": "passed"}]
    result = searched(Player(failures(examples=examples)), traces=40)
    assert result.broken == []
    assert result.outputs > 0
    assert [*lines_of_gaps(result)] == []


def test_a_column_of_the_batch_function_with_another_name_is_refused() -> None:
    wrong = failures(
        examples=[{"outcome": "failed"}], batch=lambda rows: pd.DataFrame({"user": rows.user, "att": rows.ts})
    )
    with pytest.raises(
        BatchFunctionFails, match="batch returns att, which the output does not have, but not at"
    ):
        searched(Player(wrong), traces=5)


def test_columns_that_the_batch_function_leaves_out_are_told() -> None:
    partial = failures(examples=[{"outcome": "failed"}], batch=lambda rows: rows[["user"]])
    result = searched(Player(partial), traces=10, only=["batch"])
    assert [*lines_of_gaps(result)][-1] == "The batch function leaves out at, which is not compared."


def test_a_batch_function_with_the_time_of_arrival_compares_a_processor_that_raises() -> None:
    raising = failures(make=NarrowKeys, batch=lambda rows: rows[["user"]].assign(at=rows.now), arrived="now")
    for seed in range(5):
        result = searched(Player(raising), traces=1, seed=seed)
        assert [broken.check.name for broken in result.broken] == ["accepts"]


def test_a_key_of_a_map_that_does_not_fit_is_named() -> None:
    (counterexample,) = searched(Player(failures(make=NarrowKeys)), traces=10).broken
    assert counterexample.check.name == "accepts"
    assert "too large to fit in C integer type" in counterexample.wrong.text


def test_a_timestamp_comes_back_from_state_in_the_zone_of_the_machine() -> None:
    described = ProcessorUnderTest(
        make=Earliest,
        input_schema="user string, at timestamp",
        output_schema="user string, at timestamp",
        key="user",
        time="at",
        keeps=("earliest",),
        any_zone=True,
    )
    with in_zone("UTC"):
        (counterexample,) = searched(Player(described), traces=10).broken
    assert counterexample.check.name == "zone"
    assert (
        "on a machine in the time zone Asia/Kolkata the processor returns other rows"
        in counterexample.wrong.text
    )
    assert len(counterexample.trace) == 1


def test_dropped_rows_and_timers_without_rows_are_marked_in_a_trace() -> None:
    player = Player(failures(examples=[{"outcome": "failed"}]))
    late = Arrival({"user": "a", "ts": 5, "outcome": "failed"})
    trace = (Arrival({"user": "a", "ts": 50, "outcome": "failed"}), Passage(60), late)
    lines = [*lines_of_trace(player, trace, player.as_spark(trace).outputs)]
    assert lines[-1] == "   row (user=a ts=5 outcome=failed), which Spark drops as late"
    assert "     -> (user=a at=50) by a timer" in lines


def test_an_exception_is_named_with_its_place() -> None:
    class Raising(Failures):
        def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
            raise KeyError("place")

    (counterexample,) = searched(Player(failures(make=Raising)), traces=5).broken
    assert "(test_gaps.py:" in counterexample.wrong.text
    assert len(counterexample.trace) == 1
