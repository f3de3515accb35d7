"""The planning of the next batch of a source over number sequences, in plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Several
from dataclasses import replace
from typing import Final

from tidegauge_spark.decisions.sources.bounds import ROUNDS, GroupMinimum, bound_above, share_out
from tidegauge_spark.decisions.sources.coordinator import announced
from tidegauge_spark.decisions.sources.signals import SplitMoment
from tidegauge_spark.decisions.sources.standing import (
    StandingSplit,
    reported,
    settings_for_planning,
    standing,
)
from tidegauge_spark.decisions.sources.subtask import SourceSubtask
from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.numbers.offset import SourceOffset, SubtaskOffset
from tidegauge_spark.source.options.numbers import Sequence
from tidegauge_spark.source.options.source import SourceOptions
from tidegauge_spark.source.planning.alignment.blocked import BlockedSplit, Unread

_ALIGNED: Final = settings_for_planning(0, by_split=True)


def minimum(offset: SourceOffset, sequences: Several[Sequence], now: int) -> int | None:
    """Return the smallest watermark (ms) over the subtasks (ALIGN-1), None if all are excluded."""
    return min((each for each in reports(offset, sequences, now) if each is not None), default=None)


def reports(offset: SourceOffset, sequences: Several[Sequence], now: int) -> Iterator[int | None]:
    """Yield the report of each subtask (ms), None if the others do not wait for it.

    Finished subtasks are excluded (ALIGN-5), and idle subtasks that have nothing to read now (SOURCE-8).
    """
    idle = offset.signals.idle_splits
    for index, (subtask, sequence) in enumerate(zip(offset.subtasks, sequences, strict=True)):
        silent = str(index) in idle and sequence.readable_at(now) < subtask.next
        yield reported(_standing(index, subtask, silent))


def _standing(index: int, subtask: SubtaskOffset, idle: bool = False) -> SourceSubtask:
    """Return a subtask in its state at a planning; a finished subtask has no split, and so is idle, too."""
    split = {} if subtask.finished else {str(index): StandingSplit(subtask.watermark, idle)}
    return standing(_ALIGNED, subtask.watermark, split)


def moments(
    offset: SourceOffset, planned: SourceOffset, sequences: Several[Sequence]
) -> dict[str, SplitMoment]:
    """Return the state of each subtask after a planning that continued from an offset; the name of its split
    is its index.

    Without stored signals, as in a checkpoint without them, all records count as having arrived just now.
    """
    fresh = offset.signals.state is None
    return {
        str(index): SplitMoment(
            index,
            after.next > (before.first if fresh else before.next),
            after.watermark if after.records else MIN,
            sequence.readable_at(planned.now) >= after.next,
            after.finished,
        )
        for index, (before, after, sequence) in enumerate(
            zip(offset.subtasks, planned.subtasks, sequences, strict=True)
        )
    }


def plan(
    options: SourceOptions,
    offset: SourceOffset,
    now: int,
    group: GroupMinimum | None,
    most_rows: int | None,
) -> SourceOffset:
    """Return how far the source is read in the next batch.

    offset: the position of the source. now: the processing time (ms since the source started). group: the
    state of its group; ignored if the source is not aligned (SOURCE-4). most_rows: the maximum number of rows
    of the batch, None if there is no limit.

    With a drift of 0 a watermark may be 1 ms past the bound: see `SourceSubtask.reads_up_to`.
    """
    if options.alignment is None:
        return _planned(options, offset, now, None, most_rows)
    if group is None or not group.complete:
        return offset.at(now)
    planned, left = offset, most_rows
    for _ in range(ROUNDS):
        group = group.raised(minimum(planned, options.sequences, now))
        before, bound = planned, bound_above(group, options.alignment.drift)
        planned = _planned(options, before, now, group.watermark, left, bound)
        taken = sum(new.next - old.next for old, new in zip(before.subtasks, planned.subtasks, strict=True))
        left = None if left is None else left - taken
        if group.reach is None or not taken:
            break
    return planned


def blocked(options: SourceOptions, planned: SourceOffset, now: int) -> Iterator[BlockedSplit]:
    """Yield the subtasks of which a planning has left readable numbers beyond the bound."""
    if options.alignment is None or planned.bound is None:
        return
    for index, (subtask, sequence) in enumerate(zip(planned.subtasks, options.sequences, strict=True)):
        unread = sequence.readable_at(now) - subtask.next + 1
        if unread > 0 and subtask.next > planned.bound:
            until = min(max(MIN, subtask.next - options.alignment.drift), subtask.watermark)
            yield BlockedSplit(str(index), subtask.records, Unread(unread, "Numbers"), until)


def late_numbers(offset: SourceOffset, planned: SourceOffset, watermark: int) -> int:
    """Return how many of the numbers between two offsets are not after a watermark (ms)."""
    return sum(
        max(0, min(after.next - 1, watermark) - before.next + 1)
        for before, after in zip(offset.subtasks, planned.subtasks, strict=True)
    )


def _planned(
    options: SourceOptions,
    offset: SourceOffset,
    now: int,
    minimum: int | None,
    most_rows: int | None,
    bound: int | None = None,
) -> SourceOffset:
    """Return how far the source is read, up to a bound (ms) above the minimum of the group (ms)."""
    subtasks = [_standing(index, subtask) for index, subtask in enumerate(offset.subtasks)]
    if bound is not None:
        for each in announced(offset.source, bound, [True] * len(subtasks)):
            subtasks[each.subtask].announcement(each.bound)
    readings = [
        _Reading(_available(bounded, subtask, sequence.readable_at(now), minimum))
        for bounded, subtask, sequence in zip(subtasks, offset.subtasks, options.sequences, strict=True)
    ]
    counts = share_out(
        [reading.take for reading in readings], [each.records for each in offset.subtasks], most_rows
    )
    return replace(
        offset,
        now=now,
        bound=bound,
        subtasks=tuple(
            replace(subtask, next=subtask.next + count)
            for subtask, count in zip(offset.subtasks, counts, strict=True)
        ),
    )


def _available(bounded: SourceSubtask, subtask: SubtaskOffset, last: int, minimum: int | None) -> int:
    """Return how many numbers, `last` at most, a subtask may read."""
    if bounded.blocked or bounded.paused:
        return 0
    last = min(last, bounded.reads_up_to(subtask.watermark, subtask.next, minimum))
    return max(0, last - subtask.next + 1)


class _Reading:
    """The remaining numbers that a subtask may read."""

    def __init__(self, available: int) -> None:
        self._available = available

    def take(self, rows: int) -> int:
        taken = min(rows, self._available)
        self._available -= taken
        return taken
