"""Event times in JSON: timestamps as texts, and the event times of records that are JSON objects."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pyarrow as pa

from tidegauge_spark.decisions.timestamps import MAX, MIN

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_MICROSECONDS: Final = {"s": 1_000_000, "ms": 1_000, "us": 1}
"""The number of microseconds in a unit; a nanosecond is less than one."""


def microseconds(text: Any) -> int:
    """Return an ISO 8601 text as a moment, in UTC if it has no time zone (us since 1970).

    Raises `TypeError` for a value that is not a text, `ValueError` for another text.
    """
    if not isinstance(text, str):
        raise TypeError(f"{text!r} is not a timestamp; write it as an ISO 8601 text")
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1)


def times_in(values: Iterable[bytes | None], field: str, unit: str) -> Any:
    """Return the event times of records as an Arrow array of timestamps, null where there is no valid one.

    values: each a JSON object. field: a name in the object, or a path with dots in it. unit: what a whole
    number counts, "ms", "s", "us" or "ns"; a text is an ISO 8601 moment.
    """
    path = field.split(".")
    return pa.array([_time(value, field, path, unit) for value in values], pa.timestamp("us", "UTC"))


def _time(value: bytes | None, field: str, path: list[str], unit: str) -> int | None:
    try:
        record = json.loads(value or b"null")
        found = _at(record, [field] if isinstance(record, dict) and field in record else path)
        time = _counted(found, unit) if type(found) is int else microseconds(found)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None
    return time if MIN < time < MAX else None


def _at(record: Any, path: list[str]) -> Any:
    for name in path:
        record = record.get(name) if isinstance(record, dict) else None
    return record


def _counted(number: int, unit: str) -> int:
    return number // 1_000 if unit == "ns" else number * _MICROSECONDS[unit]
