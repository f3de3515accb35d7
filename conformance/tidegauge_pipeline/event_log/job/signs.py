"""Signs: statistics of an operator's rows that describe the job rather than rules.

They can be summed over the parts of a log, and their size does not depend on the length of the log.
"""

from collections.abc import Iterator

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from tidegauge.wire.timestamps import MAX, MIN

from ..counts import Count, Histogram
from ..examples import examples_of
from ..rows import Flags, Indexes, Numbers, Rows

DAY = 86_400_000

_CLOCK_BEGINS = 946_684_800_000
"""2000-01-01 in ms. An earlier processing time does not come from a machine's clock, so event times are not
compared with it."""

_SECONDS = (1_000_000_000, 4_200_000_000)
"""The years 2001 to 2103 in seconds. Read as ms, these values are dates in January and February 1970."""


MOST_PARTS = 10_000
"""The maximum number of inputs that are kept per operator."""


class Stall(Struct, frozen=True):
    """A period in which a subtask has rows but outputs no watermark.

    sequence: the sequence number of the first row. begin, end: processing times in ms. moments: the number of
    distinct processing times with rows. watermark: the last watermark before the period (ms), None if there
    was none. state: the number of rows in the state at the beginning and at the end, None if the operator
    has no state.
    """

    subtask: int
    sequence: int
    begin: int
    end: int
    moments: int
    watermark: int | None
    state: tuple[int, int] | None = None

    @property
    def duration(self) -> int:
        """The duration of the stall (ms)."""
        return self.end - self.begin


class Part(Struct, frozen=True):
    """The state of an input of a subtask (a channel or a split) at the end of the log.

    watermark: the last watermark that the input delivered (ms), None if there was none. at: the processing
    time of its last row (ms). holds: whether the input can hold back the watermark: it is neither idle nor
    finished.
    """

    watermark: int | None
    at: int
    holds: bool = True


class Signs(Struct):
    """The signs of one operator.

    records: the number of rows that the operator emitted. late: the number of late rows. lateness: how far
    late rows are behind the watermark (ms). late_rows: the first late rows. pauses: the durations between two
    watermarks (ms of processing time). stall: the pause with the most moments. timed: the number of rows with
    event times. odd: implausible event times, by kind. marks: the number of watermarks. leaps: watermarks
    that are ahead of the clock. parts: the inputs, by subtask and name, such as "0 split p1"; at most
    `MOST_PARTS`.
    """

    records: int = 0
    late: int = 0
    lateness: Histogram = field(default_factory=Histogram)
    late_rows: Count = field(default_factory=Count)
    pauses: Histogram = field(default_factory=Histogram)
    stall: Stall | None = None
    timed: int = 0
    marks: int = 0
    odd: dict[str, Count] = {}
    leaps: Count = field(default_factory=Count)
    parts: dict[str, Part] = {}

    def add(self, other: "Signs") -> None:
        """Add the signs of the same operator in another part of the log."""
        self.records += other.records
        self.late += other.late
        self.lateness.add(other.lateness)
        self.late_rows.add(other.late_rows)
        self.timed += other.timed
        self.marks += other.marks
        self.pauses.add(other.pauses)
        self.stall = _longer(self.stall, other.stall)
        for name, count in other.odd.items():
            self.odd.setdefault(name, Count()).add(count)
        self.leaps.add(other.leaps)
        for name, part in other.parts.items():
            known = self.parts.get(name)
            if known is not None and part.watermark is None:
                part = replace(part, watermark=known.watermark)
            if known is not None or len(self.parts) < MOST_PARTS:
                self.parts[name] = part


def _longer(first: Stall | None, second: Stall | None) -> Stall | None:
    """Return the stall with more moments. If both are the same stall, return the second, which is longer."""
    if first is None or second is None:
        return first or second
    if (first.subtask, first.sequence) == (second.subtask, second.sequence):
        return second
    return max(
        first, second, key=lambda stall: (stall.moments, -stall.begin, -stall.subtask, -stall.sequence)
    )


class SignsFold:
    """Computes signs from batches of rows, in the order of the fold that judges rules.

    Between batches it keeps the pause that is still open.
    """

    def __init__(self) -> None:
        self._open: Stall | None = None
        self._time: int | None = None
        self._operator: tuple[str, str] | None = None

    def of(self, rows: Rows, operator: tuple[str, str], mine: slice) -> Signs:
        """Return the signs of one operator's new rows; `mine` must not contain rows that were seen before."""
        signs = Signs()
        new = np.arange(mine.start, mine.stop)
        records = new[(rows.is_kind("record") & (rows.channel < 0))[mine]]
        signs.records = int(rows.count[records].sum())
        _count_late(signs, rows, new[rows.is_kind("late")[mine]])
        _count_odd(signs, rows, new)
        signs.parts = dict(_parts(rows, new))
        if self._operator != operator:
            self._operator, self._open, self._time = operator, None, None
        self._count_pauses(signs, rows, new)
        return signs

    def _count_pauses(self, signs: Signs, rows: Rows, new: Indexes) -> None:
        """Count the pauses between the watermarks of a subtask, and keep the pause with the most moments."""
        times = rows.processing_time[new]
        marks = (rows.is_kind("watermark") & rows.own & rows.has_event_time)[new]
        starts = rows.starts_stretch[new]
        cuts = starts | marks
        begins = np.unique(np.append(0, np.flatnonzero(cuts))).astype(np.intp)
        ends = np.append(begins[1:], len(new)).astype(np.intp)
        # A batch may end between two rows with the same processing time, which are one moment.
        follows = np.append(times[:1] if self._time is None else self._time, times[:-1])
        moment = np.cumsum(cuts | (times != follows))
        moments = moment[ends - 1] - moment[begins] + 1
        since = times[begins].copy()
        continued = None if cuts[0] else self._open
        if continued is not None:
            moments[0] += continued.moments - int(times[0] == follows[0])
            since[0] = continued.begin
        over = ends[:-1][marks[ends[:-1]] & ~starts[ends[:-1]]]
        durations = times[over] - since[np.searchsorted(ends, over)]
        if marks[0] and not starts[0] and self._open is not None:
            durations = np.append(durations, times[0] - self._open.begin)
        signs.pauses.count(np.maximum(durations, 0).tolist(), [1] * len(durations))
        last = len(begins) - 1
        subtasks = rows.table["subtask"].to_numpy()[new[begins]]
        longest = int(np.lexsort((subtasks, since, -moments))[0])
        for number in sorted({longest, last}):
            span = new[begins[number] : ends[number]]
            before = continued if number == 0 else None
            has_mark = bool(marks[begins[number]])
            self._open = _stall(rows, span, before, int(moments[number]), has_mark=has_mark)
            signs.stall = _longer(signs.stall, self._open)
        self._time = int(times[-1])


