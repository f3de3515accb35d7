"""Properties hold for the reference under every value of every policy that applies to its component.

Otherwise the kit would report a violation by a conforming engine with a profile of its own.
"""

from __future__ import annotations

import pytest

from tidegauge.detection.arena import arena_of
from tidegauge.detection.conditions import Conditions
from tidegauge_reference import CORE
from tidegauge_spec import load_registry, read_policies

CHOICES = sorted(
    {
        (rule.component, policy, value)
        for rule in load_registry().rules.values()
        for policy in rule.policies
        for value in read_policies()[policy].values
        if value != getattr(CORE, policy) and rule.component not in ("job", "time")
    }
)


@pytest.mark.slower
@pytest.mark.parametrize(("component", "policy", "value"), CHOICES)
def test_no_property_is_violated_by_a_choice(component: str, policy: str, value: str) -> None:
    """Regression: a clock that clamps seemed to run faster than time: a step back counted as elapsed time."""
    arena = arena_of(Conditions(component, changed=((policy, value),), budget="smoke"))
    portions = list(arena.portions(("properties",)))
    assert portions
    assert [portion.name for portion in portions if arena.passed(portion) is None] == []


def test_every_policy_is_tried_but_those_of_jobs() -> None:
    assert {policy for _, policy, _ in CHOICES} >= {
        policy for policy in read_policies() if not policy.startswith("job")
    }
