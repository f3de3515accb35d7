"""Event times: rows that are late, times that are implausible, and watermarks that leap or regress."""

from collections.abc import Iterator

import numpy as np

from tidegauge.wire.timestamps import MAX, MIN

from ..counts import Count, Histogram
from ..examples import examples_of
from ..rows import Flags, Indexes, Numbers, Rows

DAY = 86_400_000

CLOCK_BEGINS = 946_684_800_000
"""2000-01-01 in ms. An earlier processing time does not come from a machine's clock, so event times are not
compared with it."""

_SECONDS = (1_000_000_000, 4_200_000_000)
"""The years 2001 to 2103 in seconds. Read as ms, these values are dates in January and February 1970."""


def late_rows(rows: Rows, late: Indexes) -> tuple[Histogram, Count]:
    """Return how far late rows are behind the watermark (ms), and the first of them."""
    lateness = Histogram()
    dated = late[rows.has_event_time[late]]
    before = rows.last(rows.watermarks, dated)
    known = before >= 0
    reached = rows.event_time[before[known]]
    plain = (reached != MAX) & (reached != MIN)
    dated = dated[known][plain]
    behind = np.maximum(reached[plain] - rows.event_time[dated], 0)
    lateness.count(behind.tolist(), rows.count[dated].tolist())
    first = examples_of(rows, late, "finds a row late: {this}")
    return lateness, Count(0, len(late), 0, 0, first)


def timed_rows(rows: Rows, new: Indexes) -> Indexes:
    """Return the records and watermarks whose event times can be compared with the clock."""
    timed = new[(rows.is_kind("record", "watermark") & rows.has_event_time)[new]]
    event = rows.event_time[timed]
    chosen: Indexes = timed[(event != MIN) & (event != MAX) & (rows.processing_time[timed] >= CLOCK_BEGINS)]
    return chosen


def implausible(rows: Rows, timed: Indexes) -> dict[str, Count]:
    """Count event times that are implausible compared with the clock, by kind."""
    odd: dict[str, Count] = {}
    is_record = rows.is_kind("record")[timed]
    for name, is_odd in _odd(rows.event_time[timed], rows.processing_time[timed]):
        if name == "zero":
            is_odd &= is_record  # Spark shows the watermark 1970-01-01 before it has one
        if is_odd.any():
            first = examples_of(rows, timed[is_odd], "has the event time {this}")
            ahead = rows.event_time[timed[is_odd]] - rows.processing_time[timed[is_odd]]
            far = int(ahead.max()) if name == "hours-ahead" else 0
            odd[name] = Count(0, int(is_odd.sum()), far, 0, first)
    return odd


def leaps(rows: Rows, timed: Indexes) -> Count:
    """Count the watermarks of a subtask that are more than a day ahead of the clock."""
    marks = timed[rows.is_kind("watermark")[timed] & rows.own[timed]]
    ahead = rows.event_time[marks] - rows.processing_time[marks]
    is_leap = ahead > DAY
    first = examples_of(rows, marks[is_leap], "outputs the watermark {this}")
    return Count(len(marks), int(is_leap.sum()), int(ahead[is_leap].max(initial=0)), 0, first)


def regressions(rows: Rows, new: Indexes) -> Count:
    """Count the watermarks of a subtask that are lower than the one before."""
    marks = rows.watermarks[np.searchsorted(rows.watermarks, new[0]) :]
    marks = marks[: np.searchsorted(marks, new[-1], side="right")]
    before = rows.last(rows.watermarks, marks)
    is_lower = (before >= 0) & (rows.event_time[marks] < rows.event_time[before])
    marks, before = marks[is_lower], before[is_lower]
    is_plain = (rows.event_time[before] != MAX) & (rows.event_time[marks] != MIN)
    far = np.where(is_plain, rows.event_time[before] - np.where(is_plain, rows.event_time[marks], 0), 0)
    far = np.where(is_plain, far, 0)
    first = examples_of(rows, marks, "outputs the watermark {this} after {other}", before, far)
    return Count(0, len(marks), int(far.max(initial=0)), 0, first)


def _odd(event: Numbers, clock: Numbers) -> Iterator[tuple[str, Flags]]:
    """Yield each kind of implausible event time with its rows. A row has at most one kind."""
    microseconds = (np.abs(event // 1_000 - clock) < 50 * 365 * DAY) & (event > 10**14)
    nanoseconds = (np.abs(event // 1_000_000 - clock) < 50 * 365 * DAY) & (event > 10**17)
    yield "zero", event == 0
    yield "seconds", (event >= _SECONDS[0]) & (event < _SECONDS[1])
    yield "microseconds", microseconds
    yield "nanoseconds", nanoseconds
    ahead = event - clock
    yield "hours-ahead", (ahead > DAY // 48) & (ahead <= DAY)
    yield "future", (ahead > DAY) & ~microseconds & ~nanoseconds
