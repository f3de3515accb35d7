"""The aligned source over number sequences, as Spark calls it."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.datasource import InputPartition
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from tidegauge_spark.offsets import SourceOffset
from tidegauge_spark.reader import AlignedReader
from tidegauge_spark.sequence_planner import plan

SOURCE_SCHEMA: Final = StructType(
    [
        StructField("source", StringType()),
        StructField("subtask", IntegerType()),
        StructField("number", LongType()),
        StructField("timestamp", LongType()),
        StructField("planned_at", LongType()),
    ]
)
"""A row is one record of a number sequence.

source: the option sourceName, or else the identity of the source. subtask: counted from 0. number: that of
the sequence. timestamp: its event time, the same number in ms. planned_at: the processing time at which the
batch was planned, in ms since the source started, by the source's own clock.
"""

ROWS_PER_ARROW_BATCH: Final = 65_536

_ARROW_SCHEMA: Final = pa.schema(
    [
        pa.field("source", pa.string()),
        pa.field("subtask", pa.int32()),
        pa.field("number", pa.int64()),
        pa.field("timestamp", pa.int64()),
        pa.field("planned_at", pa.int64()),
    ]
)


@dataclass
class SubtaskPartition(InputPartition):
    """The records of one subtask in one batch: numbers `first` to `last`, both included."""

    source: str
    subtask: int
    first: int
    last: int
    planned_at: int


class AlignedSourceReader(AlignedReader[SourceOffset]):
    """The reader of number sequences: the driver plans, the executors make the numbers."""

    def _initial(self, identity: str, started_at: int) -> SourceOffset:
        return SourceOffset.initial(self._options.sequences, identity, started_at)

    def _parsed(self, stored: dict[str, Any]) -> SourceOffset:
        offset = SourceOffset.from_json(stored)
        offset.check(self._options.sequences)
        return offset

    def _planned(self, offset: SourceOffset, now: int, most_rows: int | None) -> SourceOffset:
        return plan(self._options, offset, now, self._announcement(offset, now), most_rows)

    def _progressed(self, offset: SourceOffset, planned: SourceOffset) -> bool:
        return planned.subtasks != offset.subtasks

    def _finished(self, offset: SourceOffset) -> bool:
        return offset.finished and self._told(offset)  # the others need to know (ALIGN-5)

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
