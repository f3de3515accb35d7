"""What the event log of a job must show while one of its subtasks has nothing to read: the windows of the
others do not wait for it."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

from ...wire.steps.job import JobSetup, SegmentSetup, SourceSetup
from ...wire.timestamps import from_wire
from .job_property import JobRun, Seen

_PROBES = 3
"""Within so many reaction times after its timeout a silent subtask is idle: probed at ticks, it shows at the
first that there was a record, at the second that there was none, and the timeout ends before the third."""

_PATIENCE = 3
"""Within so many reaction times what is due is read, passed on and fired."""


@dataclass(frozen=True)
class _Course:
    """What one subtask has to read, and when it is idle. All in ms.

    Each question is a binary search, since there can be many: with an idle timeout of 1 ms a job has as many
    silences as records, and each of its windows asks at each of them.

    Attributes:
        records: for each record, the time from which it can be read, and its timestamp.
        silences: when there is nothing to read for longer than the idle timeout, from one time to the other.
        idle: when the subtask is idle for certain, from one time to the other, a part of each silence.
    """

    records: tuple[tuple[int, int], ...]
    silences: tuple[tuple[int, int], ...]
    idle: tuple[tuple[int, int], ...]
    max_out_of_orderness: int

    @cached_property
    def _largest(self) -> list[int]:
        """The largest timestamp up to each record."""
        return list(accumulate((timestamp for _, timestamp in self.records), max))

    def passes(self, end: int) -> int | None:
        """When the subtask can say at the earliest that all before `end` (ms) has come."""
        index = bisect_left(self._largest, end + self.max_out_of_orderness)
        return self.records[index][0] if index < len(self.records) else None

    def is_idle(self, since: int, until: int) -> bool:
        """Whether the subtask is idle for certain during all of that time."""
        index = bisect_right(self.idle, since, key=lambda interval: interval[0])
        return index > 0 and until <= self.idle[index - 1][1]

    def is_active(self, since: int, until: int) -> bool:
        """Whether the subtask neither becomes idle nor ends in that time."""
        ends, _ = self.records[-1]
        index = bisect_right(self.silences, since, key=lambda interval: interval[1])
        return until < ends and (index == len(self.silences) or until <= self.silences[index][0])


def _course(segments: Sequence[SegmentSetup], source: SourceSetup, reaction: int) -> _Course:
    records = tuple(_in_order(segments))
    timeout = source.idle_timeout
    pauses = pairwise((0, *(time for time, _ in records)))
    silences = [] if timeout is None else [(a, b) for a, b in pauses if b - a > timeout]
    late = (timeout or 0) + _PROBES * reaction
    idle = tuple((since + late, until) for since, until in silences if since + late < until)
    return _Course(records, tuple(silences), idle, source.max_out_of_orderness)


def _in_order(segments: Sequence[SegmentSetup]) -> Iterator[tuple[int, int]]:
    earliest = 0
    for segment in segments:
        for number in range(segment.count):
            earliest = max(earliest, segment.readable_from + (number + 1) * segment.milliseconds_per_record)
            yield earliest, from_wire(segment.first) + number * segment.step


def _courses(setup: JobSetup, reaction: int) -> list[_Course]:
    """The courses of the subtasks that read segments, for a reaction time (ms)."""
    return [
        _course(subtask.segments, source, reaction)
        for source in setup.sources
        for subtask in source.subtasks
        if subtask.segments
    ]


def silent_not_waited_for(run: JobRun) -> Seen:
    """While a subtask is silent for longer than its idle timeout, the windows of the others fire."""
    window, courses = run.log.setup.window or 1, _courses(run.log.setup, run.reaction_ms)
    complete: dict[int, int] = {}
    for time, timestamp in (record for course in courses for record in course.records):
        end = timestamp // window * window + window
        complete[end] = max(time, complete.get(end, 0))
    fired: dict[int, int] = {}
    for event in run.log.events:
        if event.kind == "fire":
            fired.setdefault(from_wire(event.event_time), event.processing_time)
    patience = _PATIENCE * run.reaction_ms
    starts = _idle_starts(courses, patience)
    for end, since in sorted(complete.items()):
        passing = [course.passes(end) for course in courses]
        moments = starts.union(time for time in passing if time is not None)
        later = sorted(moment for moment in moments if moment >= since)
        due = next((m + patience for m in later if _waits_for_idle(courses, passing, m, patience)), None)
        if due is not None and fired.get(end, due + 1) > due:
            instead = f"fired at {fired[end]} ms" if end in fired else "did not fire"
            return (
                f"the window that ends at {end} {instead}; by {due} ms it had to: {_PATIENCE} reaction times "
                f"of {run.reaction_ms} ms before, all who were not idle had passed it"
            )
    return None


def _idle_starts(courses: list[_Course], patience: int) -> set[int]:
    """The times (ms) from which a subtask is idle for `patience` (ms) at least."""
    return {since for course in courses for since, until in course.idle if since + patience <= until}


def _waits_for_idle(courses: list[_Course], passing: list[int | None], since: int, patience: int) -> bool:
    """Whether an end of a window, that the subtasks pass at `passing`, is held up at `since` (ms) by subtasks
    that are idle, and by no other: it has to be fired `patience` (ms) later."""
    passed = [time is not None and time <= since for time in passing]
    left_out = [course.is_idle(since, since + patience) for course in courses]
    reads_on = [course.is_active(since, since + patience) for course in courses]
    held_up = any(left and not has for left, has in zip(left_out, passed, strict=True))
    by_whom = any(on and has for on, has in zip(reads_on, passed, strict=True))
    return held_up and by_whom and all(a or b for a, b in zip(left_out, passed, strict=True))
