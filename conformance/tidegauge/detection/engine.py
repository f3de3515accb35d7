"""A mutant under test: a copy of the reference with a change, which may never come to an end."""

import importlib
from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any, Protocol

from ..engine.limits import answering_within
from ..mutants.loading import forget_copy
from ..wire.scenario import Scenario
from ..wire.transcript import Outputs, Transcript
from .conditions import Conditions, ReferenceUnderTest

SECONDS = 2.0
"""Of computing, after which an engine that has not come to the end of a scenario never will."""

SECONDS_OF_A_JOB = 60.0


class Loadable(Protocol):
    """A mutant, named or not."""

    def load(self, entry: str) -> ModuleType:
        """The module `entry` of a copy of the reference with the change."""
        ...


class WrongEngine(ReferenceUnderTest):
    """A mutant under `conditions`. Its methods raise `NoAnswer` where it does not come to an end; to build it
    raises whatever importing the copy does. To be closed."""

    def __init__(self, mutant: Loadable, conditions: Conditions) -> None:
        entry = conditions.entry
        module = mutant.load(entry)
        self._copy = module.__name__.partition(".")[0]
        policies: Any = importlib.import_module(f"{self._copy}.policies")
        super().__init__(conditions, module, policies.Policies)
        self._seconds = SECONDS_OF_A_JOB if conditions.component == "job" else SECONDS

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        """One scenario after the other, each within its time."""
        for scenario in scenarios:
            with answering_within(self._seconds):
                transcripts = list(super().run([scenario]))
            yield from transcripts

    def answers_alike(self, scenario: Scenario, outputs: Sequence[Outputs]) -> bool:
        """Whether it outputs just this: faster than to make a transcript and to judge it."""
        with answering_within(self._seconds):
            try:
                session = self.session(scenario.setup)
                for step, right in zip(scenario.history, outputs, strict=True):
                    if session.step(step) != right:
                        return False
            except Exception:
                return False
        return True

    def close(self) -> None:
        """Release the copy."""
        forget_copy(self._copy)
