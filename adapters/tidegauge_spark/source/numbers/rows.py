"""The rows of a source over number sequences: an executor creates the planned numbers."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.types import StructType

from tidegauge_spark.source.options.added_columns import AddedColumns
from tidegauge_spark.source.options.numbers import SOURCE_SCHEMA
from tidegauge_spark.source.planning.added_columns import added_rows, records_batch, with_added_columns
from tidegauge_spark.source.planning.progress_rows import PlannedPartition
from tidegauge_spark.spark_version import to_arrow_in_utc

ROWS_PER_ARROW_BATCH: Final = 65_536


@dataclass
class SubtaskPartition(PlannedPartition):
    """The records of one subtask in one batch: numbers `first` to `last`, both included."""

    first: int
    last: int


def sequence_schema(added: AddedColumns) -> StructType:
    """Return the columns of a number sequence, with those that the source adds."""
    return with_added_columns(StructType(list(SOURCE_SCHEMA)), added)


def sequence_rows(partition: SubtaskPartition, added: AddedColumns) -> Iterator[Any]:
    """Yield the records of a partition as Arrow record batches of some MB at most, then the added rows."""
    schema = to_arrow_in_utc(sequence_schema(added))
    for first in range(partition.first, partition.last + 1, ROWS_PER_ARROW_BATCH):
        last = min(partition.last, first + ROWS_PER_ARROW_BATCH - 1)
        yield _records_batch(partition, first, last, added, schema)
    yield from added_rows(partition, added, schema)


def _records_batch(
    partition: SubtaskPartition, first: int, last: int, added: AddedColumns, schema: pa.Schema
) -> Any:
    """Return the records of numbers `first` to `last`, both included."""
    count = last - first + 1
    numbers = pa.Array.from_buffers(
        pa.int64(), count, [None, pa.py_buffer(array("q", range(first, last + 1)))]
    )
    columns = (
        pa.repeat(pa.scalar(partition.source, pa.string()), count),
        pa.repeat(pa.scalar(partition.subtask, pa.int32()), count),
        numbers,
        numbers,
        pa.repeat(pa.scalar(partition.planned_at, pa.int64()), count),
    )
    arrays = dict(zip(SOURCE_SCHEMA.names, columns, strict=True))
    return records_batch(arrays, added, schema, partition, str(partition.subtask), lambda: numbers)
