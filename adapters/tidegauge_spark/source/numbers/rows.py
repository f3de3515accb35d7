"""The rows of a source over number sequences: what an executor makes of what was planned."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from tidegauge_spark.source.options.numbers import SOURCE_SCHEMA
from tidegauge_spark.source.planning.late_rows import late_flags, with_late_column
from tidegauge_spark.source.planning.progress_rows import (
    PROGRESS_SCHEMA,
    PlannedPartition,
    in_band_batch,
    record_progress,
)
from tidegauge_spark.source.planning.watermark_row import (
    no_watermarks,
    watermark_batch,
    with_watermark_column,
)

ROWS_PER_ARROW_BATCH: Final = 65_536


@dataclass
class SubtaskPartition(PlannedPartition):
    """The records of one subtask in one batch: numbers `first` to `last`, both included."""

    first: int
    last: int


def sequence_schema(
    progress_column: str | None, watermark_column: str | None = None, late_column: str | None = None
) -> StructType:
    """Return the columns of a number sequence, with those for progress, lateness and watermark that have a
    name."""
    columns = StructType(list(SOURCE_SCHEMA))
    if progress_column is not None:
        columns = columns.add(progress_column, PROGRESS_SCHEMA)
    return with_watermark_column(with_late_column(columns, late_column), watermark_column)


def sequence_rows(
    partition: SubtaskPartition,
    progress_column: str | None,
    watermark_column: str | None = None,
    late_column: str | None = None,
) -> Iterator[Any]:
    """Yield the records of a partition as Arrow record batches, not more than some MB at once, and then what
    is said in band."""
    schema = to_arrow_schema(sequence_schema(progress_column, watermark_column, late_column), timezone="UTC")
    for first in range(partition.first, partition.last + 1, ROWS_PER_ARROW_BATCH):
        last = min(partition.last, first + ROWS_PER_ARROW_BATCH - 1)
        yield _record_batch(partition, first, last, schema, progress_column, watermark_column, late_column)
    if partition.said:
        assert progress_column is not None
        yield in_band_batch(partition, progress_column, schema)
    if partition.watermark is not None and watermark_column is not None:
        yield watermark_batch(partition.watermark, watermark_column, schema)


def _record_batch(
    partition: SubtaskPartition,
    first: int,
    last: int,
    schema: pa.Schema,
    progress_column: str | None,
    watermark_column: str | None,
    late_column: str | None,
) -> Any:
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
    if progress_column is not None:
        columns.append(record_progress(partition, str(partition.subtask), numbers))
    if late_column is not None:
        columns.append(late_flags(numbers, partition.late_until))
    if watermark_column is not None:
        columns.append(no_watermarks(count, watermark_column, schema))
    return pa.RecordBatch.from_arrays(columns, schema=schema)
