"""From findings to verdicts: each verdict with its reason in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace as replace_rule

import pytest
from engines import ValveAdapter, compared, histories, valve_scenario
from msgspec.structs import replace

from tidegauge.components.registry import COMPONENTS
from tidegauge.judging.blame import Spectrum
from tidegauge.judging.examination import Counted, FoundFailure, PropertyCount
from tidegauge.judging.jobs import RULES_OF_JOB_PROPERTIES, can_be_checked
from tidegauge.judging.verdicts import (
    ENOUGH_SCENARIOS,
    Blamed,
    Circumstances,
    Findings,
    blamed_rules,
    merged,
    verdict,
)
from tidegauge.transcript import Transcript
from tidegauge_reference import Valve
from tidegauge_spec import Rule, load_registry

RULES = load_registry().rules
ORDINARY, ABOUT_SNAPSHOTS = RULES["VALVE-3"], RULES["VALVE-23"]


def failure(
    *cited: str, steps: int = 1, deterministic: bool = True, property: str | None = None, name: str = "found"
) -> FoundFailure:
    """A failing history of so many steps in which these decisions were made."""
    scenario = valve_scenario(1, *("i0",) * steps)
    return FoundFailure(
        scenario,
        Transcript(scenario.id, ()),
        name,
        list(cited),
        deterministic=deterministic,
        property=property,
    )


def findings(*failures: FoundFailure, counted: Mapping[str, int] | None = None) -> Findings:
    """What a run found: its failures (each diverging once), and scenarios in which rules decided rightly."""
    spectrum = Spectrum({}, {}, 0)
    for found in failures:
        spectrum.add(True, found.cited)
    for rule, scenarios in (counted or {}).items():
        for _ in range(scenarios):
            spectrum.add(False, [rule])
    return Findings(
        failures=list(failures),
        failing=len(failures),
        spectrum=spectrum,
        rules={rule: Counted(scenarios, scenarios) for rule, scenarios in (counted or {}).items()},
    )


def judged(
    rule: Rule,
    found: Findings,
    capabilities: tuple[str, ...] = ("valve", "snapshot"),
    never_output: frozenset[str] = frozenset(),
    not_run: Mapping[str, str] | None = None,
) -> tuple[str, str]:
    """The verdict on a rule, and its reason."""
    circumstances = Circumstances(frozenset(capabilities), never_output, not_run or {})
    return verdict(rule, found, blamed_rules(found, COMPONENTS), circumstances)


def test_a_rule_that_decided_often_enough_passes() -> None:
    found = findings(counted={"VALVE-3": ENOUGH_SCENARIOS})
    assert judged(ORDINARY, found) == ("pass", "decided in 10 scenarios that agree")


def test_a_rule_that_decided_too_rarely_is_not_judged() -> None:
    found = findings(counted={"VALVE-3": ENOUGH_SCENARIOS - 1})
    assert judged(ORDINARY, found) == (
        "not-judged",
        "exercised too rarely: decided in 9 scenarios that agree, 10 are needed",
    )
    assert judged(ORDINARY, findings())[0] == "not-judged"


def test_a_rule_behind_a_broken_one_is_not_judged_and_says_behind_which() -> None:
    found = findings(failure("VALVE-6"), counted={"VALVE-3": 2})
    assert judged(ORDINARY, found) == (
        "not-judged",
        "hidden behind VALVE-6: decided in 2 scenarios that agree, 10 are needed",
    )


def test_a_rule_beside_a_broken_one_passes_if_it_decided_often_enough() -> None:
    found = findings(failure("VALVE-6"), counted={"VALVE-3": 12})
    assert judged(ORDINARY, found)[0] == "pass"


def test_the_first_suspect_fails() -> None:
    found = findings(failure("VALVE-3", "VALVE-2"), counted={"VALVE-2": 50, "VALVE-3": 50, "VALVE-4": 50})
    found.spectrum.passed["VALVE-3"] = 0
    assert judged(ORDINARY, found) == ("fail", "first suspect in a history that diverges")
    assert judged(RULES["VALVE-2"], found)[0] == "pass"


def test_an_answer_that_changes_fails_as_not_deterministic() -> None:
    found = findings(failure("VALVE-3", deterministic=False))
    assert judged(ORDINARY, found) == ("fail", "not deterministic: the same history gave different outputs")


def test_a_violated_property_fails_the_rules_it_speaks_for() -> None:
    found = findings(failure(property="valve-shift"))
    assert judged(RULES["VALVE-2"], found) == ("fail", "the property valve-shift is violated")
    assert judged(ORDINARY, found)[0] == "not-judged"


def test_what_is_not_claimed_does_not_apply() -> None:
    found = findings(failure("VALVE-6"))
    assert judged(ORDINARY, found, capabilities=()) == (
        "not-applicable",
        "the engine does not claim the component valve",
    )
    assert judged(ABOUT_SNAPSHOTS, found, capabilities=("valve",)) == (
        "not-applicable",
        "the engine does not claim the capability snapshot",
    )


def test_a_rule_that_is_to_blame_fails_also_where_it_belongs_to_a_component_not_claimed() -> None:
    """Components build on others: the clock's defect shows in idleness."""
    found = findings(failure("VALVE-3"))
    assert judged(ORDINARY, found, capabilities=("idleness",))[0] == "fail"


