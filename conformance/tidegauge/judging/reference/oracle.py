"""What the reference says: the expected outputs of a scenario and the rules that decided, step by step."""

from collections.abc import Sequence

from msgspec import Struct

from tidegauge_reference import citations

from ...components.registry import COMPONENTS
from ...engine.in_process import InProcessSession
from ...wire.scenario import Scenario, component_of
from ...wire.transcript import Outputs
from .deviating_reference import DeviatingReference, Semantics


class Expectation(Struct, frozen=True):
    """Expected outputs of each step and the decisions made in it, as `decisions_of_step` lists them."""

    outputs: list[Outputs]
    cited: list[tuple[str, ...]]


def decisions_of_step(collected: Sequence[str]) -> tuple[str, ...]:
    """The rules cited in a step, each with the way its decision went: in the order in which they were first
    cited, and at the end the last one."""
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
    outputs: list[Outputs] = []
    cited: list[tuple[str, ...]] = []
    for turned, steps in ((None, scenario.history[:since]), (flipped, scenario.history[since:])):
        with collecting(turned) as collected:
            for step in steps:
                outputs.append(session.step(step))
                cited.append(decisions_of_step(collected))
                collected.clear()
    return Expectation(outputs, cited)
