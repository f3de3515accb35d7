"""What each subtask may read next: the decisions of the source coordinator, in plain Python.

Nothing here knows Spark, clocks or other processes: what they say comes in as an argument. Timestamps and
times are in ms.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tidegauge_spark.offsets import SourceOffset, SubtaskOffset
from tidegauge_spark.options import SourceOptions
from tidegauge_spark.valve_state import MAX


@dataclass(frozen=True)
class GroupMinimum:
    """What a source knows of its group at a planning.

    complete: whether all the sources that have to join have done so; until then nothing is read. watermark:
    the smallest minimum of the sources of the group (ALIGN-2), None if all of them are finished.
    """

    complete: bool
    watermark: int | None


def bound_of(minimum: GroupMinimum, drift: int) -> int:
    """Return how far the subtasks may read: the group minimum plus the drift (ALIGN-4), `MAX` at most.

    It is `MAX` if everybody is finished.
    """
    return MAX if minimum.watermark is None else min(MAX, minimum.watermark + drift)


def plan(
    options: SourceOptions,
    offset: SourceOffset,
    now: int,
    group: GroupMinimum | None,
    most_rows: int | None,
) -> SourceOffset:
    """Return how far the source is read in the next batch.

    offset: where it stands. now: the processing time (ms since the source started). group: what is known of
    its group; not looked at if the source is not aligned (SOURCE-4). most_rows: the most rows of the batch,
    None if there is no such limit.

    An aligned subtask is planned up to timestamp <= bound, so its watermark never exceeds the bound
    (SOURCE-1). With a drift of less than 2 ms that alone would stop the slowest subtask as well: one that
    holds the group minimum may always read its next record (SOURCE-2), so with drift 0 a watermark may be
    1 ms past the bound.
    """
    bound: int | None = None
    minimum: int | None = None
    if options.alignment is not None:
        if group is None or not group.complete:
            return offset.at(now)
        bound = bound_of(group, options.alignment.drift)
        minimum = group.watermark
    available = []
    for subtask, sequence in zip(offset.subtasks, options.sequences, strict=True):
        last = sequence.readable_at(now)
        if bound is not None:
            last = min(last, _admitted(subtask, bound, minimum))
        available.append(max(0, last - subtask.next + 1))
    counts = shares(available, [subtask.records for subtask in offset.subtasks], most_rows)
    return replace(
        offset,
        now=now,
        bound=bound,
        subtasks=tuple(
            replace(subtask, next=subtask.next + count)
            for subtask, count in zip(offset.subtasks, counts, strict=True)
        ),
    )


def _admitted(subtask: SubtaskOffset, bound: int, minimum: int | None) -> int:
    """Return the last number that a subtask may read."""
    if minimum is not None and subtask.watermark <= minimum:
        return max(bound, subtask.next)
    return bound


def shares(available: list[int], planned: list[int], most_rows: int | None) -> list[int]:
    """Divide the rows of a batch among the subtasks, `most_rows` in all.

    Every subtask gets the same, except that nobody gets more than it has available. What does not divide
    goes, one row each, to those who have had least so far (`planned`): nobody waits for ever.
    """
    if most_rows is None or sum(available) <= most_rows:
        return available
    counts = [0] * len(available)
    left = most_rows
    waiting = sorted(range(len(available)), key=lambda index: available[index])
    while waiting:
        fair, extra = divmod(left, len(waiting))
        index = waiting[0]
        if available[index] > fair:  # then the others have more than that as well
            for place, each in enumerate(sorted(waiting, key=lambda index: planned[index])):
                counts[each] = fair + (place < extra)
            break
        counts[index] = available[index]
        left -= available[index]
        del waiting[0]
    return counts
