"""What holds for every component whose scenarios are drawn: generator, reference and chapter fit together."""

from __future__ import annotations

import pickle
from collections import Counter
from functools import cache
from typing import Any

import pytest
from component_scenarios import DRAWN, all_kinds, decisions, drawn
from conftest import others_slower
from engines import examiner_of
from judged import EFFORT

from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge.components.shared.random_source import RandomSource
from tidegauge.drawing.histories import has_effect
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.engine.outputs import read_outputs
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.judging.items.merged import merged
from tidegauge.judging.items.shrinker import NO_EFFORT
from tidegauge.judging.reference.oracle import expect
from tidegauge.wire.scenario import encode_scenario, problems, read_scenarios
from tidegauge.wire.vocabulary import Error, Restore, Snapshot
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import CORE, PROFILES
from tidegauge_spec import load_registry

each_component = pytest.mark.parametrize("component", DRAWN)
few_components = pytest.mark.parametrize("component", others_slower(DRAWN, ("valve", "clock")))
each_profile = pytest.mark.parametrize("profile", others_slower(PROFILES, ("core",)))

MUTANTS = {name: mutant for name, mutant in load_mutants().items() if mutant.component in DRAWN}
WRONG = {name: mutant for name, mutant in MUTANTS.items() if not name.endswith("-does-nothing")}


@each_component
@each_profile
def test_at_least_seventy_percent_of_the_steps_have_an_effect(component: str, profile: str) -> None:
    effective = steps = 0
    for scenario in drawn(component, 300, PROFILES[profile]):
        engine = COMPONENTS[component].reference(scenario.setup, PROFILES[profile])
        for step in scenario.history:
            if not isinstance(step, Snapshot | Restore):
                steps += 1
                effective += has_effect(COMPONENTS[component], engine, step)
    assert 0.7 * steps <= effective < steps, "and that nothing happens must be tried as well"


@each_component
@each_profile
def test_every_scenario_is_legal_and_survives_the_wire(component: str, profile: str) -> None:
    scenarios = [*drawn(component, 300, PROFILES[profile])]
    assert [problem for scenario in scenarios for problem in problems(scenario)] == []
    assert list(read_scenarios(map(encode_scenario, scenarios), "drawn")) == scenarios


@each_component
def test_every_step_of_the_vocabulary_is_drawn(component: str) -> None:
    used = {type(step) for scenario in drawn(component, 1500) for step in scenario.history}
    extra = {Snapshot, Restore} if "snapshot" in COMPONENTS[component].extras else set()
    assert used == set(COMPONENTS[component].calls) | extra


@each_component
def test_the_alphabet_is_possible_on_any_setup(component: str) -> None:
    for seed in range(50):
        setup = COMPONENTS[component].draw_setup(RandomSource(seed))
        for step in COMPONENTS[component].alphabet(setup):
            engine = COMPONENTS[component].reference(setup, CORE)
            has_effect(COMPONENTS[component], engine, step)


@each_component
@each_profile
def test_a_refused_step_leaves_the_state_as_it_was(component: str, profile: str) -> None:
    """Errors are of the closed list (anything else would propagate), and nothing is half done."""
    refused = 0
    chapters = load_registry().chapters
    rules = [rule.id for name in (component, *chapters[component].uses) for rule in chapters[name].rules]
    for scenario in all_kinds(component, PROFILES[profile]):
        engine = COMPONENTS[component].reference(scenario.setup, PROFILES[profile])
        for step in scenario.history:
            if isinstance(step, Snapshot | Restore):
                continue
            before = engine.state()
            refusal = refused_with(component, engine, step)
            if refusal is not None:
                refused += 1
                assert engine.state() == before
                assert any(rule in refusal for rule in rules), refusal
    assert refused > 10


@each_component
@each_profile
def test_a_restored_engine_goes_on_as_if_nothing_had_happened(component: str, profile: str) -> None:
    if "snapshot" not in COMPONENTS[component].extras:
        return
    policies = PROFILES[profile]
    for number, scenario in enumerate(drawn(component, 200, policies, seed=3)):
        history = [step for step in scenario.history if not isinstance(step, Snapshot | Restore)]
        place = number % len(history)
        engine = COMPONENTS[component].reference(scenario.setup, policies)
        for step in history[:place]:
            outputs_of(component, engine, step)
        saved = pickle.loads(pickle.dumps(engine.snapshot()))
        other = COMPONENTS[component].reference(scenario.setup, policies)
        other.restore(saved)
        assert other.state() == engine.state()
        hash(engine.state())
        for step in history[place:]:
            assert outputs_of(component, engine, step) == outputs_of(component, other, step)
        assert other.state() == engine.state()


