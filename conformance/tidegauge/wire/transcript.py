"""Transcripts: what came out of an engine, as pure data."""

from typing import Literal

import msgspec
from msgspec import Struct

from .scenario import Scenario
from .vocabulary import PROTOCOL, AnyOutput

Observation = Literal["step", "group", "scenario"]
Outputs = tuple[AnyOutput, ...]
ErrorKind = Literal["exception", "protocol", "missing", "crashed", "timeout"]


class Failure(Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """The engine gave no answer: `exception` is one that is no refusal of the step, `protocol` an output that
    is not of the vocabulary, `missing` no transcript at all; of an engine in a process of its own, `crashed`
    that this ended, `timeout` that it did not answer in time. `traceback`: where it was raised, or what
    its process wrote to stderr, the last 4,000 characters."""

    kind: ErrorKind
    text: str
    traceback: str = ""


NO_TRANSCRIPT = Failure("missing", "the adapter returned no transcript for this scenario")


class Transcript(Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """The outputs of each observed span (step, group or whole scenario) in order, empty ones included.

    With a `failure`, the spans end before the one that failed.
    """

    scenario: str
    outputs: tuple[Outputs, ...]
    failure: Failure | None = None
    protocol: int = PROTOCOL


_ENCODER = msgspec.json.Encoder()


def encode_transcript(transcript: Transcript) -> bytes:
    """The wire form: one line of JSON, without the line end."""
    return _ENCODER.encode(transcript)


def spans(scenario: Scenario, observes: Observation) -> list[int]:
    """The number of steps in each observed span of a scenario."""
    if observes == "step":
        return [1] * len(scenario.history)
    if observes == "group" and scenario.groups:
        return list(scenario.groups)
    return [len(scenario.history)] if scenario.history else []


def joined(per_step: list[Outputs], lengths: list[int]) -> list[Outputs]:
    """Outputs of single steps joined over the observed spans."""
    remaining = iter(per_step)
    return [tuple(output for _ in range(length) for output in next(remaining)) for length in lengths]


def same_outputs(expected: Outputs, got: Outputs) -> bool:
    """Equal for each receiver; order between receivers does not count."""
    if expected == got:
        return True
    receivers = {output.to for output in (*expected, *got)}
    if len(receivers) < 2 or len(expected) != len(got):
        return False
    return all(
        [output for output in expected if output.to == receiver]
        == [output for output in got if output.to == receiver]
        for receiver in receivers
    )


def canonical(outputs: Outputs) -> Outputs:
    """Return outputs sorted by receiver. The order of the outputs to one receiver does not change."""
    if len(outputs) < 2:
        return tuple(outputs)
    return tuple(sorted(outputs, key=lambda output: output.to))
