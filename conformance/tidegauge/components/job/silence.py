"""What the event log of a job must show while one of its subtasks has nothing to read: the windows of the
others do not wait for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

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
    """What one subtask has to read: `records` are the time from which each can be read, and its timestamp. In
    `silences`, from one time to the other, there is nothing for longer than the idle timeout. All in ms."""

    records: tuple[tuple[int, int], ...]
    idle_timeout: int
    silences: tuple[tuple[int, int], ...]
    max_out_of_orderness: int

    def passes(self, end: int) -> int | None:
        """When it can say at the earliest that all before `end` (ms) has come."""
        largest = end + self.max_out_of_orderness
        return next((time for time, timestamp in self.records if timestamp >= largest), None)

    def idle_from(self, reaction: int) -> list[tuple[int, int]]:
        """Since when at the latest, and until when it is idle, for a reaction time (ms)."""
        late = self.idle_timeout + _PROBES * reaction
        return [(since + late, until) for since, until in self.silences if since + late < until]

    def is_active(self, since: int, until: int) -> bool:
        """Whether it neither becomes idle nor ends in that time."""
        ends, _ = self.records[-1]
        return until < ends and all(back <= since or until <= silent for silent, back in self.silences)


def _course(segments: Sequence[SegmentSetup], source: SourceSetup) -> _Course:
    records = tuple(_in_order(segments))
    timeout = source.idle_timeout
    pauses = pairwise((0, *(time for time, _ in records)))
    silences = [] if timeout is None else [(a, b) for a, b in pauses if b - a > timeout]
    return _Course(records, timeout or 0, tuple(silences), source.max_out_of_orderness)


def _in_order(segments: Sequence[SegmentSetup]) -> Iterator[tuple[int, int]]:
    earliest = 0
    for segment in segments:
        for number in range(segment.count):
            earliest = max(earliest, segment.readable_from + (number + 1) * segment.milliseconds_per_record)
            yield earliest, from_wire(segment.first) + number * segment.step


def _courses(setup: JobSetup) -> list[_Course]:
    """Those of the subtasks that read segments."""
    return [
        _course(subtask.segments, source)
        for source in setup.sources
        for subtask in source.subtasks
        if subtask.segments
    ]


def silent_not_waited_for(run: JobRun) -> Seen:
    """While a subtask is silent for longer than its idle timeout, the windows of the others fire."""
    window, courses = run.log.setup.window or 1, _courses(run.log.setup)
    complete: dict[int, int] = {}
    for time, timestamp in (record for course in courses for record in course.records):
        end = timestamp // window * window + window
        complete[end] = max(time, complete.get(end, 0))
    fired: dict[int, int] = {}
    for event in run.log.events:
        if event.kind == "fire":
            fired.setdefault(from_wire(event.event_time), event.processing_time)
    for end, since in sorted(complete.items()):
        due = _due(end, since, courses, run.reaction_ms)
        if due is not None and fired.get(end, due + 1) > due:
            instead = f"fired at {fired[end]} ms" if end in fired else "did not fire"
            return (
                f"the window that ends at {end} {instead}; by {due} ms it had to: {_PATIENCE} reaction times "
                f"of {run.reaction_ms} ms before, all who were not idle had passed it"
            )
    return None


def _due(end: int, complete: int, courses: list[_Course], reaction: int) -> int | None:
    """By when (ms) a window must have fired that is `complete` since then, and that a subtask holds up unless
    it is idle; None if there is no such time."""
    passing = [course.passes(end) for course in courses]
    idle = [course.idle_from(reaction) for course in courses]
    moments = {time for time in passing if time is not None} | {since for one in idle for since, _ in one}
    for since in sorted(moment for moment in moments if moment >= complete):
        until = since + _PATIENCE * reaction
        passed = [time is not None and time <= since for time in passing]
        left_out = [any(a <= since and until <= b for a, b in one) for one in idle]
        reads_on = [course.is_active(since, until) for course in courses]
        held_up = any(left and not has for left, has in zip(left_out, passed, strict=True))
        by_whom = any(on and has for on, has in zip(reads_on, passed, strict=True))
        if held_up and by_whom and all(a or b for a, b in zip(left_out, passed, strict=True)):
            return until
    return None
