"""Whole jobs on the reference, and wrong ones."""

import pytest

from tidegauge.components.job.jobs import JOBS, control
from tidegauge.components.job.properties import JOB_PROPERTIES
from tidegauge.components.registry import COMPONENTS
from tidegauge.judging.examination import Examiner, ItemReport
from tidegauge.judging.jobs import RULES_OF_JOB_PROPERTIES
from tidegauge.judging.verdicts import Findings, blamed_rules, merged
from tidegauge.mutants import MutantAdapter, load_mutants
from tidegauge.runner import run
from tidegauge.vocabulary import LogEvent
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import CORE
from tidegauge_spec import load_registry

JOB_MUTANTS = [name for name, mutant in load_mutants().items() if mutant.component == "job"]


def findings_of(adapter: ReferenceAdapter | MutantAdapter) -> Findings:
    reports = []
    for name in JOBS:
        report = ItemReport(f"job-{name}", "job")
        Examiner(adapter, adapter.describe(), CORE).examine_job(report, name)
        reports.append(report)
    return merged(reports)


def test_the_reference_has_every_property_and_no_control_has_an_alignment_property() -> None:
    findings = findings_of(ReferenceAdapter({}))
    assert set(findings.properties) == set(RULES_OF_JOB_PROPERTIES)
    assert not [name for name, counted in findings.properties.items() if counted.violated or counted.vacuous]
    assert all(counted.checked for counted in findings.properties.values())


@pytest.mark.parametrize("name", JOB_MUTANTS)
def test_a_wrong_job_is_laid_to_a_rule_it_breaks(name: str) -> None:
    mutant = load_mutants()[name]
    blamed = blamed_rules(findings_of(MutantAdapter(mutant, {})), COMPONENTS)
    suspects = {rule for found in blamed.values() for rule, _ in found.suspects[:3]}
    assert blamed
    assert suspects & set(mutant.rules), (name, {rule: found.suspects for rule, found in blamed.items()})


def test_every_rule_of_the_chapters_judged_by_jobs_is_spoken_for() -> None:
    spoken_for = {rules[0] for rules in RULES_OF_JOB_PROPERTIES.values()}
    named = {rule for rules in RULES_OF_JOB_PROPERTIES.values() for rule in rules}
    judged = {rule.id for rule in load_registry().rules.values() if "job" in rule.checked_by}
    assert named == judged
    assert judged - spoken_for == {"ALIGN-1", "JOB-2"}, "these show together with SOURCE-1 only"


def test_the_properties_name_jobs_that_exist() -> None:
    assert {job for property in JOB_PROPERTIES for job in property.jobs} == set(JOBS)


def test_the_control_is_the_same_job_without_alignment() -> None:
    without = control(JOBS["flip-182-restarted"]).setup
    assert [source.subtasks for source in without.sources] == [
        source.subtasks for source in JOBS["flip-182-restarted"].setup.sources
    ]
    assert all(source.watermark_group is None for source in without.sources)
    assert without.restarts == ()


def test_in_the_flip_182_job_the_fast_subtasks_stop_at_the_bound_and_the_slow_one_never_does() -> None:
    scenario = JOBS["flip-182"]
    (transcript,) = run(ReferenceAdapter({}), [scenario])
    assert transcript is not None
    records = [event for event in transcript.outputs[0] if isinstance(event, LogEvent)]
    at_ten_seconds = {
        subtask: max(
            int(event.event_time)
            for event in records
            if event.kind == "record" and event.subtask == subtask and event.processing_time <= 10_000
        )
        for subtask in range(4)
    }
    bound = 8_999 - 1 + 30_000
    assert at_ten_seconds.pop(0) == 9_999
    read_in_one_watermark_interval = 10 * 10 * 10
    for last in at_ten_seconds.values():
        assert bound < last - 1 <= bound + read_in_one_watermark_interval
