"""Pauses: periods in which a subtask has rows but outputs no watermark."""

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ..counts import Histogram
from ..rows import Indexes, Rows


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


def longer_stall(first: Stall | None, second: Stall | None) -> Stall | None:
    """Return the stall with more moments. If both are the same stall, return the second, which is longer."""
    if first is None or second is None:
        return first or second
    if (first.subtask, first.sequence) == (second.subtask, second.sequence):
        return second
    return max(
        first, second, key=lambda stall: (stall.moments, -stall.begin, -stall.subtask, -stall.sequence)
    )


class PausesFold:
    """Counts the pauses of the subtasks of an operator. Between batches it keeps the open pause."""

    def __init__(self) -> None:
        self._open: Stall | None = None
        self._time: int | None = None
        self._operator: tuple[str, str] | None = None

    def of(self, rows: Rows, operator: tuple[str, str], new: Indexes) -> tuple[Histogram, Stall | None]:
        """Return the durations between the watermarks of a subtask, and the pause with the most moments."""
        if self._operator != operator:
            self._operator, self._open, self._time = operator, None, None
        pauses, stall = Histogram(), None
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
        pauses.count(np.maximum(durations, 0).tolist(), [1] * len(durations))
        last = len(begins) - 1
        subtasks = rows.table["subtask"].to_numpy()[new[begins]]
        longest = int(np.lexsort((subtasks, since, -moments))[0])
        for number in sorted({longest, last}):
            span = new[begins[number] : ends[number]]
            before = continued if number == 0 else None
            has_mark = bool(marks[begins[number]])
            self._open = _stall(rows, span, before, int(moments[number]), has_mark=has_mark)
            stall = longer_stall(stall, self._open)
        self._time = int(times[-1])
        return pauses, stall


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
