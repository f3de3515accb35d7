"""Which rule is to blame: decisions made often up to a divergence and seldom elsewhere."""

from __future__ import annotations

import math

import pytest

from tidegauge.judging.items.blame import ACTED, Spectrum


def spectrum(*scenarios: tuple[bool, set[str]]) -> Spectrum:
    """The counts of scenarios: whether each diverged, and its decisions."""
    counted = Spectrum({}, {}, 0)
    for diverged, cited in scenarios:
        counted.add(diverged, cited)
    return counted


def test_a_decision_of_all_failing_scenarios_and_no_other_scores_one() -> None:
    counted = spectrum((True, {"R-1", "R-2"}), (True, {"R-1"}), (False, {"R-2"}))
    assert counted.score("R-1") == 1.0
    assert counted.score("R-2") == pytest.approx(1 / math.sqrt(2 * 2))
    assert counted.score("R-3") == 0.0


def test_a_decision_of_passing_scenarios_only_scores_nothing() -> None:
    assert spectrum((True, {"R-1"}), (False, {"R-2"})).score("R-2") == 0.0


def test_the_two_outcomes_of_a_decision_are_counted_apart() -> None:
    counted = spectrum((True, {"R-1", "R-2!"}), (False, {"R-1!", "R-2!"}), (False, {"R-1!"}))
    assert counted.score("R-1") == 1.0
    assert counted.score("R-1!") == 0.0
    assert counted.suspects(["R-1", "R-1!", "R-2!"])[0] == ("R-1", 1.0)


def test_a_rule_is_as_suspicious_as_the_more_suspicious_of_its_outcomes() -> None:
    counted = spectrum((True, {"R-1!", "R-2"}), (False, {"R-1", "R-2"}))
    assert [rule for rule, _ in counted.suspects(["R-1", "R-1!", "R-2"])] == ["R-1", "R-2"]


def test_a_rule_that_acted_is_a_little_more_suspicious() -> None:
    counted = spectrum((True, {"R-1", "R-2!"}))
    assert counted.suspects(["R-1", "R-2!"]) == [("R-1", 1.0), ("R-2", round(1 / (1 + ACTED), 4))]


def test_only_decisions_of_the_history_at_hand_are_suspects() -> None:
    counted = spectrum((True, {"R-1", "R-2"}))
    assert [rule for rule, _ in counted.suspects(["R-2"])] == ["R-2"]
    assert counted.suspects([]) == []


def test_scores_are_relative_to_the_highest_so_that_rare_failures_weigh_as_much() -> None:
    counted = spectrum((True, {"R-1", "R-2"}), (False, {"R-1"}), (False, {"R-1", "R-2"}), (False, {"R-1"}))
    assert counted.score("R-2") < 1
    assert counted.suspects(["R-1", "R-2"]) == [
        ("R-2", 1.0),
        ("R-1", round(math.sqrt(0.5), 4)),
    ]
    assert counted.suspects(["R-3"]) == [("R-3", 0.0)]


def test_equal_suspects_stand_in_the_order_of_their_names() -> None:
    assert [rule for rule, _ in spectrum((True, {"R-2", "R-1"})).suspects(["R-2", "R-1"])] == ["R-1", "R-2"]


def test_parts_of_a_run_add_up_whatever_their_order() -> None:
    parts = [(True, {"R-1"}), (False, {"R-1", "R-2"}), (True, {"R-2!"})]
    whole = spectrum(*parts)
    for order in (parts, parts[::-1]):
        merged = Spectrum({}, {}, 0)
        for part in order:
            merged.merge(spectrum(part))
        assert (merged.failed, merged.passed, merged.failures) == (whole.failed, whole.passed, whole.failures)


def test_counts_of_two_spectra_do_not_run_into_each_other() -> None:
    first, second = Spectrum(), Spectrum()
    first.add(True, ["R-1"])
    assert second.failed == {}
