"""The verdict on a rule, from what components and jobs prove of it: which comes first, and its reason in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace as replace_rule

import pytest

from tidegauge.components.job.jobs import JOBS
from tidegauge.components.registry import load_mutants
from tidegauge.judging.diagnosis.component_judgement import ComponentJudgement, RuleJudgement, Standing
from tidegauge.judging.diagnosis.fitting import Fit
from tidegauge.judging.items.item_report import Counted, LeftOut, PropertyCount
from tidegauge.judging.items.merged import Findings
from tidegauge.judging.jobs.findings import RULES_OF_JOB_PROPERTIES, can_be_checked
from tidegauge.judging.jobs.judgement import job_kills
from tidegauge.judging.verdicts.rule_verdicts import Circumstances, ruling
from tidegauge_spec import Rule, load_registry

RULES = load_registry().rules
ORDINARY, ABOUT_SNAPSHOTS, OF_TIME = RULES["VALVE-3"], RULES["VALVE-23"], RULES["TIME-2"]
CLAIMED = frozenset({"valve", "snapshot"})


def proved(standing: Standing, reason: str = "why", **facts: bool) -> RuleJudgement:
    """What a component proves of a rule."""
    return RuleJudgement(standing, reason, **facts)  # type: ignore[arg-type]


def ruled(
    rule: Rule,
    found: Mapping[str, RuleJudgement],
    findings: Findings | None = None,
    claimed: frozenset[str] = CLAIMED,
    **circumstances: object,
) -> tuple[str, str]:
    """The verdict on a rule of which the components prove this, and its reason."""
    components = {
        name: ComponentJudgement({rule.id: judgement}, Fit(), 0, []) for name, judgement in found.items()
    }
    around = Circumstances(claimed, **circumstances)  # type: ignore[arg-type]
    given = ruling(rule, findings or Findings(), components, {}, around)
    return given.verdict, given.reason


@pytest.mark.parametrize("standing", ["pass", "fail", "error", "not-tested"])
def test_what_the_component_proves_is_the_verdict(standing: Standing) -> None:
    assert ruled(ORDINARY, {"valve": proved(standing)}) == (standing, "why")


def test_what_is_not_claimed_does_not_apply() -> None:
    found = {"valve": proved("fail")}
    assert ruled(ORDINARY, found, claimed=frozenset()) == (
        "not-applicable",
        "not claimed by this engine: the component valve",
    )
    assert ruled(ABOUT_SNAPSHOTS, found, claimed=frozenset({"valve"})) == (
        "not-applicable",
        "not claimed by this engine: the capability snapshot",
    )


def test_a_rule_does_not_pass_by_jobs_that_cannot_show_it() -> None:
    """JOB-8 is about backpressure. Another property, in which its breach would show as well, holds in jobs without
    any."""
    held = Findings(properties={name: PropertyCount(checked=1) for name in RULES_OF_JOB_PROPERTIES})
    claimed = frozenset({"job", "alignment", "job-idleness", "job-windows"})
    assert ruled(RULES["JOB-8"], {}, held, claimed) == (
        "not-applicable",
        "not claimed by this engine: the capability job-backpressure",
    )
    assert ruled(RULES["JOB-7"], {}, held, claimed, jobs=frozenset(JOBS))[0] == "pass"
    with_it = claimed | {"job-backpressure"}
    assert ruled(RULES["JOB-8"], {}, held, with_it, jobs=frozenset(JOBS))[0] == "pass"


def test_a_rule_that_cannot_be_tested_does_not_apply() -> None:
    untestable = replace_rule(ORDINARY, checked_by=("not testable: it binds the user",))
    assert ruled(untestable, {"valve": proved("pass")}) == (
        "not-applicable",
        "not testable: it binds the user",
    )


def test_no_item_of_the_component_is_no_evidence() -> None:
    assert ruled(ORDINARY, {}) == ("not-tested", "no test item of this component was completed")


def test_a_component_that_answered_nothing_is_in_error() -> None:
    assert ruled(ORDINARY, {}, refused={"valve": "no answer"}) == ("error", "no answer")
    assert ruled(ORDINARY, {"valve": proved("pass")}, refused={"splits": "no answer"})[0] == "pass"


def test_a_rule_that_decides_where_the_process_ended_is_in_error() -> None:
    ended = {"VALVE-3": "the engine crashed in scenario valve:seed:1:7"}
    assert ruled(ORDINARY, {"valve": proved("pass")}, ended=ended) == ("error", ended["VALVE-3"])
    assert ruled(RULES["VALVE-2"], {"valve": proved("pass")}, ended=ended)[0] == "pass"


def test_no_rule_of_a_component_passes_whose_items_did_not_come_to_their_end() -> None:
    cut = {"valve": "1 of 13 test items of this component were not completed"}
    assert ruled(ORDINARY, {"valve": proved("pass")}, not_run=cut) == ("not-tested", cut["valve"])
    assert ruled(ORDINARY, {"valve": proved("not-tested")}, not_run=cut) == ("not-tested", cut["valve"])
    assert ruled(ORDINARY, {"valve": proved("error")}, not_run=cut)[0] == "error"


def test_a_breach_that_is_proved_comes_before_everything() -> None:
    found = {"valve": proved("fail")}
    everything = {"refused": {"valve": "r"}, "ended": {"VALVE-3": "e"}, "not_run": {"valve": "n"}}
    assert ruled(ORDINARY, found, **everything) == ("fail", "why")  # type: ignore[arg-type]


CLAIMED_WITH_TIME = frozenset({"generator", "idleness", "coordinator", "window", "int64"})


def test_a_rule_of_time_passes_where_it_decides() -> None:
    rare = proved("not-tested", "too rarely", undecided=True)
    found = {"generator": proved("pass"), "idleness": rare}
    assert ruled(OF_TIME, found, claimed=CLAIMED_WITH_TIME) == ("pass", "why")
    assert ruled(OF_TIME, {"generator": rare}, claimed=CLAIMED_WITH_TIME) == ("not-tested", "too rarely")
    broken = {"generator": proved("pass"), "idleness": proved("fail", "broken")}
    assert ruled(OF_TIME, broken, claimed=CLAIMED_WITH_TIME) == ("fail", "broken")


def test_a_rule_of_time_is_not_tested_where_a_breach_could_have_shown() -> None:
    found = {"generator": proved("pass"), "idleness": proved("not-tested", "a mutant is missed")}
    assert ruled(OF_TIME, found, claimed=CLAIMED_WITH_TIME) == ("not-tested", "a mutant is missed")


def test_a_rule_that_decides_only_outside_of_the_shape_is_not_applicable() -> None:
    outside = Findings(left_out=LeftOut(outside={"VALVE-3": "statuses of channels"}))
    rare = {"valve": proved("not-tested", undecided=True)}
    assert ruled(ORDINARY, rare, outside) == (
        "not-applicable",
        "the rule is about features outside the declared shape: statuses of channels",
    )
    assert ruled(ORDINARY, rare)[0] == "not-tested"
    assert ruled(ORDINARY, {"valve": proved("not-tested")}, outside)[0] == "not-tested"


def test_a_rule_that_decides_only_in_what_an_adapter_hides_is_not_tested() -> None:
    hidden = Findings(left_out=LeftOut(rules={"VALVE-3": 3}, hidden={"VALVE-3": "a status"}))
    rare = {"valve": proved("not-tested", undecided=True)}
    assert ruled(ORDINARY, rare, hidden) == (
        "not-tested",
        'the adapter does not express the scenarios in which the rule decides ("a status")',
    )


def test_a_rule_passes_only_if_it_decided_often_enough() -> None:
    twice = Findings(rules={"VALVE-3": Counted(scenarios=2)})
    passing = {"valve": proved("pass", excluded=["valve-min-ignored"])}
    assert ruled(ORDINARY, passing, twice, least_decided=3) == (
        "not-tested",
        "decided in 2 scenarios that agree, 3 are needed",
    )
    assert ruled(ORDINARY, passing, twice, least_decided=2)[0] == "pass"


WITHOUT_WINDOWS = frozenset({"job", "alignment", "restart", "int64"})
ALL_JOBS = frozenset(job for shown in job_kills().values() for job, _ in shown)


def held_by_jobs() -> Findings:
    """All properties held that can be checked without windows."""
    names = [name for name in RULES_OF_JOB_PROPERTIES if can_be_checked(name, WITHOUT_WINDOWS)]
    assert 10 < len(names) < len(RULES_OF_JOB_PROPERTIES)
    return Findings(properties={name: PropertyCount(checked=1) for name in names})


def test_properties_of_jobs_that_an_engine_cannot_run_are_not_asked_for() -> None:
    """An engine that has jobs without windows passes the rules that its own jobs show."""
    found = held_by_jobs()
    shown = {rule for name in found.properties for rule in RULES_OF_JOB_PROPERTIES[name]}
    for rule in sorted(shown - {"JOB-10"}):
        assert ruled(RULES[rule], {}, found, WITHOUT_WINDOWS, jobs=ALL_JOBS)[0] == "pass", rule
    for rule in ("JOB-9", "JOB-10"):
        assert ruled(RULES[rule], {}, found, WITHOUT_WINDOWS, jobs=ALL_JOBS)[0] == "not-applicable"


def test_a_rule_does_not_pass_by_jobs_while_a_property_of_it_is_unchecked_violated_or_vacuous() -> None:
    for count, words in (
        (PropertyCount(), "could not be checked"),
        (PropertyCount(checked=2, violated=1), "violated, which a breach of it would be, too"),
        (PropertyCount(checked=2, vacuous=1), "so it tests nothing"),
    ):
        found = held_by_jobs()
        name = next(name for name in found.properties if RULES_OF_JOB_PROPERTIES[name][0] == "JOB-1")
        found.properties[name] = count
        verdict, reason = ruled(RULES["JOB-1"], {}, found, WITHOUT_WINDOWS, jobs=ALL_JOBS)
        assert verdict == "not-tested"
        assert reason.startswith(name) or f" {name} " in reason
        assert words in reason


def test_a_rule_does_not_pass_by_jobs_that_its_mutants_keep_quiet_in() -> None:
    """The job in which the mutant shows did not run."""
    verdict, reason = ruled(RULES["JOB-1"], {}, held_by_jobs(), WITHOUT_WINDOWS, jobs=frozenset())
    assert verdict == "not-tested"
    assert reason.startswith("mutants that would not have been detected: job-")
    assert reason.rpartition(": ")[2].partition(",")[0] in load_mutants()


def test_an_engine_that_outputs_nothing_in_any_job_fails_all_that_jobs_show() -> None:
    silent = Findings(silent={"job"})
    assert ruled(RULES["JOB-4"], {}, silent, WITHOUT_WINDOWS, jobs=ALL_JOBS) == (
        "fail",
        "the engine output nothing at all, in any job",
    )
