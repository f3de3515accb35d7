"""What must be true of several components alike, and what properties ask of a history and its outputs."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from ...wire.scenario import Scenario
from ...wire.timestamps import from_wire, timestamp_fields
from ...wire.transcript import Transcript, same_outputs
from ...wire.vocabulary import Active, AnyOutput, Error, Idle, Restore, Snapshot, Step, Watermark
from ..property import Holds


def outputs_of(transcript: Transcript) -> list[AnyOutput]:
    """All outputs in order."""
    return [output for outputs in transcript.outputs for output in outputs]


def same_in_all(first: Transcript, second: Transcript) -> bool:
    """Whether each receiver got the same in both, whatever the spans in which it was observed."""
    return same_outputs(tuple(outputs_of(first)), tuple(outputs_of(second)))


def watermarks_in(outputs: Sequence[AnyOutput]) -> list[int]:
    """The output watermarks in order."""
    return [from_wire(output.timestamp) for output in outputs if isinstance(output, Watermark)]


def goes_back(scenario: Scenario) -> bool:
    """Whether a restore returns to an earlier moment, so that outputs may come again."""
    return Restore in map(type, scenario.history)


def accepted(scenario: Scenario, transcript: Transcript) -> list[tuple[Any, tuple[AnyOutput, ...]]]:
    """The steps that were not refused, each with its outputs."""
    return [
        (step, outputs)
        for step, outputs in zip(scenario.history, transcript.outputs, strict=False)
        if not any(isinstance(output, Error) for output in outputs)
    ]


def output_increases(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """Whether each output watermark is greater than the one before it."""
    watermarks = watermarks_in(outputs_of(transcripts[0]))
    if goes_back(scenarios[0]) or len(watermarks) < 2:
        return None
    return all(earlier < later for earlier, later in pairwise(watermarks))


def status_alternates(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """Whether IDLE and ACTIVE alternate, IDLE first."""
    statuses = [type(output) for output in outputs_of(transcripts[0]) if isinstance(output, Idle | Active)]
    if goes_back(scenarios[0]) or not statuses:
        return None
    return all(status is (Active if index % 2 else Idle) for index, status in enumerate(statuses))


def nothing_between(
    scenario: Scenario,
    transcript: Transcript,
    begin: type[AnyOutput],
    end: type[AnyOutput],
    unwanted: tuple[type[AnyOutput], ...],
) -> Holds:
    """Whether no unwanted output comes after `begin` and before `end`."""
    outputs = outputs_of(transcript)
    if goes_back(scenario) or not any(isinstance(output, begin) for output in outputs):
        return None
    between = False
    for output in outputs:
        if isinstance(output, begin | end):
            between = isinstance(output, begin)
        elif between and isinstance(output, unwanted):
            return False
    return True


def no_watermark_while_idle(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """Whether no watermark is output between IDLE and ACTIVE."""
    return nothing_between(scenarios[0], transcripts[0], Idle, Active, (Watermark,))


SHIFT_MS = 1000


def shifted(scenario: Scenario) -> list[Scenario]:
    """The history with all timestamps moved by `SHIFT_MS`; those that are no plain numbers stay."""
    return [replace(scenario, history=tuple(_moved(step) for step in scenario.history))]


def _moved(step: Step) -> Step:
    timestamps = {name: getattr(step, name) for name in timestamp_fields(type(step))}
    later = {name: at + SHIFT_MS for name, at in timestamps.items() if isinstance(at, int)}
    return replace(step, **later)


def outputs_moved(transcripts: Sequence[Transcript], moved: Callable[[AnyOutput], AnyOutput]) -> bool:
    """Whether the second transcript is the first with every output `moved`."""
    original, later = transcripts
    expected = [tuple(map(moved, outputs)) for outputs in original.outputs]
    return len(expected) == len(later.outputs) and all(map(same_outputs, expected, later.outputs))


def with_restores(scenario: Scenario) -> list[Scenario]:
    """The history with a snapshot and at once a restore before every step."""
    if goes_back(scenario):
        return [scenario]
    history = tuple(part for step in scenario.history for part in (Snapshot(), Restore(), step))
    return [replace(scenario, history=history, groups=(), needs=(*scenario.needs, "snapshot"))]


def uninterrupted(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """Whether the scenario and its variant with restores have the same outputs."""
    if goes_back(scenarios[0]) or not outputs_of(transcripts[0]):
        return None
    return same_in_all(transcripts[0], transcripts[1])
