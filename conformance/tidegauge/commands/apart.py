"""`tidegauge apart`: what runs ask an engine in a fresh process. No part of the command line for people."""

import sys

import msgspec

from ..engine.apart import Question, answers_apart, answers_together
from ..engine.loading import describe, load_adapter
from ..run.request import Request
from ..wire.scenario import UNREADABLE, BadInput
from .console import complains
from .protocol_stream import protocol_stream
from .request_options import takes_request


@complains
@takes_request("adapter", "option")
def apart(request: Request) -> None:
    """Questions as JSON lines on stdin, answers as JSON lines on stdout, each from a process of its own."""
    answers = protocol_stream()
    try:
        questions = [msgspec.json.decode(line, type=Question) for line in sys.stdin.buffer]
    except UNREADABLE as error:
        raise BadInput(f"stdin: not a question of a run: {error}") from None
    adapter = load_adapter(request.adapter, request.options)
    one_process = describe(request.adapter, adapter).one_process
    try:
        for answer in (
            answers_together(adapter, questions) if one_process else answers_apart(adapter, questions)
        ):
            answers.write(msgspec.json.encode(answer) + b"\n")
            answers.flush()
    finally:
        adapter.close()
