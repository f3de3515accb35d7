"""The rows of a source over a log: what an executor reads of what was planned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from tidegauge_spark.source.logs.position import LogSlice
from tidegauge_spark.source.logs.split_log import LostRecordsError, SplitLog
from tidegauge_spark.source.options.given import IllegalOptionError
from tidegauge_spark.source.planning.event_times import milliseconds
from tidegauge_spark.source.planning.late_rows import late_flags, with_late_column
from tidegauge_spark.source.planning.progress_rows import (
    PROGRESS_SCHEMA,
    SplitsPartition,
    in_band_batch,
    record_progress,
)
from tidegauge_spark.source.planning.watermark_row import (
    no_watermarks,
    watermark_batch,
    with_watermark_column,
)


def log_schema(
    log: SplitLog,
    progress_column: str | None,
    watermark_column: str | None = None,
    late_column: str | None = None,
) -> StructType:
    """Return the columns of a log, with those for progress, lateness and watermark that have a name.

    Raises `IllegalOptionError` if the log has a column of such a name.
    """
    columns = StructType(list(log.schema))
    if progress_column is None:
        return with_watermark_column(with_late_column(columns, late_column), watermark_column)
    if progress_column.lower() in (name.lower() for name in columns.names):
        raise IllegalOptionError(
            f"option progressColumn = {progress_column!r}: there is a column of that name; write another one"
        )
    columns = with_late_column(columns.add(progress_column, PROGRESS_SCHEMA), late_column)
    return with_watermark_column(columns, watermark_column)


def log_rows(
    log: SplitLog,
    partition: SplitsPartition[LogSlice],
    progress_column: str | None,
    fail_on_data_loss: bool,
    watermark_column: str | None = None,
    late_column: str | None = None,
) -> Iterator[Any]:
    """Yield the records of a partition as Arrow record batches, in order of split and position, and then
    what is said in band."""
    schema = to_arrow_schema(log_schema(log, progress_column, watermark_column, late_column), timezone="UTC")
    for split, part in partition.slices:
        for batch in _batches(log, split, part, fail_on_data_loss):
            columns = list(batch.columns)
            if progress_column is not None or late_column is not None:
                times = milliseconds(batch.column(log.event_time_column))
            if progress_column is not None:
                columns.append(record_progress(partition, split, times))
            if late_column is not None:
                columns.append(late_flags(times, partition.late_until))
            if watermark_column is not None:
                columns.append(no_watermarks(batch.num_rows, watermark_column, schema))
            yield pa.RecordBatch.from_arrays(columns, schema=schema)
    if partition.said:
        assert progress_column is not None
        yield in_band_batch(partition, progress_column, schema)
    if partition.watermark is not None and watermark_column is not None:
        yield watermark_batch(partition.watermark, watermark_column, schema)


def _batches(log: SplitLog, split: str, part: LogSlice, fail_on_data_loss: bool) -> Iterator[Any]:
    """Yield the records of a slice, or those that are left of them where some may be lost."""
    try:
        yield from log.read(split, part.first, part.end)
    except LostRecordsError:
        if fail_on_data_loss:
            raise
        left = log.splits().get(split)
        if left is not None and left.begin <= part.first:
            raise  # the records should be there
        if left is not None and left.begin < part.end:
            yield from log.read(split, left.begin, part.end)
