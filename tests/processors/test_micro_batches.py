"""Processors are called as Spark calls them."""

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from tidegauge_adapters.processors import ProcessorUnderTest
from tidegauge_adapters.processors.checks.results import nothing_left
from tidegauge_adapters.processors.playing.player import Player
from tidegauge_adapters.processors.playing.trace import Arrival, Batch, Passage, in_batches, separated
from tidegauge_adapters.processors.searching.search import searched

ROWS = "user string, ts long, value long"


class Told(StatefulProcessor):
    """Returns what it is called with: rows, timers, times."""

    ttl: int | None = None

    def init(self, handle: Any) -> None:
        self.handle = handle
        self.seen = handle.getListState("seen", "value long", ttlDurationMs=self.ttl)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        values = [row.value for row in rows]
        known = [value for (value,) in self.seen.get()]
        self.seen.appendList([(value,) for value in values])
        yield Row(user=key[0], what="rows", values=values, known=known, now=now_of(timerValues))

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        values = [expiredTimerInfo.getExpiryTimeInMs()]
        yield Row(user=key[0], what="timer", values=values, known=[], now=now_of(timerValues))


class Timed(Told):
    """Sets a timer at each value."""

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        for row in rows:
            self.handle.registerTimer(row.value)
        return iter(())


class Lasting(Told):
    ttl = 1_000


def now_of(values: Any) -> int:
    return max(values.getCurrentWatermarkInMs(), values.getCurrentProcessingTimeInMs())


def subject(make: Any, **more: Any) -> ProcessorUnderTest:
    output = "user string, what string, values array<long>, known array<long>, now long"
    described = {"input_schema": ROWS, "output_schema": output, "key": "user", "time": "ts"}
    return ProcessorUnderTest(make=make, **{**described, **more})


def row(user: str, ts: int, value: int) -> Arrival:
    return Arrival({"user": user, "ts": ts, "value": value})


def played(described: ProcessorUnderTest, *events: Arrival | Passage) -> list[tuple[Any, ...]]:
    player = Player(described)
    outcome = player.played(player.batches(events))
    assert outcome.problem is None, outcome.problem
    return [tuple(output.row.values()) for output in outcome.outputs]


def test_the_rows_of_a_key_come_in_one_call_and_state_lasts() -> None:
    rows = played(subject(Told), row("a", 1, 1), row("b", 1, 2), row("a", 2, 3), Passage(5), row("a", 9, 4))
    assert rows == [
        ("a", "rows", [1, 3], [], 0),
        ("b", "rows", [2], [], 0),
        ("a", "rows", [4], [1, 3], 5),
    ]


@pytest.mark.parametrize(("late_rows", "values"), [("dropped", [[6]]), ("seen", [[4, 5, 6]])])
def test_rows_at_the_watermark_are_dropped_in_front_or_seen(late_rows: str, values: list[list[int]]) -> None:
    late = (Passage(5), row("a", 4, 4), row("a", 5, 5), row("a", 6, 6))
    assert [one[2] for one in played(subject(Told, late_rows=late_rows), *late)] == values


def test_timers_expire_in_the_order_of_their_times_when_the_watermark_is_at_them() -> None:
    timers = (row("b", 100, 20), row("a", 100, 30), row("a", 100, 10), Passage(9), Passage(29), Passage(30))
    assert [(one[0], *one[2], one[4]) for one in played(subject(Timed), *timers)] == [
        ("a", 10, 29),
        ("b", 20, 29),
        ("a", 30, 30),
    ]


def test_a_timer_in_the_past_expires_in_the_same_micro_batch_and_is_noted() -> None:
    player = Player(subject(Timed))
    outcome = player.played(player.batches((Passage(50), row("a", 100, 40))))
    assert [output.row["values"] for output in outcome.outputs] == [[40]]
    assert outcome.past_timers == [(1, ("a",), 40, 50)]


