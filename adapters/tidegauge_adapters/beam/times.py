"""Timestamps (ms) as those of Beam, which count microseconds in 64 bits."""

from typing import Final

from apache_beam.utils.timestamp import MAX_TIMESTAMP, Duration, Timestamp

from tidegauge_reference import MAX

_MICROSECONDS: Final = 1_000

LONGEST: Final = 2**51
LOWEST: Final = -(2**52)
HIGHEST: Final = 2**52
"""The end of a window plus the allowed lateness must stay below 2^63 microseconds."""


def timestamp_of(milliseconds: int) -> Timestamp:
    """Return a timestamp (ms) as one of Beam."""
    return Timestamp(micros=milliseconds * _MICROSECONDS)


def duration_of(milliseconds: int) -> Duration:
    """Return a duration (ms) as one of Beam."""
    return Duration(micros=milliseconds * _MICROSECONDS)


def milliseconds_of(timestamp: Timestamp) -> int:
    """Return a timestamp of Beam in ms."""
    return int(timestamp.micros // _MICROSECONDS)


def watermark_of(timestamp: int) -> Timestamp:
    """Return the watermark of Beam: no record before it is missing, records at it may follow.

    The kit's watermark t says that everything up to t has arrived, so Beam's is 1 ms later.
    """
    return MAX_TIMESTAMP if timestamp == MAX else timestamp_of(timestamp + 1)
