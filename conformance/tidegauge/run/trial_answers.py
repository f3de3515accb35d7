"""The transcripts of the engine in the scenarios that test a model. They are read from the journal, or the
engine runs in a new process and its transcripts are added to the journal."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ..engine.apart import Question
from ..judging.diagnosis.trial import Answers, Ask
from ..wire.scenario import Scenario, component_of
from .fresh_process import answers_of
from .journal import AnyEvent, Journal, Tried
from .request import Request


def answers_in(events: Iterable[AnyEvent]) -> Ask:
    """Return a function that returns the transcripts of trials in a journal. The engine does not run."""
    known = _known(events)
    return lambda scenarios: known


def asking(events: Iterable[AnyEvent], request: Request, folder: Path) -> Ask:
    """Return a function that returns the transcripts of trials.

    It takes the transcripts from the journal where it can. It runs the other scenarios on the engine and adds
    their transcripts to the journal.

    Args:
        events: the events of the journal so far.
        request: the request of the run, which names the engine.
        folder: the folder of the journal.
    """
    known = dict(_known(events))

    def ask(scenarios: Sequence[Scenario]) -> Answers:
        by_component: dict[str, list[Scenario]] = {}
        for scenario in scenarios:
            if scenario.id not in known:
                by_component.setdefault(component_of(scenario), []).append(scenario)
        if by_component:
            questions = [Question(name, "run", tuple(unknown)) for name, unknown in by_component.items()]
            transcripts = [
                transcript
                for answered in answers_of(questions, request).values()
                for transcript in answered
                if transcript
            ]
            known.update({transcript.scenario: transcript for transcript in transcripts})
            journal = Journal(folder, goes_on=True)
            journal.write(Tried(transcripts))
            journal.close()
        return known

    return ask


def _known(events: Iterable[AnyEvent]) -> Answers:
    tried = (event for event in events if isinstance(event, Tried))
    return {transcript.scenario: transcript for event in tried for transcript in event.transcripts}
