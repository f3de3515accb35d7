"""Transcripts after one trip over the wire, so that the types of in-process engines are checked."""

import msgspec

from ..wire.transcript import Failure, Outputs, Transcript, encode_transcript
from .foreign_text import message_of, printable
from .interruption import from_outside

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


def _over_the_wire(transcript: Transcript) -> Transcript:
    return _DECODER.decode(encode_transcript(transcript))


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
