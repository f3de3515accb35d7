"""Transcripts after one trip over the wire, so that the types of in-process engines are checked."""

from typing import Any

import msgspec

from ..wire.transcript import Failure, Outputs, Transcript, encode_transcript
from .foreign_text import message_of, printable
from .interruption import from_outside

LONGEST_TEXT = 1_000
"""Characters of a text in an output: names of channels, splits, tasks and receivers."""

_LARGE = 16 * LONGEST_TEXT
"""Transcripts of fewer bytes are kept as they are: such texts do no harm."""

_DECODER = msgspec.json.Decoder(Transcript)


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


def _over_the_wire(transcript: Transcript, large: int = _LARGE) -> Transcript:
    line = encode_transcript(transcript)
    decoded = _DECODER.decode(line)
    if len(line) > large and _may_hold_a_long_text(line):
        longest = _longest_text(msgspec.to_builtins(decoded.outputs))
        if longest > LONGEST_TEXT:
            raise msgspec.ValidationError(
                f"an output has a text of {longest:,} characters; {LONGEST_TEXT:,} are the most"
            )
    return decoded


def _may_hold_a_long_text(line: bytes) -> bool:
    """Whether more bytes than `LONGEST_TEXT` stand between two quotes of JSON, or quotes are escaped."""
    if b"\\" in line:
        return True
    at = 0
    while at + LONGEST_TEXT < len(line):
        last = line.rfind(b'"', at, at + LONGEST_TEXT + 1)
        if last < 0:
            return True
        at = last + 1
    return False


def _longest_text(value: Any) -> int:
    """The number of characters of the longest text in outputs."""
    if isinstance(value, str):
        return len(value)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return max(map(_longest_text, inner), default=0)


def _fits(scenario: str, outputs: Outputs) -> bool:
    try:
        _over_the_wire(Transcript(scenario, (outputs,)), large=LONGEST_TEXT)
    except BaseException as error:
        if from_outside(error):
            raise
        return False
    return True


def _named(error: BaseException) -> str:
    """What the wire form says of a value; of any other exception its type, too."""
    known = isinstance(error, msgspec.MsgspecError | OverflowError | TypeError | UnicodeEncodeError)
    return printable(str(error)) if known else message_of(error)
