"""The row that says the watermark of a source in each batch, in a timestamp column of its own.

Records leave that column null. Spark's own watermark is the largest value of a column: over this one it is
the watermark of the source, which is the smallest over its splits.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.types import StructField, StructType, TimestampType

from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.options.given import IllegalOptionError

FIRST: Final = 0
"""Where Spark's watermark begins (ms): at 1970. An earlier one changes nothing."""

LAST: Final = int(datetime(9999, 1, 1, tzinfo=UTC).timestamp()) * 1000
"""The end of event time for Spark (ms): it formats watermarks, and adds delays to them, which has to fit."""


def with_watermark_column(columns: StructType, name: str | None) -> StructType:
    """Return columns with one for the watermark, if it has a name.

    Raises `IllegalOptionError` if there is a column of that name.
    """
    if name is None:
        return columns
    if name.lower() in (each.lower() for each in columns.names):
        raise IllegalOptionError(
            f"option watermarkColumn = {name!r}: there is a column of that name; write another one"
        )
    return StructType([*columns.fields, StructField(name, TimestampType())])


def said_watermark(combined: int) -> int | None:
    """Return what Spark is told of the watermark of a source (ms), None if there is nothing to tell."""
    return None if combined == MIN else min(max(combined, FIRST), LAST)


def watermark_batch(watermark: int, column: str, schema: pa.Schema) -> pa.RecordBatch:
    """Return the row of a watermark (ms): `column` has it, all others are null."""
    arrays: list[Any] = [
        pa.array([watermark * 1000], pa.int64()).cast(each.type)
        if each.name == column
        else pa.nulls(1, each.type)
        for each in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def no_watermarks(count: int, column: str, schema: pa.Schema) -> pa.Array:
    """Return what so many records have in `column`."""
    return pa.nulls(count, schema.field(column).type)
