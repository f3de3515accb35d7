"""Smaller jobs: fewer sources, subtasks, segments and restarts, shorter runs, plainer numbers."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from ...wire.steps.job import JobSetup, SegmentSetup, SourceSetup, SubtaskSetup
from ...wire.timestamps import from_wire, to_wire
from ...wire.vocabulary import Step
from .segments import of_segments, size_of

Part = TypeVar("Part")
Plainer = Callable[[int, int], Iterable[int]]
"""Smaller numbers, not below the least."""

_DIVISORS = (8, 4, 2)


def simplify(setup: JobSetup, history: tuple[Step, ...]) -> list[tuple[JobSetup, tuple[Step, ...]]]:
    """Candidates that may show the same: those with fewer parts first, those with rounder numbers last."""
    return [(smaller, history) for smaller in _smaller(setup) if _is_as_described(smaller, setup)]


def _is_as_described(smaller: JobSetup, setup: JobSetup) -> bool:
    """Numbers that an engine divides, or that never end, stay as they are."""
    return not (smaller.split_range or smaller.endless) or _ranges(smaller) == _ranges(setup)


def _ranges(setup: JobSetup) -> list[tuple[int | str, int | str]]:
    return [(subtask.first, subtask.end) for source in setup.sources for subtask in source.subtasks]


def _smaller(setup: JobSetup) -> Iterator[JobSetup]:
    for divisor in _DIVISORS:
        yield _each_subtask(setup, lambda subtask, by=divisor: _shortened(subtask, by))  # type: ignore[misc]
    yield from _fewer_parts(setup)
    for divisor in _DIVISORS:
        yield _sooner(setup, divisor)
    for divisor in _DIVISORS:
        yield from _plainer_numbers(setup, lambda value, least, by=divisor: {least, value // by})  # type: ignore[misc]
    yield _from_zero(setup)
    yield from _plainer_numbers(setup, _rounder)


def _fewer_parts(setup: JobSetup) -> Iterator[JobSetup]:
    yield from _with_sources(setup, _without_one(setup.sources))
    yield from _with_subtasks(setup, lambda source: _without_one(source.subtasks))
    yield from _with_segments(setup, lambda subtask: _without_one(subtask.segments))
    if setup.restarts:
        yield replace(setup, restarts=())
    yield replace(setup, window=None)
    yield _each_source(setup, lambda source: replace(source, idle_timeout=None))
    yield _each_source(setup, lambda source: replace(source, max_out_of_orderness=0))
    yield _each_source(setup, lambda source: replace(source, query=SourceSetup("", ()).query))
    yield _each_subtask(setup, lambda subtask: replace(subtask, backpressure=()))
    for restarts in _without_one(setup.restarts):
        yield replace(setup, restarts=restarts)
    yield replace(setup, endless=False, split_range=False)


def _plainer_numbers(setup: JobSetup, plainer: Plainer) -> Iterator[JobSetup]:
    """With one number that is plainer."""
    yield from _changed(setup, {"until": 1, "window": 1}, plainer)
    for place, source in enumerate(setup.sources):
        durations = {"max_allowed_watermark_drift": 0, "idle_timeout": 1, "max_out_of_orderness": 0}
        for changed in _changed(source, durations, plainer):
            yield replace(setup, sources=_in_place(setup.sources, place, changed))

    def subtasks_of(source: SourceSetup) -> Iterator[tuple[SubtaskSetup, ...]]:
        for place, subtask in enumerate(source.subtasks):
            for changed in _plainer_subtasks(subtask, plainer):
                yield _in_place(source.subtasks, place, changed)

    def segments_of(subtask: SubtaskSetup) -> Iterator[tuple[SegmentSetup, ...]]:
        numbers = {"count": 1, "step": 0, "readable_from": 0, "milliseconds_per_record": 1}
        for place, segment in enumerate(subtask.segments):
            for changed in _changed(segment, numbers, plainer):
                yield _in_place(subtask.segments, place, changed)

    yield from _with_subtasks(setup, subtasks_of)
    yield from _with_segments(setup, segments_of)
    for place, restart in enumerate(setup.restarts):
        for value in _less(restart, 1, plainer):
            yield replace(setup, restarts=_in_place(setup.restarts, place, value))


def _plainer_subtasks(subtask: SubtaskSetup, plainer: Plainer) -> Iterator[SubtaskSetup]:
    yield from _changed(subtask, {"records_per_millisecond": 1}, plainer)
    if not subtask.segments:
        first = from_wire(subtask.first)
        for size in _less(size_of(subtask), 1, plainer):
            yield replace(subtask, end=to_wire(first + size))
    for place, span in enumerate(subtask.backpressure):
        for since in _less(span.since, 0, plainer):
            yield replace(
                subtask, backpressure=_in_place(subtask.backpressure, place, replace(span, since=since))
            )
        for until in _less(span.until, span.since + 1, plainer):
            yield replace(
                subtask, backpressure=_in_place(subtask.backpressure, place, replace(span, until=until))
            )


def _rounder(value: int, least: int) -> set[int]:
    """A number of one digit and zeros, or one less."""
    unit: int = 10 ** (len(str(value)) - 1)
    return {max(least, value // unit * unit), value * 3 // 4, value - 1}


def _shortened(subtask: SubtaskSetup, divisor: int) -> SubtaskSetup:
    """With so many times fewer records."""
    if subtask.segments:
        segments = [replace(one, count=max(1, one.count // divisor)) for one in subtask.segments]
        return of_segments(segments, subtask.backpressure)
    size = max(1, size_of(subtask) // divisor)
    return replace(subtask, end=to_wire(from_wire(subtask.first) + size))


def _sooner(setup: JobSetup, divisor: int) -> JobSetup:
    """With everything so many times sooner, but for the pace at which records come."""

    def segment_sooner(segment: SegmentSetup) -> SegmentSetup:
        return replace(segment, readable_from=segment.readable_from // divisor)

    def subtask_sooner(subtask: SubtaskSetup) -> SubtaskSetup:
        spans = [
            replace(
                span, since=span.since // divisor, until=max(span.since // divisor + 1, span.until // divisor)
            )
            for span in subtask.backpressure
        ]
        segments = tuple(map(segment_sooner, subtask.segments))
        return replace(subtask, segments=segments, backpressure=tuple(spans))

    def source_sooner(source: SourceSetup) -> SourceSetup:
        timeout = source.idle_timeout and max(1, source.idle_timeout // divisor)
        return replace(source, subtasks=tuple(map(subtask_sooner, source.subtasks)), idle_timeout=timeout)

    return replace(
        _each_source(setup, source_sooner),
        until=setup.until // divisor,
        restarts=tuple(max(1, restart // divisor) for restart in setup.restarts),
    )


def _from_zero(setup: JobSetup) -> JobSetup:
    """All event times moved so that the first is in the window that begins at 0."""
    period = setup.window or 1
    firsts = [from_wire(subtask.first) for source in setup.sources for subtask in source.subtasks]
    by = min(firsts) // period * period

    def moved(subtask: SubtaskSetup) -> SubtaskSetup:
        segments = [replace(one, first=to_wire(from_wire(one.first) - by)) for one in subtask.segments]
        first, end = (to_wire(from_wire(border) - by) for border in (subtask.first, subtask.end))
        return replace(subtask, first=first, end=end, segments=tuple(segments))

    return _each_subtask(setup, moved)


def _changed(struct: Any, numbers: dict[str, int], plainer: Plainer) -> Iterator[Any]:
    """The struct with one of these numbers plainer, each given with the least it may be."""
    for name, least in numbers.items():
        if (value := getattr(struct, name)) is not None:
            for other in _less(value, least, plainer):
                yield replace(struct, **{name: other})


def _less(value: int, least: int, plainer: Plainer) -> list[int]:
    return sorted({other for other in plainer(value, least) if least <= other < value})


def _with_sources(setup: JobSetup, choices: Iterable[tuple[SourceSetup, ...]]) -> Iterator[JobSetup]:
    for sources in choices:
        if sources:
            yield replace(setup, sources=sources)


def _with_subtasks(
    setup: JobSetup, choices: Callable[[SourceSetup], Iterable[tuple[SubtaskSetup, ...]]]
) -> Iterator[JobSetup]:
    for place, source in enumerate(setup.sources):
        for subtasks in choices(source):
            if subtasks:
                changed = replace(source, subtasks=subtasks)
                yield replace(setup, sources=_in_place(setup.sources, place, changed))


def _with_segments(
    setup: JobSetup, choices: Callable[[SubtaskSetup], Iterable[tuple[SegmentSetup, ...]]]
) -> Iterator[JobSetup]:
    def subtasks_of(source: SourceSetup) -> Iterator[tuple[SubtaskSetup, ...]]:
        for place, subtask in enumerate(source.subtasks):
            for segments in choices(subtask):
                if segments:
                    changed = of_segments(segments, subtask.backpressure)
                    yield _in_place(source.subtasks, place, changed)

    yield from _with_subtasks(setup, subtasks_of)


def _each_source(setup: JobSetup, change: Callable[[SourceSetup], SourceSetup]) -> JobSetup:
    return replace(setup, sources=tuple(map(change, setup.sources)))


def _each_subtask(setup: JobSetup, change: Callable[[SubtaskSetup], SubtaskSetup]) -> JobSetup:
    return _each_source(setup, lambda one: replace(one, subtasks=tuple(map(change, one.subtasks))))


def _without_one(parts: Sequence[Part]) -> list[tuple[Part, ...]]:
    return [(*parts[:place], *parts[place + 1 :]) for place in range(len(parts))]


def _in_place(parts: Sequence[Part], place: int, part: Part) -> tuple[Part, ...]:
    return (*parts[:place], part, *parts[place + 1 :])
