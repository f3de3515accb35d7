"""Asks an engine several questions, each in a separate process in which the engine has not run anything
before.

The processes are forked from a process that has loaded the engine and not used it. A fork takes milliseconds;
a new Python process takes a second.
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
"""The default time limit (s) of a scenario."""

SECONDS_OF_A_CALL = 300
"""The time limit (s) of an adapter that may take all scenarios before it answers the first one."""

_MOST_LATE = 3
"""The number of questions that may reach a time limit. The remaining questions are then not asked."""

How = Literal["run", "alternately", "one-after-the-other"]

_ENCODER = msgspec.json.Encoder()


class Question(Struct, frozen=True):
    """Scenarios for an engine that has not run anything before.

    `how` is `run` for a call of `Adapter.run`. The other values step one session per scenario, `alternately`
    or `one-after-the-other`. `name` matches an answer with its question.
    """

    name: str
    how: How
    scenarios: tuple[Scenario, ...]


class Answer(Struct, frozen=True):
    """The transcripts of the scenarios of a question; None for a scenario without one. The list is empty if
    the engine does not support such questions."""

    name: str
    transcripts: list[Transcript | None]


def answers_apart(
    adapter: Adapter,
    questions: Iterable[Question],
    seconds: int = SECONDS,
    begins: Callable[[], None] = lambda: None,
) -> Iterator[Answer]:
    """Yield the answer to each question, from a separate process. If that process crashes or hangs, the
    question has no answer.

    The time limit applies to each scenario of `Adapter.run`, not to a question: the number of scenarios that
    an engine answers does not depend on the load of the machine. A question that steps sessions has the time
    limit of one scenario.

    Args:
        adapter: the adapter of the engine, which has not run anything yet.
        questions: the questions.
        seconds: the time limit of a scenario.
        begins: called in the process of a question, at its start and before each scenario of `Adapter.run`.
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
    """Yield the answers of an engine that cannot be forked, from this process. Only `run` questions are
    asked."""
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
    """Return the answer of a fork, and its wait status. SIGALRM ends a fork that does not begin another
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
            os._exit(ended)  # even after an exception: no code of the parent may run here
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        document = pipe.read()
    _, status = os.waitpid(child, 0)
    return (msgspec.json.decode(document, type=Answer) if status == 0 else None), status


def _begin(seconds: int, begins: Callable[[], None]) -> None:
    signal.alarm(seconds)
    begins()
