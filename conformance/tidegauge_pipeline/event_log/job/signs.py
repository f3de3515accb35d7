"""Signs: statistics of an operator's rows that describe the job rather than rules.

They can be summed over the parts of a log, and their size does not depend on the length of the log.
"""

import numpy as np
from msgspec import Struct, field

from tidegauge.wire.timestamps import MAX, MIN

from ..counts import Count, Histogram
from ..rows import Indexes, Rows
from .event_times import implausible, late_rows, leaps, regressions, timed_rows
from .inputs import MOST_PARTS, InputsFold, Part
from .pauses import PausesFold, Stall, longer_stall
from .subtasks import Subtask, subtasks_of


class Signs(Struct):
    """The signs of one operator.

    records: the number of rows that the operator emitted. greatest: their largest event time (ms). late: the
    number of late rows. lateness: how far late rows are behind the watermark (ms). late_rows: the first
    late rows. pauses: the durations between two watermarks (ms of processing time). steps: the differences
    between two watermarks (ms). stall: the pause with the most moments. timed: the number of rows with event
    times. odd: implausible event times, by kind. marks: the number of watermarks. leaps: watermarks that are
    more than a day ahead of the clock. regressions: watermarks that are lower than the one before. drift: the
    largest distance from a subtask's report to its bound (ms), None without alignment. returns: the returns
    of inputs after idle periods. parts: the inputs, by subtask and name, such as "0 split p1"; at most
    `MOST_PARTS`. subtasks: by number.
    """

    records: int = 0
    greatest: int | None = None
    late: int = 0
    lateness: Histogram = field(default_factory=Histogram)
    late_rows: Count = field(default_factory=Count)
    pauses: Histogram = field(default_factory=Histogram)
    steps: Histogram = field(default_factory=Histogram)
    stall: Stall | None = None
    timed: int = 0
    marks: int = 0
    odd: dict[str, Count] = {}
    leaps: Count = field(default_factory=Count)
    regressions: Count = field(default_factory=Count)
    drift: int | None = None
    returns: Count = field(default_factory=Count)
    parts: dict[str, Part] = {}
    subtasks: dict[int, Subtask] = {}

    def add(self, other: "Signs") -> None:
        """Add the signs of the same operator in another part of the log."""
        self.records += other.records
        self.late += other.late
        self.timed += other.timed
        self.marks += other.marks
        self.greatest = _greater(self.greatest, other.greatest)
        self.drift = _greater(self.drift, other.drift)
        for name in ("lateness", "late_rows", "pauses", "steps", "leaps", "regressions", "returns"):
            getattr(self, name).add(getattr(other, name))
        self.stall = longer_stall(self.stall, other.stall)
        for name, count in other.odd.items():
            self.odd.setdefault(name, Count()).add(count)
        for name, part in other.parts.items():
            if name in self.parts or len(self.parts) < MOST_PARTS:
                self.parts[name] = part  # the later part already includes the earlier rows
        for number, subtask in other.subtasks.items():
            self.subtasks.setdefault(number, Subtask(subtask.begin, subtask.end)).add(subtask)


def _greater(first: int | None, second: int | None) -> int | None:
    return max((number for number in (first, second) if number is not None), default=None)


class SignsFold:
    """Computes signs from batches of rows, in the order of the fold that judges rules."""

    def __init__(self) -> None:
        self._pauses = PausesFold()
        self._inputs = InputsFold()

    def of(self, rows: Rows, operator: tuple[str, str], mine: slice) -> Signs:
        """Return the signs of one operator's new rows; `mine` must not contain rows that were seen before."""
        new = np.arange(mine.start, mine.stop)
        records = new[(rows.is_kind("record") & (rows.channel < 0))[mine]]
        late = new[rows.is_kind("late")[mine]]
        timed = timed_rows(rows, new)
        signs = Signs(records=int(rows.count[records].sum()), late=int(rows.count[late].sum()))
        event = rows.event_time[records[rows.has_event_time[records]]]
        event = event[(event != MAX) & (event != MIN)]
        signs.greatest = int(event.max()) if len(event) else None
        signs.lateness, signs.late_rows = late_rows(rows, late)
        signs.timed, signs.odd, signs.leaps = len(timed), implausible(rows, timed), leaps(rows, timed)
        signs.marks, signs.leaps.about = signs.leaps.about, 0
        signs.regressions = regressions(rows, new)
        signs.steps = _steps(rows, new)
        signs.drift = _drift(rows, new)
        signs.parts, signs.returns = self._inputs.of(rows, operator, new)
        signs.subtasks = subtasks_of(rows, new)
        signs.pauses, signs.stall = self._pauses.of(rows, operator, new)
        return signs


def _steps(rows: Rows, new: Indexes) -> Histogram:
    """Return a histogram of the rises of watermarks (ms)."""
    marks = rows.watermarks[np.searchsorted(rows.watermarks, new[0]) :]
    marks = marks[: np.searchsorted(marks, new[-1], side="right")]
    before = rows.last(rows.watermarks, marks)
    after, reached = rows.event_time[marks], rows.event_time[before]
    rises = (before >= 0) & (after > reached) & (after != MAX) & (reached != MIN)
    histogram = Histogram()
    histogram.count((after - reached)[rises].tolist(), [1] * int(rises.sum()))
    return histogram


def _drift(rows: Rows, new: Indexes) -> int | None:
    """Return the largest distance (ms) from the last report of a subtask to the bound announced to it."""
    told = new[(rows.is_kind("announcement") & rows.has_event_time)[new]]
    reported = rows.last(rows.reports, told)
    bound, reached = rows.event_time[told], rows.event_time[reported]
    known = (reported >= 0) & (bound != MAX) & (reached != MIN) & (reached != MAX) & (bound > reached)
    return int((bound - reached)[known].max()) if known.any() else None
