"""JOB: whole jobs in virtual time, composed of the other components; no semantics of its own.

At one instant: records, then reports, announcements, delivery; sources by name; no message takes time.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from .coordinator import Coordinators
from .source import SourceSubtask
from .timestamps import MAX


@dataclass(frozen=True)
class SubtaskDescription:
    """Numbers from `first` to `end - 1`; number `first + n` is readable from n / `records_per_millisecond`
    ms on."""

    first: int
    end: int
    records_per_millisecond: Fraction


@dataclass(frozen=True)
class SourceDescription:
    """A source: with alignment if it has a group; the drift is in ms."""

    name: str
    subtasks: tuple[SubtaskDescription, ...]
    group: str | None = None
    max_allowed_watermark_drift: int = 0


@dataclass(frozen=True)
class JobDescription:
    """A job: its sources, the interval of reports and announcements (ms), when it is looked at (each
    `resolution` ms), until when at the latest, and at which times it is restarted."""

    sources: tuple[SourceDescription, ...]
    update_interval: int
    resolution: int
    until: int
    restarts: tuple[int, ...] = ()


class Event(NamedTuple):
    """A line of the event log. `record`: `records` records of consecutive numbers, the last of `event_time`.
    `report`, `announcement`: the watermark and the bound (ms). `finished`, `restarted`. Times in ms."""

    kind: str
    source: str
    subtask: int
    event_time: int
    processing_time: int
    records: int = 1


class RunningJob:
    """A job between two instants."""

    def __init__(self, job: JobDescription) -> None:
        self.sources = sorted(job.sources, key=lambda source: source.name)
        self.coordinators = Coordinators()
        self.subtasks: dict[tuple[str, int], SourceSubtask] = {}
        for source in self.sources:
            if source.group is not None:
                drift = source.max_allowed_watermark_drift
                self.coordinators.start(source.name, source.group, drift, len(source.subtasks))
            for index, subtask in enumerate(source.subtasks):
                reader = SourceSubtask(subtask.first, subtask.end, source.group is not None)
                self.subtasks[source.name, index] = reader

    def read(self, now: int) -> list[Event]:
        """Every subtask reads what is readable by `now` (ms) and allowed."""
        events = []
        for source in self.sources:
            for index, described in enumerate(source.subtasks):
                subtask = self.subtasks[source.name, index]
                readable = described.first + int(now * described.records_per_millisecond)
                numbers = subtask.read(readable)
                if numbers is None:
                    continue
                first, last = numbers
                events.append(Event("record", source.name, index, last, now, last - first + 1))
                if subtask.finished:
                    events.append(Event("finished", source.name, index, last, now))
        return events

    def align(self, now: int) -> list[Event]:
        """Every aligned subtask reports; then every coordinator announces."""
        events = []
        for (name, index), subtask in self.subtasks.items():
            if subtask.aligned and subtask.watermark is not None:
                self.coordinators.report(name, index, subtask.watermark)
                events.append(Event("report", name, index, subtask.watermark, now))
            if subtask.aligned and subtask.finished:
                self.coordinators.finish(name, index)
        for name in self.coordinators.sources:
            for index, bound in self.coordinators.announce(name):
                self.subtasks[name, index].announcement(bound)
                events.append(Event("announcement", name, index, min(bound, MAX), now))
        return events

    def restarted(self, job: JobDescription) -> "RunningJob":
        """A new job that takes over from this one's state."""
        fresh = RunningJob(job)
        fresh.coordinators.restore(self.coordinators.state())
        for key, subtask in self.subtasks.items():
            fresh.subtasks[key].restore(subtask.state())
        return fresh


def run_job(job: JobDescription) -> list[Event]:
    """The event log of a job from time 0 until everything is read, or else until `job.until`."""
    running = RunningJob(job)
    events: list[Event] = []
    now = 0
    while now <= job.until:
        events += running.read(now)
        if now % job.update_interval == 0:
            events += running.align(now)
        if all(subtask.finished for subtask in running.subtasks.values()):
            break
        if any(now < restart <= now + job.resolution for restart in job.restarts):
            running = running.restarted(job)
            events.append(Event("restarted", "", 0, 0, now))
        now += job.resolution
    return events
