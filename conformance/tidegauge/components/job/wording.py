"""Jobs in words, for people who do not know the kit."""

from collections.abc import Iterable, Iterator

from ...wire.steps.job import JobScenario, SegmentSetup, SourceSetup, SubtaskSetup
from ...wire.timestamps import from_wire
from .segments import size_of


def job_name(scenario: JobScenario) -> str:
    """Which job it is: `the job 'flip-182'`, or one made from it."""
    name = f"the job {scenario.setup.name!r}"
    return f"a small job made from {name}" if scenario.origin.kind == "shrunk" else name


def job_text(scenario: JobScenario) -> list[str]:
    """What the job reads, and what happens to it, a line each."""
    setup = scenario.setup
    lines = ["(in ms; event times are those of the records, all others processing time since the job began)"]
    several = len({source.query for source in setup.sources}) > 1
    for source in setup.sources:
        lines.append(f"source {source.name!r}{_traits(source, several)}")
        lines += [f"   {line}" for line in _subtasks_text(source.subtasks)]
    if setup.split_range:
        lines.append("the numbers of a source are one range, which the engine divides among its subtasks")
    if setup.window is not None:
        lines.append(f"behind all sources: windows of event time, {setup.window} long")
    if setup.restarts:
        lines.append(f"stopped and started again at {_enumerated(map(str, setup.restarts))}")
    ends = "at" if setup.endless else "when all is read, at the latest at"
    lines.append(f"the job ends {ends} {setup.until}")
    return lines


def _traits(source: SourceSetup, several_queries: bool) -> str:
    traits = ["not aligned"]
    if source.watermark_group is not None:
        drift = source.max_allowed_watermark_drift
        traits = [f"aligned in the group {source.watermark_group!r}, at most {drift} ahead of its slowest"]
    if source.idle_timeout is not None:
        traits.append(f"a subtask is idle after {source.idle_timeout} without a record")
    if source.max_out_of_orderness:
        traits.append(f"records are expected up to {source.max_out_of_orderness} out of order")
    if several_queries:
        traits.append(f"in the query {source.query!r}")
    return "".join(f", {trait}" for trait in traits)


def _subtasks_text(subtasks: Iterable[SubtaskSetup]) -> Iterator[str]:
    """A line or more for each subtask; those that read the same share them."""
    alike: dict[SubtaskSetup, list[str]] = {}
    for index, subtask in enumerate(subtasks):
        alike.setdefault(subtask, []).append(str(index))
    for subtask, indices in alike.items():
        name = f"{'subtask' if len(indices) == 1 else 'each of the subtasks'} {_enumerated(indices)}"
        first, *others = (
            map(_segment_text, subtask.segments) if subtask.segments else [_numbers_text(subtask)]
        )
        yield f"{name}: {first}"
        yield from (f"   then {other}" for other in others)
        if subtask.backpressure:
            spans = _enumerated(f"from {span.since} to {span.until}" for span in subtask.backpressure)
            yield f"   under backpressure, so that it cannot emit, {spans}"


def _numbers_text(subtask: SubtaskSetup) -> str:
    rate = subtask.records_per_millisecond
    first, size = from_wire(subtask.first), size_of(subtask)
    records = f"records of the event times {first}, {first + 1}, ... {first + size - 1}"
    return f"{records if size > 2 else _plain(first, 1, size)}, {rate} of which become readable each ms"


def _segment_text(segment: SegmentSetup) -> str:
    pace, begin = segment.milliseconds_per_record, segment.readable_from
    records = _plain(from_wire(segment.first), segment.step, segment.count)
    if segment.count == 1:
        return f"{records}, readable from {begin + pace} on"
    return f"{records}, the first readable from {begin + pace} on, and another each {pace}"


def _plain(first: int, step: int, count: int) -> str:
    if count == 1:
        return f"one record of the event time {first}"
    if not step:
        return f"{count} records of the event time {first}"
    last = first + (count - 1) * step
    middle = f"{first + step}, ... " if count > 2 else ""
    return f"{count} records of the event times {first}, {middle}{last}"


def _enumerated(texts: Iterable[str]) -> str:
    *before, last = texts
    return f"{', '.join(before)} and {last}" if before else last
