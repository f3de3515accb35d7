"""What the diagnosis says of defects that nobody took from a list: a wrong known bug is never told."""

from __future__ import annotations

import pytest
from component_scenarios import drawn
from handwritten_defects import DEFECTS, Defect
from judged import answers_of, evidence_from, rules_judged_in

from tidegauge import Scenario
from tidegauge.judging.diagnosis.component_judgement import judge_evidence
from tidegauge.vectors.published import load_vectors

SEED = 2
"""In the first histories of this seed each of the defects shows."""


def scenarios(component: str, count: int) -> list[Scenario]:
    """The golden vectors, and so many drawn histories."""
    return [*(vector.scenario for vector in load_vectors(component)), *drawn(component, count, seed=SEED)]


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_each_text_occurs_once(defect: Defect) -> None:
    defect.adapter()


def test_there_are_ten_of_each_component() -> None:
    components = [defect.component for defect in DEFECTS]
    assert {name: components.count(name) for name in components} == {
        "valve": 10,
        "window": 10,
        "coordinator": 10,
    }


@pytest.mark.slower
@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_no_wrong_known_bug_is_told(defect: Defect) -> None:
    adapter = defect.adapter()
    vectors = {vector.id: vector.rules for vector in load_vectors(defect.component)}
    evidence = evidence_from(adapter, scenarios(defect.component, 300), vectors=vectors)
    assert evidence.differing, "it shows"
    judgement = judge_evidence(evidence, rules_judged_in(adapter, defect.component), ask=answers_of(adapter))
    assert [term.name for term in judgement.fit.told] == []
    assert not judgement.fit.exact, "no known mutants and policy values are all of it"
    assert any(one.standing in ("fail", "suspect") for one in judgement.rules.values())
