"""Convert between timestamps in ms and Beam's timestamps, which count microseconds in 64 bits."""

from typing import Final

from apache_beam.utils.timestamp import MAX_TIMESTAMP, Duration, Timestamp

from tidegauge_reference import MAX

_MICROSECONDS: Final = 1_000

LONGEST: Final = 2**51
LOWEST: Final = -(2**52)
HIGHEST: Final = 2**52
"""The end of a window plus the allowed lateness must stay below 2^63 microseconds."""


def timestamp_of(milliseconds: int) -> Timestamp:
    """Return Beam's timestamp for a timestamp in ms."""
    return Timestamp(micros=milliseconds * _MICROSECONDS)


def duration_of(milliseconds: int) -> Duration:
    """Return Beam's duration for a duration in ms."""
    return Duration(micros=milliseconds * _MICROSECONDS)


def milliseconds_of(timestamp: Timestamp) -> int:
    """Return the timestamp in ms for a timestamp of Beam."""
    return int(timestamp.micros // _MICROSECONDS)


def watermark_of(timestamp: int) -> Timestamp:
    """Return Beam's watermark for a watermark of the kit.

    The kit's watermark t means that all records up to t have arrived. Beam's watermark means that all records
    before it have arrived and that records at it may follow, so it is 1 ms later.
    """
    return MAX_TIMESTAMP if timestamp == MAX else timestamp_of(timestamp + 1)
