"""Which rule is to blame: decisions made often up to a divergence and seldom elsewhere."""

from __future__ import annotations

import math

import pytest
from engines import valve_scenario

from tidegauge.judging.items.blame import EXPLAINED, Spectrum
from tidegauge.judging.items.explanation import explaining_rules
from tidegauge.judging.reference.oracle import expect
from tidegauge.wire.steps.clock import AdvanceStep
from tidegauge.wire.steps.idleness import IdlenessScenario, IdlenessSetup, TickStep
from tidegauge.wire.steps.valve import ValveScenario, ValveSetup, WatermarkStep
from tidegauge.wire.transcript import Failure, Observation, Outputs, Transcript, joined, spans
from tidegauge.wire.vocabulary import Idle, Restore, Snapshot, Watermark
from tidegauge_reference import CORE


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
    assert counted.suspects(["R-1", "R-1!", "R-2!"])[0] == ("R-1", round(1 / (1 + EXPLAINED), 4))


def test_a_rule_is_as_suspicious_as_the_more_suspicious_of_its_outcomes() -> None:
    counted = spectrum((True, {"R-1!", "R-2"}), (False, {"R-1", "R-2"}))
    assert [rule for rule, _ in counted.suspects(["R-1", "R-1!", "R-2"])] == ["R-1", "R-2"]


def test_only_decisions_of_the_history_at_hand_are_suspects() -> None:
    counted = spectrum((True, {"R-1", "R-2"}))
    assert [rule for rule, _ in counted.suspects(["R-2"])] == ["R-2"]
    assert counted.suspects([]) == []


def test_an_explaining_rule_is_raised() -> None:
    counted = spectrum((True, {"R-1", "R-2"}), (False, {"R-2"}))
    assert counted.suspects(["R-1", "R-2"])[0][0] == "R-1"
    raised = counted.suspects(["R-1", "R-2"], explaining=["R-2"])
    assert raised == [
        ("R-2", round((math.sqrt(0.5) + EXPLAINED) / (1 + EXPLAINED), 4)),
        ("R-1", round(1 / (1 + EXPLAINED), 4)),
    ]


def test_scores_are_relative_to_the_highest_so_that_rare_failures_weigh_as_much() -> None:
    counted = spectrum((True, {"R-1", "R-2"}), (False, {"R-1"}), (False, {"R-1", "R-2"}), (False, {"R-1"}))
    assert counted.score("R-2") < 1
    assert counted.suspects(["R-1", "R-2"]) == [
        ("R-2", round(1 / (1 + EXPLAINED), 4)),
        ("R-1", round(math.sqrt(0.5) / (1 + EXPLAINED), 4)),
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


CAUGHT_UP = valve_scenario(2, "i1", "w0=5", "a1", "w1=5", "w0=7", groups=(4, 1))


def explained_by(watermarks: list[int], observes: Observation = "step") -> list[str]:
    """The rules whose turning round outputs these watermarks, one a step (0: none)."""
    per_step: list[Outputs] = [(Watermark(timestamp),) if timestamp else () for timestamp in watermarks]
    transcript = Transcript("own", tuple(joined(per_step, spans(CAUGHT_UP, observes))))
    cited = [decision for step in expect(CAUGHT_UP, CORE).cited for decision in step]
    return explaining_rules(CAUGHT_UP, transcript, cited, CORE, observes)


@pytest.mark.parametrize("observes", ["step", "group", "scenario"])
def test_the_rule_whose_turning_round_gives_the_same_outputs_explains_them(observes: Observation) -> None:
    assert "VALVE-10" in explained_by([0, 5, 0, 0, 7], observes), "not aligned although it has caught up"
    assert "VALVE-2" not in explained_by([0, 5, 0, 0, 7], observes)


def test_outputs_that_no_single_rule_explains_are_explained_by_none() -> None:
    assert explained_by([0, 5, 0, 0, 9]) == []


def test_a_failure_is_explained_by_none() -> None:
    turned: tuple[Outputs, ...] = ((), (Watermark(5),), (), (), (Watermark(7),))
    assert explaining_rules(CAUGHT_UP, Transcript("own", turned), ["VALVE-10"], CORE, "step") == ["VALVE-10"]
    broken = Transcript("own", turned, Failure("exception", "KeyError"))
    assert explaining_rules(CAUGHT_UP, broken, ["VALVE-10"], CORE, "step") == []


def test_a_smallest_history_that_restores_fails_because_it_restores() -> None:
    scenario = ValveScenario(
        id="own",
        setup=ValveSetup(1),
        history=(Snapshot(), Restore(), WatermarkStep(0, 5)),
        needs=("snapshot",),
    )
    nothing = Transcript("own", ((), (), ()))
    assert explaining_rules(scenario, nothing, ["VALVE-2", "VALVE-23", "VALVE-22!"], CORE, "step") == [
        "VALVE-2",
        "VALVE-23",
    ]
    without = ValveScenario(id="own", setup=ValveSetup(1), history=(WatermarkStep(0, 5),))
    assert explaining_rules(without, Transcript("own", ((),)), ["VALVE-2"], CORE, "step") == ["VALVE-2"]


def test_a_rule_that_is_broken_under_a_condition_explains_what_comes_of_it_in_the_last_step() -> None:
    """Turned round throughout, VALVE-2 would hold back the first watermark too."""
    scenario = valve_scenario(1, "w0=5", "w0=7", "w0=9")
    cited = [decision for step in expect(scenario, CORE).cited for decision in step]
    stalls = Transcript("own", ((Watermark(5),), (Watermark(7),), ()))
    assert "VALVE-2" in explaining_rules(scenario, stalls, cited, CORE, "step")
    skips = Transcript("own", ((Watermark(5),), (), (Watermark(9),)))
    assert explaining_rules(scenario, skips, cited, CORE, "step") == []


def test_what_a_component_builds_on_is_not_to_blame_for_what_it_forgets_itself() -> None:
    """Of a restored input IDLE-7 speaks, although its clock is restored with it (CLOCK-6)."""
    setup = IdlenessSetup("none", timeout=1)
    history = (TickStep(), Snapshot(), Restore(), AdvanceStep(2), TickStep())
    scenario = IdlenessScenario(id="own", setup=setup, history=history, needs=("snapshot",))
    expectation = expect(scenario, CORE)
    assert expectation.outputs[-1] == (Idle(),)
    cited = [decision for step in expectation.cited for decision in step]
    assert {"IDLE-7", "CLOCK-6"} <= set(cited)
    forgotten = explaining_rules(scenario, Transcript("own", ((),) * 5), cited, CORE, "step")
    assert "IDLE-7" in forgotten
    assert "CLOCK-6" not in forgotten
