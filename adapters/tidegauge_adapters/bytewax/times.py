"""Convert between timestamps in ms and the datetimes of Bytewax, within the range of datetimes."""

from datetime import UTC, datetime, timedelta
from typing import Final

from bytewax.operators.windowing import UTC_MAX

from tidegauge_reference import MAX

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_YEAR: Final = 365 * 86_400_000

LONGEST: Final = 900 * _YEAR
LOWEST: Final = -900 * _YEAR
HIGHEST: Final = 6_000 * _YEAR
"""Datetimes cover the years 1 to 9999. The starts and ends of all windows must lie in this range."""


def datetime_of(milliseconds: int) -> datetime:
    """Return the datetime of a timestamp in ms."""
    return _EPOCH + duration_of(milliseconds)


def duration_of(milliseconds: int) -> timedelta:
    """Return the timedelta of a duration in ms."""
    return timedelta(milliseconds=milliseconds)


def milliseconds_of(time: datetime) -> int:
    """Return the timestamp (ms) of a datetime."""
    return (time - _EPOCH) // _MILLISECOND


def watermark_of(timestamp: int) -> datetime:
    """Return Bytewax's watermark for a watermark of the kit.

    The kit's watermark t means that all records up to t have arrived. Bytewax's watermark means that all
    records before it have arrived and that records at it may follow, so it is 1 ms later.
    """
    return UTC_MAX if timestamp == MAX else datetime_of(timestamp + 1)
