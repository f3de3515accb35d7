"""Before a run: one short scenario for each kind of step. An engine that answers none is not set up."""

from collections.abc import Callable, Collection, Sequence

from msgspec.structs import replace

from tidegauge_reference import Policies

from ...components.component import Component
from ...drawing.histories import draw_history
from ...engine.adapter import Adapter
from ...engine.runner import run
from ...wire.base_scenario import Origin
from ...wire.scenario import Scenario
from ...wire.transcript import NO_TRANSCRIPT, Failure
from ...wire.vocabulary import Step

_SEED = 1
_ENOUGH = 100
"""Drawn histories, most of which have their kinds of steps near the start."""

_AT_MOST = 1000
"""Drawn histories, where a kind of step is rare."""


def preflight_scenarios(
    component: Component, policies: Policies, capabilities: Collection[str]
) -> list[Scenario]:
    """For each kind of step of a component the shortest drawn scenario with it, cut after it.

    Scenarios need no more than `capabilities`, and none is interrupted. A component whose scenarios are not
    drawn, whole jobs, has no preflight.
    """
    if not component.drawn:
        return []
    shortest: dict[type[Step], Scenario] = {}
    for index in range(_AT_MOST):
        if index >= _ENOUGH and len(shortest) == len(component.calls):
            break
        scenario = draw_history(component, _SEED, index, policies)
        if "snapshot" in scenario.needs or not set(scenario.needs) <= set(capabilities):
            continue
        for length, step in enumerate(scenario.history, 1):
            known = shortest.get(type(step))
            if known is None or length < len(known.history):
                shortest[type(step)] = _cut(component, scenario, length)
    return [shortest[kind] for kind in component.calls if kind in shortest]


def preflight(
    adapter: Adapter,
    scenarios: Sequence[Scenario],
    about_to_run: Callable[[str], None] = lambda scenario: None,
) -> list[tuple[Scenario, Failure]] | None:
    """Each scenario with how the engine failed in it, if it answered none of those that it can express; None
    if it answered one, or can express none."""
    expressible = [scenario for scenario in scenarios if adapter.inexpressible(scenario) is None]
    transcripts = run(adapter, expressible, about_to_run)
    failures = [
        (scenario, NO_TRANSCRIPT if transcript is None else transcript.failure)
        for scenario, transcript in zip(expressible, transcripts, strict=True)
    ]
    failed = [(scenario, failure) for scenario, failure in failures if failure is not None]
    return failed if failed and len(failed) == len(failures) else None


def _cut(component: Component, scenario: Scenario, length: int) -> Scenario:
    """The first `length` steps of a scenario, named by the last of them."""
    kind = scenario.history[length - 1].__struct_config__.tag
    cut: Scenario = replace(
        scenario,
        id=f"{component.name}:preflight:{kind}",
        history=scenario.history[:length],
        groups=(),
        origin=Origin("variant", of=scenario.id),
    )
    return cut
