"""Rows, keys and states of a processor as text."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from pyspark.sql.types import IntegerType, LongType

from .processor_under_test import ProcessorUnderTest
from .trace import Key


def key_text(subject: ProcessorUnderTest, key: Key) -> str:
    """A key with its columns."""
    return " ".join(f"{name}={value_text(value)}" for name, value in zip(subject.keys, key, strict=True))


def time_text(subject: ProcessorUnderTest, ms: int) -> str:
    """A time as the user's rows have it: a timestamp, or ms."""
    is_number = subject.time and isinstance(subject.inputs[subject.time].dataType, LongType | IntegerType)
    if is_number:
        return str(ms)
    return (datetime(1970, 1, 1) + timedelta(milliseconds=ms)).isoformat(sep=" ")


def when_text(subject: ProcessorUnderTest, now: int) -> str:
    """When something happens: at which watermark, or at which time of the clock (ms)."""
    if subject.mode == "None":
        return ""
    clock = "watermark" if subject.mode == "EventTime" else "time"
    return f" at the {clock} {time_text(subject, now)}"


def row_text(row: Mapping[str, Any]) -> str:
    """A row with its columns; those without a value are left out."""
    columns = [f"{name}={value_text(value)}" for name, value in row.items() if value is not None]
    return f"({' '.join(columns)})"


def state_text(states: Mapping[str, Any]) -> str:
    """States with their names."""
    return ", ".join(f"{name} = {_state(value)}" for name, value in states.items())


def _state(value: Any) -> str:
    if isinstance(value, dict):
        entries = (f"{_state(where)}: {_state(entry)}" for where, entry in list(value.items())[:3])
        return "{" + ", ".join(entries) + (", ..." if len(value) > 3 else "") + "}"
    if isinstance(value, tuple) and len(value) == 1:
        return value_text(value[0])
    return value_text(value)


def value_text(value: Any) -> str:
    """A value as a user would write it."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(sep=" ")
    if isinstance(value, date | Decimal):
        return str(value)
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(value_text, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {value_text(entry)}" for name, entry in value.items()) + "}"
    return value if isinstance(value, str) else repr(value)
