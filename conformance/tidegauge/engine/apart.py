"""An engine that is asked several things, each in a process of its own in which it has done nothing before.

The processes are forked from one that has loaded the engine and not used it: that takes milliseconds, where
a new Python takes a second.
"""

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Literal

import msgspec
from msgspec import Struct

from ..wire.scenario import Scenario
from ..wire.transcript import Transcript
from .adapter import Adapter, ComponentAdapter
from .contained import own_adapter
from .instances import CannotBeStepped, one_after_the_other, side_by_side
from .parent_death import end_with_parent
from .runner import run

SECONDS = 30
"""The time limit (s) of a scenario, unless another one is given."""

SECONDS_OF_A_CALL = 300
"""The time limit (s) of an adapter that may take all scenarios before it answers the first one."""

_MOST_LATE = 3
"""After this number of questions in which a time limit was reached, the other questions are not asked."""

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


def answers_apart(
    adapter: Adapter,
    questions: Iterable[Question],
    seconds: int = SECONDS,
    begins: Callable[[], None] = lambda: None,
) -> Iterator[Answer]:
    """Yield the answer to each question, from a process of its own; none if that process crashes or hangs.

    The time limit holds for each scenario, not for a question: the number of scenarios that an engine answers
    does not depend on the load of the machine.

    Args:
        adapter: the adapter of the engine, which has run nothing yet.
        questions: the questions.
        seconds: the time limit of a scenario.
        begins: is called in the process of a question before each scenario.
    """
    limit = seconds if isinstance(own_adapter(adapter), ComponentAdapter) else max(seconds, SECONDS_OF_A_CALL)
    late = 0
    for question in questions:
        answer, status = _from_a_fork(adapter, question, limit, begins)
        if answer is not None:
            yield answer
        late += os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
        if late == _MOST_LATE:
            return


def answers_together(
    adapter: Adapter, questions: Sequence[Question], begins: Callable[[], None] = lambda: None
) -> Iterator[Answer]:
    """The answers of an engine that cannot be forked, all from this process: only what is to be `run`."""
    asked = [question for question in questions if question.how == "run"]
    transcripts = iter(_run(adapter, [one for question in asked for one in question.scenarios], begins))
    for question in asked:
        yield Answer(question.name, [next(transcripts) for _ in question.scenarios])


def _run(
    adapter: Adapter, scenarios: Sequence[Scenario], begins: Callable[[], None]
) -> list[Transcript | None]:
    """Return the transcript of each scenario; None for a scenario that the engine cannot express."""
    expressible = [scenario for scenario in scenarios if adapter.inexpressible(scenario) is None]
    answers = zip(expressible, run(adapter, expressible, lambda scenario: begins()), strict=True)
    transcripts = {scenario.id: transcript for scenario, transcript in answers}
    return [transcripts.get(scenario.id) for scenario in scenarios]


def _answered(adapter: Adapter, question: Question, begins: Callable[[], None]) -> Answer:
    begins()
    try:
        if question.how == "run":
            return Answer(question.name, _run(adapter, question.scenarios, begins))
        stepped = side_by_side if question.how == "alternately" else one_after_the_other
        return Answer(question.name, list(stepped(adapter, question.scenarios)))
    except CannotBeStepped:
        return Answer(question.name, [])


def _from_a_fork(
    adapter: Adapter, question: Question, seconds: int, begins: Callable[[], None]
) -> tuple[Answer | None, int]:
    """Return the answer of a fork and its wait status. SIGALRM ends a fork that does not begin another
    scenario within `seconds`."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        ended = 1
        try:
            end_with_parent()
            os.close(reading)
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(_ENCODER.encode(_answered(adapter, question, partial(_begin, seconds, begins))))
            ended = 0
        finally:
            os._exit(ended)  # whatever was raised: nothing of the parent is to run here
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        document = pipe.read()
    _, status = os.waitpid(child, 0)
    return (msgspec.json.decode(document, type=Answer) if status == 0 else None), status


def _begin(seconds: int, begins: Callable[[], None]) -> None:
    signal.alarm(seconds)
    begins()
