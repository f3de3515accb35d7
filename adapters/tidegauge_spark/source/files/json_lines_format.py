"""Files of JSON lines as parts of a log. A block is about a megabyte of whole lines, see `text_lines`.

The parser is that of the standard library: the parser of pyarrow crashes on a line that is `null`, and may
hang on a line that is cut off.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any, ClassVar, Final

import pyarrow as pa
from pyspark.sql.types import StructField, StructType

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.files.event_time_column import EventTimeColumn, found_path
from tidegauge_spark.source.files.formats import (
    Block,
    BlockSummary,
    fitted,
    found_name,
    missing_event_time,
    parsing,
)
from tidegauge_spark.source.files.text_lines import lines_between, whole_lines
from tidegauge_spark.source.planning.broken_log import BrokenLogError, first_line
from tidegauge_spark.source.planning.event_times import event_times
from tidegauge_spark.source.planning.json_times import microseconds
from tidegauge_spark.spark_version import from_arrow

NAME: Final = "JSON lines"

_EPOCH: Final = date(1970, 1, 1).toordinal()

Record = dict[str, Any]

Path = tuple[str, ...]
"""The name of a column, and of the fields in it."""

Convert = Callable[[Any], Any]


class JsonLinesFormat:
    """One JSON object on each line; a timestamp is an ISO 8601 text, in UTC if it has no time zone."""

    keeps_statistics: ClassVar[bool] = False

    def schema(self, file: Any, described: str, event_time_column: str) -> StructType:
        """Return the columns of the first block; an event time column of texts has the type timestamp."""
        with parsing(described, NAME):
            types = _types(_records(whole_lines(file, described, 0).text), described)
            path = found_path(list(types), [event_time_column]) or ()
            return StructType(
                [StructField(each.name, _spark_type(each.type, _inside(path, each.name))) for each in types]
            )

    def block(
        self, file: Any, described: str, begin: int, event_time: EventTimeColumn, limit: int = MAX
    ) -> Block:
        """Return the event times of the lines that begin there."""
        with parsing(described, NAME):
            lines = whole_lines(file, described, begin)
            records = _records(lines.text)
            holders = [_holder(record, event_time.path[:-1]) for record in records]
            leaf = pa.field(event_time.path[-1], event_time.type)
            column = _column(holders, leaf, described, event_time.path[-1:])
            if records and column.null_count == len(records) and not _is_there(holders, event_time.path[-1]):
                raise missing_event_time(described, event_time.name, list(records[0]))
            return Block(begin, lines.end, lines.last, event_times(column, event_time.unit, limit))

    def check(self, file: Any, described: str, schema: pa.Schema) -> None:
        """Accept every file: columns have the types of their values, in each row."""

    def summaries(
        self, file: Any, described: str, event_time: EventTimeColumn
    ) -> tuple[BlockSummary | None, ...]:
        """Return no summaries: only reading shows the event times."""
        return ()

    def rows(
        self, file: Any, described: str, begin: int, end: int, schema: pa.Schema, event_time: EventTimeColumn
    ) -> pa.Table:
        """Return the rows of the lines between two bytes."""
        with parsing(described, NAME):
            records = _records(lines_between(file, described, begin, end))
            return pa.Table.from_arrays(
                [_column(records, field, described, event_time.path) for field in schema], schema=schema
            )


def _records(lines: bytes) -> list[Record]:
    decode = json.JSONDecoder().raw_decode
    records = []
    text_of_lines = lines.decode("utf-8").removeprefix("\ufeff")  # some editors begin a file with it
    for number, line in enumerate(text_of_lines.split("\n")):
        text = line.strip()
        if not text:
            continue
        record, end = decode(text)
        if type(record) is not dict or end != len(text):
            raise ValueError(f"line {number + 1} of a block of lines is not a JSON object: {text[:40]}")
        records.append(record)
    return records


def _holder(record: Record, path: tuple[str, ...]) -> Record:
    """Return the object at a path in a record, an empty one if there is none."""
    for name in path:
        inner = record.get(found_name(list(record), name) or name)
        record = inner if isinstance(inner, dict) else {}
    return record


def _is_there(records: list[Record], wanted: str) -> bool:
    return any(found_name(list(record), wanted) is not None for record in records)


def _types(records: list[Record], described: str) -> pa.StructType:
    """Return the columns of records, with types that fit all their values."""
    try:
        return pa.array(records, from_pandas=False).type if records else pa.struct([])
    except (pa.ArrowException, ArithmeticError, TypeError, ValueError) as error:
        raise BrokenLogError(
            f"the values of the file {described} do not tell the types of its columns ({first_line(error)}): "
            "give the columns by schema()"
        ) from error


def _inside(path: Path | None, name: str) -> Path | None:
    """Return the path to the event time inside of a column or field, None if it is elsewhere."""
    return path[1:] if path and path[0] == name else None


def _column(records: list[Record], field: pa.Field, described: str, event_time: Path) -> Any:
    """Return a column of records; null where a record does not have it, and where the event time at that path
    is not valid.

    Raises `BrokenLogError` for a value that does not fit the type.
    """
    values = [record.get(field.name) for record in records]
    if None in values:  # the name may have another case
        values = [
            record.get(found_name(list(record), field.name) or field.name) if value is None else value
            for record, value in zip(records, values, strict=True)
        ]
    convert = _converter(field.type, _inside(event_time, field.name))
    try:
        if convert is not None:
            values = [None if value is None else convert(value) for value in values]
        column = pa.array(values, field.type)
    except (pa.ArrowException, ArithmeticError, TypeError, ValueError) as error:
        raise BrokenLogError(
            f"the column {field.name!r} of the file {described} has a value that cannot be read as "
            f"{field.type} ({first_line(error)}): give the columns by schema(), with a type that every file "
            "fits"
        ) from error
    return fitted(column, field, described)


def _converter(type_: pa.DataType, event_time: Path | None = None) -> Convert | None:
    """Return the conversion of a JSON value for Arrow in this type, None if none is needed.

    event_time: the path to the event time inside of it, empty if it is the event time itself.
    """
    if event_time == ():
        return _valid(_of_event_time(type_))
    if pa.types.is_struct(type_):
        found = {each.name: _converter(each.type, _inside(event_time, each.name)) for each in type_}
        inner = {name: convert for name, convert in found.items() if convert is not None}
        return partial(_object, inner) if inner else None
    if pa.types.is_list(type_):
        convert = _converter(type_.value_type)
        return None if convert is None else partial(_array, convert)
    return _of_value(type_)


def _of_value(type_: pa.DataType) -> Convert | None:
    if pa.types.is_timestamp(type_):
        return microseconds
    if pa.types.is_date(type_):
        return date.fromisoformat
    if pa.types.is_decimal(type_):
        return lambda value: Decimal(str(value))
    if pa.types.is_integer(type_):
        return _whole
    return None


def _of_event_time(type_: pa.DataType) -> Convert | None:
    if pa.types.is_date(type_):
        return lambda value: date.fromisoformat(value).toordinal() - _EPOCH
    if pa.types.is_floating(type_):
        return _number
    if pa.types.is_decimal(type_):
        return lambda value: Decimal(str(_number(value)))
    return _of_value(type_)


def _valid(convert: Convert | None) -> Convert | None:
    """Return a conversion that yields null for a value that is not a time in 64 bits."""
    if convert is None:
        return None

    def converted(value: Any) -> Any:
        try:
            time = convert(value)
        except (TypeError, ValueError, OverflowError):
            return None
        return time if MIN <= time <= MAX else None

    return converted


def _object(inner: dict[str, Convert], value: Any) -> Record:
    """Return a JSON object with these fields converted."""
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} is not an object")
    converted = dict(value)
    for name, convert in inner.items():
        written = name if name in value else found_name(list(value), name)
        if written is not None and value[written] is not None:
            converted[name] = convert(value[written])
    return converted


def _array(convert: Convert, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is not an array")
    return [None if each is None else convert(each) for each in value]


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is not a whole number")
    return value


def _number(value: Any) -> int | float:
    if type(value) not in (int, float):
        raise TypeError(f"{value!r} is not a number")
    number: int | float = value
    return number


def _spark_type(type_: pa.DataType, event_time: Path | None) -> Any:
    """Return the Spark type. event_time: the path to the event time inside of it, empty if it is the event
    time itself."""
    if pa.types.is_struct(type_):
        return StructType(
            [StructField(each.name, _spark_type(each.type, _inside(event_time, each.name))) for each in type_]
        )
    if event_time == () and pa.types.is_string(type_):
        return from_arrow(pa.timestamp("us", "UTC"))
    return from_arrow(pa.string() if pa.types.is_null(type_) else type_)
