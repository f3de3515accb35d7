"""Pass records to a user's processor one by one, and report which of them change its state."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from ..playing.alteration import NONE, Alteration
from .user_rows import UserRows
from .watched_state import WatchedHandle

STEPS = StructType(
    [
        StructField("key", StringType()),
        StructField("sequence", LongType()),
        StructField("kind", StringType()),
        StructField("timestamp", LongType()),
        StructField("value", LongType()),
    ]
)
"""The schema of the input rows, which are records and queries for the entries of the state."""

ROW, UNCHANGED, ENTRIES = "row", "unchanged", "entries"
"""The kinds of answers: an output row of the user's processor, a note that a record changed no state, and the
number of entries in the state."""


def answers_of(schema: StructType) -> StructType:
    """Return the schema of the answers.

    The column `row` holds an output row of the user's processor. `timer` holds the expiry time (ms) of the
    timer that returned the row, and null if a record returned it.
    """
    return StructType(
        [
            StructField("key", StringType()),
            StructField("sequence", LongType()),
            StructField("position", IntegerType()),
            StructField("kind", StringType()),
            StructField("row", schema),
            StructField("timer", LongType()),
            StructField("entries", LongType()),
        ]
    )


class WatchedProcessor(StatefulProcessor):
    """This processor calls `processor` with one input row per record, and answers in the schema `answers_of`.

    Args:
        processor: the unchanged processor of the user.
        rows: creates the input rows and the keys of the processor.
        columns: the columns of its output rows.
        keeps: the names of states that may remain. Their changes and entries are ignored.
        alteration: the changes to the state, timers and clock of the processor.
    """

    def __init__(
        self,
        processor: StatefulProcessor,
        rows: UserRows,
        columns: Collection[str],
        keeps: Collection[str],
        alteration: Alteration = NONE,
    ) -> None:
        self._processor = processor
        self._rows = rows
        self._columns = set(columns)
        self._keeps = keeps
        self._alteration = alteration

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Initialise the processor with a watched handle."""
        self._handle = WatchedHandle(handle, self._keeps, self._alteration)
        self._processor.init(self._handle)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        """Handle the steps of a scenario in their order."""
        return iter(
            [
                answer
                for step in sorted(rows, key=lambda step: step.sequence)
                for answer in self._step(key[0], step, timerValues)
            ]
        )

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        """Handle a timer. Spark may pass the arguments by name, so their names must stay."""
        expiry = expiredTimerInfo.getExpiryTimeInMs() - self._alteration.timer_shift
        rows = self._expired(self._rows.key(key[0]), expiry, timerValues)
        return iter([_answer(key[0], ROW, row=row, timer=expiry) for row in rows])

    def close(self) -> None:
        """Close the processor."""
        self._processor.close()

    def _step(self, name: str, step: Row, timer_values: Any) -> Iterator[Row]:
        if step.kind != "record":
            yield _answer(name, ENTRIES, step.sequence, entries=self._handle.entries())
            return
        self._handle.changed = False
        position = 0
        handled = self._handled(name, step, timer_values)
        for position, (row, timer) in enumerate(handled, start=1):
            yield _answer(name, ROW, step.sequence, position - 1, row=row, timer=timer)
        if not self._handle.changed:
            yield _answer(name, UNCHANGED, step.sequence, position)

    def _handled(self, name: str, step: Row, timer_values: Any) -> Iterator[tuple[Row, int | None]]:
        """Yield the output rows for a record, and for timers that it set at or before the watermark.

        Each row comes with the expiry time of its timer (ms), or None.
        """
        key, row = self._rows.key(name), self._rows.row(name, step.timestamp, step.value)
        self._handle.watermark = timer_values.getCurrentWatermarkInMs()
        rows = self._processor.handleInputRows(key, iter([row]), self._altered(timer_values))
        for returned in self._checked(rows):
            yield returned, None
        self._handle.watermark = None
        while (expiry := self._handle.next_overdue()) is not None:
            for returned in self._expired(key, expiry, timer_values):
                yield returned, expiry
        self._handle.called()

    def _expired(self, key: tuple[Any, ...], expiry: int, timer_values: Any) -> Iterator[Row]:
        """Yield the output rows for a timer that was registered for the time `expiry` (ms)."""
        yield from self._checked(
            self._processor.handleExpiredTimer(
                key=key,
                timerValues=self._altered(timer_values),
                expiredTimerInfo=ExpiredTimerInfo(expiry),
            )
        )
        self._handle.called(expiry)

    def _altered(self, timer_values: Any) -> Any:
        shift = self._alteration.watermark_shift
        if not shift:
            return timer_values
        watermark = timer_values.getCurrentWatermarkInMs()
        return TimerValues(timer_values.getCurrentProcessingTimeInMs(), max(0, watermark + shift))

    def _checked(self, rows: Iterable[Any]) -> Iterator[Row]:
        """Yield output rows, or raise `TypeError` if their columns are not the declared columns.

        Without this check, Spark would silently drop undeclared columns and fill missing columns.
        """
        for row in rows:
            columns = set(row.asDict()) if isinstance(row, Row) else None
            if columns != self._columns:
                raise TypeError(
                    f"the processor returned {row!r}; output_schema has the columns "
                    f"{', '.join(sorted(self._columns))}"
                )
            yield row


def _answer(name: str, kind: str, sequence: int | None = None, position: int = 0, **more: Any) -> Row:
    """Return an answer to the step `sequence`. The answer of a timer has no step and no position."""
    return Row(
        key=name,
        sequence=sequence,
        position=None if sequence is None else position,
        kind=kind,
        row=more.get("row"),
        timer=more.get("timer"),
        entries=more.get("entries"),
    )
