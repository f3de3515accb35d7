"""ORC files as parts of a log. A block is a stripe."""

from __future__ import annotations

from typing import Any, ClassVar, Final

import pyarrow as pa
from pyarrow import orc
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
from tidegauge_spark.source.files.orc_time_zone import UTC, writer_time_zone
from tidegauge_spark.source.planning.broken_log import BrokenLogError
from tidegauge_spark.source.planning.event_times import event_times, is_event_time

NAME: Final = "ORC"

_SPARK_TYPE: Final = b"spark.sql.catalyst.type"
"""The column attribute in which Spark writes the column's type."""

_LOCAL: Final = b"timestamp_ntz"
"""Spark's timestamp without a time zone, which Spark stores as a whole number of microseconds."""


class OrcFormat:
    """The ORC format. The driver reads only the event time column."""

    keeps_statistics: ClassVar[bool] = False  # PyArrow does not expose the statistics of ORC files

    def schema(self, file: Any, described: str, event_time_column: str) -> StructType:
        """Return the columns with the types that Spark reads. Spark reads an ORC timestamp as an instant."""
        with parsing(described, NAME):
            fields = _fields(orc.ORCFile(file))
            return StructType([StructField(each.name, spark_type(each, described)) for each in fields])

    def block(
        self, file: Any, described: str, begin: int, event_time: EventTimeColumn, limit: int = MAX
    ) -> Block:
        """Return the event times of a stripe."""
        with parsing(described, NAME):
            opened = orc.ORCFile(file)
            fields = _fields(opened)
            path = found_path(fields, event_time.path)
            if path is None:
                raise missing_event_time(described, event_time.name, [each.name for each in fields])
            type_ = type_at(fields, path)
            if not is_event_time(type_):
                raise no_event_time(described, event_time.name, type_)
            if opened.nstripes == 0:
                return Block(0, 0, True, NO_TIMES)
            read = opened.read_stripe(begin, columns=[".".join(path)])
            column = nested(read.column(path[0]), path[1:])
            times = event_times(column.cast(type_), event_time.unit, limit)
            return Block(begin, begin + 1, begin + 1 >= opened.nstripes, times)

    def check(self, file: Any, described: str, schema: pa.Schema) -> None:
        """Reject columns of another type, and timestamps that were not written in UTC."""
        with parsing(described, NAME):
            opened = orc.ORCFile(file)
            written = pa.schema(_fields(opened))
            for field in schema if opened.nrows else ():
                name = found_name(written.names, field.name)
                if name is None:
                    continue
                fitted(pa.nulls(0, written.field(name).type), field, described)
                if _has_wall_clock(opened.schema.field(name).type):
                    _check_time_zone(file, opened, described, name)

    def summaries(
        self, file: Any, described: str, event_time: EventTimeColumn
    ) -> tuple[BlockSummary | None, ...]:
        """Return no summaries: event times are known only after reading."""
        return ()

    def rows(
        self, file: Any, described: str, begin: int, end: int, schema: pa.Schema, event_time: EventTimeColumn
    ) -> pa.Table:
        """Return the rows of some stripes."""
        with parsing(described, NAME):
            opened = orc.ORCFile(file)
            fields = pa.schema(_fields(opened))
            spelled = [found_name(fields.names, name) for name in schema.names]
            found = [name for name in spelled if name is not None]
            table = pa.Table.from_batches(
                [opened.read_stripe(stripe, columns=found) for stripe in range(begin, end)]
            )
            columns = [
                pa.nulls(table.num_rows, field.type)
                if name is None
                else fitted(table.column(name).cast(fields.field(name).type), field, described)
                for name, field in zip(spelled, schema, strict=True)
            ]
            return pa.Table.from_arrays(columns, schema=schema)


def _fields(opened: Any) -> list[pa.Field]:
    """Return the columns of a file with their Spark types."""
    fields = []
    for field in opened.schema:
        written = (field.metadata or {}).get(_SPARK_TYPE, b"")
        if written == _LOCAL and pa.types.is_int64(field.type):
            fields.append(pa.field(field.name, pa.timestamp("us")))
        else:
            fields.append(pa.field(field.name, _moment_type(field.type)))
    return fields


def _moment_type(type_: pa.DataType) -> pa.DataType:
    """Return a type in which timestamps are instants."""
    if pa.types.is_struct(type_):
        return pa.struct([each.with_type(_moment_type(each.type)) for each in type_])
    return pa.timestamp("ns", "UTC") if pa.types.is_timestamp(type_) else type_


def _has_wall_clock(type_: pa.DataType) -> bool:
    if pa.types.is_nested(type_):
        return any(_has_wall_clock(type_.field(place).type) for place in range(type_.num_fields))
    return bool(pa.types.is_timestamp(type_) and type_.tz is None)


def _check_time_zone(file: Any, opened: Any, described: str, name: str) -> None:
    zone = writer_time_zone(file, opened)
    if zone not in UTC:
        raise BrokenLogError(
            f"the timestamps of the column {name!r} of the file {described} are wall clocks of the time zone "
            f"{zone or '(unknown)'}, and only UTC is read: write ORC in a JVM with -Duser.timezone=UTC, or "
            "write Parquet"
        )
