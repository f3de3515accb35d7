"""A job's event log, read: who had read how far, at each moment."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ...wire.steps.job import JobSetup, SegmentSetup, SourceSetup
from ...wire.timestamps import from_wire
from ...wire.vocabulary import AnyOutput, LogEvent

Key = tuple[str, int]
"""A source's name and the index of one of its subtasks."""


@dataclass(frozen=True)
class Subtask:
    """What the job's description says of a subtask. Numbers are timestamps in ms; `end` is excluded."""

    key: Key
    group: str | None
    drift: int
    first: int
    end: int
    records_per_millisecond: int
    segments: tuple[SegmentSetup, ...] = ()

    def last_readable(self, processing_time: int) -> int:
        """The last number that can be read by then; `first - 1` if none can."""
        if self.segments:
            readable = [_last_of(segment, processing_time) for segment in self.segments]
            return max((last for last in readable if last is not None), default=self.first - 1)
        return min(self.first + processing_time * self.records_per_millisecond, self.end) - 1


def _last_of(segment: SegmentSetup, processing_time: int) -> int | None:
    """The timestamp of the last record of a segment that can be read by then."""
    count = min((processing_time - segment.readable_from) // segment.milliseconds_per_record, segment.count)
    return from_wire(segment.first) + (count - 1) * segment.step if count > 0 else None


def subtasks_of(setup: JobSetup) -> dict[Key, Subtask]:
    """All subtasks of a job, in order."""
    return {
        (source.name, index): Subtask(
            key=(source.name, index),
            group=source.watermark_group,
            drift=source.max_allowed_watermark_drift,
            first=from_wire(described.first),
            end=from_wire(described.end),
            records_per_millisecond=described.records_per_millisecond,
            segments=described.segments,
        )
        for source in setup.sources
        for index, described in enumerate(source.subtasks)
    }


@dataclass(frozen=True)
class Moment:
    """The state of a job after one source has acted at one time of its clock.

    `last` is the last number that each subtask has read (`first - 1`: none yet).
    """

    source: str
    processing_time: int
    last: dict[Key, int]


@dataclass(frozen=True)
class JobLog:
    """The records of a job's log, in order, and the moments that follow from them."""

    setup: JobSetup
    events: Sequence[LogEvent]
    subtasks: dict[Key, Subtask] = field(default_factory=dict)

    @staticmethod
    def of(setup: JobSetup, outputs: Iterable[AnyOutput]) -> "JobLog":
        """The log among the outputs of a job."""
        events = [output for output in outputs if isinstance(output, LogEvent)]
        return JobLog(setup, events, subtasks_of(setup))

    def runs(self, key: Key) -> list[tuple[int, int]]:
        """First and last number of each run of records that left a subtask, in order."""
        return [
            (last - event.count + 1, last)
            for event in self.events
            if event.kind == "record" and (event.source, event.subtask) == key
            for last in [from_wire(event.event_time)]
        ]

    def moments(self) -> Iterator[Moment]:
        """The job after each act of a source, in the order of the log."""
        last = {key: subtask.first - 1 for key, subtask in self.subtasks.items()}
        current: tuple[str, int] | None = None
        for event in self.events:
            acting = (event.source, event.processing_time)
            if event.kind == "restarted" or not event.source:
                continue
            if current is not None and acting != current:
                yield Moment(current[0], current[1], dict(last))
            current = acting
            key = (event.source, event.subtask)
            if event.kind == "record" and key in last:
                last[key] = max(last[key], from_wire(event.event_time))
        if current is not None:
            yield Moment(current[0], current[1], dict(last))

    def of_source(self, source: str) -> list[Subtask]:
        """The subtasks of a source."""
        return [subtask for key, subtask in self.subtasks.items() if key[0] == source]

    def minimum(self, group: str, last: dict[Key, int]) -> int | None:
        """The smallest watermark (last number minus 1) of a group's subtasks that have not read all."""
        return min(
            (
                last[key] - 1
                for key, subtask in self.subtasks.items()
                if subtask.group == group and last[key] < subtask.end - 1
            ),
            default=None,
        )


def groups_of(setup: JobSetup) -> set[str]:
    """The watermark groups of a job."""
    return {source.watermark_group for source in setup.sources if source.watermark_group is not None}


def aligned_sources(setup: JobSetup) -> list[SourceSetup]:
    """The sources with alignment."""
    return [source for source in setup.sources if source.watermark_group is not None]
