"""Each choice that a policy leaves shows in generated scenarios, not in golden vectors alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import pytest

from tidegauge.components.component import Component
from tidegauge.components.registry import COMPONENTS
from tidegauge.drawing.cover import state_cover
from tidegauge.drawing.histories import draw_history
from tidegauge.drawing.scale import scale_scenarios
from tidegauge.judging.reference.oracle import expect
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.transcript import Outputs
from tidegauge_reference import CORE, Policies
from tidegauge_spec import load_registry, read_policies

ENOUGH = 5
SELDOM = {"window_endless_state": 1}
"""Its values differ only where a cleanup time is `MAX` itself, which a scenario of scale next to `MAX` has."""
SHOWS_LATE = ("window_endless_state", "valve_minimum_when_idle")
"""Policies that few scenarios show: it takes long to find these."""

DEFAULT_BUDGET = 12_000
AT_ONCE = 200

TOGETHER_WITH = {
    "valve_minimum_when_idle": {"valve_minimum_when_active": "deferred"},
    "align_group_update": {"align_report_of_min": "counts"},
}
"""Policies whose values cannot be distinguished unless another policy has this value (`policies.md`)."""

TEXTS = read_policies()
OTHERS = [
    (name, value) for name, text in TEXTS.items() for value in text.values if value != getattr(CORE, name)
]


def component_of(policy: str) -> str:
    """The component of the first rule that the policy's text names."""
    named = re.search(r"[A-Z]+-[0-9]+", TEXTS[policy].source)
    assert named is not None
    return load_registry().rules[named[0]].component


Shown = tuple[Scenario, Sequence[Outputs]]


@cache
def histories(component: str, usual: Policies, start: int) -> list[Shown]:
    """Some random histories with what the reference outputs under `usual`: all values of policies share them."""
    drawn = (draw_history(COMPONENTS[component], 1, at, CORE) for at in range(start, start + AT_ONCE))
    return [(scenario, expect(scenario, usual).outputs) for scenario in drawn]


def generated(component: Component, usual: Policies) -> Iterator[Shown]:
    """Scenarios of the default budget, each with what the reference outputs under `usual`: the random histories,
    those of scale, a part of each state cover."""
    for start in range(0, DEFAULT_BUDGET, AT_ONCE):
        yield from histories(component.name, usual, start)
    for scenario in not_random(component):
        yield scenario, expect(scenario, usual).outputs


def not_random(component: Component) -> Iterator[Scenario]:
    """The scenarios that are the same with every seed."""
    yield from scale_scenarios(component, "default", CORE)
    for scope in component.covers.get("default", ()):
        cover = state_cover(component, scope.name, CORE)
        yield from (cover.scenario(index) for index in range(0, len(cover), 41))


@pytest.mark.parametrize(
    ("policy", "value"),
    [pytest.param(*other, marks=pytest.mark.slower if other[0] in SHOWS_LATE else ()) for other in OTHERS],
)
def test_a_policy_shows_in_generated_scenarios(policy: str, value: str) -> None:
    component = COMPONENTS[component_of(policy)]
    usual = replace(CORE, **TOGETHER_WITH.get(policy, {}))
    other = replace(usual, **{policy: value})
    enough = SELDOM.get(policy, ENOUGH)
    apart = 0
    for scenario, outputs in generated(component, usual):
        apart += outputs != expect(scenario, other).outputs
        if apart == enough:
            break
    assert apart == enough
