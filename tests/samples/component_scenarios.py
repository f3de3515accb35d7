"""Scenarios of any component, as the suites draw them, for tests that hold for every component."""

from __future__ import annotations

from collections import Counter
from functools import cache

from tidegauge.components.registry import COMPONENTS
from tidegauge.drawing.cover import state_cover
from tidegauge.drawing.histories import draw_history
from tidegauge.judging.reference.oracle import expect
from tidegauge.vectors.published import load_vectors
from tidegauge.wire.scenario import Scenario
from tidegauge_reference import CORE, Policies

DRAWN = sorted(name for name, component in COMPONENTS.items() if component.drawn)
"""The components whose scenarios are drawn."""

MOST_OF_A_COVER = 2000

_drawn_so_far: dict[tuple[str, Policies, int], list[Scenario]] = {}
"""Tests share what is drawn, which is the most that one of them has asked for."""


def drawn(component: str, count: int, policies: Policies = CORE, seed: int = 1) -> list[Scenario]:
    """The first histories of a seed."""
    known = _drawn_so_far.setdefault((component, policies, seed), [])
    missing = range(len(known), count)
    known += [draw_history(COMPONENTS[component], seed, index, policies) for index in missing]
    return known[:count]


@cache
def covered(component: str, policies: Policies = CORE) -> tuple[Scenario, ...]:
    """An even part of each state cover of the default budget."""
    scenarios: list[Scenario] = []
    for scope in COMPONENTS[component].covers.get("default", ()):
        cover = state_cover(COMPONENTS[component], scope.name, policies)
        stride = 1 + len(cover) // MOST_OF_A_COVER
        scenarios += [cover.scenario(index) for index in range(0, len(cover), stride)]
    return tuple(scenarios)


def all_kinds(component: str, policies: Policies = CORE) -> list[Scenario]:
    """Vectors, a part of the covers, and seeded histories."""
    vectors = [vector.scenario for vector in load_vectors(component)]
    return [*vectors, *covered(component, policies), *drawn(component, 1500, policies)]


@cache
def decisions(component: str, policies: Policies) -> Counter[str]:
    """How often each decision is made in them."""
    counts: Counter[str] = Counter()
    for scenario in all_kinds(component, policies):
        counts.update({decision for step in expect(scenario, policies).cited for decision in step})
    return counts
