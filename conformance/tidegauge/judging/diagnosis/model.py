"""The reference with changes in it: an engine that may behave as the one under test."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Any

from tidegauge_reference import Policies

from ...components.component import Component
from ...engine.in_process import InProcessSession
from ...engine.limits import NoAnswer, answering_within
from ...mutants.loading import forget_copy, load_copy, reference_source
from ...wire.scenario import Scenario
from ...wire.transcript import Observation, Outputs, canonical, joined, spans
from ..changes.change import Change, with_values
from ..changes.segments import Segment, changed_text, touch
from ..reference.oracle import decisions_of_step

SECONDS = 1.0
"""Of computing, for each thousand steps, after which a model that has not come to the end of a scenario
never will."""

Played = tuple[Outputs, ...]
"""The outputs of each observed span in canonical order; shorter than the scenario where no answer came."""

_NUMBERS = count(1)


class CannotBeMade(Exception):
    """Two changes touch the same text, or the changed reference does not load."""


class Model:
    """The reference under `policies` with `changes`. To be closed. Raises `CannotBeMade`."""

    def __init__(self, component: Component, policies: Policies, changes: Sequence[Change] = ()) -> None:
        segments = [segment for change in changes for segment in change.segments]
        chosen = [change.policy[0] for change in changes if change.policy is not None]
        if touch(segments) or len(set(chosen)) < len(chosen):
            raise CannotBeMade
        self.component = component
        self.changes = tuple(changes)
        self._copy = f"tidegauge_model_{next(_NUMBERS)}"
        entry = component.module.__name__.rpartition(".")[2]
        try:
            self._module = load_copy(self._copy, _sources(segments), entry)
            own: Any = importlib.import_module(f"{self._copy}.policies")
            self._policies = own.Policies(**with_values(policies, changes))
        except Exception:
            self.close()
            raise CannotBeMade from None

    def play(self, scenario: Scenario, observes: Observation = "step") -> Played:
        """What comes out of a scenario, as far as it answers."""
        outputs: list[Outputs] = []
        try:
            with answering_within(SECONDS * max(1.0, len(scenario.history) / 1000)):
                session = self._session(scenario)
                outputs.extend(map(session.step, scenario.history))
        except (Exception, NoAnswer):
            return observed(scenario, outputs, observes)
        return observed(scenario, outputs, observes)

    def cited(self, scenario: Scenario) -> list[tuple[str, ...]]:
        """The decisions of each step, as the oracle lists them."""
        found: list[tuple[str, ...]] = []
        session = self._session(scenario)
        with self._citations(None) as collected:
            for step in scenario.history:
                session.step(step)
                found.append(decisions_of_step(collected))
                collected.clear()
        return found

    def turned(self, scenario: Scenario, decision: str, steps: Collection[int], until: int) -> list[Outputs]:
        """The outputs of the steps before `until` where the decision goes the other way in those at `steps`.
        Raises what the model raises."""
        outputs: list[Outputs] = []
        with answering_within(SECONDS):
            session = self._session(scenario)
            for number, step in enumerate(scenario.history[:until]):
                with self._citations(decision if number in steps else None):
                    outputs.append(session.step(step))
        return outputs

    def close(self) -> None:
        """Release the copy of the reference."""
        forget_copy(self._copy)

    def _session(self, scenario: Scenario) -> InProcessSession:
        make = partial(self.component.build, self._module, scenario.setup, self._policies)
        return InProcessSession(make, self.component.calls)

    def _citations(self, turned: str | None) -> Any:
        citation: Any = importlib.import_module(f"{self._copy}.citation")
        return citation.citations(turned)


@contextmanager
def model_of(component: Component, policies: Policies, changes: Sequence[Change]) -> Iterator[Model | None]:
    """A model for as long as the block runs; None if it cannot be made."""
    try:
        model = Model(component, policies, changes)
    except CannotBeMade:
        yield None
        return
    try:
        yield model
    finally:
        model.close()


def observed(scenario: Scenario, outputs: Sequence[Outputs], observes: Observation) -> Played:
    """Outputs of steps, joined over the observed spans that are complete, in canonical order."""
    lengths = spans(scenario, observes)
    complete, steps = 0, 0
    while complete < len(lengths) and steps + lengths[complete] <= len(outputs):
        steps += lengths[complete]
        complete += 1
    return tuple(map(canonical, joined(list(outputs), lengths[:complete])))


def _sources(segments: Sequence[Segment]) -> Mapping[str, str]:
    modules = dict.fromkeys(segment.module for segment in segments)
    return {
        module: changed_text(
            reference_source(module), [segment for segment in segments if segment.module == module]
        )
        for module in modules
    }
