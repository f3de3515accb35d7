"""Parquet files as parts of a log. A block is a row group."""

from __future__ import annotations

import json
from typing import Any, ClassVar, Final

import pyarrow as pa
import pyarrow.parquet as parquet
from pyspark.sql.types import StructField, StructType

from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.source.files.event_time_column import EventTimeColumn, found_path, nested, type_at
from tidegauge_spark.source.files.formats import (
    NO_TIMES,
    Block,
    BlockSummary,
    fitted,
    found_name,
    missing_event_time,
    no_event_time,
    parsing,
    spark_type,
)
from tidegauge_spark.source.files.row_group_statistics import summaries
from tidegauge_spark.source.planning.event_times import event_times, is_event_time

NAME: Final = "Parquet"

_SPARK_SCHEMA: Final = b"org.apache.spark.sql.parquet.row.metadata"
"""The metadata key of the schema of a file that Spark has written."""


class ParquetFormat:
    """The Parquet format. The driver reads only the event time column."""

    keeps_statistics: ClassVar[bool] = True

    def schema(self, file: Any, described: str, event_time_column: str) -> StructType:
        """Return the columns, as Spark wrote them if Spark wrote the file."""
        with parsing(described, NAME):
            arrow = _opened(file).schema_arrow
            written = (arrow.metadata or {}).get(_SPARK_SCHEMA)
            if written is not None:
                fields = StructType.fromJson(json.loads(written)).fields
            else:
                fields = [StructField(each.name, spark_type(each, described)) for each in arrow]
            return StructType([StructField(each.name, each.dataType) for each in fields])

    def block(
        self, file: Any, described: str, begin: int, event_time: EventTimeColumn, limit: int = MAX
    ) -> Block:
        """Return the event times of a row group."""
        with parsing(described, NAME):
            opened = _opened(file)
            path, _ = _column(opened, described, event_time)
            if opened.num_row_groups == 0:
                return Block(0, 0, True, NO_TIMES)
            read = opened.read_row_group(begin, columns=[".".join(path)], use_threads=False)
            times = event_times(nested(read.column(path[0]), path[1:]), event_time.unit, limit)
            return Block(begin, begin + 1, begin + 1 >= opened.num_row_groups, times)

    def check(self, file: Any, described: str, schema: pa.Schema) -> None:
        """Reject columns of another type, from the footer; a file without rows is never read."""
        with parsing(described, NAME):
            opened = _opened(file)
            written = opened.schema_arrow
            for field in schema if opened.metadata.num_rows else ():
                name = found_name(written.names, field.name)
                if name is not None:
                    fitted(pa.nulls(0, written.field(name).type), field, described)

    def summaries(
        self, file: Any, described: str, event_time: EventTimeColumn
    ) -> tuple[BlockSummary | None, ...]:
        """Return the summary of each row group from its statistics."""
        with parsing(described, NAME):
            opened = _opened(file)
            path, type_ = _column(opened, described, event_time)
            return summaries(opened.metadata, ".".join(path), type_, event_time.unit)

    def rows(
        self, file: Any, described: str, begin: int, end: int, schema: pa.Schema, event_time: EventTimeColumn
    ) -> pa.Table:
        """Return the rows of some row groups."""
        with parsing(described, NAME):
            opened = _opened(file)
            spelled = [found_name(opened.schema_arrow.names, name) for name in schema.names]
            found = [name for name in spelled if name is not None]
            table = opened.read_row_groups(range(begin, end), columns=found, use_threads=False)
            columns = [
                pa.nulls(table.num_rows, field.type) if name is None else table.column(name)
                for name, field in zip(spelled, schema, strict=True)
            ]
            fields = zip(columns, schema, strict=True)
            return pa.Table.from_arrays(
                [fitted(column, field, described) for column, field in fields], schema=schema
            )


def _column(opened: Any, described: str, event_time: EventTimeColumn) -> tuple[tuple[str, ...], pa.DataType]:
    """Return the path and the type of the event time in a file. Raises `BrokenLogError` if it is missing or
    has another type."""
    fields = list(opened.schema_arrow)
    path = found_path(fields, event_time.path)
    if path is None:
        raise missing_event_time(described, event_time.name, opened.schema_arrow.names)
    type_ = type_at(fields, path)
    if not is_event_time(type_):
        raise no_event_time(described, event_time.name, type_)
    return path, type_


def _opened(file: Any) -> Any:
    # Spark's older timestamps (INT96) would overflow in the nanoseconds that are the default.
    return parquet.ParquetFile(file, coerce_int96_timestamp_unit="us")
