"""Whole jobs on the reference, and wrong ones."""

import pytest
from conftest import others_slower

from tidegauge.components.job.job_property import JobRun
from tidegauge.components.job.jobs import JOBS
from tidegauge.components.job.log import JobLog
from tidegauge.components.job.one_run import spread_bounded
from tidegauge.components.job.properties import JOB_PROPERTIES
from tidegauge.components.registry import load_mutants
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.engine.runner import run
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.judging.items.merged import Findings, merged
from tidegauge.judging.items.shrinker import NO_EFFORT
from tidegauge.judging.jobs.accusations import job_accusations
from tidegauge.judging.jobs.examination import examine_job
from tidegauge.judging.jobs.findings import RULES_OF_JOB_PROPERTIES
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.vocabulary import LogEvent
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import CORE
from tidegauge_spec import load_registry

SOME_JOB_MUTANTS = (
    "job-never-blocks",
    "job-blocks-the-slowest",
    "job-ignores-other-sources",
    "job-loses-records",
    "job-forgets-on-restart",
    "job-blocked-is-idle",
)
"""Each costs a run of all jobs, 20 to 40 s; `tidegauge mutants --component job` takes them all."""


def findings_of(adapter: ReferenceAdapter | MutantAdapter) -> Findings:
    reports = []
    for name in JOBS:
        report = ItemReport(f"job-{name}", "job")
        examine_job(Examiner(adapter, adapter.describe(), CORE, effort=NO_EFFORT), report, name)
        reports.append(report)
    return merged(reports)


@pytest.mark.slower
def test_the_reference_has_every_property_and_no_control_has_an_alignment_property() -> None:
    findings = findings_of(ReferenceAdapter({}))
    assert set(findings.properties) == set(RULES_OF_JOB_PROPERTIES)
    assert not [name for name, counted in findings.properties.items() if counted.violated or counted.vacuous]
    assert all(counted.checked for counted in findings.properties.values())


class WithoutBackpressure(ReferenceAdapter):
    def inexpressible(self, scenario: Scenario) -> str | None:
        return (
            "backpressure" if scenario.id.startswith("job:backpressured") else super().inexpressible(scenario)
        )


def test_a_job_that_an_engine_cannot_express_is_left_out_and_proves_nothing() -> None:
    adapter, report = WithoutBackpressure({}), ItemReport("job-backpressured-is-not-idle", "job")
    examine_job(Examiner(adapter, adapter.describe(), CORE), report, "backpressured-is-not-idle")
    assert report.left_out.reasons == {"backpressure": 1}
    assert (report.scenarios, report.properties, report.pictures) == (0, {}, [])


@pytest.mark.parametrize(("last", "ahead"), [(59_999, 50_000), (30_000, None)])
def test_a_subtask_that_reads_all_the_rest_at_once_is_too_far_ahead(last: int, ahead: int | None) -> None:
    """It is finished when it is seen for the first time, and was not when it read its last record."""
    setup = JOBS["two-sources-one-query"].setup
    events = [
        LogEvent("record", "slow", 0, 9_999, 10_000, 10_000),
        LogEvent("record", "slow", 1, 9_999, 10_000, 10_000),
        LogEvent("record", "fast", 0, last, 15_000, last + 1),
        LogEvent("record", "fast", 1, 9_999, 15_000, 10_000),
        LogEvent("record", "slow", 0, 14_999, 15_000, 5_000),
    ]
    seen = spread_bounded(JobRun(JobLog.of(setup, events), overshoot_ms=1, reaction_ms=5_000))
    expected = f"at 15000 ms subtask 0 of source 'fast' is {ahead} ms ahead of the slowest; "
    assert seen is None if ahead is None else seen is not None and seen.startswith(expected), seen


@pytest.mark.slower
@pytest.mark.parametrize("name", SOME_JOB_MUTANTS)
def test_a_wrong_job_is_laid_to_a_rule_it_breaks(name: str) -> None:
    mutant = load_mutants()[name]
    accusations = job_accusations(findings_of(MutantAdapter(mutant, {})))
    assert {rule for one in accusations for rule in one.rules} & set(mutant.rules), (name, accusations)


def test_every_rule_of_the_chapters_judged_by_jobs_is_spoken_for() -> None:
    spoken_for = {rules[0] for rules in RULES_OF_JOB_PROPERTIES.values()}
    named = {rule for rules in RULES_OF_JOB_PROPERTIES.values() for rule in rules}
    judged = {rule.id for rule in load_registry().rules.values() if "job" in rule.checked_by}
    assert named == judged
    assert judged - spoken_for == {"JOB-2"}, "it shows together with SOURCE-1 only"


def test_the_properties_name_jobs_that_exist() -> None:
    assert {job for property in JOB_PROPERTIES for job in property.jobs} == set(JOBS)


ONLY_COMPARED = {
    "bound-from-zero": ("slow-and-fast-windows", "job-shift"),
    "windows-rounded-towards-zero": ("slow-and-fast-windows", "job-shift"),
    "silent-left-out": ("slow-and-fast-windows", "job-delay"),
    "repetition-dropped": ("slow-and-fast-windows", "job-duplicate"),
    "first-subtask-counts": ("slow-and-fast-windows", "job-exchange"),
    "order-expected": ("slow-and-fast-out-of-order", "job-reorder"),
}


@pytest.mark.parametrize("name", others_slower(ONLY_COMPARED, ("bound-from-zero", "order-expected")))
def test_what_no_log_shows_by_itself_shows_in_two(name: str) -> None:
    """The wrong engine violates the one comparison of the job, and no other property of it."""
    job, property = ONLY_COMPARED[name]
    adapter = MutantAdapter(load_mutants()[f"job-{name}"], {})
    report = ItemReport(f"job-{job}", "job")
    examine_job(Examiner(adapter, adapter.describe(), CORE, effort=NO_EFFORT), report, job)
    assert [failure.property for failure in report.failures] == [property]


@pytest.mark.slower
def test_only_the_order_of_subtasks_tells_who_looks_at_the_first_alone() -> None:
    """On numbers as in windows: in every other job of the suite the first subtask is the slowest."""
    adapter = MutantAdapter(load_mutants()["job-first-subtask-counts"], {})
    report = ItemReport("job-slow-and-fast", "job")
    examine_job(Examiner(adapter, adapter.describe(), CORE, effort=NO_EFFORT), report, "slow-and-fast")
    assert [failure.property for failure in report.failures] == ["job-exchange"]


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
