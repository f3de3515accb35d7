"""Steps that can be written though no runtime sends them: a resumption without a pause, an unknown split."""

from tidegauge_reference import CORE, IllegalArgument, IllegalState, Unsupported

from ..components.registry import COMPONENTS
from ..wire.scenario import Scenario, component_of
from ..wire.vocabulary import Restore, Snapshot


def never_sent(scenario: Scenario) -> str | None:
    """What no runtime makes happen in a scenario: the first step with such a thing that the reference refuses
    under the profile `core`; None if there is none."""
    if not any(step.never_sent for step in scenario.history):
        return None
    component = COMPONENTS[component_of(scenario)]
    engine, saved = component.reference(scenario.setup, CORE), None
    for step in scenario.history:
        if isinstance(step, Snapshot):
            saved = engine.snapshot()
        elif isinstance(step, Restore):
            engine = component.reference(scenario.setup, CORE)
            engine.restore(saved)
        else:
            try:
                component.calls[type(step)](engine, step)
            except Unsupported:
                pass
            except (IllegalArgument, IllegalState):
                if step.never_sent:
                    return f"no runtime sends it: {step.never_sent}"
    return None
