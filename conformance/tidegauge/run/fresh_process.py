"""Questions to an engine in a fresh process."""

from collections.abc import Mapping, Sequence
from subprocess import DEVNULL

from ..engine.apart import Question
from ..engine.watch import Limits
from ..engine.worker_process import WorkerLost, WorkerProcess
from ..wire.scenario import BadInput
from ..wire.transcript import Transcript
from .item_worker import program_of
from .request import Request
from .work import Answered, Ask, RunOpening

_PATIENCE = 120.0
"""The time (s) for all questions; an engine that takes longer is not asked the rest."""

Answers = Mapping[str, Sequence[Transcript | None]]
"""The transcripts that answer questions, by their names."""


def answers_of(questions: Sequence[Question], request: Request) -> Answers:
    """Return the transcripts that answer each question, by its name, as far as the engine answers in time."""
    if not questions:
        return {}
    opening = RunOpening(request=request, item_seconds=_PATIENCE, calls_ahead=False)
    worker = WorkerProcess(program_of(opening, log=DEVNULL), Limits(_PATIENCE * 1.5))
    try:
        answered = worker.ask(Ask(tuple(questions), _PATIENCE), Answered)
    except (WorkerLost, BadInput):
        return {}
    except BaseException:
        worker.stop()
        raise
    finally:
        worker.close()
    return {answer.name: answer.transcripts for answer in answered.answers}
