"""An engine that is asked several things, each in a process of its own in which it has done nothing before.

The processes are forked from one that has loaded the engine and not used it: that takes milliseconds, where
a new Python takes a second.
"""

import os
import signal
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from ..wire.scenario import Scenario
from ..wire.transcript import Transcript
from .adapter import Adapter
from .instances import CannotBeStepped, one_after_the_other, side_by_side
from .parent_death import end_with_parent
from .runner import run

SECONDS = 20
"""After so many seconds a process that has not answered ends."""

How = Literal["run", "alternately", "one-after-the-other"]

_ENCODER = msgspec.json.Encoder()


class Question(Struct, frozen=True):
    """Scenarios for an engine that has done nothing before: for `Adapter.run`, or for sessions, an instance a
    scenario, that are stepped alternately or one after the other. Answers are matched by `name`."""

    name: str
    how: How
    scenarios: tuple[Scenario, ...]


class Answer(Struct, frozen=True):
    """The transcripts of the scenarios of a question, None where the adapter gave none; empty if the engine
    cannot be asked in this way."""

    name: str
    transcripts: list[Transcript | None]


def answers_apart(adapter: Adapter, questions: Iterable[Question]) -> Iterator[Answer]:
    """The answer to each question from a process of its own; none where that crashes or takes too long."""
    for question in questions:
        answer = _from_a_fork(adapter, question)
        if answer is not None:
            yield answer


def answers_together(adapter: Adapter, questions: Sequence[Question]) -> Iterator[Answer]:
    """The answers of an engine that cannot be forked, all from this process: only what is to be `run`."""
    asked = [question for question in questions if question.how == "run"]
    transcripts = iter(_run(adapter, [one for question in asked for one in question.scenarios]))
    for question in asked:
        yield Answer(question.name, [next(transcripts) for _ in question.scenarios])


def _run(adapter: Adapter, scenarios: Sequence[Scenario]) -> list[Transcript | None]:
    """Return the transcript of each scenario; None for a scenario that the engine cannot express."""
    expressible = [scenario for scenario in scenarios if adapter.inexpressible(scenario) is None]
    answers = zip(expressible, run(adapter, expressible), strict=True)
    transcripts = {scenario.id: transcript for scenario, transcript in answers}
    return [transcripts.get(scenario.id) for scenario in scenarios]


def _answered(adapter: Adapter, question: Question) -> Answer:
    try:
        if question.how == "run":
            return Answer(question.name, _run(adapter, question.scenarios))
        stepped = side_by_side if question.how == "alternately" else one_after_the_other
        return Answer(question.name, list(stepped(adapter, question.scenarios)))
    except CannotBeStepped:
        return Answer(question.name, [])


def _from_a_fork(adapter: Adapter, question: Question) -> Answer | None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        ended = 1
        try:
            end_with_parent()
            signal.alarm(SECONDS)
            os.close(reading)
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(_ENCODER.encode(_answered(adapter, question)))
            ended = 0
        finally:
            os._exit(ended)  # whatever was raised: nothing of the parent is to run here
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        document = pipe.read()
    _, status = os.waitpid(child, 0)
    return msgspec.json.decode(document, type=Answer) if status == 0 else None
