"""The model that behaves as an engine, and what a pass excludes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest
from component_scenarios import drawn
from defective_engines import FiveDefects, LostConnection
from engines import SeenLessClosely, ValveAdapter, cover_sample, histories, valve_scenario
from judged import evidence_from, judgement_of, rules_judged_in

from tidegauge import Adapter
from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge.drawing.histories import draw_history
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.judging.changes.change import change_of, named_changes, policy_changes
from tidegauge.judging.diagnosis.clues import clues_of
from tidegauge.judging.diagnosis.collected import Compared, evidence_of
from tidegauge.judging.diagnosis.component_judgement import ComponentJudgement, judge_evidence
from tidegauge.judging.diagnosis.evidence import Evidence
from tidegauge.judging.diagnosis.exclusion import ENOUGH_KILLS, Excluding
from tidegauge.judging.diagnosis.fitting import Fit, fit
from tidegauge.judging.diagnosis.kinds import by_kind
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.judging.items.places import Places
from tidegauge.mutants.loading import forget_copy
from tidegauge.mutants.mutant import Mutant
from tidegauge.vectors.published import load_vectors
from tidegauge.wire.scenario import Scenario
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import CORE, FLINK_2_3, Policies, Valve
from tidegauge_reference.outputs import Output

NAMED = {change.name: change for change in named_changes("valve")}
SCENARIOS: list[Scenario] = [
    *cover_sample(1, "2-channels-1-timestamp-and-end"),
    *cover_sample(60),
    *histories(800),
]
LIVE_DEFECTS = replace(
    CORE,
    valve_flush_when_all_idle=FLINK_2_3.valve_flush_when_all_idle,
    valve_minimum_when_active=FLINK_2_3.valve_minimum_when_active,
)
"""The two policies of Apache Flink 2.3.0 that FLINK-40475 is about."""


def with_policies(policies: Policies) -> ValveAdapter:
    """A valve under policies of its own."""
    return ValveAdapter(lambda channels: Valve(channels, policies))


def mutant(*names: str) -> MutantAdapter:
    """A valve with all of these defects."""
    several = [load_mutants()[name] for name in names]
    changed = tuple(pair for one in several for pair in one.changed_texts)
    return MutantAdapter(Mutant("-and-".join(names), "valve", "valve", (), "", "Several.", changed), {})


def model_of(adapter: Adapter, left_out: tuple[str, ...] = ()) -> Fit:
    """The model found for an engine of valves."""
    evidence = evidence_from(adapter, SCENARIOS)
    try:
        return fit(evidence, left_out)
    finally:
        evidence.reference.close()


def names(found: Fit) -> set[str]:
    """The terms of a model."""
    return {term.name for term in found.terms}


# Fitting


def test_an_engine_that_agrees_everywhere_is_the_reference() -> None:
    found = model_of(ValveAdapter())
    assert (found.terms, found.exact, found.explained) == ([], True, frozenset())


def test_two_policies_of_an_engine_are_found() -> None:
    found = model_of(with_policies(LIVE_DEFECTS))
    ties = {frozenset(one.name for one in tie) for tie in found.ties}
    assert ties == {
        frozenset({"valve-guarded-flush", "valve_flush_when_all_idle=last-channel-at-output"}),
        frozenset({"valve-stalled-reactivation", "valve_minimum_when_active=deferred"}),
    }, "the mutants that do the same are as likely"
    assert found.exact
    assert found.breached == {"VALVE-12", "VALVE-15"}


@pytest.mark.parametrize(
    "pair",
    [("valve-strictly-caught-up", "valve-no-flush"), ("valve-heard-while-idle", "valve-silent-return")],
    ids="+".join,
)
def test_two_named_mutants_are_found(pair: tuple[str, str]) -> None:
    found = model_of(mutant(*pair))
    assert found.exact
    assert names(found) == set(pair)
    differing = len(evidence_from(mutant(*pair), SCENARIOS).differing)
    assert len(found.explained) == differing > 20


def test_an_engine_that_is_seen_less_closely_is_fitted_too() -> None:
    found = model_of(SeenLessClosely(mutant("valve-no-flush"), "group"))
    assert (names(found), found.exact) == ({"valve-no-flush"}, True)


def test_what_nobody_knows_is_left_unexplained() -> None:
    like_it = ("valve-no-flush", "valve_flush_when_all_idle=last-channel-at-output")
    found = model_of(mutant("valve-strictly-caught-up"), ("valve-strictly-caught-up", *like_it))
    assert not found.exact


@pytest.mark.slower
def test_defects_that_are_no_changes_of_the_reference_are_left_unexplained() -> None:
    class Rounding(Valve):
        def watermark(self, channel: int, timestamp: int) -> list[Output]:
            outputs = super().watermark(channel, timestamp)
            return [(one[0], one[1] // 7 * 7) if len(one) == 2 else one for one in outputs]

    found = model_of(ValveAdapter(Rounding))
    assert not found.exact


def test_the_known_deviations_are_part_of_every_model() -> None:
    known = NAMED["valve-no-flush"]
    evidence = evidence_from(mutant("valve-no-flush", "valve-strictly-caught-up"), SCENARIOS)
    # the same transcripts, compared with a reference that has the known deviation
    knowing = replace(evidence, known=(known,))
    left = [
        replace(one, at=0)
        for one in evidence.differing
        if one.outputs != knowing.expected(one.scenario)[: len(one.outputs)]
    ]
    found = fit(replace(knowing, differing=left))
    assert names(found) == {"valve-strictly-caught-up"}
    evidence.reference.close()
    knowing.reference.close()


def small_valve(name: str, *replacements: tuple[str, str]) -> Mutant:
    """A mutant of valves that no list has."""
    return Mutant(name, "valve", "valve", ("VALVE-2",), "", "A defect.", replacements)


TWISTED = small_valve(
    "twisted",
    (
        'smallest("VALVE-2", delivered)',
        'max(delivered) if getattr(self, "twist", False) else min(delivered) - 7',
    ),
)
TWIST = small_valve(
    "twist", ("self.policies = policies\n", "self.policies = policies\n        self.twist = True\n")
)


def test_two_changes_that_help_only_together_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = (*TWISTED.replacements, *TWIST.replacements)
    engine = MutantAdapter(small_valve("both", *changed), {})
    known = (change_of(TWISTED), change_of(TWIST))
    monkeypatch.setattr("tidegauge.judging.diagnosis.fitting.named_changes", lambda _: known)
    found = model_of(engine)
    assert (names(found), found.exact) == ({"twisted", "twist"}, True)


def test_the_search_ends_with_its_work_and_says_so() -> None:
    evidence = evidence_from(mutant("valve-no-flush"), SCENARIOS)
    found = fit(evidence, steps=0)
    assert (found.terms, found.exact, found.gave_up) == ([], False, True)
    assert fit(evidence).gave_up is False
    evidence.reference.close()


@pytest.mark.slower
def test_what_the_engine_contradicts_somewhere_is_not_told() -> None:
    """The unknown defect is imitated in a part of the scenarios by a known one."""
    unknown = ("valve-guarded-flush", "valve-max-from-nothing", "valve-no-flush")
    policy = "valve_flush_when_all_idle=last-channel-at-output"
    found = model_of(mutant("valve-guarded-flush", "valve-max-from-nothing"), (*unknown, policy))
    assert not found.exact
    assert found.told == []


# What the engine says of itself


@pytest.mark.slower
def test_many_policies_that_hide_each_other_are_found_where_the_engine_says_that_it_has_them() -> None:
    engine = ReferenceAdapter({"policies": "flink-2.3"})
    evidence = evidence_from(engine, drawn("source", 120))
    assert not fit(evidence).exact
    found = fit(replace(evidence, stated=FLINK_2_3))
    assert found.exact
    assert len(found.explained) == len(evidence.differing) > 60
    assert "source_end_of_input=only-reading" in names(found)
    assert "valve_finished_channel=counts" not in names(found), "nothing shows it here"
    evidence.reference.close()


@pytest.mark.slower
def test_what_the_engine_says_of_itself_is_not_believed() -> None:
    evidence = evidence_from(mutant("valve-no-flush"), SCENARIOS, stated=FLINK_2_3)
    assert names(fit(evidence)) == names(model_of(mutant("valve-no-flush")))
    unknown = fit(evidence, ("valve-no-flush", *NAMED), steps=0)
    assert (unknown.terms, unknown.exact) == ([], False)
    evidence.reference.close()


# Exclusion


def excluded(evidence: Evidence, rule: str, found: Fit | None = None) -> tuple[set[str], set[str]]:
    """The mutants of a rule that are excluded, and those that are not."""
    exclusion = Excluding(evidence, found or Fit()).of(rule)
    evidence.reference.close()
    return set(exclusion.excluded), set(exclusion.unseen)


def test_the_mutants_of_a_rule_that_would_have_shown_are_excluded() -> None:
    shown, unseen = excluded(evidence_from(ValveAdapter(), SCENARIOS), "VALVE-10")
    assert "valve-strictly-caught-up" in shown
    assert unseen == set()


def test_a_rule_whose_mutant_nothing_would_show_is_not_tested() -> None:
    """No channel ever comes back."""
    quiet = [one for one in SCENARIOS if not any(type(step).__name__ == "ActiveStep" for step in one.history)]
    assert len(quiet) > 50
    assert "valve-strictly-caught-up" in excluded(evidence_from(ValveAdapter(), quiet), "VALVE-10")[1]
    judgement = judgement_of(ValveAdapter(), quiet).rules
    assert judgement["VALVE-10"].standing == "not-tested"
    assert "mutants that would not have been detected: " in judgement["VALVE-10"].reason
    assert "valve-strictly-caught-up" in judgement["VALVE-10"].reason
    assert judgement["VALVE-2"].standing == "pass"


def test_a_mutant_that_shows_only_beyond_the_engine_is_not_missed() -> None:
    quiet = [one for one in SCENARIOS if not any(type(step).__name__ == "ActiveStep" for step in one.history)]
    beyond = [one for one in SCENARIOS if one not in quiet]
    evidence = replace(evidence_from(ValveAdapter(), quiet), beyond=beyond)
    assert "valve-strictly-caught-up" not in excluded(evidence, "VALVE-10")[1]


def test_what_was_not_run_is_looked_through_by_hand_first() -> None:
    """What was drawn is too much for all of it to be tried."""

    def not_run(suite: str, scenarios: Sequence[Scenario]) -> Compared:
        report = ItemReport(suite, "valve", beyond=Places([(0, len(scenarios))]))
        return Compared(report, suite, scenarios.__getitem__)

    drawn, by_hand = SCENARIOS[:3], [vector.scenario for vector in load_vectors("valve")[:2]]
    compared = [not_run("random-histories", drawn), not_run("vectors", by_hand)]
    evidence = evidence_of("valve", compared, [], CORE, [], "step", [], None)
    assert list(evidence.beyond) == [*by_hand, *drawn]


@pytest.mark.parametrize(
    ("rule", "name"), [("VALVE-13", "valve-silent-return"), ("VALVE-21", "valve-late-status-heard")]
)
def test_a_mutant_that_only_the_engine_hides_is_missed(rule: str, name: str) -> None:
    """An engine without statuses has no snapshots either, which have nothing to do with what it hides."""
    beyond = [one for one in SCENARIOS if one.needs]
    ran = [one for one in SCENARIOS if not one.needs]
    assert len(beyond) > 10
    evidence = replace(evidence_from(mutant("valve-no-statuses"), ran), beyond=beyond)
    found = fit(evidence)
    assert found.exact
    assert name in excluded(evidence, rule, found)[1]


@pytest.mark.slower
def test_a_mutant_that_does_what_the_profile_does_is_not_missed() -> None:
    under_flink = evidence_from(with_policies(FLINK_2_3), SCENARIOS, FLINK_2_3)
    assert "valve-guarded-flush" not in excluded(under_flink, "VALVE-15")[1]
    few = evidence_from(with_policies(FLINK_2_3), [valve_scenario(1, "w0=1")], FLINK_2_3)
    assert "valve-guarded-flush" in excluded(few, "VALVE-15")[1], "one scenario would not show it under core"


def test_a_mutant_is_looked_for_inside_an_exact_model() -> None:
    """An engine that says no idleness shows nothing about the flush before it."""
    evidence = evidence_from(mutant("valve-no-flush"), SCENARIOS)
    found = fit(evidence)
    assert found.exact
    assert excluded(evidence, "VALVE-16", found)[1] == {"valve-flush-under-idle"}


def test_without_an_exact_model_a_mutant_must_show_in_some_scenarios_that_agree() -> None:
    evidence = evidence_from(ValveAdapter(FiveDefects), SCENARIOS)
    inexact = Excluding(evidence, Fit(exact=False)).of("VALVE-3")
    assert inexact.kills >= ENOUGH_KILLS
    few = replace(evidence, agreeing=evidence.agreeing[:15])
    assert Excluding(few, Fit(exact=False)).of("VALVE-3").kills < ENOUGH_KILLS
    evidence.reference.close()
    few.reference.close()


def test_evidence_may_leave_a_mutant_out() -> None:
    """As for a defect nobody thought of."""
    evidence = evidence_from(ValveAdapter(), SCENARIOS)
    exclusion = Excluding(evidence, Fit(), ["valve-strictly-caught-up"]).of("VALVE-10")
    evidence.reference.close()
    assert "valve-strictly-caught-up" not in {*exclusion.excluded, *exclusion.unseen}
    assert exclusion.excluded, "there are others"


# Turned decisions


class Later(Valve):
    """It looks at the alignment of a channel that has caught up at its next watermark."""

    def watermark(self, channel: int, timestamp: int) -> list[Output]:
        source = self.channels[channel] if 0 <= channel < len(self.channels) else None
        lagging = source is not None and not source.aligned and not source.idle
        before = self.output_watermark
        outputs = super().watermark(channel, timestamp)
        if lagging and source is not None and timestamp == before:
            source.aligned = False
        return outputs


def test_a_turned_decision_explains_a_difference_without_any_mutant() -> None:
    evidence = evidence_from(ValveAdapter(Later), SCENARIOS)
    assert evidence.differing
    names = [one.name for one in named_changes("valve")]
    kinds = {kind: several[:3] for kind, several in by_kind(evidence.differing, evidence.expected).items()}
    turned = {rule for clues in clues_of(evidence, kinds, names).values() for rule in clues.turned}
    evidence.reference.close()
    assert "VALVE-10" in turned
    assert not {"VALVE-1", "VALVE-13", "VALVE-14", "VALVE-19", "VALVE-22"} & turned


@pytest.mark.slower
def test_a_rule_that_a_turned_decision_explains_does_not_pass() -> None:
    """The kit is to know no mutant of the rule."""
    evidence = evidence_from(ValveAdapter(Later), SCENARIOS)
    known = {one.name for one in named_changes("valve") if "VALVE-10" in one.rules}
    judgement = judge_evidence(evidence, rules_judged_in(ValveAdapter(), "valve"), known)
    assert judgement.rules["VALVE-10"].standing in ("fail", "suspect", "not-tested")


# What is proved


def standing(judgement: ComponentJudgement, *rules: str) -> set[str]:
    """The standings of these rules."""
    return {judgement.rules[rule].standing for rule in rules}


def test_the_rules_of_an_exact_model_fail_and_those_of_ties_do_not_pass() -> None:
    judgement = judgement_of(with_policies(LIVE_DEFECTS), SCENARIOS)
    failing = {rule for rule, one in judgement.rules.items() if one.standing == "fail"}
    assert failing == {"VALVE-12", "VALVE-15"}
    assert all(judgement.rules[rule].accusation is None for rule in failing)
    assert judgement.rules["VALVE-15"].term == "valve-guarded-flush"
    assert standing(judgement, "VALVE-2", "VALVE-3", "VALVE-10", "VALVE-13") == {"pass"}


@pytest.mark.slower
def test_a_mutant_with_a_long_list_fails_the_rule_that_is_most_suspicious_alone() -> None:
    """It breaks one of its rules at least; the others do not pass."""
    name, change = next(
        (name, one) for name, one in NAMED.items() if one.any_of and name != "valve-does-nothing"
    )
    judgement = judgement_of(mutant(name), SCENARIOS)
    assert name in {term.name for term in judgement.fit.terms}
    failing = {rule for rule, one in judgement.rules.items() if one.standing == "fail"}
    assert len(failing) == 1
    assert failing <= set(change.rules)
    others = set(change.rules) - failing
    assert standing(judgement, *others) <= {"not-tested"}


def test_of_the_rules_of_a_mutant_those_fail_that_decide_where_the_engine_differs() -> None:
    """Generators that measure time themselves are in no scenario."""
    several = [draw_history(COMPONENTS["idleness"], 1, index, CORE) for index in range(400)]
    scenarios = [one for one in several if one.setup.generator != "after-silence"]
    adapter = MutantAdapter(load_mutants()["idleness-system-clock"], {})
    judgement = judgement_of(adapter, scenarios)
    assert {"CLOCK-1", "IDLE-1", "IDLE-6"} == set(load_mutants()["idleness-system-clock"].rules)
    assert judgement.rules["IDLE-1"].standing == "fail"
    assert judgement.rules["IDLE-6"].standing == "not-tested"


def test_a_silent_engine_fails_every_rule() -> None:
    class Silent(Valve):
        def watermark(self, channel: int, timestamp: int) -> list[Output]:
            return []

        idle = active = lambda self, channel: []

    judgement = judgement_of(ValveAdapter(Silent), SCENARIOS)
    assert {one.standing for one in judgement.rules.values()} == {"fail"}
    assert {one.reason for one in judgement.rules.values()} == {
        "the engine output nothing at all, in any scenario"
    }


def test_what_agrees_with_silence_is_not_silent() -> None:
    """An engine that answers scenarios in which nothing comes out agrees."""
    quiet = [valve_scenario(2, "w0=1", id="a"), valve_scenario(2, "w0=2", id="b")]
    judgement = judgement_of(ValveAdapter(), quiet)
    assert "fail" not in {one.standing for one in judgement.rules.values()}


def test_rules_that_decide_where_no_answer_came_are_in_error() -> None:
    judgement = judgement_of(ValveAdapter(LostConnection), SCENARIOS)
    assert standing(judgement, "VALVE-2", "VALVE-3", "VALVE-5") == {"error"}
    assert "fail" not in {one.standing for one in judgement.rules.values()}
    assert judgement.fit.exact, "a scenario without an answer is nothing to be explained"


@pytest.mark.slower
def test_what_stands_out_fails_where_nothing_is_proved_and_is_marked_so() -> None:
    judgement = judgement_of(ValveAdapter(FiveDefects), SCENARIOS)
    assert not judgement.fit.exact
    standings = {one.standing for one in judgement.rules.values()}
    assert {"fail", "suspect"} <= standings
    for rule, one in judgement.rules.items():
        if one.standing in ("fail", "suspect"):
            assert one.accusation is not None, "no model proves it"
            assert one.accusation.stands_out == (one.standing == "fail")
            assert rule in one.accusation.rules
            assert one.reason.endswith(f"scenario {one.accusation.differences[0].scenario.id} differs")
    hindered = [one for one in judgement.rules.values() if one.in_the_way]
    assert hindered
    assert {one.standing for one in hindered} == {"not-tested"}


def test_the_judgement_closes_its_models(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []

    def forgotten(name: str) -> None:
        closed.append(name)
        forget_copy(name)

    monkeypatch.setattr("tidegauge.judging.diagnosis.model.forget_copy", forgotten)
    judgement_of(mutant("valve-no-flush"), SCENARIOS[:200])
    assert len(closed) == len(set(closed)) > 3


@pytest.mark.parametrize("component", ["clock", "splits", "backlog"])
def test_every_policy_of_a_component_is_found_or_changes_nothing(component: str) -> None:
    """A reference under the other value is that policy, or what does the same."""
    scenarios = drawn(component, 400)
    for change in policy_changes(component, CORE):
        assert change.policy is not None
        engine = ReferenceAdapter({})
        policies = replace(CORE, **{change.policy[0]: change.policy[1]})
        setattr(engine, component, partial(COMPONENTS[component].reference, policies=policies))
        evidence = evidence_from(engine, scenarios)
        found = fit(evidence)
        evidence.reference.close()
        assert found.exact, change.name
        tied = {one.name for tie in found.ties for one in tie}
        assert not evidence.differing or change.name in tied | names(found)