def test_rows_beside_a_risen_watermark_are_filtered_by_the_one_before_and_handled_before_timers() -> None:
    """In a query of Spark 4.3 that has data all the time, the row at 40 reached the processor at 50."""
    player = Player(subject(Timed))
    events = (row("a", 60, 45), Passage(30), Passage(50, with_rows=True), row("a", 30, 30), row("a", 40, 99))
    outcome = player.played(player.batches(events))
    assert outcome.dropped == {id(events[3])}
    assert [(output.row["values"], output.row["now"]) for output in outcome.outputs] == [([45], 50)]
    assert outcome.states[("a",)].timers == {99}


class KeepsTooLate(StatefulProcessor):
    """It stores each row, but sets no timer for one that the watermark has passed."""

    def init(self, handle: Any) -> None:
        self._handle = handle
        self._rows = handle.getListState("rows", "value long")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        for one in rows:
            self._rows.appendValue((one.value,))
            if one.ts > timerValues.getCurrentWatermarkInMs():
                self._handle.registerTimer(one.ts)
        return iter(())

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        values = [one[0] for one in self._rows.get()]
        self._rows.clear()
        yield Row(user=key[0], what="timer", values=values, known=[], now=now_of(timerValues))


def test_state_without_a_timer_is_found_in_a_query_that_always_has_data() -> None:
    """Alone in its micro-batch a watermark drops such a row, so that the mistake cannot show."""
    player = Player(subject(KeepsTooLate))
    broken = searched(player, traces=80).broken
    assert [one.check.name for one in broken] == ["end"]
    assert [event.with_rows for event in broken[0].trace if isinstance(event, Passage)] == [True, False]
    assert nothing_left(player, separated(broken[0].trace)) is None


def test_state_is_forgotten_when_its_time_to_live_is_over() -> None:
    clocked = subject(Lasting, time="", time_mode="ProcessingTime", input_schema="user string, value long")
    start = clocked.start
    rows = [Arrival({"user": "a", "value": value}) for value in (1, 2, 3)]
    outcome = played(clocked, rows[0], Passage(start + 999), rows[1], Passage(start + 1_000), rows[2])
    assert [one[3] for one in outcome] == [[], [1], [2]]


def test_a_time_to_live_is_refused_where_spark_refuses_it() -> None:
    player = Player(subject(Lasting))
    outcome = player.played(player.batches((row("a", 1, 1),)))
    assert outcome.problem is not None
    assert "ttlDurationMs=1000: Spark takes it in time mode ProcessingTime only" in outcome.problem.text


def test_a_row_has_the_values_that_a_worker_of_spark_makes() -> None:
    """In PySpark 4.3 a struct is a dict, a map a list of pairs, and a timestamp has the zone UTC."""

    class Shown(Told):
        def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
            return (Row(text=repr((row.at, row.place, row.tags))) for row in rows)

    described = ProcessorUnderTest(
        make=Shown,
        input_schema="user string, at timestamp, place struct<x: long>, tags map<string, long>",
        output_schema="text string",
        key="user",
        time="at",
    )
    arrival = Arrival({"user": "a", "at": 1_500, "place": {"x": 1}, "tags": {"k": 2}})
    ((text,),) = played(described, arrival)
    assert "datetime.datetime(1970, 1, 1, 0, 0, 1, 500000, tzinfo=" in text
    assert text.endswith("{'x': 1}, [('k', 2)])")


def test_cuts_keep_the_rows_between_the_same_passages() -> None:
    rows = [row("a", number, number) for number in range(5)]
    batches = in_batches((*rows[:3], Passage(1), *rows[3:]), (1, 2))
    assert [(batch.segment, batch.to, [len(chunk) for chunk in batch.chunks]) for batch in batches] == [
        (0, None, [1]),
        (0, None, [2]),
        (1, 1, []),
        (1, None, [2]),
    ]


def test_rows_come_before_timers_where_the_clock_is_that_of_processing_time() -> None:
    rows = [Arrival({"user": "a", "value": 1})]
    assert in_batches((*rows, Passage(9), *rows), rows_first=True) == [
        Batch(0, (tuple(rows),)),
        Batch(1, (tuple(rows),), 9),
    ]
