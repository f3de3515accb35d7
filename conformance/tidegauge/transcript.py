"""Transcripts: what came out of an engine, as pure data."""

from typing import Literal

import msgspec
from msgspec import Struct

from .foreign_text import message_of, printable
from .interruption import from_outside
from .scenario import Scenario
from .vocabulary import PROTOCOL, AnyOutput

Observation = Literal["step", "group", "scenario"]
Outputs = tuple[AnyOutput, ...]


class Failure(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The engine gave no answer: `exception` is one that is no refusal of the step, `protocol` an output that
    is not of the vocabulary, `missing` no transcript at all. `traceback`: where the engine raised it, the
    last 4,000 characters."""

    kind: Literal["exception", "protocol", "missing"]
    text: str
    traceback: str = ""


NO_TRANSCRIPT = Failure("missing", "the adapter returned no transcript for this scenario")


class Transcript(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The outputs of each observed span (step, group or whole scenario) in order, empty ones included.

    With a `failure`, the spans end before the one that failed.
    """

    scenario: str
    outputs: tuple[Outputs, ...]
    failure: Failure | None = None
    protocol: int = PROTOCOL


_DECODER = msgspec.json.Decoder(Transcript)
_ENCODER = msgspec.json.Encoder()


def encode_transcript(transcript: Transcript) -> bytes:
    """The wire form: one line of JSON, without the line end."""
    return _ENCODER.encode(transcript)


def checked(transcript: Transcript) -> Transcript:
    """The transcript after one trip over the wire, so that an in-process engine's types are checked; it
    ends before the first span that does not fit."""
    problem = ""
    try:
        return _over_the_wire(transcript)
    except BaseException as error:  # to encode a foreign object may raise anything
        if from_outside(error):
            raise
        problem = _named(error)
    sound = [_fits(transcript.scenario, outputs) for outputs in transcript.outputs]
    kept = transcript.outputs[: [*sound, False].index(False)]
    return Transcript(transcript.scenario, kept, Failure("protocol", problem))


def _over_the_wire(transcript: Transcript) -> Transcript:
    return _DECODER.decode(_ENCODER.encode(transcript))


def _fits(scenario: str, outputs: Outputs) -> bool:
    try:
        _over_the_wire(Transcript(scenario, (outputs,)))
    except BaseException as error:
        if from_outside(error):
            raise
        return False
    return True


def _named(error: BaseException) -> str:
    """What the wire form says of a value; of any other exception its type, too."""
    known = isinstance(error, msgspec.MsgspecError | OverflowError | TypeError | UnicodeEncodeError)
    return printable(str(error)) if known else message_of(error)


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
