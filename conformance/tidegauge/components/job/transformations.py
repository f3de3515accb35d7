"""Other jobs made of a job, whose logs can be compared with its own: event times moved, records delayed,
duplicated and reordered, subtasks exchanged, alignment left out. Each returns None for a job in which there
is nothing to transform."""

from collections.abc import Callable
from itertools import chain

from msgspec.structs import replace

from ...wire.steps.job import JobSetup, SegmentSetup, SourceSetup, SubtaskSetup
from ...wire.timestamps import from_wire, to_wire
from .segments import of_segments, one_by_one, size_of, twice

DELAY = 10_000
"""By so much (ms) records become readable later."""


def without_alignment(setup: JobSetup) -> JobSetup:
    """The control of a job: without alignment, and without restarts."""
    unaligned = _each_source(
        setup, lambda source: replace(source, watermark_group=None, max_allowed_watermark_drift=0)
    )
    return replace(unaligned, restarts=())


def shift_of(setup: JobSetup) -> int:
    """By how much (ms) `shifted` moves event time: most of it to before 0, in whole windows."""
    subtasks = [subtask for source in setup.sources for subtask in source.subtasks]
    first = min(from_wire(subtask.first) for subtask in subtasks)
    end = max(from_wire(subtask.end) for subtask in subtasks)
    period = setup.window or 1
    return -max(1, (first + 7 * (end - first) // 8) // period) * period


def shifted(setup: JobSetup) -> JobSetup:
    """All event times moved by `shift_of`."""
    by = shift_of(setup)

    def moved(timestamp: int | str) -> int | str:
        return to_wire(from_wire(timestamp) + by)

    def shifted_subtask(subtask: SubtaskSetup) -> SubtaskSetup:
        segments = tuple(replace(segment, first=moved(segment.first)) for segment in subtask.segments)
        return replace(subtask, first=moved(subtask.first), end=moved(subtask.end), segments=segments)

    return _each_source(
        setup, lambda source: replace(source, subtasks=tuple(map(shifted_subtask, source.subtasks)))
    )


def delayed(setup: JobSetup) -> JobSetup | None:
    """The first subtask that can be is held up: from the middle of its first segment on its records become
    readable `DELAY` ms later, or its numbers at half the rate."""
    for place, source in enumerate(setup.sources):
        for index, subtask in enumerate(source.subtasks):
            if (held_up := _held_up(subtask)) is not None:
                return _with_subtask(setup, place, index, held_up[0])
    return None


def delay_of(setup: JobSetup) -> int:
    """By how much (ms) `delayed` holds up a record at most."""
    subtasks = chain.from_iterable(source.subtasks for source in setup.sources)
    return next((delay for _, delay in filter(None, map(_held_up, subtasks))), 0)


def _held_up(subtask: SubtaskSetup) -> tuple[SubtaskSetup, int] | None:
    """The subtask held up, and by how much (ms)."""
    if subtask.segments:
        return _stalled(subtask), DELAY
    if (rate := subtask.records_per_millisecond) == 1:
        return None
    count = size_of(subtask)
    delay = -(-count // (rate // 2)) - count // rate
    return replace(subtask, records_per_millisecond=rate // 2), delay


def _stalled(subtask: SubtaskSetup) -> SubtaskSetup:
    first, *others = subtask.segments
    half = first.count // 2
    rest = replace(
        first,
        first=to_wire(from_wire(first.first) + half * first.step),
        count=first.count - half,
        readable_from=first.readable_from + half * first.milliseconds_per_record,
    )
    late = [replace(segment, readable_from=segment.readable_from + DELAY) for segment in (rest, *others)]
    before = [replace(first, count=half)] if half else []
    return replace(subtask, segments=(*before, *late))


def duplicated(setup: JobSetup) -> JobSetup | None:
    """Every record twice: in a row where there are segments, elsewhere by a twin of each subtask."""

    def duplicate(source: SourceSetup) -> SourceSetup:
        if all(subtask.segments for subtask in source.subtasks):
            return replace(source, subtasks=tuple(map(_repeating, source.subtasks)))
        return replace(source, subtasks=source.subtasks * 2)

    return None if setup.split_range else _each_source(setup, duplicate)


def _repeating(subtask: SubtaskSetup) -> SubtaskSetup:
    records = chain.from_iterable(map(one_by_one, subtask.segments))
    return of_segments(map(twice, records), subtask.backpressure)


def reordered(setup: JobSetup) -> JobSetup | None:
    """The records of each segment in reversed blocks, as far as the source expects them out of order."""

    def out_of_order(source: SourceSetup) -> SourceSetup:
        bound = source.max_out_of_orderness
        subtasks = [
            of_segments(
                chain.from_iterable(_in_blocks(segment, bound) for segment in subtask.segments),
                subtask.backpressure,
            )
            if subtask.segments
            else subtask
            for subtask in source.subtasks
        ]
        return replace(source, subtasks=tuple(subtasks))

    other = _each_source(setup, out_of_order)
    return other if other != setup else None


def _in_blocks(segment: SegmentSetup, bound: int) -> list[SegmentSetup]:
    """A segment whose largest timestamps come first, in blocks of as many as the bound (ms) allows."""
    length = 1 + bound // segment.step if segment.step else 1
    if length == 1 or segment.count == 1:
        return [segment]
    records = list(one_by_one(segment))
    blocks = [records[start : start + length] for start in range(0, len(records), length)]
    return [
        replace(place, first=record.first)
        for block in blocks
        for place, record in zip(block, reversed(block), strict=True)
    ]


def exchanged(setup: JobSetup) -> JobSetup | None:
    """The subtasks of each source in the opposite order."""
    other = _each_source(setup, lambda source: replace(source, subtasks=source.subtasks[::-1]))
    return other if other != setup and not setup.split_range else None


def _each_source(setup: JobSetup, transform: Callable[[SourceSetup], SourceSetup]) -> JobSetup:
    return replace(setup, sources=tuple(map(transform, setup.sources)))


def _with_subtask(setup: JobSetup, place: int, index: int, subtask: SubtaskSetup) -> JobSetup:
    source = setup.sources[place]
    subtasks = (*source.subtasks[:index], subtask, *source.subtasks[index + 1 :])
    sources = (*setup.sources[:place], replace(source, subtasks=subtasks), *setup.sources[place + 1 :])
    return replace(setup, sources=sources)


CONTROL = "control"

TRANSFORMATIONS: dict[str, Callable[[JobSetup], JobSetup | None]] = {
    CONTROL: without_alignment,
    "shifted": shifted,
    "delayed": delayed,
    "duplicated": duplicated,
    "reordered": reordered,
    "exchanged": exchanged,
}
"""The transformations by the name under which their logs are compared."""
