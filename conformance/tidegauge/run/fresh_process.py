"""Questions to an engine in a fresh process, which `tidegauge apart` answers."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence

import msgspec

from ..engine.apart import Answer, Question
from ..engine.parent_death import ending_with_parent
from ..wire.transcript import Transcript
from .request import Request

_PATIENCE = 120.0
"""Seconds for all questions; an engine that takes longer is not asked the rest."""

_ENCODER = msgspec.json.Encoder()


Answers = Mapping[str, Sequence[Transcript | None]]
"""The transcripts that answer questions, by their names."""


def answers_of(questions: Sequence[Question], request: Request) -> Answers:
    """The transcripts that answer each question, by its name, as far as the engine answers in time."""
    if not questions:
        return {}
    command = [sys.executable, "-m", "tidegauge", "apart", "--adapter", request.adapter]
    for key, value in request.options.items():
        command += ["--option", f"{key}={value}"]
    lines = b"\n".join(map(_ENCODER.encode, questions))
    found = [_decoded(line) for line in _output(command, lines).splitlines()]
    return {one.name: one.transcripts for one in found if one is not None}


def _output(command: Sequence[str], lines: bytes) -> bytes:
    """What a command prints on stdout until it ends or time is over; its children end with it."""
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=ending_with_parent(),
    ) as child:
        try:
            return child.communicate(lines, timeout=_PATIENCE)[0]
        except subprocess.TimeoutExpired as late:
            return late.stdout or b""
        finally:
            if child.poll() is None:  # its number is still its own
                os.killpg(child.pid, signal.SIGKILL)


def _decoded(line: bytes) -> Answer | None:
    try:
        return msgspec.json.decode(line, type=Answer)
    except msgspec.DecodeError:
        return None  # time was over while it was written
