"""What each subtask of an operator did over the log: its lag, its state, and when it was blocked."""

import numpy as np
from msgspec import Struct

from tidegauge.wire.timestamps import MAX, MIN

from ..rows import Flags, Indexes, Rows
from .stretches import Course


class Subtask(Struct):
    """The course of one subtask. Times are processing times in ms; unknown values are None.

    begin, end: the first and the last row. lags: how far watermarks are behind the clock (ms): the lowest in
    each stretch of time, without MIN and MAX. records: the highest event time of records in each stretch.
    counts: the number of records in each stretch.
    state: the smallest number of rows in state in each stretch. watermark: the last output watermark, which
    may be MIN or MAX. rows_in_state: the last number of rows in state, -1 if a window fired after it.
    most_in_state: the largest number of rows in state. is_finished: whether the subtask has ended. backlog:
    whether the last flag is `backlog`, and its time. blocked: whether the last row about alignment is
    `blocked`, and its time. blocked_for: the longest time between `blocked` and `unblocked`, and its begin.
    blocked_sum: the sum of these times (ms).
    """

    begin: int
    end: int
    lags: Course = Course(kept="lowest")
    records: Course = Course()
    counts: Course = Course(kept="sum")
    state: Course = Course(kept="lowest")
    watermark: int | None = None
    rows_in_state: int | None = None
    most_in_state: int = 0
    is_finished: bool | None = None
    backlog: tuple[bool, int] | None = None
    blocked: tuple[bool, int] | None = None
    blocked_for: tuple[int, int] = (0, 0)
    blocked_sum: int = 0

    def add(self, other: "Subtask") -> None:
        """Add the later rows of the same subtask."""
        self.begin, self.end = min(self.begin, other.begin), max(self.end, other.end)
        self.lags = self.lags.merged(other.lags)
        self.records = self.records.merged(other.records)
        self.counts = self.counts.merged(other.counts)
        self.state = self.state.merged(other.state)
        self.most_in_state = max(self.most_in_state, other.most_in_state)
        self.blocked_for = _longer(self.blocked_for, other.blocked_for)
        self.blocked_sum += other.blocked_sum
        for name in ("watermark", "rows_in_state", "is_finished", "backlog", "blocked"):
            latest = getattr(other, name)
            if latest is not None:
                setattr(self, name, latest)


def _longer(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    """Return the longer of two periods (duration, begin); the earlier one of two that are equally long."""
    return max(first, second, key=lambda period: (period[0], -period[1]))


def subtasks_of(rows: Rows, new: Indexes) -> dict[int, Subtask]:
    """Return what the new rows of one operator add to its subtasks."""
    begins = np.flatnonzero(rows.begins_subtask[new])
    begins = np.union1d(begins, [0]).astype(np.intp)
    plain = (rows.event_time != MAX) & (rows.event_time != MIN) & rows.has_event_time
    is_record = rows.is_kind("record") & (rows.channel < 0)
    chosen = {
        "marks": rows.is_kind("watermark") & rows.own & rows.has_event_time,
        "records": is_record & plain,
        "states": rows.is_kind("state-size"),
        "fires": rows.is_kind("fire"),
        "flags": rows.is_kind("backlog", "caught-up") & rows.own,
        "blocks": rows.is_kind("blocked", "unblocked") & rows.own,
        "restarts": rows.is_kind("restarted"),
        "ends": (rows.is_kind("finished", "watermark") & rows.own)
        | is_record
        | rows.is_kind("assigned", "restarted"),
    }
    places = {name: new[flags[new]] for name, flags in chosen.items()}
    subtasks: dict[int, Subtask] = {}
    for begin, end in zip(begins, [*begins[1:], len(new)], strict=True):
        first, last = int(new[begin]), int(new[end - 1])
        own = {
            name: where[np.searchsorted(where, first) : np.searchsorted(where, last, side="right")]
            for name, where in places.items()
        }
        times = rows.processing_time[first : last + 1]
        subtask = Subtask(int(times.min()), int(times.max()))
        _add_courses(subtask, rows, own, plain)
        _add_latest(subtask, rows, own)
        subtasks[rows.table["subtask"][first].as_py()] = subtask
    return subtasks


def _add_courses(subtask: Subtask, rows: Rows, own: dict[str, Indexes], plain: Flags) -> None:
    marks = own["marks"][plain[own["marks"]]]
    times = rows.processing_time[marks]
    subtask.lags = Course.of(times, times - rows.event_time[marks], kept="lowest")
    records, states = own["records"], own["states"]
    subtask.records = Course.of(rows.processing_time[records], rows.event_time[records])
    subtask.counts = Course.of(rows.processing_time[records], rows.count[records], kept="sum")
    subtask.state = Course.of(rows.processing_time[states], rows.count[states], kept="lowest")
    subtask.most_in_state = int(rows.count[states].max(initial=0))


def _add_latest(subtask: Subtask, rows: Rows, own: dict[str, Indexes]) -> None:
    if len(own["marks"]):
        subtask.watermark = int(rows.event_time[own["marks"][-1]])
    if len(own["states"]) or len(own["fires"]):
        last = max([*own["states"][-1:], *own["fires"][-1:]])
        subtask.rows_in_state = int(rows.count[last]) if rows.is_kind("state-size")[last] else -1
    if len(own["ends"]):
        last = own["ends"][-1]
        is_max = rows.is_kind("watermark")[last] and rows.event_time[last] == MAX
        subtask.is_finished = bool(rows.is_kind("finished")[last] or is_max)
    subtask.backlog = _latest(rows, own["flags"], own["restarts"], "backlog")
    subtask.blocked = _latest(rows, own["blocks"], own["restarts"], "blocked")
    subtask.blocked_sum, subtask.blocked_for = _blocked(rows, own["blocks"])


def _latest(rows: Rows, some: Indexes, restarts: Indexes, kind: str) -> tuple[bool, int] | None:
    """Return whether the last of some rows is of a kind, and its time. A restart resets the status."""
    if not len(some) and not len(restarts):
        return None
    last = int(max([*some[-1:], *restarts[-1:]]))
    return bool(rows.is_kind(kind)[last]), int(rows.processing_time[last])


def _blocked(rows: Rows, blocks: Indexes) -> tuple[int, tuple[int, int]]:
    """Return the sum (ms) of the periods that end with one of these rows, and the longest of them."""
    before = rows.last(rows.blocks, blocks)
    is_end = (before >= 0) & rows.is_kind("blocked")[before]
    ends, begins = blocks[is_end], before[is_end]
    if not len(ends):
        return 0, (0, 0)
    durations = rows.processing_time[ends] - rows.processing_time[begins]
    at = int(np.lexsort((rows.processing_time[begins], -durations))[0])
    return int(durations.sum()), (int(durations[at]), int(rows.processing_time[begins[at]]))
