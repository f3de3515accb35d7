"""What vectors and properties say of a rule where no model explains the engine, and what is left out of it."""

from __future__ import annotations

from engines import valve_scenario

from tidegauge.components.property import Property
from tidegauge.components.registry import COMPONENTS
from tidegauge.judging.diagnosis.evidence import Difference, Evidence, Violation
from tidegauge.judging.diagnosis.witnesses import rules_named
from tidegauge.wire.scenario import Scenario
from tidegauge_reference import CORE

RULE = "VALVE-3"
"""Decides in each scenario here."""

VALVE = COMPONENTS["valve"]
NO_SUSPECT, SUSPECT = [("VALVE-5", 1.0), (RULE, 0.2)], [("VALVE-5", 1.0), (RULE, 0.9)]


def vector(number: int) -> Scenario:
    return valve_scenario(2, f"w0={number}", f"w1={number}", id=f"vector-{number}")


def said(
    suspects: list[tuple[str, float]], agree: int = 0, differ: int = 0, of: tuple[Property, ...] = ()
) -> str | None:
    """What is said of the rule if so many vectors about it agree and differ, and these properties are violated."""
    agreeing = [vector(number) for number in range(agree)]
    differing = [Difference(vector(100 + number), ((), ()), 1) for number in range(differ)]
    names = [one.id for one in agreeing] + [one.scenario.id for one in differing]
    evidence = Evidence(
        VALVE, CORE, (), "step", agreeing, differing, vectors=dict.fromkeys(names, (RULE, "VALVE-5"))
    )
    try:
        violations = [Violation(one, (vector(0),), ()) for one in of]
        return rules_named(evidence, violations, differing, suspects).get(RULE)
    finally:
        evidence.reference.close()


def about_several() -> Property:
    return next(one for one in VALVE.properties if RULE in one.rules and len(one.rules) > 1)


def test_a_vector_that_differs_speaks_of_a_rule_unless_more_of_its_vectors_agree() -> None:
    assert "the golden vector" in str(said(NO_SUSPECT, agree=1, differ=1))
    assert said(NO_SUSPECT, agree=2, differ=1) is None


def test_of_a_suspect_a_vector_speaks_unless_far_more_of_its_vectors_agree() -> None:
    assert "the golden vector" in str(said(SUSPECT, agree=2, differ=1))
    assert said(SUSPECT, agree=3, differ=1) is None


def test_a_property_about_several_rules_speaks_of_the_suspects_among_them() -> None:
    assert said(NO_SUSPECT, of=(about_several(),)) is None
    assert f"the property {about_several().name}" in str(said(SUSPECT, of=(about_several(),)))


def test_a_property_speaks_of_all_its_rules_where_nothing_else_is_suspicious() -> None:
    assert f"the property {about_several().name}" in str(said([], of=(about_several(),)))


def test_a_vector_and_a_property_together_speak_of_any_rule() -> None:
    assert "the golden vector" in str(said(NO_SUSPECT, agree=9, differ=1, of=(about_several(),)))
