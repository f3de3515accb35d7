"""The event times of row groups from Parquet's statistics, so that the row groups need not be read."""

from __future__ import annotations

from typing import Any, Final

import pyarrow as pa

from tidegauge_spark.source.files.formats import BlockSummary
from tidegauge_spark.source.planning.event_times import is_fractional, milliseconds

_STORED_AS: Final = ("INT32", "INT64")
"""The physical types of event times with an order; Spark's older timestamps (INT96) have none."""


def summaries(metadata: Any, path: str, type_: pa.DataType, unit: str) -> tuple[BlockSummary | None, ...]:
    """Return a summary of each row group, None where its statistics are not sufficient; empty if none are.

    metadata: the metadata of the file. path: the event time column, with dots. type_: its type in the file.
    unit: the unit of a whole number. Statistics of a column with nulls, or with invalid event times, are not
    used: such rows are an error, or do not advance event time.
    """
    columns = [each for each in range(metadata.num_columns) if metadata.schema.column(each).path == path]
    if len(columns) != 1:  # a field of a struct, and a column with a dot in its name
        return ()
    (column,) = columns
    if metadata.schema.column(column).physical_type not in _STORED_AS or is_fractional(type_):
        return ()
    found: list[BlockSummary | None] = []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        bounds = _bounds(group.column(column).statistics, type_, unit)
        last = number + 1 == metadata.num_row_groups
        if bounds is None:
            found.append(None)
        else:
            smallest, greatest = bounds
            found.append(BlockSummary(number, number + 1, last, group.num_rows, greatest, smallest))
    return tuple(found)


def _bounds(statistics: Any, type_: pa.DataType, unit: str) -> tuple[int, int] | None:
    """Return the smallest and the greatest event time (ms), None if they are not known or some are
    invalid."""
    if statistics is None or not (statistics.has_min_max and statistics.has_null_count):
        return None
    if statistics.null_count:
        return None
    raw = pa.array([statistics.min_raw, statistics.max_raw], pa.int64())
    if pa.types.is_timestamp(type_):
        raw = raw.view(type_)
    elif pa.types.is_date32(type_):
        raw = raw.cast(pa.int32()).view(type_)
    times = milliseconds(raw, unit)
    return None if times.null_count else (int(times[0].as_py()), int(times[1].as_py()))
