"""What must be true of every input activity clock; no reference is asked."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from ...property import Holds, Property
from ...scenario import Scenario
from ...transcript import Transcript
from ...vocabulary import AnyOutput, Error, Reading, Restore, Snapshot
from .vocabulary import AdvanceStep


def outputs_of(transcript: Transcript) -> list[AnyOutput]:
    """All outputs in order."""
    return [output for outputs in transcript.outputs for output in outputs]


def goes_back(scenario: Scenario) -> bool:
    """Whether a restore returns to an earlier moment."""
    return any(isinstance(step, Restore) for step in scenario.history)


def accepted(scenario: Scenario, transcript: Transcript) -> list[tuple[Any, tuple[AnyOutput, ...]]]:
    """The steps that were not refused, each with its outputs."""
    return [
        (step, outputs)
        for step, outputs in zip(scenario.history, transcript.outputs, strict=False)
        if not any(isinstance(output, Error) for output in outputs)
    ]


def with_restores(scenario: Scenario) -> list[Scenario]:
    """The history with a snapshot and at once a restore before every step."""
    if goes_back(scenario):
        return [scenario]
    history = tuple(part for step in scenario.history for part in (Snapshot(), Restore(), step))
    return [replace(scenario, history=history, groups=(), needs=("snapshot",))]


def uninterrupted(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """Whether the scenario and its variant with restores have the same outputs."""
    if goes_back(scenarios[0]) or not outputs_of(transcripts[0]):
        return None
    return outputs_of(transcripts[0]) == outputs_of(transcripts[1])


def _never_goes_back(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    readings = [o.nanoseconds for o in outputs_of(transcripts[0]) if isinstance(o, Reading)]
    if goes_back(scenarios[0]) or len(readings) < 2:
        return None
    return all(earlier <= later for earlier, later in pairwise(readings))


def _no_faster_than_time(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if goes_back(scenarios[0]):
        return None
    arose = None
    passed, last = 0, None
    for step, outputs in accepted(scenarios[0], transcripts[0]):
        if isinstance(step, AdvanceStep):
            passed += step.nanoseconds
        for output in outputs:
            if isinstance(output, Reading):
                if last is not None:
                    arose = True
                    if output.nanoseconds - last > passed:
                        return False
                passed, last = 0, output.nanoseconds
    return arose


PROPERTIES = (
    Property(
        name="clock-never-goes-back",
        sentence="No reading is smaller than one before it.",
        rules=("CLOCK-5",),
        holds=_never_goes_back,
        holds_under={},
    ),
    Property(
        name="clock-no-faster-than-time",
        sentence="Between two readings the clock goes on by no more than the time that passes.",
        rules=("CLOCK-1",),
        holds=_no_faster_than_time,
        holds_under={},
        needs_steps=True,
    ),
    Property(
        name="clock-snapshot-restore",
        sentence="A snapshot and a restore before every step change nothing.",
        rules=("CLOCK-6",),
        holds=uninterrupted,
        holds_under={},
        variants=with_restores,
        needs=("snapshot",),
    ),
)
