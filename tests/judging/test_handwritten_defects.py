"""What the diagnosis says of defects that nobody took from a list: a wrong known bug is never told."""

from __future__ import annotations

import pytest
from component_scenarios import drawn
from handwritten_defects import DEFECTS, Defect
from judged import evidence_from, rules_judged_in

from tidegauge import Scenario
from tidegauge.judging.diagnosis.component_judgement import judge_component
from tidegauge.vectors.published import load_vectors

EXPECTED: dict[str, set[str]] = {
    "last-idle-for-largest": set(),
    "level-is-ahead": {"valve-strictly-caught-up"},
    "restore-forgets-idle": set(),
    "former-span-skipped": set(),
    "first-status-counts": set(),
    "short-memory": set(),
    "third-channel-skipped": set(),
    "stale-minimum": set(),
    "restore-keeps-heaps": set(),
    "refilled-upside-down": set(),
}
"""The known mutants and policy values that are told of a defect, by its name; only the one of `level-is-ahead` is
right, and it is half of the defect. What is not listed has not been diagnosed here."""


def scenarios(component: str, count: int) -> list[Scenario]:
    """The golden vectors, and so many drawn histories."""
    return [*(vector.scenario for vector in load_vectors(component)), *drawn(component, count)]


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_each_text_occurs_once(defect: Defect) -> None:
    defect.adapter()


@pytest.mark.slower
@pytest.mark.parametrize("defect", [one for one in DEFECTS if one.name in EXPECTED], ids=lambda one: one.name)
def test_no_wrong_known_bug_is_told(defect: Defect) -> None:
    adapter = defect.adapter()
    vectors = {vector.id: vector.rules for vector in load_vectors(defect.component)}
    evidence = evidence_from(adapter, scenarios(defect.component, 300), vectors=vectors)
    assert evidence.differing, "it shows"
    judgement = judge_component(evidence, rules_judged_in(adapter, defect.component))
    told = {term.name for term in judgement.fit.told if term.kind != "small-change"}
    assert told == EXPECTED[defect.name]
    assert not (judgement.fit.proves and told), "known bugs are not the whole of it"
    assert any(one.standing == "fail" for one in judgement.rules.values())