def _stall(rows: Rows, span: Indexes, before: Stall | None, moments: int, *, has_mark: bool) -> Stall:
    """Return the pause that these rows begin or continue."""
    times = rows.processing_time[span]
    states = rows.count[span[rows.is_kind("state-size")[span]]].tolist()
    state = (states[0], states[-1]) if states else None
    if before is not None:
        if before.state is not None:
            state = (before.state[0], state[1] if state else before.state[1])
        return replace(before, end=max(before.end, int(times.max())), moments=moments, state=state)
    return Stall(
        subtask=rows.table["subtask"][int(span[0])].as_py(),
        sequence=int(rows.sequence[span[0]]),
        begin=int(times[0]),
        end=int(times.max()),
        moments=moments,
        watermark=int(rows.event_time[span[0]]) if has_mark else None,
        state=state,
    )


def _count_late(signs: Signs, rows: Rows, late: Indexes) -> None:
    signs.late = int(rows.count[late].sum())
    dated = late[rows.has_event_time[late]]
    before = rows.last(rows.watermarks, dated)
    known = before >= 0
    reached = rows.event_time[before[known]]
    plain = (reached != MAX) & (reached != MIN)
    dated = dated[known][plain]
    behind = np.maximum(reached[plain] - rows.event_time[dated], 0)
    signs.lateness.count(behind.tolist(), rows.count[dated].tolist())
    first = examples_of(rows, late, "finds a row late, with the event time {this}")
    signs.late_rows.add(Count(0, len(late), 0, 0, first))


def _count_odd(signs: Signs, rows: Rows, new: Indexes) -> None:
    """Count event times that are implausible compared with the clock, by kind."""
    timed = new[(rows.is_kind("record", "watermark") & rows.has_event_time)[new]]
    event, clock = rows.event_time[timed], rows.processing_time[timed]
    plain = (event != MIN) & (event != MAX) & (clock >= _CLOCK_BEGINS)
    timed, event, clock = timed[plain], event[plain], clock[plain]
    signs.timed = len(timed)
    for name, is_odd in _odd(event, clock):
        if is_odd.any():
            first = examples_of(rows, timed[is_odd], "has the event time {this}")
            signs.odd[name] = Count(0, int(is_odd.sum()), 0, 0, first)
    is_mark = rows.is_kind("watermark")[timed] & rows.own[timed]
    signs.marks = int(is_mark.sum())
    leaps = is_mark & (event > clock + DAY)
    if leaps.any():
        first = examples_of(rows, timed[leaps], "outputs the watermark {this}")
        signs.leaps = Count(0, int(leaps.sum()), int((event - clock)[leaps].max()), 0, first)


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


def _parts(rows: Rows, new: Indexes) -> Iterator[tuple[str, Part]]:
    """Yield the inputs that have rows in this batch, by subtask and name."""
    kinds = rows.is_kind("watermark", "idle", "active", "assigned", "finished") & ~rows.own
    changes = new[kinds[new]]
    subtask = rows.table["subtask"].to_numpy()
    width = int(max(rows.channel.max(initial=0), rows.split.max(initial=0))) + 2
    key = (
        (subtask[changes].astype(np.int64) * width + rows.channel[changes] + 1) * width
        + rows.split[changes]
        + 1
    )
    _, last = np.unique(key[::-1], return_index=True)
    marked = rows.is_kind("watermark")[changes] & rows.has_event_time[changes]
    _, mark = np.unique(key[marked][::-1], return_index=True)
    watermarks = {int(key[marked][::-1][place]): int(changes[marked][::-1][place]) for place in mark}
    for place in last:
        index = int(changes[::-1][place])
        row = rows.table.slice(index, 1).to_pylist()[0]
        names = [f"channel {row['channel']}"] if row["channel"] >= 0 else []
        names += [f"split {row['split']}"] if row["split"] else []
        of = watermarks.get(int(key[::-1][place]))
        watermark = None if of is None else int(rows.event_time[of])
        holds = row["kind"] not in ("idle", "finished")
        yield " ".join([str(row["subtask"]), *names]), Part(watermark, row["processing_time"], holds)
