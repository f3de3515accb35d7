"""Files of JSON lines as parts of a log. A block is about a megabyte of whole lines.

The parser is the standard library's: that of pyarrow crashes on a line that is `null` and may hang on a line
that is cut off.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar, Final

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

from tidegauge_spark.source.files.event_time_column import EventTimeColumn
from tidegauge_spark.source.files.formats import (
    Block,
    BlockSummary,
    fitted,
    found_name,
    missing_event_time,
    parsing,
)
from tidegauge_spark.source.planning.event_times import event_times
from tidegauge_spark.source.planning.json_times import microseconds

NAME: Final = "JSON lines"

BLOCK: Final = 1 << 20
"""How many bytes a block has, up to the end of the line that they end in."""

Record = dict[str, Any]


class JsonLinesFormat:
    """One JSON object on each line; a timestamp is an ISO 8601 text, and UTC if it does not say otherwise."""

    keeps_statistics: ClassVar[bool] = False

    def schema(self, file: Any, described: str, event_time_column: str) -> StructType:
        """Return the columns of the first block; an event time column of texts has timestamps."""
        with parsing(described, NAME):
            records = _records(_lines(file, 0))
            types = pa.array(records, from_pandas=False).type if records else pa.struct([])
            fields = [StructField(each.name, _spark_type(each, event_time_column)) for each in types]
            return StructType(fields)

    def block(self, file: Any, described: str, begin: int, event_time: EventTimeColumn) -> Block:
        """Return the event times of the lines that begin there."""
        with parsing(described, NAME):
            lines = _lines(file, begin)
            records = _records(lines)
            holders = [_holder(record, event_time.path[:-1]) for record in records]
            column = _column(holders, pa.field(event_time.path[-1], event_time.type), described)
            end = begin + len(lines)
            if records and column.null_count == len(records) and not _is_there(holders, event_time.path[-1]):
                raise missing_event_time(described, event_time.name, list(records[0]))
            return Block(begin, end, end >= file.size(), event_times(column, event_time.unit))

    def check(self, file: Any, described: str, schema: pa.Schema) -> None:
        """Refuse nothing: the types of columns are those of their values, in each row."""

    def summaries(
        self, file: Any, described: str, event_time: EventTimeColumn
    ) -> tuple[BlockSummary | None, ...]:
        """Return nothing: only reading tells."""
        return ()

    def rows(self, file: Any, described: str, begin: int, end: int, schema: pa.Schema) -> pa.Table:
        """Return the rows of the lines between two bytes."""
        with parsing(described, NAME):
            file.seek(begin)
            records = _records(file.read(end - begin))
            return pa.Table.from_arrays(
                [_column(records, field, described) for field in schema], schema=schema
            )


def _lines(file: Any, begin: int) -> bytes:
    """Return the bytes of a block: whole lines, of which the last one of the file need not have an end."""
    file.seek(begin)
    lines: bytes = file.read(BLOCK)
    while lines and not lines.endswith(b"\n"):
        more = file.read(BLOCK)
        if not more:
            break
        border = more.find(b"\n") + 1
        lines += more[:border] if border else more
    return lines


def _records(lines: bytes) -> list[Record]:
    decode = json.JSONDecoder().raw_decode
    records = []
    for number, line in enumerate(lines.decode("utf-8").split("\n")):
        text = line.strip()
        if not text:
            continue
        record, end = decode(text)
        if type(record) is not dict or end != len(text):
            raise ValueError(f"line {number + 1} of a block of lines is no JSON object: {text[:40]}")
        records.append(record)
    return records


def _holder(record: Record, path: tuple[str, ...]) -> Record:
    """Return the object in a record that a path leads to, an empty one if there is none."""
    for name in path:
        inner = record.get(found_name(list(record), name) or name)
        record = inner if isinstance(inner, dict) else {}
    return record


def _is_there(records: list[Record], wanted: str) -> bool:
    return any(found_name(list(record), wanted) is not None for record in records)


def _column(records: list[Record], field: pa.Field, described: str) -> Any:
    """Return a column of records; null where a record does not have it."""
    values = [record.get(field.name) for record in records]
    if None in values:  # perhaps it is spelled otherwise
        values = [
            record.get(found_name(list(record), field.name) or field.name) if value is None else value
            for record, value in zip(records, values, strict=True)
        ]
    convert = _converter(field.type)
    if convert is not None:
        values = [None if value is None else convert(value) for value in values]
    return fitted(pa.array(values, field.type), field, described)


def _converter(type_: pa.DataType) -> Callable[[Any], Any] | None:
    """Return how a JSON value becomes one that Arrow takes for this type, None if it takes it as it is."""
    if pa.types.is_timestamp(type_):
        return microseconds
    if pa.types.is_date(type_):
        return date.fromisoformat
    if pa.types.is_decimal(type_):
        return lambda value: Decimal(str(value))
    if pa.types.is_integer(type_):
        return _whole
    return None


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is no whole number")
    return value


def _spark_type(field: pa.Field, event_time_column: str) -> Any:
    if field.name.lower() == event_time_column.lower() and pa.types.is_string(field.type):
        return from_arrow_type(pa.timestamp("us", "UTC"))
    return from_arrow_type(pa.string() if pa.types.is_null(field.type) else field.type)