@each_component
@each_profile
def test_properties_hold_of_the_reference_under_every_profile_that_they_hold_under(
    component: str, profile: str
) -> None:
    policies = PROFILES[profile]
    engine = ReferenceAdapter({"policies": profile})
    examiner = Examiner(engine, engine.describe(), policies, effort=NO_EFFORT)
    scenarios = drawn(component, 200, policies)
    for property in COMPONENTS[component].properties:
        if all(getattr(policies, name) == value for name, value in property.holds_under.items()):
            report = ItemReport("item", component)
            examiner.check(report, property, examiner.applicable(scenarios))
            assert report.properties[property.name].violated == 0, property.name


def refused_with(component: str, engine: Any, step: Any) -> str | None:
    """What the engine says when it refuses the step; None: it does not."""
    try:
        COMPONENTS[component].calls[type(step)](engine, step)
    except (ValueError, RuntimeError) as error:
        return str(error)
    return None


def outputs_of(component: str, engine: Any, step: Any) -> Any:
    """One step's outputs, or that it was refused."""
    try:
        return read_outputs(COMPONENTS[component].calls[type(step)](engine, step))
    except (ValueError, RuntimeError) as error:
        return type(error)


@few_components
def test_a_component_cites_rules_of_its_chapter_and_of_those_it_uses(component: str) -> None:
    registry = load_registry()
    allowed = {component, *registry.chapters[component].uses}
    for policies in PROFILES.values():
        cited = {decision.removesuffix("!") for decision in decisions(component, policies)}
        assert {registry.rules[rule].component for rule in cited} <= allowed


@each_component
def test_every_must_is_cited(component: str) -> None:
    """That the conditions cited decide something: `test_reference_conditions.py`."""
    counts = decisions(component, CORE)
    rules = [
        rule.id
        for rule in load_registry().of_component(component)
        if rule.level == "MUST" and "reference" in rule.checked_by
    ]
    assert rules
    assert [rule for rule in rules if not counts[rule]] == []


@few_components
def test_a_rule_is_exercised_often_enough_to_pass(component: str) -> None:
    """The reference passes every rule of its own component in a few thousand scenarios."""
    report = examined(component, None)
    assert report.failing == 0
    exercised: Counter[str] = Counter({rule: counted.scenarios for rule, counted in report.rules.items()})
    for rule in load_registry().of_component(component):
        if "reference" in rule.checked_by:
            assert exercised[rule.id] >= 10, rule.id


@cache
def examined(component: str, mutant: str | None) -> ItemReport:
    """What vectors, covers and histories find in the reference, or in a mutant of it."""
    adapter = ReferenceAdapter({}) if mutant is None else MutantAdapter(MUTANTS[mutant], {})
    report = ItemReport("all", component)
    examiner = examiner_of(adapter, effort=EFFORT)
    examiner.compare(report, examiner.applicable(all_kinds(component)))
    return report


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_engine_says_what_is_wrong_and_which_rules_it_breaks(name: str) -> None:
    """That it is found out: `test_detection_named.py`."""
    mutant = WRONG[name]
    assert mutant.rules
    assert set(mutant.rules) <= set(load_registry().rules)
    assert mutant.summary.endswith(".")
    assert mutant.bug


@few_components
def test_an_engine_that_does_nothing_fails(component: str) -> None:
    """It never outputs anything, so that every rule it claims is failed (`judging/verdicts.py`)."""
    assert f"{component.replace('_', '-')}-does-nothing" in MUTANTS
    report = examined(component, f"{component.replace('_', '-')}-does-nothing")
    assert report.failing > 100
    assert report.outputs == 0
    assert merged([report]).silent == {component}


@each_component
def test_an_error_is_an_output_that_is_compared(component: str) -> None:
    found = [
        output
        for scenario in drawn(component, 500)
        for outputs in expect(scenario, CORE).outputs
        for output in outputs
        if isinstance(output, Error)
    ]
    assert found
