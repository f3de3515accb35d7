"""JOB: whole jobs in virtual time, composed of the other components; no semantics of its own.

At one instant: records, then watermarks, reports, announcements, delivery; sources by name; no message takes
time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

from .clock import PausableClock
from .coordinator import Coordinators
from .generators import Generator
from .policies import Policies
from .source_operator import SourceOperator, SourceSettings
from .strategy import WatermarkStrategy
from .valve import Valve
from .windows import Sliding, Windows

Key = tuple[str, int]
"""A source's name and the number of a subtask."""

DOWNSTREAM: Key = ("", 0)


@dataclass(frozen=True)
class SourceDescription:
    """A source, aligned if its strategy says so. A feed is what a subtask is given to read: `records` are the
    timestamps of what it can read in so many ms from `now` (ms) on, `position` is how many it has read."""

    name: str
    feeds: tuple[Any, ...]
    strategy: WatermarkStrategy

    def generator(self, clock: PausableClock, policies: Policies) -> Generator:
        """The generator of one of its subtasks, which has `clock` as its activity clock."""
        return self.strategy.create_generator(SimpleNamespace(input_activity_clock=clock), policies)


@dataclass(frozen=True)
class JobDescription:
    """A job. Reports and announcements come every `update_interval`, watermarks every `resolution`; it runs
    until `until` at the latest; behind all sources are tumbling windows of `window`, if set. All in ms."""

    sources: tuple[SourceDescription, ...]
    update_interval: int
    resolution: int
    until: int
    restarts: tuple[int, ...] = ()
    window: int | None = None


class Event(NamedTuple):
    """A line of the event log, times in ms."""

    kind: str
    source: str
    subtask: int
    event_time: int
    processing_time: int
    records: int = 1


class RunningJob:
    """A job between two instants; what happens goes into `events`."""

    def __init__(self, job: JobDescription) -> None:
        self.job, self.events = job, list[Event]()
        self.sources = sorted(job.sources, key=lambda source: source.name)
        self.coordinators = Coordinators()
        self.operators: dict[Key, SourceOperator] = {}
        self.feeds: dict[Key, Any] = {}
        for source in self.sources:
            group, drift, _ = source.strategy.alignment or (None, 0, 0)
            self.coordinators.start(source.name, source.name, group, drift, len(source.feeds))
            settings = SourceSettings(source.generator, group is not None, per_split_outputs=False)
            for number, feed in enumerate(source.feeds):
                key = source.name, number
                self.operators[key], self.feeds[key] = SourceOperator(settings), feed
                self.operators[key].assign("split")
                feed.seek(0)
                self.coordinators.ready(*key)
        self.channels = {key: channel for channel, key in enumerate(self.operators)}
        self.valve = Valve(len(self.channels))
        self.windows = Windows(Sliding(job.window, job.window)) if job.window else None

    def step(self, now: int) -> None:
        """All that happens at `now` (ms)."""
        for key in self.operators:
            self._read(key, now)
        for key, operator in self.operators.items():
            self._take(key, now, operator.tick())
        if now % self.job.update_interval == 0:
            for key, operator in self.operators.items():
                self._take(key, now, operator.report())
            for source in self.sources:
                self._announce(source, now)
        for operator in self.operators.values():
            operator.advance(self.job.resolution)

    def _read(self, key: Key, now: int) -> None:
        """The subtask reads what is readable until it is blocked."""
        operator, feed = self.operators[key], self.feeds[key]
        operator.backpressure(feed.under_backpressure(now))
        if operator.finished or operator.backpressured:
            return
        records = feed.records(now, self.job.resolution)
        while not operator.alignment.blocked and (timestamp := next(records, None)) is not None:
            self._take(key, now, operator.record(None, timestamp))
        if feed.finished and not operator.alignment.blocked:
            self._log("finished", key, 0, now)
            self._take(key, now, operator.end_of_input())

    def _announce(self, source: SourceDescription, now: int) -> None:
        for _, bound, subtask in self.coordinators.announce(source.name):
            key = source.name, int(subtask.rpartition("/")[2])
            self._log("announcement", key, bound, now)
            self._take(key, now, self.operators[key].announcement(bound))

    def _take(self, key: Key, now: int, outputs: Sequence[tuple[Any, ...]]) -> None:
        """What comes out of a subtask goes to the log, to its coordinator and to the operator downstream."""
        for name, *fields in outputs:
            if name == "report":
                self.coordinators.report(*key, *fields)
            if name in ("record", "report", "idle", "active"):
                self._log(name, key, fields[0] if fields else 0, now)
            if self.windows is None:
                continue
            if name == "record":
                self._log_downstream(self.windows.record(fields[0], fields[0]), now)
            elif name in ("watermark", "idle", "active"):
                for passed, *values in getattr(self.valve, name)(self.channels[key], *fields):
                    self._log_downstream(getattr(self.windows, passed)(*values), now)

    def _log_downstream(self, outputs: Sequence[tuple[Any, ...]], now: int) -> None:
        """What comes out of the windows, and how many records they keep after it."""
        for name, *fields in outputs:
            event_time, count = (fields[1], len(fields[2])) if name == "fire" else ((*fields, 0)[0], 1)
            self._log(name, DOWNSTREAM, event_time, now, count)
        kept = self.windows.windows.values() if self.windows is not None else ()
        self._log("state-size", DOWNSTREAM, 0, now, sum(len(window.values) for window in kept))

    def _log(self, kind: str, key: Key, event_time: int, now: int, records: int = 1) -> None:
        """A line of the log; records of consecutive timestamps at one instant share theirs."""
        if kind == "record" and self.events and self.events[-1][:5] == (kind, *key, event_time - 1, now):
            records += self.events.pop().records
        self.events.append(Event(kind, *key, event_time, now, records))

    def restarted(self, now: int) -> "RunningJob":
        """A new job that takes over from this one's state."""
        positions = {key: feed.position for key, feed in self.feeds.items()}
        fresh = RunningJob(self.job)
        fresh.events = [*self.events, Event("restarted", "", 0, 0, now)]
        fresh.coordinators.restore(self.coordinators.snapshot())
        for key, operator in self.operators.items():
            fresh.operators[key].restore(operator.snapshot())
            fresh.feeds[key].seek(positions[key])
        fresh.valve.restore(self.valve.snapshot())
        if fresh.windows is not None and self.windows is not None:
            fresh.windows.restore(self.windows.snapshot())
        return fresh


def run_job(job: JobDescription) -> list[Event]:
    """The event log of a job from time 0 until everything is read, or else until `job.until`."""
    running = RunningJob(job)
    now = 0
    while now <= job.until and not all(operator.finished for operator in running.operators.values()):
        running.step(now)
        if any(now < restart <= now + job.resolution for restart in job.restarts):
            running = running.restarted(now)
        now += job.resolution
    return running.events
