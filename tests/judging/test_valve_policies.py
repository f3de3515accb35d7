"""Valves that make another choice than `core`: the diagnosis names the choice, and under the choice a defect is
found as under `core`."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from engines import ValveAdapter, cover_sample, histories
from judged import judgement_of

from tidegauge.components.registry import load_mutants
from tidegauge.judging.diagnosis.component_judgement import ComponentJudgement
from tidegauge_reference import CORE, Policies, Valve

CHOICES = [
    ("valve_returning_channel", "holds-back", {"VALVE-9", "VALVE-10", "VALVE-11", "VALVE-12"}),
    ("valve_flush_channels", "all-channels", {"VALVE-18"}),
]

DEFECTS = [
    ("valve_returning_channel", "holds-back", "valve-lagging-channel-counts"),
    pytest.param(
        *("valve_returning_channel", "holds-back", "valve-end-without-idle"), marks=pytest.mark.slower
    ),
    pytest.param(
        *("valve_flush_channels", "all-channels", "valve-finished-is-flushed"), marks=pytest.mark.slower
    ),
    ("valve_flush_channels", "all-channels", "valve-end-without-idle"),
]


def judged(make: Any, policies: Policies) -> ComponentJudgement:
    ends = cover_sample(2, "2-channels-1-timestamp-and-end", policies)
    scenarios = histories(1500, policies=policies) + ends + cover_sample(25, policies=policies)
    return judgement_of(ValveAdapter(make), scenarios, policies)


def terms(judgement: ComponentJudgement) -> list[str]:
    return [term.name for term in judgement.fit.terms]


def failing(judgement: ComponentJudgement) -> set[str]:
    return {rule for rule, judged in judgement.rules.items() if judged.standing == "fail"}


@cache
def module_of(mutant: str) -> Any:
    return load_mutants()[mutant].load("valve")


@pytest.mark.parametrize(("policy", "value", "rules"), CHOICES)
def test_a_choice_that_core_does_not_make_is_named(policy: str, value: str, rules: set[str]) -> None:
    chosen = replace(CORE, **{policy: value})
    under_core = judged(lambda channels: Valve(channels, chosen), CORE)
    assert terms(under_core) == [f"{policy}={value}"]
    assert failing(under_core) == rules
    assert judged(lambda channels: Valve(channels, chosen), chosen).examined == 0


@pytest.mark.parametrize(("policy", "value", "mutant"), DEFECTS)
def test_under_a_choice_a_defect_is_named(policy: str, value: str, mutant: str) -> None:
    chosen = replace(CORE, **{policy: value})
    judgement = judged(lambda channels: module_of(mutant).Valve(channels, chosen), chosen)
    assert mutant in {one.name for tie in judgement.fit.ties for one in tie}
    assert failing(judgement) & set(load_mutants()[mutant].rules)
