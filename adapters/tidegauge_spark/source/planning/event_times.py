"""Event times of rows: a column of a file in ms, and the greatest event time so far."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.planning.late_rows import count_not_after

_DAY: Final = 86_400_000
"""The number of milliseconds in a day."""

_MICROSECONDS: Final = {"s": 1e6, "ms": 1e3, "us": 1.0, "ns": 1e-3}
"""The number of microseconds in a unit."""

_EXACT: Final = 2.0**62
"""Larger numbers are not valid timestamps in microseconds."""

_HALF_UP: Final = "half_towards_infinity"  # as Spark rounds

MILLISECOND: Final = {"ms": 1, "us": 1_000, "ns": 1_000_000}
"""The number of units in a millisecond; a second is a thousand milliseconds."""


class FutureTimes(NamedTuple):
    """Event times beyond a limit: the first row that has one, its event time, and the smallest of them
    (ms)."""

    row: int
    time: int
    smallest: int


class EventTimes(NamedTuple):
    """The progress of event time over some rows in order.

    latest: the greatest event time (ms) up to each row, `MIN` before the first valid one. first_invalid: the
    first row whose event time is not valid, None if there is none. future: the event times beyond a limit,
    None if there are none; such rows do not advance event time, as if they had none. smallest: the smallest
    valid event time (ms), `MAX` if there is none. single: the event time of each row (ms), `MAX` for a row
    that does not advance event time; None if all rows are in order, so that `latest` has their event times.
    """

    latest: memoryview
    first_invalid: int | None
    future: FutureTimes | None = None
    smallest: int = MIN
    single: memoryview | None = None

    def late(self, first: int, end: int, watermark: int) -> int:
        """Return how many of the rows from `first` to `end`, excluded, are not after a watermark (ms)."""
        if watermark < self.smallest:
            return 0
        times = self.latest if self.single is None else self.single
        return count_not_after(times[first:end], watermark, in_order=self.single is None)

    @property
    def look_like_seconds(self) -> bool:
        """Whether these ms may be seconds: seconds from 1973 to 2286 would be a few months of 1970."""
        return bool(self.latest) and self.latest[0] >= 10**8 and maybe_seconds(self.latest[-1])


def maybe_seconds(greatest: int) -> bool:
    """Return whether numbers whose greatest is given (ms) may count seconds."""
    return 10**8 <= greatest < 10**10


def is_event_time(type_: pa.DataType) -> bool:
    """Return whether a column of this type can be an event time: a timestamp, a date, or a number."""
    types = pa.types
    moment = types.is_timestamp(type_) or types.is_date(type_)
    return bool(moment or types.is_signed_integer(type_) or is_fractional(type_))


def is_fractional(type_: pa.DataType) -> bool:
    """Return whether a column has fractional numbers, which require a unit."""
    return bool(pa.types.is_floating(type_) or pa.types.is_decimal(type_))


def milliseconds(column: Any, unit: str = "ms") -> Any:
    """Return the event times of a column as an Arrow array of 64-bit integers (ms), null where not valid.

    column: an array or chunked array of a type that `is_event_time`. unit: the unit of a number, as in the
    option eventTimeUnit. A date stands for its midnight in UTC. A number with a fraction is rounded to
    microseconds. A timestamp between two milliseconds is rounded down. A timestamp without a time zone is
    taken as UTC. Null, `MIN`, `MAX`, and values that do not fit 64 bits of milliseconds are not
    valid: `MIN` and `MAX` are not moments of event time.
    """
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):  # an empty one combines into none
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    if pa.types.is_timestamp(array.type):
        unit = array.type.unit
    elif pa.types.is_date(array.type):
        return pc.multiply(array.cast(pa.date32()).view(pa.int32()).cast(pa.int64()), _DAY)
    elif is_fractional(array.type):
        micros = pc.multiply(array.cast(pa.float64()), _MICROSECONDS[unit])
        whole = pc.round(pc.if_else(pc.less(pc.abs(micros), _EXACT), micros, None), round_mode=_HALF_UP)
        return rounded_down(whole.cast(pa.int64()), 1_000)
    times = array.cast(pa.int64()) if pa.types.is_signed_integer(array.type) else array.view(pa.int64())
    if unit == "s":
        fits = pc.and_(pc.greater(times, MIN // 1000), pc.less(times, MAX // 1000))
        return pc.multiply(pc.if_else(fits, times, None), 1000)
    if MILLISECOND[unit] > 1:
        return rounded_down(times, MILLISECOND[unit])
    bounds = pc.min_max(times).as_py()
    if bounds["min"] == MIN or bounds["max"] == MAX:
        valid = pc.and_(pc.greater(times, MIN), pc.less(times, MAX))
        return pc.if_else(valid, times, None)
    return times


def event_times(column: Any, unit: str = "ms", limit: int = MAX) -> EventTimes:
    """Return the progress of event time over a column; see `milliseconds`.

    limit: later event times (ms) do not advance event time.
    """
    times = milliseconds(column, unit)
    first_invalid = future = None
    plain = not times.null_count
    if times.null_count:
        first_invalid = pc.index(times.is_null(), True).as_py()
        times = pc.fill_null(times, MIN)
    if (pc.max(times).as_py() or MIN) > limit:
        beyond = pc.greater(times, limit)
        row = pc.index(beyond, True).as_py()
        future = FutureTimes(row, times[row].as_py(), pc.min(times.filter(beyond)).as_py())
        times, plain = pc.if_else(beyond, MIN, times), False
    greatest = pc.cumulative_max(times)
    single = None
    if not (plain and times.equals(greatest)):
        times = pc.if_else(pc.equal(times, MIN), MAX, times)
        single = _numbers(times)
    smallest = pc.min(times).as_py()
    smallest = MAX if smallest is None else smallest
    return EventTimes(_numbers(greatest), first_invalid, future, smallest, single)


def _numbers(array: Any) -> memoryview:
    """Return the values of an Arrow array of 64-bit integers without nulls."""
    _, values = array.buffers()
    numbers = memoryview(values).cast("q") if len(array) else memoryview(b"").cast("q")
    return numbers[array.offset : array.offset + len(array)]


def rounded_down(times: Any, divisor: int) -> Any:
    """Return 64-bit integers (an Arrow array) divided by a positive number, rounded down."""
    quotient = pc.divide(times, divisor)  # rounded towards 0
    if (pc.min(times).as_py() or 0) >= 0:
        return quotient
    return pc.subtract(quotient, pc.cast(pc.less(times, pc.multiply(quotient, divisor)), pa.int64()))
