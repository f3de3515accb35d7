"""The rows of a source over a log: an executor reads the planned slices."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from pyspark.sql.types import StructType

from tidegauge_spark.source.logs.position import LogSlice
from tidegauge_spark.source.logs.split_log import LostRecordsError, SplitLog
from tidegauge_spark.source.options.added_columns import AddedColumns
from tidegauge_spark.source.planning.added_columns import added_rows, records_batch, with_added_columns
from tidegauge_spark.source.planning.event_times import milliseconds
from tidegauge_spark.source.planning.progress_rows import SplitsPartition
from tidegauge_spark.spark_version import to_arrow_in_utc


def log_schema(log: SplitLog, added: AddedColumns) -> StructType:
    """Return the columns of a log, with those that the source adds.

    Raises `IllegalOptionError` if the log has a column of such a name.
    """
    return with_added_columns(StructType(list(log.schema)), added)


def log_rows(
    log: SplitLog, partition: SplitsPartition[LogSlice], added: AddedColumns, fail_on_data_loss: bool
) -> Iterator[Any]:
    """Yield the records of a partition as Arrow record batches, in order of split and position, then the
    added rows."""
    names = StructType(list(log.schema)).names
    schema = to_arrow_in_utc(log_schema(log, added))
    for split, part in partition.slices:
        for batch in _batches(log, split, part, fail_on_data_loss):
            arrays = dict(zip(names, batch.columns, strict=True))
            times = partial(_event_times, log, batch)
            yield records_batch(arrays, added, schema, partition, split, times)
    yield from added_rows(partition, added, schema)


def _event_times(log: SplitLog, batch: Any) -> Any:
    return milliseconds(batch.column(log.event_time_column))


def _batches(log: SplitLog, split: str, part: LogSlice, fail_on_data_loss: bool) -> Iterator[Any]:
    """Yield the records of a slice, or those that remain if some may be lost."""
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
