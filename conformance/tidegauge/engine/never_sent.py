"""Steps that can be written though no runtime sends them: a resumption without a pause, an unknown split."""

from tidegauge_reference import CORE, PROFILES, IllegalArgument, IllegalState, Policies, Unsupported

from ..components.registry import COMPONENTS
from ..wire.scenario import Scenario, component_of
from ..wire.vocabulary import Restore, Snapshot


def never_sent(scenario: Scenario, profile: str) -> str | None:
    """What no runtime makes happen in a scenario: the first step with such a thing that the reference
    refuses, under `core` or under the engine's own profile; None if there is none."""
    if not any(step.never_sent for step in scenario.history):
        return None
    own = PROFILES.get(profile, CORE)
    found = _refused(scenario, CORE) or (_refused(scenario, own) if own != CORE else None)
    return f"no runtime sends it: {found}" if found else None


def _refused(scenario: Scenario, policies: Policies) -> str | None:
    component = COMPONENTS[component_of(scenario)]
    engine, saved = component.reference(scenario.setup, policies), None
    for step in scenario.history:
        if isinstance(step, Snapshot):
            saved = engine.snapshot()
        elif isinstance(step, Restore):
            engine = component.reference(scenario.setup, policies)
            engine.restore(saved)
        else:
            try:
                component.calls[type(step)](engine, step)
            except Unsupported:
                pass
            except (IllegalArgument, IllegalState):
                if step.never_sent:
                    return step.never_sent
    return None
