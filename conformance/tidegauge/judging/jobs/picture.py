"""A job as a report draws it: how far each subtask had got when, where it was blocked, and how much the
windows kept."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TypeVar

from ...components.job.job_property import JobRun
from ...components.job.log import Moment, Subtask, groups_of
from ...components.job.one_run import state_bounded
from ...components.job.properties import JOB_PROPERTIES
from ...components.job.window_state import kept_within_drift, late_records, state_sizes
from ...wire.results import JobPicture, SubtaskPicture
from ...wire.timestamps import from_wire

_POINTS = 160

Point = TypeVar("Point")


def picture(run: JobRun) -> JobPicture:
    """The job as a report draws it: from time 0, a sample of its moments."""
    moments = list(run.log.moments())
    groups = sorted(groups_of(run.log.setup))
    start = {key: subtask.first - 1 for key, subtask in run.log.subtasks.items()}
    band: list[list[int]] = []
    if groups:
        minima = [(moment.processing_time, run.log.minimum(groups[0], moment.last)) for moment in moments]
        whole = [(0, run.log.minimum(groups[0], start)), *minima]
        band = [[time, minimum] for time, minimum in _sampled(whole) if minimum is not None]
    drift = max(subtask.drift for subtask in run.log.subtasks.values())
    late = late_records(run.log)
    return JobPicture(
        job=run.log.setup.name,
        aligned=bool(groups),
        drift=drift,
        overshoot=run.overshoot_ms,
        subtasks=[
            _subtask_picture(subtask, [moment for moment in moments if moment.source == key[0]])
            for key, subtask in run.log.subtasks.items()
        ],
        band=band,
        restarts=list(run.log.setup.restarts),
        state=_envelope(state_sizes(run.log)),
        state_bound=kept_within_drift(run) if groups and _state_is_bounded(run) else None,
        late=[[time, timestamp] for time, timestamp, _ in _sampled(late)],
        jumps=any(_jumps(subtask) for subtask in run.log.subtasks.values()),
        late_records=sum(count for _, _, count in late),
    )


def _subtask_picture(subtask: Subtask, moments: list[Moment]) -> SubtaskPicture:
    reached = [(moment.processing_time, moment.last[subtask.key]) for moment in moments]
    held = [(time, last < subtask.last_readable(time)) for time, last in reached]
    blocked = _spans(held)
    silences = _silences(reached, subtask)
    borders = {time for span in blocked for time in span} | {time for time, _ in silences}
    reached = sorted([*reached, *silences])
    rises = [place for place in range(1, len(reached)) if reached[place][1] > reached[place - 1][1]]
    kept = {place for place, (time, _) in enumerate(reached) if time in borders} | {*rises[:1], *rises[-1:]}
    points = [(0, subtask.first - 1), *_sampled(reached, kept if len(kept) <= _POINTS else set())]
    return SubtaskPicture(*subtask.key, [list(point) for point in points], blocked, subtask.group or "")


def _silences(reached: list[tuple[int, int]], subtask: Subtask) -> list[tuple[int, int]]:
    """Where a silence ends, and how far the subtask had got: until then there was nothing to read, and so
    nothing was logged."""
    ends = [segment.readable_from + segment.milliseconds_per_record - 1 for segment in subtask.segments]
    return [
        (end, last)
        for (time, last), (following, _) in pairwise(reached)
        for end in ends
        if time < end < following and subtask.last_readable(end) <= last
    ]


def _jumps(subtask: Subtask) -> bool:
    """Whether a record can be further from the one before than the drift."""
    lasts = [from_wire(one.first) + (one.count - 1) * one.step for one in subtask.segments]
    firsts = [from_wire(one.first) for one in subtask.segments[1:]]
    return any(first - last > subtask.drift for last, first in zip(lasts, firsts, strict=False))


def _state_is_bounded(run: JobRun) -> bool:
    """Whether it is checked that the windows of this job keep little."""
    return any(one.seen is state_bounded and run.log.setup.name in one.jobs for one in JOB_PROPERTIES)


def _envelope(sizes: Sequence[tuple[int, int]]) -> list[list[int]]:
    """About `_POINTS` of the points: the first, the last, and of each span of time the largest and the
    smallest."""
    if not sizes:
        return []
    begin, end = sizes[0][0], sizes[-1][0]
    largest: dict[int, int] = {}
    smallest: dict[int, int] = {}
    for place, (time, count) in enumerate(sizes):
        span = (time - begin) * (_POINTS // 2) // (end - begin + 1)
        if count > sizes[largest.setdefault(span, place)][1]:
            largest[span] = place
        if count < sizes[smallest.setdefault(span, place)][1]:
            smallest[span] = place
    kept = {0, len(sizes) - 1, *largest.values(), *smallest.values()}
    return [list(sizes[place]) for place in sorted(kept)]


def _sampled(points: Sequence[Point], kept: Collection[int] = ()) -> list[Point]:
    """About `_POINTS` of the points: every n-th, the last, and those at the places `kept`."""
    stride = max(1, len(points) // _POINTS)
    wanted = {*range(0, len(points), stride), len(points) - 1, *kept} if points else set()
    return [points[place] for place in sorted(wanted)]


def _spans(held: list[tuple[int, bool]]) -> list[list[int]]:
    spans: list[list[int]] = []
    blocked = False
    for time, now_blocked in held:
        if now_blocked and not blocked:
            spans.append([time, time])
        if now_blocked or blocked:
            spans[-1][1] = time
        blocked = now_blocked
    return spans
