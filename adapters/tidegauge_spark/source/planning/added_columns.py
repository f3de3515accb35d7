"""The columns that a source adds to its rows, and the rows that are not records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.types import BooleanType, DataType, StructField, StructType, TimestampType

from tidegauge_spark.source.options.added_columns import OPTIONS, AddedColumns
from tidegauge_spark.source.options.given import IllegalOptionError
from tidegauge_spark.source.planning.late_rows import late_flags
from tidegauge_spark.source.planning.progress_rows import (
    PROGRESS_SCHEMA,
    PlannedPartition,
    in_band_batch,
    record_progress,
)

_TYPES: Final[tuple[DataType, ...]] = (PROGRESS_SCHEMA, BooleanType(), TimestampType())
"""Of the fields of `AddedColumns`."""


def with_added_columns(columns: StructType, added: AddedColumns) -> StructType:
    """Return columns together with the added ones.

    Raises `IllegalOptionError` if a column of such a name exists.
    """
    fields = list(columns.fields)
    for option, name, type_ in zip(OPTIONS, added, _TYPES, strict=True):
        if name is None:
            continue
        if name.lower() in (field.name.lower() for field in fields):
            raise IllegalOptionError(
                f"option {option} = {name!r}: there is a column of that name; write another one"
            )
        fields.append(StructField(name, type_))
    return StructType(fields)


def records_batch(
    arrays: Mapping[str, Any],
    added: AddedColumns,
    schema: pa.Schema,
    partition: PlannedPartition,
    split: str,
    times: Callable[[], Any],
) -> pa.RecordBatch:
    """Return records of a split as a record batch.

    Args:
        arrays: the columns of the records, by name.
        added: the columns that are added to them.
        schema: all columns, in their order.
        partition: where the records were planned.
        split: the name of their split.
        times: returns their event times (an Arrow array, ms); it is called only where they are needed.
    """
    values = dict(arrays)
    if added.progress is not None or added.late is not None:
        event_times = times()
    if added.progress is not None:
        values[added.progress] = record_progress(partition, split, event_times)
    if added.late is not None:
        values[added.late] = late_flags(event_times, partition.late_until)
    if added.watermark is not None:
        count = len(next(iter(arrays.values())))
        values[added.watermark] = pa.nulls(count, schema.field(added.watermark).type)
    return pa.RecordBatch.from_arrays([values[name] for name in schema.names], schema=schema)


def added_rows(
    partition: PlannedPartition, added: AddedColumns, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a partition that are not records: the in-band rows, and the row of the watermark."""
    if partition.said:
        assert added.progress is not None
        yield in_band_batch(partition, added.progress, schema)
    if partition.watermark is not None and added.watermark is not None:
        yield watermark_batch(partition.watermark, added.watermark, schema)


def watermark_batch(watermark: int, column: str, schema: pa.Schema) -> pa.RecordBatch:
    """Return the row of a watermark (ms): `column` holds it, all other columns are null."""
    arrays: list[Any] = [
        pa.array([watermark * 1000], pa.int64()).cast(each.type)
        if each.name == column
        else pa.nulls(1, each.type)
        for each in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
