"""What every event log must show, whatever the engine is: predicates over rows in order, no reference is
asked.

Each looks at all rows of a batch at once and says of which rows it speaks, and which of them break it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tidegauge.wire.timestamps import MAX, MIN

from .parts import PartsBefore, parts_before
from .rows import Flags, Indexes, Numbers, Rows
from .schema import CODES

Role = Literal["valve", "splits", "source", "window"]
"""What a subtask does, by what is in its log: it has channels; it has splits; it has windows; none of
these."""


@dataclass(frozen=True)
class Seen:
    """Which rows a property speaks of, which of these break it, and for each of those what it contradicts: an
    earlier row (-1: none), and by how much (ms of event time)."""

    about: Indexes
    broken: Indexes
    because: Indexes
    far: Numbers

    @staticmethod
    def of(rows: Rows, about: Indexes, breaks: Flags, because: Indexes, far: Numbers | None = None) -> "Seen":
        """Of rows, for each of which it is known whether it breaks the property."""
        by = np.zeros(len(about), dtype=np.int64) if far is None else far
        breaks = breaks & (about >= rows.old)
        return Seen(rows.fresh(about), about[breaks], because[breaks], by[breaks])


@dataclass(frozen=True)
class LogProperty:
    """What a log must show. `rules`: those that it speaks for, by what the subtask does; a subtask of another
    role is not judged. `says` is of one row that breaks it and of the row that it contradicts; `unless`
    names the choices of an engine under which it does not hold."""

    name: str
    sentence: str
    rules: Mapping[Role, tuple[str, ...]]
    look: Callable[[Rows], Seen]
    says: str
    unless: str = ""


def _increases(rows: Rows) -> Seen:
    before = rows.last(rows.watermarks, rows.watermarks)
    earlier, now = rows.event_time[before], rows.event_time[rows.watermarks]
    return Seen.of(rows, rows.watermarks, (before >= 0) & (now <= earlier), before, _difference(earlier, now))


def _alternates(rows: Rows, changes: Indexes, first: str) -> Seen:
    """Changes between two states; the state before the first change is the second one."""
    before = rows.last(changes, changes)
    is_first = rows.kind[changes] == CODES[first]
    was_first = (before >= 0) & (rows.kind[before] == CODES[first])
    # after a restart or a gap, the state is unknown
    known = (before >= 0) | ~_is_cut(rows, changes)
    return Seen.of(rows, changes, known & (is_first == was_first), before)


def _is_cut(rows: Rows, some: Indexes) -> Flags:
    """Whether the stretch of a row began in the middle of its subtask."""
    start = rows.start[some]
    return rows.is_kind("restarted")[start] | (rows.sequence[start] > 1)


def _statuses(rows: Rows) -> Seen:
    return _alternates(rows, rows.statuses, "idle")


def _flags(rows: Rows) -> Seen:
    before = rows.last(rows.flags, rows.flags)
    same = (before >= 0) & (rows.kind[before] == rows.kind[rows.flags])
    return Seen.of(rows, rows.flags, same, before)


def _not_after(rows: Rows, about: Indexes, changes: Indexes, state: str) -> Seen:
    """None of these rows comes while the last change is to this state; of rows before any change nothing is
    said."""
    before = rows.last(changes, about)
    about, before = about[before >= 0], before[before >= 0]
    return Seen.of(rows, about, rows.kind[before] == CODES[state], before)


def _no_watermark_while_idle(rows: Rows) -> Seen:
    return _not_after(rows, rows.watermarks, rows.statuses, "idle")


def _no_record_while_idle(rows: Rows) -> Seen:
    return _not_after(rows, rows.records, rows.statuses, "idle")


def _no_record_while_blocked(rows: Rows) -> Seen:
    return _not_after(rows, rows.records, rows.blocks, "blocked")


def _nothing_pending(rows: Rows) -> Seen:
    cause = rows.last(rows.inputs, rows.watermarks)
    by_watermark = (cause >= 0) & rows.is_kind("watermark")[cause] & rows.has_event_time[cause]
    beyond = rows.event_time[rows.watermarks] > rows.event_time[cause]
    about = rows.watermarks[by_watermark]
    return Seen.of(
        rows,
        about,
        beyond[by_watermark],
        cause[by_watermark],
        _difference(rows.event_time[about], rows.event_time[cause[by_watermark]]),
    )


def _difference(greater: Numbers, smaller: Numbers) -> Numbers:
    """How far apart two times are (ms); 0 where one of them is no plain time."""
    plain = (greater != MAX) & (greater != MIN) & (smaller != MIN) & (smaller != MAX)
    return np.where(plain, np.where(plain, greater, 0) - np.where(plain, smaller, 0), 0)


def _behind(rows: Rows, pairs: PartsBefore) -> Seen:
    """Pairs in which a part that counts has delivered less than what is output."""
    output = rows.event_time[pairs.output]
    return _worst(rows, pairs, pairs.delivered < output, _difference(output, pairs.delivered))


def _worst(rows: Rows, pairs: PartsBefore, breaks: Flags, far: Numbers) -> Seen:
    """Of each output the part that breaks the property by most; of several, that of the earliest row."""
    about = np.unique(pairs.output)
    chosen = np.flatnonzero(breaks)
    chosen = chosen[np.lexsort((rows.sequence[pairs.last[chosen]], -far[chosen], pairs.output[chosen]))]
    broken, first = np.unique(pairs.output[chosen], return_index=True)
    fresh = broken >= rows.old
    return Seen(rows.fresh(about), broken[fresh], pairs.last[chosen][first][fresh], far[chosen][first][fresh])


def _no_channel_left_behind(rows: Rows) -> Seen:
    pairs = parts_before(rows, rows.watermarks, rows.channel)
    # one that has been idle may lag behind and be excluded; one that has finished may have left
    return _behind(rows, pairs.which(~pairs.was_idle & ~pairs.is_finished))


def _no_split_left_behind(rows: Rows) -> Seen:
    pairs = parts_before(rows, rows.watermarks, rows.split)
    return _behind(rows, pairs.which(~pairs.is_idle & ~pairs.is_finished))


def _end_of_time(rows: Rows) -> Seen:
    ends = rows.watermarks[rows.event_time[rows.watermarks] == MAX]
    pairs = parts_before(rows, ends, rows.channel)
    unfinished = (pairs.delivered != MAX) & ~pairs.is_finished
    return _worst(rows, pairs, unfinished, np.zeros(len(unfinished), dtype=np.int64))


def _fires_in_time(rows: Rows) -> Seen:
    """A watermark goes downstream after what it fires: of the windows between two watermarks, the one that
    ends last must have been reached by the second."""
    before = rows.last(rows.fires, rows.watermarks)
    first = rows.last(rows.watermarks, rows.watermarks)
    about = (before >= 0) & (before > first)
    ended, reached = before[about], rows.watermarks[about]
    latest = _latest_end(rows, first[about], ended)
    ends = rows.event_time[latest]
    early = (rows.event_time[reached] < ends - 1) & (reached >= rows.old)
    return Seen(
        rows.fresh(reached),
        latest[early],
        reached[early],
        _difference(ends - 1, rows.event_time[reached])[early],
    )


def _latest_end(rows: Rows, after: Indexes, up_to: Indexes) -> Indexes:
    """Of the windows after one row and up to another, that which ends last; spans follow one another."""
    if not len(up_to):
        return up_to
    begin = np.searchsorted(rows.fires, np.maximum(after, rows.start[up_to]), side="left")
    span = np.searchsorted(begin, np.arange(len(rows.fires)), side="right") - 1
    within = (span >= 0) & (rows.fires <= up_to[span])
    fires, span = rows.fires[within], span[within]
    order = np.lexsort((-fires, rows.event_time[fires], span))
    return fires[order[np.searchsorted(span, np.arange(len(up_to)), side="right") - 1]]


def _in_order_of_end(rows: Rows) -> Seen:
    before = rows.last(rows.fires, rows.fires)
    together = (before >= 0) & (rows.last(rows.watermarks, rows.fires) < before)
    about, earlier = rows.fires[together], before[together]
    ends, ended = rows.event_time[about], rows.event_time[earlier]
    return Seen.of(rows, about, ends < ended, earlier, _difference(ended, ends))


def _late_only_behind(rows: Rows) -> Seen:
    before = rows.last(rows.watermarks, rows.late)
    reached = np.where(before >= 0, rows.event_time[before], MIN)
    known = (before >= 0) | ~_is_cut(rows, rows.late)
    in_time = known & (rows.event_time[rows.late] > reached)
    return Seen.of(rows, rows.late, in_time, before, _difference(rows.event_time[rows.late], reached))


def _reports_what_it_emitted(rows: Rows) -> Seen:
    last = rows.last(rows.watermarks, rows.reports)
    status = rows.last(rows.statuses, rows.reports)
    is_idle = (status >= 0) & rows.is_kind("idle")[status]
    expected = np.where(is_idle, MAX, rows.event_time[last])
    told = last >= 0
    about = rows.reports[told]
    return Seen.of(rows, about, (rows.event_time[rows.reports] != expected)[told], last[told])


PROPERTIES = (
    LogProperty(
        "log-watermark-increases",
        "The output watermark strictly increases.",
        {"valve": ("VALVE-4",), "splits": ("SPLIT-2",), "source": ("SPLIT-2",), "window": ("WIN-7",)},
        _increases,
        "outputs the watermark {this}; the one before it was {other}",
    ),
    LogProperty(
        "log-statuses-alternate",
        "IDLE and ACTIVE alternate in the output, and IDLE is the first.",
        {
            "valve": ("VALVE-13", "VALVE-14", "VALVE-7"),
            "splits": ("SPLIT-6", "SPLIT-8"),
            "source": ("SOURCE-5",),
        },
        _statuses,
        "outputs {kind}, and it was so already",
    ),
    LogProperty(
        "log-no-watermark-while-idle",
        "Between IDLE and ACTIVE no watermark is output.",
        {"valve": ("VALVE-16",), "splits": ("SPLIT-8",), "source": ("SOURCE-5",)},
        _no_watermark_while_idle,
        "outputs the watermark {this} while it is idle",
    ),
    LogProperty(
        "log-no-record-while-idle",
        "Between IDLE and ACTIVE no record goes downstream.",
        {"splits": ("SOURCE-5",), "source": ("SOURCE-5",)},
        _no_record_while_idle,
        "outputs a record of {this} while it is idle",
        unless="idleness_ends_with differs from core",
    ),
    LogProperty(
        "log-no-record-while-blocked",
        "Between blocked and unblocked no record goes downstream.",
        {"splits": ("SOURCE-1",), "source": ("SOURCE-1",)},
        _no_record_while_blocked,
        "outputs a record of {this} while it is blocked",
    ),
    LogProperty(
        "log-nothing-pending",
        "A watermark on a channel makes the valve output nothing greater than itself.",
        {"valve": ("VALVE-12", "VALVE-6", "VALVE-11", "VALVE-17")},
        _nothing_pending,
        "outputs the watermark {this} when one of {other} arrives",
        unless="valve_flush_when_all_idle, valve_minimum_when_active, valve_minimum_when_idle or "
        "valve_finished_channel differ from core",
    ),
    LogProperty(
        "log-no-channel-left-behind",
        "A watermark is output only when every channel that was never idle has delivered at least as much.",
        {"valve": ("VALVE-1", "VALVE-2")},
        _no_channel_left_behind,
        "outputs the watermark {this}, {far} beyond that of the channel {part}",
        unless="a channel may finish without a row of kind finished",
    ),
    LogProperty(
        "log-no-split-left-behind",
        "A watermark is output only when every active split has delivered at least as much.",
        {"splits": ("SPLIT-1", "SPLIT-9", "SPLIT-2")},
        _no_split_left_behind,
        "outputs the watermark {this}, {far} beyond that of the split {part}",
    ),
    LogProperty(
        "log-end-of-time",
        "MAX is output only when every channel has delivered it.",
        {"valve": ("VALVE-17", "VALVE-18", "VALVE-11")},
        _end_of_time,
        "outputs MAX, and the channel {part} has not ended",
        unless="valve_finished_channel differs from core",
    ),
    LogProperty(
        "log-window-not-before-its-time",
        "No window fires before the watermark has reached its last timestamp.",
        {"window": ("WIN-3",)},
        _fires_in_time,
        "fires the window that ends before {this}, and its watermark is then {other}",
        unless="windows fire by another trigger than event time",
    ),
    LogProperty(
        "log-windows-in-order",
        "Windows that one watermark fires are fired in the order of their ends.",
        {"window": ("WIN-6",)},
        _in_order_of_end,
        "fires the window that ends before {this} after one that ends {far} later",
    ),
    LogProperty(
        "log-nothing-late-in-time",
        "A record is late only if the watermark has reached its timestamp.",
        {"window": ("WIN-11", "WIN-10")},
        _late_only_behind,
        "finds a record of {this} late, {far} ahead of the watermark",
    ),
    LogProperty(
        "log-reports-what-it-emitted",
        "A report is the last watermark that went downstream, or MAX after IDLE.",
        {"splits": ("SOURCE-6", "SOURCE-8"), "source": ("SOURCE-6", "SOURCE-8")},
        _reports_what_it_emitted,
        "reports {this}, and has output {other}",
    ),
    LogProperty(
        "log-backlog-alternates",
        "The backlog flags that are sent alternate.",
        {
            "valve": ("BACKLOG-9",),
            "splits": ("BACKLOG-9",),
            "source": ("BACKLOG-9",),
            "window": ("BACKLOG-9",),
        },
        _flags,
        "sends {kind}, and it was so already",
    ),
)
"""All of them, in the order in which they are shown."""

NAMES = {one.name: one for one in PROPERTIES}
