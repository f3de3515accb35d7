"""An engine that is stepped one step at a time, and the transcripts of scenarios put through it."""

from collections.abc import Sequence

from msgspec.structs import replace

from ..wire.scenario import Scenario
from ..wire.transcript import Outputs, Transcript
from ..wire.vocabulary import Step
from .errors import failure_of
from .forks import not_in_a_fork
from .interruption import from_outside


class Session:
    """An engine that can be stepped one step at a time. Sessions of an adapter may be open side by side."""

    def step(self, step: Step) -> Outputs:
        """Do one step; its outputs are complete when this returns."""
        raise NotImplementedError

    def state_bytes(self) -> int | None:
        """How large a snapshot taken now would be, encoded (bytes); None where that cannot be known. Only
        asked of an engine that claims snapshots."""
        return None

    def resident_bytes(self) -> int | None:
        """The resident set (bytes) of the process that does the steps; None if that is the kit's own."""
        return None

    def close(self) -> None:
        """Release what the session holds."""


def played(session: Session, scenario: Scenario) -> Transcript:
    """The transcript of a scenario stepped through a session that observes every step. Whatever a step
    raises, `SystemExit` and `pytest.skip()` included, ends this scenario alone."""
    outputs: list[Outputs] = []
    try:
        with not_in_a_fork():
            outputs.extend(map(session.step, scenario.history))
    except BaseException as error:
        if from_outside(error):
            raise
        return Transcript(scenario.id, tuple(outputs), failure_of(error))
    return Transcript(scenario.id, tuple(outputs))


def played_alternately(sessions: Sequence[Session], scenarios: Sequence[Scenario]) -> list[Transcript]:
    """The transcripts of scenarios stepped at the same time, each through a session of its own: the first
    step of each, then the second step of each, and so on. What a step raises ends its own scenario alone."""
    transcripts = [Transcript(scenario.id, ()) for scenario in scenarios]
    for place in range(max(len(scenario.history) for scenario in scenarios)):
        for number, (session, scenario) in enumerate(zip(sessions, scenarios, strict=True)):
            so_far = transcripts[number]
            if so_far.failure is None and place < len(scenario.history):
                answer = played(session, replace(scenario, history=(scenario.history[place],), groups=()))
                transcripts[number] = replace(
                    so_far, outputs=so_far.outputs + answer.outputs, failure=answer.failure
                )
    return transcripts
