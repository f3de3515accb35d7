"""`cite` is a comment that executes. That every rule is cited: `test_components.py`."""

from __future__ import annotations

import pytest
from component_scenarios import decisions

from tidegauge_reference import MAX, PROFILES, Valve, citations, cite
from tidegauge_reference.choices import before, latest, smallest


@pytest.mark.parametrize("condition", [True, False])
def test_cite_returns_the_condition_whether_or_not_citations_are_collected(condition: bool) -> None:
    assert cite("VALVE-1", condition) is condition
    with citations():
        assert cite("VALVE-1", condition) is condition


def test_cite_without_a_condition_holds() -> None:
    with citations() as collected:
        assert cite("VALVE-23") is True
    assert collected == ["VALVE-23"]


def test_citations_are_in_order_and_name_the_outcome() -> None:
    with citations() as collected:
        cite("VALVE-1", True)
        cite("VALVE-2", False)
        cite("VALVE-1", True)
    assert collected == ["VALVE-1", "VALVE-2!", "VALVE-1"]
    cite("VALVE-3", True)
    assert len(collected) == 3


@pytest.mark.parametrize(
    ("flipped", "held", "did_not_hold"),
    [("VALVE-1", False, False), ("VALVE-1!", True, True), ("VALVE-2", True, False)],
)
def test_a_flipped_decision_goes_the_other_way_on_that_outcome_only(
    flipped: str, held: bool, did_not_hold: bool
) -> None:
    with citations(flipped) as collected:
        assert cite("VALVE-1", True) is held
        assert cite("VALVE-1", False) is did_not_hold
    assert collected == ["VALVE-1", "VALVE-1!"]
    assert cite("VALVE-1", True) is True


def test_the_smallest_is_a_decision_where_timestamps_differ() -> None:
    with citations() as collected:
        assert smallest("VALVE-2", [5, 3, 4]) == 3
        assert smallest("VALVE-2", [4, 4]) == 4
        assert smallest("VALVE-2", [], default=7) == 7
    assert collected == ["VALVE-2", "VALVE-2!"]
    with citations("VALVE-2"):
        assert smallest("VALVE-2", [5, 3, 4]) == 5
    assert smallest("VALVE-2", []) == MAX


def test_the_latest_is_a_decision_where_it_is_lower() -> None:
    with citations() as collected:
        assert latest("ALIGN-8", 5, 3) == 3
        assert latest("ALIGN-8", 3, 5) == 5
    assert collected == ["ALIGN-8", "ALIGN-8!"]
    with citations("ALIGN-8"):
        assert latest("ALIGN-8", 5, 3) == 5


def test_an_order_is_a_decision_where_there_are_outputs_of_both() -> None:
    with citations() as collected:
        assert before("VALVE-16", [("watermark", 5)], [("idle",)]) == [("watermark", 5), ("idle",)]
        assert before("VALVE-16", [], [("idle",)]) == [("idle",)]
    assert collected == ["VALVE-16", "VALVE-16!"]
    with citations("VALVE-16"):
        assert before("VALVE-16", [("watermark", 5)], [("idle",)]) == [("idle",), ("watermark", 5)]


def test_a_flipped_valve_breaks_the_rule_and_the_next_one_does_not() -> None:
    with citations("VALVE-3"):
        valve = Valve(1)
        assert valve.watermark(0, 5) == [("watermark", 5)]
        valve.watermark(0, 3)
        assert valve.state()[0][0][0] == 3
    valve = Valve(1)
    valve.watermark(0, 5)
    valve.watermark(0, 3)
    assert valve.state()[0][0][0] == 5


def test_blocks_do_not_nest_and_an_exception_ends_the_collection() -> None:
    with citations() as collected, pytest.raises(RuntimeError, match="already"), citations():
        pass
    assert collected == []

    def fails() -> None:
        with citations("VALVE-1"):
            raise LookupError

    with pytest.raises(LookupError):
        fails()
    with citations() as collected:
        assert cite("VALVE-1", True) is True
    assert collected == ["VALVE-1"]


def test_a_rule_whose_policy_the_profile_changes_is_cited_as_not_holding() -> None:
    counts = decisions("valve", PROFILES["flink-2.3"])
    changed = {"VALVE-12", "VALVE-17", "VALVE-18", "VALVE-20", "VALVE-21"}
    assert {rule for rule in changed if counts[rule]} == set()
    assert {rule for rule in changed if counts[f"{rule}!"]} == changed
