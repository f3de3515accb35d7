"""The parts of which a subtask combines watermarks: the channels of a valve, the splits of a source.

What each part had delivered when the subtask output a watermark; all outputs and all parts at once.
"""

from dataclasses import dataclass

import numpy as np

from tidegauge.wire.timestamps import MIN

from .rows import Flags, Indexes, Numbers, Rows

_NO_WATERMARK = MIN


@dataclass(frozen=True)
class PartsBefore:
    """Pairs of an output watermark and a part that was known by then, ordered by output.

    `output` and `last` are rows: the output, and the last row of the part before it. `delivered` is the
    greatest watermark of the part (ms, `MIN`: none yet). `is_idle`: its last status is idle. `was_idle`: it
    has been idle at some time before.
    """

    output: Indexes
    last: Indexes
    delivered: Numbers
    is_idle: Flags
    was_idle: Flags
    is_finished: Flags

    def which(self, chosen: Flags) -> "PartsBefore":
        """The pairs that are chosen."""
        return PartsBefore(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


def parts_before(rows: Rows, outputs: Indexes, part: Numbers) -> PartsBefore:
    """What each part had delivered at each of the outputs. `part` is a number for each row, negative: of no
    part."""
    of_parts = np.flatnonzero(part >= 0)
    key = rows.start[of_parts] * (int(part.max(initial=0)) + 1) + part[of_parts]
    names, number = np.unique(key, return_inverse=True)
    order = np.lexsort((of_parts, number))
    row, number = of_parts[order], number[order]
    first = np.searchsorted(number, np.arange(len(names)))
    output, wanted = _pairs(rows, outputs, row[first] if len(names) else row)
    # the last row of the wanted part before the output: parts one after the other, rows in order within each
    width = len(rows) + 1
    place = np.searchsorted(number * width + row, wanted * width + output) - 1
    known = (
        (place >= 0) & (number[np.maximum(place, 0)] == wanted) if len(number) else np.zeros(0, dtype=bool)
    )
    place, output = place[known], output[known]
    state = _States.of(rows, row, number)
    return PartsBefore(
        output,
        row[place],
        state.delivered[place],
        state.is_idle[place],
        state.was_idle[place],
        state.is_finished[place],
    )


def _pairs(rows: Rows, outputs: Indexes, first: Indexes) -> tuple[Indexes, Indexes]:
    """Each output with the number of each part of its stretch."""
    stretch_of_part = rows.start[first]
    order = np.argsort(stretch_of_part, kind="stable")
    ordered = stretch_of_part[order]
    stretch = rows.start[outputs]
    begin = np.searchsorted(ordered, stretch, side="left")
    many = np.searchsorted(ordered, stretch, side="right") - begin
    output = np.repeat(outputs, many)
    within = np.arange(len(output)) - np.repeat(np.cumsum(many) - many, many)
    return output, order[np.repeat(begin, many) + within]


@dataclass(frozen=True)
class _States:
    """What is known of a part after each of its rows."""

    delivered: Numbers
    is_idle: Flags
    was_idle: Flags
    is_finished: Flags

    @staticmethod
    def of(rows: Rows, row: Indexes, number: Indexes) -> "_States":
        watermark = (rows.is_kind("watermark") & rows.has_event_time)[row]
        delivered = _running_maximum(np.where(watermark, rows.event_time[row], _NO_WATERMARK), number)
        idle = rows.is_kind("idle")[row]
        status = idle | rows.is_kind("active")[row]
        begin = np.maximum.accumulate(np.where(np.diff(number, prepend=-1) != 0, np.arange(len(row)), 0))
        last_status = np.maximum.accumulate(np.where(status, np.arange(len(row)), -1))
        last_idle = np.maximum.accumulate(np.where(idle, np.arange(len(row)), -1))
        last_end = np.maximum.accumulate(np.where(rows.is_kind("finished")[row], np.arange(len(row)), -1))
        has_status = last_status >= begin
        return _States(
            delivered,
            has_status & idle[np.maximum(last_status, 0)],
            last_idle >= begin,
            last_end >= begin,
        )


def _running_maximum(values: Numbers, number: Indexes) -> Numbers:
    """The greatest value so far within each run of equal numbers, which ascend."""
    if not len(values):
        return values
    distinct, rank = np.unique(values, return_inverse=True)
    greatest = np.maximum.accumulate(number * len(distinct) + rank) - number * len(distinct)
    return distinct[greatest]


def to_keep(rows: Rows, stretch: int, part: Numbers) -> Indexes:
    """The rows of a stretch that later rows of its parts are compared with: of each part the greatest
    watermark, the first idle, the last status and the last row."""
    mine = np.flatnonzero((part >= 0) & (rows.start == stretch))
    kept = []
    for one in np.unique(part[mine]):
        of_part = mine[part[mine] == one]
        watermarks = of_part[(rows.is_kind("watermark") & rows.has_event_time)[of_part]]
        idle = of_part[rows.is_kind("idle")[of_part]]
        status = of_part[rows.is_kind("idle", "active")[of_part]]
        ended = of_part[rows.is_kind("finished")[of_part]]
        kept += [of_part[-1:], idle[:1], status[-1:], ended[-1:]]
        if len(watermarks):
            kept.append(watermarks[[np.argmax(rows.event_time[watermarks])]])
    return np.unique(np.concatenate(kept)) if kept else mine
