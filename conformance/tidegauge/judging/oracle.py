"""What the reference says: the expected outputs of a scenario and the rules that decided, step by step."""

from dataclasses import dataclass

from tidegauge_reference import Policies, citations

from ..adapter import InProcessSession
from ..components.registry import COMPONENTS
from ..scenario import Scenario, component_of
from ..transcript import Outputs


@dataclass(frozen=True, slots=True)
class Expectation:
    """Expected outputs of each step and the rules cited in it, each with the way its decision went."""

    outputs: list[Outputs]
    cited: list[tuple[str, ...]]


def expect(scenario: Scenario, policies: Policies, flipped: str | None = None) -> Expectation:
    """Put a scenario through the reference under `policies`, collecting citations; the decision
    `flipped` goes the other way."""
    component = COMPONENTS[component_of(scenario)]
    session = InProcessSession(lambda: component.reference(scenario.setup, policies), component.calls)
    outputs: list[Outputs] = []
    cited: list[tuple[str, ...]] = []
    with citations(flipped) as collected:
        for step in scenario.history:
            outputs.append(session.step(step))
            cited.append(tuple(collected))
            collected.clear()
    return Expectation(outputs, cited)
