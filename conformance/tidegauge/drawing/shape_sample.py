"""A fixed sample of the scenarios within the shape of an engine: it decides whether a mutant can show within
the shape, whatever scenarios a run draws."""

from collections.abc import Iterable
from functools import lru_cache

from tidegauge_reference import Policies

from ..components.component import Component
from ..components.outside import outside
from ..wire.scenario import Scenario
from .cover import state_cover
from .histories import draw_history
from .scale import scale_scenarios

_SEED = 42
"""The seed of the random scenarios. Runs with this seed draw the same scenarios."""

_DRAWN = 1_500
"""Number of random scenarios."""

_COVERED = 800
"""Approximate maximum number of scenarios taken from a state cover."""


@lru_cache(maxsize=16)
def shape_sample(
    component: Component, policies: Policies, claims: frozenset[str]
) -> tuple[tuple[Scenario, ...], tuple[Scenario, ...]]:
    """Return scenarios within the shape of a component that need only what the engine claims: the small
    scenarios, then the scenarios of scale."""
    sample = [draw_history(component, _SEED, index, policies) for index in range(_DRAWN)]
    for scope in component.covers.get("default", ()):
        cover = state_cover(component, scope.name, policies)
        stride = max(1, len(cover) // _COVERED) | 1
        sample += [cover.scenario(index) for index in range(0, len(cover), stride)]
    large = scale_scenarios(component, "smoke", policies)
    return _possible(component, sample, claims), _possible(component, large, claims)


def _possible(
    component: Component, scenarios: Iterable[Scenario], claims: frozenset[str]
) -> tuple[Scenario, ...]:
    """Return the scenarios that the engine claims to support and that upstream can send. The last two steps
    of a state cover can break the contract."""
    return tuple(
        scenario
        for scenario in scenarios
        if set(scenario.needs) <= claims and not outside(component, scenario.setup, scenario.history)
    )