def test_a_rule_that_cannot_be_tested_does_not_apply() -> None:
    untestable = replace_rule(ORDINARY, checked_by=("not testable: it binds the user",))
    assert judged(untestable, findings()) == ("not-applicable", "not testable: it binds the user")


def test_an_engine_that_never_output_anything_fails_every_rule_it_claims() -> None:
    found = findings(failure("VALVE-6"), counted={"VALVE-3": 100})
    assert judged(ORDINARY, found, never_output=frozenset({"valve"})) == (
        "fail",
        "the engine output nothing at all, in any scenario",
    )
    assert (
        judged(ABOUT_SNAPSHOTS, found, capabilities=("valve",), never_output=frozenset({"valve"}))[0]
        == "not-applicable"
    )


def test_a_rule_whose_scenarios_did_not_run_is_not_run() -> None:
    found = findings(counted={"VALVE-3": 100})
    reasons = {"VALVE-3": "the engine crashed in scenario valve:seed:1:7"}
    assert judged(ORDINARY, found, not_run=reasons) == ("not-run", reasons["VALVE-3"])
    assert judged(RULES["VALVE-2"], found, not_run=reasons)[0] == "not-judged"


def test_a_failure_comes_before_what_did_not_run() -> None:
    assert judged(ORDINARY, findings(failure("VALVE-3")), not_run={"VALVE-3": "crashed"})[0] == "fail"


def test_the_fewest_rules_that_account_for_the_failures_are_blamed() -> None:
    found = findings(
        failure("VALVE-6", "VALVE-2", name="a"),
        failure("VALVE-6", "VALVE-3", name="b"),
        failure("VALVE-10", name="c"),
        counted={"VALVE-2": 20, "VALVE-3": 20},
    )
    assert set(blamed_rules(found, COMPONENTS)) == {"VALVE-6", "VALVE-10"}


def test_equally_suspicious_rules_are_blamed_together() -> None:
    assert set(blamed_rules(findings(failure("VALVE-6", "VALVE-7")), COMPONENTS)) == {"VALVE-6", "VALVE-7"}


def test_a_blamed_rule_shows_its_smallest_failure() -> None:
    found = findings(
        failure("VALVE-6", steps=5, name="long"),
        failure("VALVE-6", steps=2, name="short"),
        failure("VALVE-6", steps=1, name="shortest, but of a property", property="valve-shift"),
    )
    blamed = blamed_rules(found, COMPONENTS)["VALVE-6"]
    assert isinstance(blamed, Blamed)
    assert blamed.failure.found_as == "short"
    assert blamed.suspects[0][0] == "VALVE-6"


def test_nothing_is_blamed_where_nothing_fails() -> None:
    assert blamed_rules(findings(counted={"VALVE-3": 3}), COMPONENTS) == {}


def test_findings_of_two_items_add_up() -> None:
    reports = [compared(ValveAdapter(), histories(50, seed)) for seed in (1, 2)]
    found = merged([replace(report, item=str(number)) for number, report in enumerate(reports)])
    assert found.scenarios == 100
    assert found.rules["VALVE-3"].scenarios == sum(report.rules["VALVE-3"].scenarios for report in reports)


class Unsteady(Valve):
    """Whether it outputs depends on how many were made before it."""

    made = 0

    def __init__(self, channels: int) -> None:
        super().__init__(channels)
        Unsteady.made += 1
        self.silent = Unsteady.made % 3 == 0

    def watermark(self, channel: int, timestamp: int) -> list[tuple[str] | tuple[str, int]]:
        outputs = super().watermark(channel, timestamp)
        return [] if self.silent else outputs


@pytest.mark.parametrize("count", [30, 300])
def test_an_engine_that_changes_its_answers_fails_and_the_verdict_says_so(count: int) -> None:
    report = compared(ValveAdapter(Unsteady), histories(count))
    found = merged([report])
    reasons = {
        judged(RULES[rule], found)[1]
        for rule, blamed in blamed_rules(found, COMPONENTS).items()
        if not blamed.failure.deterministic
    }
    assert reasons == {"not deterministic: the same history gave different outputs"}


def test_properties_of_jobs_that_an_engine_cannot_run_are_not_asked_for() -> None:
    """An engine that has jobs without windows passes the rules that its own jobs show."""
    without_windows = frozenset({"job", "alignment", "restart", "int64"})
    names = [name for name in RULES_OF_JOB_PROPERTIES if can_be_checked(name, without_windows)]
    assert 10 < len(names) < len(RULES_OF_JOB_PROPERTIES)
    found = Findings(properties={name: PropertyCount(checked=1) for name in names})
    every_rule = {rule for name in names for rule in RULES_OF_JOB_PROPERTIES[name]}
    for rule in sorted(every_rule - {"JOB-10"}):
        assert judged(RULES[rule], found, tuple(without_windows))[0] == "pass", rule
    for rule in ("JOB-9", "JOB-10"):
        assert judged(RULES[rule], found, tuple(without_windows))[0] == "not-applicable"
    found.properties.pop(names[0])
    assert judged(RULES["JOB-1"], found, tuple(without_windows))[0] == "not-judged"
