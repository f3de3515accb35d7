"""The diagnosis names an engine's choice that differs from `core`; all other behaviour is judged exactly."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from judged import events_of, results_of

from tidegauge.components.registry import load_mutants
from tidegauge.components.window.mutants_of_choices import WINDOW_MUTANTS_OF_CHOICES
from tidegauge.detection.arena import DRAWN, FIXED, arena_of
from tidegauge.detection.conditions import Conditions, ReferenceUnderTest
from tidegauge.detection.engine import WrongEngine
from tidegauge.detection.trial import Trial
from tidegauge.vectors.published import load_vectors
from tidegauge.wire.results import Results
from tidegauge_reference import CORE
from tidegauge_spec import load_registry, read_policies

MUTANTS = {
    "window_touching_sessions": ("window-session-ends-too-early", "window-touching-at-one-end"),
    "window_session_lateness": (
        "window-late-before-merging",
        "window-late-before-its-session",
        "window-session-without-its-gap",
    ),
    "window_late_record": ("window-late-and-added", "window-late-by-the-largest-timestamp"),
    "window_late_at_watermark": ("window-dropped-before-it-is-over", "window-expires-a-millisecond-early"),
    "window_order_at_a_watermark": (
        "window-in-order-of-the-last-record",
        "window-watermark-before-results",
    ),
    "window_session_end": ("window-session-with-two-ends", "window-all-ends-inclusive"),
    "window_dropped_record": ("window-late-without-a-trace", "window-late-and-counted"),
}
"""The policies of windows, each with mutants that are faulty under every value of the policy."""

OTHER_VALUES = [
    (policy, value)
    for policy in MUTANTS
    for value in read_policies()[policy].values
    if value != getattr(CORE, policy)
]

each_choice = pytest.mark.parametrize(("policy", "value"), OTHER_VALUES)


def conditions(policy: str, value: str) -> Conditions:
    """Return conditions for windows under `core` with one policy changed."""
    return Conditions("window", changed=((policy, value),), budget="smoke")


@cache
def results(policy: str, value: str, folder: Path) -> Results:
    """Return the results of a smoke run under `core`, for an engine with another value of a policy."""
    engine = ReferenceUnderTest(conditions(policy, value))
    return results_of(events_of(engine, folder, components=["window"]), folder, engine)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("choices")


@each_choice
def test_the_diagnosis_names_the_choice_and_nothing_else(policy: str, value: str, folder: Path) -> None:
    (found,) = results(policy, value, folder).components
    assert [(term.kind, term.name, term.ties) for term in found.model] == [
        ("policy", f"{policy}={value}", [])
    ]
    assert found.failing > 5
    assert found.explained == found.examined


@each_choice
def test_only_rules_that_leave_the_choice_fail(policy: str, value: str, folder: Path) -> None:
    rules = load_registry().rules
    verdicts = {
        rule.id: rule.verdict for rule in results(policy, value, folder).rules if rule.component == "window"
    }
    assert verdicts == {id: "fail" if policy in rules[id].policies else "pass" for id in verdicts}
    assert "fail" in verdicts.values()


@each_choice
def test_an_engine_conforms_under_its_own_choice(policy: str, value: str) -> None:
    arena = arena_of(conditions(policy, value))
    portions = list(arena.portions((*FIXED, *DRAWN)))
    assert {portion.suite for portion in portions} >= {
        "state-cover",
        "scale",
        "random-histories",
        "properties",
    }
    assert [portion.id for portion in portions if arena.passed(portion) is None] == []


@pytest.mark.parametrize(
    ("policy", "value", "name"),
    [
        (policy, value, name)
        for policy, names in MUTANTS.items()
        for value in read_policies()[policy].values
        for name in names
    ],
)
def test_a_mutant_is_detected_under_each_value(policy: str, value: str, name: str) -> None:
    mutant = load_mutants()[name]
    chosen = conditions(policy, value)
    engine = WrongEngine(mutant, chosen)
    try:
        finding = Trial(arena_of(chosen), engine, mutant.rules).go_on((*FIXED, *DRAWN))
    finally:
        engine.close()
    assert finding.failed
    assert set(mutant.rules) & set(finding.suspects)


def test_each_mutant_of_a_choice_is_tried() -> None:
    tried = {name for names in MUTANTS.values() for name in names}
    assert tried >= {mutant.name for mutant in WINDOW_MUTANTS_OF_CHOICES}


@each_choice
def test_a_golden_vector_has_the_outputs_of_each_choice(policy: str, value: str) -> None:
    published = [
        {transcript.policies[policy]: transcript.outputs for transcript in vector.expected}
        for vector in load_vectors("window")
        if policy in vector.expected[0].policies
    ]
    assert any(outputs[value] != outputs[getattr(CORE, policy)] for outputs in published)
