"""What the reference says: the expected outputs of a scenario and the rules that decided, step by step."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from itertools import groupby
from typing import Any

from msgspec import Struct

from tidegauge_reference import Policies, citations

from ...components.registry import COMPONENTS
from ...drawing.histories import Answer
from ...engine.errors import raised
from ...engine.in_process import InProcessSession
from ...engine.outputs import read_outputs
from ...wire.scenario import Scenario, component_of
from ...wire.transcript import Outputs
from ...wire.vocabulary import Restore, Snapshot, Step
from .deviating_reference import DeviatingReference, Semantics


class Expectation(Struct, frozen=True, gc=False):
    """Expected outputs of each step and the decisions made in it, as `decisions_of_step` lists them."""

    outputs: list[Outputs]
    cited: list[tuple[str, ...]]


def decisions_of_step(collected: Sequence[str]) -> tuple[str, ...]:
    """The rules cited in a step, each with the way its decision went: in the order in which they were first
    cited, and at the end the last one."""
    return _each_once(tuple(collected))


@lru_cache(maxsize=4096)
def _each_once(collected: tuple[str, ...]) -> tuple[str, ...]:
    """Most steps of a run decide as many others did."""
    return (*dict.fromkeys(collected[:-1]), *collected[-1:])


def expect(
    scenario: Scenario, semantics: Semantics, flipped: str | None = None, since: int = 0
) -> Expectation:
    """Put a scenario through the reference under policies, or as it deviates, collecting citations; the
    decision `flipped` goes the other way from the step `since` on."""
    component = COMPONENTS[component_of(scenario)]
    if isinstance(semantics, DeviatingReference):
        policies, module = semantics.policies, semantics.module_of(component)
        collecting = semantics.citations
    else:
        policies, module, collecting = semantics, component.module, citations
    session = InProcessSession(lambda: component.build(module, scenario.setup, policies), component.calls)
    begun = _played(session, scenario.history[:since], collecting(None))
    return _followed_by(begun, _played(session, scenario.history[since:], collecting(flipped)))


def expectation_of(answers: Iterable[Answer]) -> Expectation:
    """Return the result of `expect` for a drawn scenario, from the answers of the reference while the
    scenario was drawn."""
    outputs: list[Outputs] = []
    cited: list[tuple[str, ...]] = []
    for answer in answers:
        refused = raised(answer.returned) if isinstance(answer.returned, Exception) else None
        outputs.append(read_outputs(answer.returned) if refused is None else (refused,))
        cited.append(decisions_of_step(answer.cited))
    return Expectation(outputs, cited)


def expect_each(scenarios: Iterable[Scenario], semantics: Semantics) -> Iterator[Expectation]:
    """What `expect` says of each scenario. Where scenarios that follow one another differ in their last step
    alone, as in a cover, the steps before it are done once: the others go on from the state after them."""
    for _, alike in groupby(scenarios, key=_without_the_last_step):
        first, *others = alike
        alone = not others or not first.history or _saves(first)
        if alone or isinstance(semantics, DeviatingReference):
            yield from (expect(scenario, semantics) for scenario in (first, *others))
        else:
            yield from _expect_last_steps([first, *others], semantics)


def _without_the_last_step(scenario: Scenario) -> tuple[Any, ...]:
    return type(scenario), scenario.setup, scenario.history[:-1]


def _saves(scenario: Scenario) -> bool:
    return any(isinstance(step, Snapshot | Restore) for step in scenario.history)


def _expect_last_steps(scenarios: Sequence[Scenario], policies: Policies) -> Iterator[Expectation]:
    """What the reference says of scenarios that differ in their last step alone."""
    component = COMPONENTS[component_of(scenarios[0])]
    *steps, _ = scenarios[0].history
    engine = component.reference(scenarios[0].setup, policies)
    begun = _played(InProcessSession(lambda: engine, component.calls), steps, citations())
    state = engine.state()
    for scenario in scenarios:
        going_on = _restored(component.reference(scenario.setup, policies), state)
        session = InProcessSession(going_on, component.calls)
        yield _followed_by(begun, _played(session, scenario.history[-1:], citations()))


def _restored(engine: Any, state: Any) -> Callable[[], Any]:
    engine.restore(state)
    return lambda: engine


def _played(
    session: InProcessSession, steps: Sequence[Step], collecting: AbstractContextManager[list[str]]
) -> Expectation:
    outputs: list[Outputs] = []
    cited: list[tuple[str, ...]] = []
    with collecting as collected:
        for step in steps:
            outputs.append(session.step(step))
            cited.append(decisions_of_step(collected))
            collected.clear()
    return Expectation(outputs, cited)


def _followed_by(begun: Expectation, rest: Expectation) -> Expectation:
    return Expectation(begun.outputs + rest.outputs, begun.cited + rest.cited)
