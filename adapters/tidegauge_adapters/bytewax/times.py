"""Timestamps (ms) as the datetimes of Bytewax, and the range that these have."""

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
"""Datetimes reach from the year 1 to the year 9999, and so must the starts and ends of all windows."""


def datetime_of(milliseconds: int) -> datetime:
    """Return a timestamp as a datetime."""
    return _EPOCH + duration_of(milliseconds)


def duration_of(milliseconds: int) -> timedelta:
    """Return a duration as a timedelta."""
    return timedelta(milliseconds=milliseconds)


def milliseconds_of(time: datetime) -> int:
    """Return a datetime as a timestamp."""
    return (time - _EPOCH) // _MILLISECOND


def watermark_of(timestamp: int) -> datetime:
    """Return the watermark of Bytewax: records before it are missing no more, records at it may follow.

    The kit's watermark t says that everything up to t has arrived, so Bytewax's is 1 ms later.
    """
    return UTC_MAX if timestamp == MAX else datetime_of(timestamp + 1)
