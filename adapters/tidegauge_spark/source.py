"""The aligned source: a number sequence as a streaming data source whose subtasks wait for one another.

Spark keeps one reader of a source in a process of the driver for as long as the query runs. That reader is
the source coordinator of chapter ALIGN: it plans how far each subtask is read in the next batch, and all it
has to remember is in the offset that it returns.
"""

from __future__ import annotations

import contextlib
import time
import uuid
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from tidegauge_spark.coordinator_client import CoordinatorError, leave_group, report
from tidegauge_spark.offsets import SourceOffset
from tidegauge_spark.options import IllegalOptionError, SourceOptions, parse_options
from tidegauge_spark.planner import GroupMinimum, plan

FORMAT: Final = "tidegauge"
"""The name of the source in `spark.readStream.format`."""

SOURCE_SCHEMA: Final = StructType(
    [
        StructField("source", StringType()),
        StructField("subtask", IntegerType()),
        StructField("number", LongType()),
        StructField("timestamp", LongType()),
        StructField("planned_at", LongType()),
    ]
)
"""A row is one record.

source: the option sourceName, or else the identity of the source. subtask: counted from 0. number: that of
the sequence. timestamp: its event time, the same number in ms. planned_at: the processing time at which the
batch was planned, in ms since the source started, by the source's own clock.
"""

ROWS_PER_ARROW_BATCH: Final = 65_536

WAIT: Final = 100
"""How long a planning under AvailableNow waits for something to read (ms), before it lets go of Spark."""

LOOK_AGAIN: Final = 10
"""How often it looks meanwhile (ms)."""

_ARROW_SCHEMA: Final = pa.schema(
    [
        pa.field("source", pa.string()),
        pa.field("subtask", pa.int32()),
        pa.field("number", pa.int64()),
        pa.field("timestamp", pa.int64()),
        pa.field("planned_at", pa.int64()),
    ]
)


def register(spark: SparkSession) -> None:
    """Make `spark.readStream.format("tidegauge")` known to a session."""
    spark.dataSource.register(AlignedSource)


@dataclass
class SubtaskPartition(InputPartition):
    """The records of one subtask in one batch: numbers `first` to `last`, both included."""

    source: str
    subtask: int
    first: int
    last: int
    planned_at: int


class AlignedSource(DataSource):
    """A number sequence, read by source subtasks under watermark alignment (chapters ALIGN and SOURCE).

    The record of number n has event time n ms. Options, of which none has to be set:

    * `numSubtasks` (1): how many subtasks, each a partition of a batch that has records of it.
    * `start` (0), `end` (2^63 - 1): the first and the last number, both included.
    * `split`: "range" (the default) divides start to end contiguously among the subtasks; with "repeat"
      each of them reads start to end of its own. `end.<subtask>`: where that one ends ("repeat" only).
    * `recordsPerMillisecond.<subtask>`: the records of that subtask become readable at this rate of
      processing time, such as "1" or "0.5"; those of the others at once.
    * `watermarkGroup`, `maxAllowedWatermarkDrift` (such as "30 seconds"): both align the source, neither
      leaves it unaligned. The drift may be "0 seconds".
    * `coordinator`: the address of `coordination()`, if there are other sources in the group, in this query
      or another. Without it the source is aligned in itself only. `sourcesInGroup` (1): nothing is read
      before so many sources have joined; set it to the number of sources, or the first one to start does
      not wait for those it has not heard of.
    * `clockStep`: a virtual clock, on which so much processing time passes at each planning, whatever can
      be read; for tests. Without it the clock on the wall counts, from the source's first start on, also
      while the query is stopped.
    * `maxRowsPerBatch` (1,000,000): the most records of one batch. The subtasks get equal shares, and what
      one cannot use goes to the others. Trigger.Once ignores it, as Spark wants it.
    * `sourceName`: what the column source says; by default the source's identity. Names need not differ.

    `Trigger.AvailableNow` ends when all records have been read. All numbers exist from the beginning, so
    waiting for time or for another source is not the end: the source then goes on with empty batches, no
    more than some ten a second on the wall clock. A query without an end remains one.
    """

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return FORMAT

    def schema(self) -> StructType:
        """Return `SOURCE_SCHEMA`. Raises `IllegalOptionError`, so that `load()` refuses wrong options."""
        parse_options(self.options)
        return SOURCE_SCHEMA

    def streamReader(self, schema: StructType) -> AlignedSourceReader:
        """Return the reader. Raises `IllegalOptionError` for wrong options or a schema of the user's own."""
        if schema.simpleString() != SOURCE_SCHEMA.simpleString():
            raise IllegalOptionError(
                f"schema = {schema.simpleString()!r}: the columns of this source are given; "
                "leave schema() out, and select or cast afterwards"
            )
        return AlignedSourceReader(parse_options(self.options))


class AlignedSourceReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """The source coordinator in the driver; in the executors it only reads what was planned.

    `wall_clock` returns ms since 1970, `sleep` waits for seconds.
    """

    def __init__(
        self,
        options: SourceOptions,
        wall_clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._options = options
        self._wall_clock = wall_clock
        self._sleep = sleep
        self._available_now = False
        self._unlogged: str | None = None

    def initialOffset(self) -> dict[str, Any]:
        """Return where a new source stands, with a new identity."""
        identity = str(uuid.uuid4())
        self._unlogged = identity
        return SourceOffset.initial(self._options.sequences, identity, self._wall_clock()).to_json()

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the option maxRowsPerBatch."""
        return ReadMaxRows(self._options.rows_per_batch)

    def prepareForTriggerAvailableNow(self) -> None:
        """Spark is going to end the query as soon as nothing new is planned: see `latestOffset`."""
        self._available_now = True

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Plan the next batch: report the minimum, learn the group's, return how far to read.

        Where nothing can be read, the answer is `start`, unless that would end the query with records unread
        (AvailableNow), or the virtual clock has to go on: then only the time in the offset is another one.

        Raises `CoordinatorError` if the group cannot be asked: without it there is no bound. What is
        reported here is in the checkpoint already, since Spark has logged `start`.
        """
        most_rows = _most_rows(limit)
        offset = self._restored(start)
        if offset.finished:
            self._group_minimum(offset)  # the others need to know (ALIGN-5)
            return start
        if self._options.clock_step is not None:
            return self._planned(offset, offset.now + self._options.clock_step, most_rows).to_json()
        patience = WAIT if self._available_now else 0
        while True:
            planned = self._planned(offset, self._now(offset), most_rows)
            if planned.subtasks != offset.subtasks:
                return planned.to_json()
            if patience <= 0:
                break
            self._sleep(LOOK_AGAIN / 1000)
            patience -= LOOK_AGAIN
        if self._available_now:
            return offset.at(max(planned.now, offset.now + 1)).to_json()
        return start

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[SubtaskPartition]:
        """Return what lies between two offsets: nothing else counts, so a replay is exact (JOB-4)."""
        before, after = self._restored(start), self._restored(end)
        self._unlogged = None
        name = self._options.name or after.source
        return [
            SubtaskPartition(name, index, old.next, new.next - 1, after.now)
            for index, (old, new) in enumerate(zip(before.subtasks, after.subtasks, strict=True))
            if new.next > old.next
        ]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the records of a partition as Arrow record batches, not more than some MB at once."""
        assert isinstance(partition, SubtaskPartition)
        for first in range(partition.first, partition.last + 1, ROWS_PER_ARROW_BATCH):
            last = min(partition.last, first + ROWS_PER_ARROW_BATCH - 1)
            yield _record_batch(partition, first, last)

    def commit(self, end: dict[str, Any]) -> None:
        """Nothing is kept for batches that were read; but a batch was, so the identity is in the log."""
        self._unlogged = None

    def stop(self) -> None:
        """Leave the group if the identity dies here, before it was logged; nobody should wait for it.

        Otherwise the last report stays: a restart goes on from there.
        """
        alignment = self._options.alignment
        if self._unlogged is not None and alignment is not None and alignment.coordinator is not None:
            with contextlib.suppress(CoordinatorError):
                leave_group(str(alignment.coordinator), alignment.group, self._unlogged)

    def _restored(self, stored: dict[str, Any]) -> SourceOffset:
        offset = SourceOffset.from_json(stored)
        offset.check(self._options.sequences)
        return offset

    def _now(self, offset: SourceOffset) -> int:
        """Return the processing time by the clock on the wall (ms); it stands still if that is put back."""
        return max(offset.now, self._wall_clock() - offset.started_at)

    def _planned(self, offset: SourceOffset, now: int, most_rows: int | None) -> SourceOffset:
        return plan(self._options, offset, now, self._group_minimum(offset), most_rows)

    def _group_minimum(self, offset: SourceOffset) -> GroupMinimum | None:
        """Report the minimum of this source; return the group's (ALIGN-2), None if there is no alignment."""
        alignment = self._options.alignment
        if alignment is None:
            return None
        if alignment.coordinator is None:
            return GroupMinimum(complete=True, watermark=offset.minimum)
        answer = report(alignment.coordinator, alignment.group, offset.source, offset.minimum)
        return GroupMinimum(answer.joined >= alignment.sources_in_group, answer.minimum)


def _most_rows(limit: ReadLimit) -> int | None:
    """Return the most rows that a read limit allows, None if it is no limit."""
    if isinstance(limit, ReadAllAvailable):
        return None
    if isinstance(limit, ReadMaxRows):
        return limit.max_rows
    raise ValueError(f"this source counts rows, it cannot follow the read limit {limit}; use maxRowsPerBatch")


def _record_batch(partition: SubtaskPartition, first: int, last: int) -> Any:
    """Return the records of numbers `first` to `last`, both included."""
    count = last - first + 1
    numbers = pa.Array.from_buffers(
        pa.int64(), count, [None, pa.py_buffer(array("q", range(first, last + 1)))]
    )
    columns = [
        pa.repeat(pa.scalar(partition.source, pa.string()), count),
        pa.repeat(pa.scalar(partition.subtask, pa.int32()), count),
        numbers,
        numbers,
        pa.repeat(pa.scalar(partition.planned_at, pa.int64()), count),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_ARROW_SCHEMA)
