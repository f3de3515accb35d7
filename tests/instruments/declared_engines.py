"""Differences of an engine that its adapter declares neither as a choice nor as a known deviation."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing

from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.adapter import Adapter
from tidegauge.engine.loading import describe, load_adapter
from tidegauge.judging.items.declared_reference import DeclaredReference
from tidegauge.judging.items.difference import Side, compared
from tidegauge.judging.reference.profiles import declared_profile
from tidegauge.wire.scenario import Scenario


def undeclared_differences(
    name: str, options: Mapping[str, str], *, component: str, scenarios: int, seed: int = 2027
) -> list[Scenario]:
    """Return the random scenarios in which an engine differs from the declared reference (`declared:NAME`).

    Args:
        name: the name of the adapter.
        options: its options.
        component: the component for which scenarios are drawn.
        scenarios: the number of scenarios. The engine must be able to run at least half of them.
        seed: the seed of the scenarios.
    """
    with closing(load_adapter(name, options)) as engine:
        return undeclared_differences_of(
            name, engine, component=component, scenarios=scenarios, at_least=scenarios // 2, seed=seed
        )


def undeclared_differences_of(
    name: str, engine: Adapter, *, component: str, scenarios: int, at_least: int, seed: int = 2027
) -> list[Scenario]:
    """Return the random scenarios in which a loaded engine differs from its declared reference.

    Args:
        name: the name of the adapter.
        engine: the adapter.
        component: the component for which scenarios are drawn.
        scenarios: the number of scenarios to draw.
        at_least: the number of them that the engine must be able to run.
        seed: the seed of the scenarios.
    """
    described = describe(name, engine)
    declared = DeclaredReference(described)
    sides = (Side(declared, declared.describe()), Side(engine, described))
    policies = declared_profile(described).policies
    batches = list(compared(sides, COMPONENTS[component], seed, scenarios, policies))
    assert sum(batch.scenarios for batch in batches) >= at_least
    return [scenario for batch in batches for scenario in batch.differing]
