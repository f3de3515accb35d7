"""An engine that is stepped one step at a time, and the transcript of a scenario put through it."""

from ..wire.scenario import Scenario
from ..wire.transcript import Outputs, Transcript
from ..wire.vocabulary import Step
from .errors import failure_of
from .interruption import from_outside


class Session:
    """An engine that can be stepped one step at a time."""

    def step(self, step: Step) -> Outputs:
        """Do one step; its outputs are complete when this returns."""
        raise NotImplementedError

    def close(self) -> None:
        """Release what the session holds."""


def played(session: Session, scenario: Scenario) -> Transcript:
    """The transcript of a scenario stepped through a session that observes every step. Whatever a step
    raises, `SystemExit` and `pytest.skip()` included, ends this scenario alone."""
    outputs: list[Outputs] = []
    try:
        outputs.extend(map(session.step, scenario.history))
    except BaseException as error:
        if from_outside(error):
            raise
        return Transcript(scenario.id, tuple(outputs), failure_of(error))
    return Transcript(scenario.id, tuple(outputs))
