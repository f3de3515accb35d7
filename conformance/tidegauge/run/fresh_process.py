"""Asks an engine questions in a fresh process."""

from collections.abc import Mapping, Sequence
from math import inf
from subprocess import DEVNULL

from ..engine.apart import Question
from ..engine.watch import Limits
from ..engine.worker_process import WorkerLost, WorkerProcess
from ..wire.scenario import BadInput, Scenario
from ..wire.transcript import Transcript
from .item_worker import program_of
from .request import Request
from .work import Answered, Ask, Explain, Explained, RunOpening

Answers = Mapping[str, Sequence[Transcript | None]]
"""The transcripts that answer each question, by the name of the question."""


Hints = Mapping[Scenario, Sequence[str]]
"""The hints of an adapter on each scenario."""


def answers_of(questions: Sequence[Question], request: Request) -> Answers:
    """Return the transcripts that answer each question, by the name of the question. A question in which the
    engine crashes or hangs has no entry.

    There is no time limit for all questions together. With such a limit, the number of answers would depend
    on the load of the machine, and a verdict would depend on the number of answers.
    """
    return answers_and_hints(questions, (), request)[0]


def answers_and_hints(
    questions: Sequence[Question], scenarios: Sequence[Scenario], request: Request
) -> tuple[Answers, Hints]:
    """Return the same answers, and the hints of the adapter on `scenarios`. Hints that crash or hang are left
    out."""
    opening = RunOpening(request=request, item_seconds=inf, calls_ahead=False)
    worker = WorkerProcess(program_of(opening, log=DEVNULL), Limits(inf))
    answers: Answers = {}
    hints: Hints = {}
    try:
        if questions:
            answered = worker.ask(Ask(tuple(questions)), Answered)
            answers = {answer.name: answer.transcripts for answer in answered.answers}
        if scenarios:
            explained = worker.ask(Explain(tuple(scenarios)), Explained)
            hints = dict(zip(scenarios, explained.hints, strict=True))
    except (WorkerLost, BadInput):
        pass
    finally:
        worker.close()
    return answers, hints
