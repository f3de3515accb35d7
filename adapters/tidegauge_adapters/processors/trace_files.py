"""Read and write traces as JSON files, with rows in the user's columns and passages of time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import msgspec
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    FractionalType,
    IntegralType,
    MapType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from .playing.trace import Arrival, Passage, Trace
from .processor_under_test import ProcessorUnderTest
from .watched.user_rows import ms_of


class UnreadableTrace(ValueError):
    """A file is not a trace, or a value is not a row of a processor."""


def written(subject: ProcessorUnderTest, trace: Trace) -> str:
    """Return a trace as JSON, with one event per line."""
    clock = "time" if subject.mode == "ProcessingTime" else "watermark"
    events = (
        {clock: event.to} | ({"with_rows": True} if event.with_rows else {})
        if isinstance(event, Passage)
        else {"row": dict(event.row)}
        for event in trace
    )
    return "[\n" + ",\n".join(msgspec.json.encode(event).decode() for event in events) + "\n]\n"


def read(subject: ProcessorUnderTest, path: Path) -> Trace:
    """Read a trace from a JSON file.

    The file is a list of `{"row": {...}}` and `{"watermark": ...}`, or `{"time": ...}` in processing time.
    Times are numbers of ms, or ISO 8601 strings. With `"with_rows": true` beside it, a watermark shares its
    micro-batch with the rows after it.

    Raises `UnreadableTrace` with the number of the event that cannot be read.
    """
    try:
        events = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableTrace(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UnreadableTrace(f"{path} is not JSON: {error}") from None
    if not isinstance(events, list):
        raise UnreadableTrace(f"{path} has to be a list of rows and watermarks")
    trace: list[Arrival | Passage] = []
    for number, event in enumerate(events, start=1):
        try:
            trace.append(_event(subject, event))
        except UnreadableTrace as problem:
            raise UnreadableTrace(f"{path}, event {number}: {problem}") from None
    return tuple(trace)


def _event(subject: ProcessorUnderTest, event: Any) -> Arrival | Passage:
    if isinstance(event, dict):
        event = dict(event)
        with_rows = event.pop("with_rows", None)
        if len(event) == 1 and with_rows in (None, True, False):
            ((name, value),) = event.items()
            if name == "row" and with_rows is None:
                return Arrival(row_of(subject, value))
            if name in ("watermark", "time"):
                return Passage(_time(value), bool(with_rows))
    raise UnreadableTrace('it has to be {"row": {...}}, {"watermark": ...} or {"time": ...}')


def row_of(subject: ProcessorUnderTest, value: Any) -> dict[str, Any]:
    """Convert a JSON row to the types of the input columns. The event time becomes a number of ms."""
    if not isinstance(value, Mapping):
        raise UnreadableTrace(f"{value!r} is not a row; write it as {{column: value}}")
    strange = sorted(set(value) - set(subject.inputs.names))
    if strange:
        columns = ", ".join(subject.inputs.names)
        raise UnreadableTrace(f"column {strange[0]!r} is not in the input; it has {columns}")
    row: dict[str, Any] = {}
    for field in subject.inputs:
        if field.name == subject.time:
            if field.name not in value:
                raise UnreadableTrace(f"the row has no {field.name!r}, which is its event time")
            row[field.name] = _time(value[field.name])
        else:
            row[field.name] = _typed(field.name, value.get(field.name), field.dataType)
    return row


def values_of(schema: StructType, value: Any) -> dict[str, Any]:
    """Convert a JSON row to the types of a schema. Missing columns are left out."""
    if not isinstance(value, Mapping):
        raise UnreadableTrace(f"{value!r} is not a row; write it as {{column: value}}")
    for name in value:
        if name not in schema.names:
            columns = ", ".join(schema.names)
            raise UnreadableTrace(f"column {name!r} is not in the schema; it has {columns}")
    return {name: _typed(name, one, schema[name].dataType) for name, one in value.items()}


def _time(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise UnreadableTrace(
            f"{value!r} is not a time; write ms since 1970, or 2024-01-01 00:00:00"
        ) from None
    return ms_of(moment)


def _typed(name: str, value: Any, kind: DataType) -> Any:
    """Convert a JSON value to the type of a column."""
    try:
        return _value(value, kind)
    except (TypeError, ValueError, InvalidOperation, AttributeError):
        raise UnreadableTrace(f"column {name!r}: {value!r} is not a {kind.simpleString()}") from None


def _value(value: Any, kind: DataType) -> Any:
    if value is None:
        return None
    if isinstance(kind, ArrayType):
        return [_value(one, kind.elementType) for one in value]
    if isinstance(kind, MapType):
        return {_value(one, kind.keyType): _value(value[one], kind.valueType) for one in value}
    if isinstance(kind, StructType):
        return {field.name: _value(value.get(field.name), field.dataType) for field in kind}
    if isinstance(kind, TimestampType | TimestampNTZType):
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
        return moment.replace(tzinfo=None if isinstance(kind, TimestampNTZType) else moment.tzinfo or UTC)
    if isinstance(kind, DateType):
        return value if isinstance(value, date) else date.fromisoformat(value)
    if isinstance(kind, DecimalType):
        return Decimal(str(value))
    if isinstance(kind, BinaryType):
        return value.encode() if isinstance(value, str) else value
    if isinstance(kind, FractionalType):
        return float(value)
    expected = {IntegralType: int, BooleanType: bool, StringType: str}
    for known, python in expected.items():
        if isinstance(kind, known) and (not isinstance(value, python) or (python is int and value is True)):
            raise TypeError
    return value
