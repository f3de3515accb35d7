"""Records of a job as data: subtasks made of segments, and segments taken apart into their records."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from ...wire.steps.job import Backpressure, SegmentSetup, SubtaskSetup
from ...wire.timestamps import from_wire, to_wire


def of_segments(
    segments: Iterable[SegmentSetup], backpressure: tuple[Backpressure, ...] = ()
) -> SubtaskSetup:
    """A subtask that reads these segments, one after the other."""
    segments = tuple(segments)
    ends = [from_wire(segment.first) + (segment.count - 1) * segment.step + 1 for segment in segments]
    first = min(from_wire(segment.first) for segment in segments)
    return SubtaskSetup(to_wire(first), to_wire(max(ends)), 1, segments, backpressure)


def one_by_one(segment: SegmentSetup) -> Iterator[SegmentSetup]:
    """Each record of a segment as a segment of its own."""
    first, pace = from_wire(segment.first), segment.milliseconds_per_record
    for number in range(segment.count):
        timestamp = to_wire(first + number * segment.step)
        yield SegmentSetup(timestamp, 1, 0, segment.readable_from + number * pace, pace)


def twice(record: SegmentSetup) -> SegmentSetup:
    """The only record of a segment two times, the second half as long after the first as the next record."""
    pace = max(1, record.milliseconds_per_record // 2)
    readable = record.readable_from + record.milliseconds_per_record
    return replace(record, count=2, readable_from=readable - pace, milliseconds_per_record=pace)


def size_of(subtask: SubtaskSetup) -> int:
    """How many records a subtask has."""
    if subtask.segments:
        return sum(segment.count for segment in subtask.segments)
    return from_wire(subtask.end) - from_wire(subtask.first)
