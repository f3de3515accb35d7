"""A job as a report draws it: how far each subtask had got when, and where it was blocked."""

from collections.abc import Collection, Sequence
from typing import TypeVar

from ..components.job.job_property import JobRun
from ..components.job.log import Moment, Subtask, groups_of
from ..results import JobPicture, SubtaskPicture

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
    )


def _subtask_picture(subtask: Subtask, moments: list[Moment]) -> SubtaskPicture:
    reached = [(moment.processing_time, moment.last[subtask.key]) for moment in moments]
    held = [(time, last < subtask.last_readable(time)) for time, last in reached]
    blocked = _spans(held)
    borders = {time for span in blocked for time in span}
    rises = [place for place in range(1, len(reached)) if reached[place][1] > reached[place - 1][1]]
    kept = {place for place, (time, _) in enumerate(reached) if time in borders} | {*rises[:1], *rises[-1:]}
    points = [(0, subtask.first - 1), *_sampled(reached, kept if len(kept) <= _POINTS else set())]
    return SubtaskPicture(*subtask.key, [list(point) for point in points], blocked, subtask.group or "")


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
