"""The FLIP-182 job on a real Spark: the right source has every property, wrong ones are found."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import wrong_sources
from pyspark import cloudpickle

from tidegauge.components.job.jobs import JOBS
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.judging.items.merged import Findings, merged
from tidegauge.judging.items.shrinker import NO_EFFORT
from tidegauge.judging.jobs.accusations import job_accusations
from tidegauge.judging.jobs.examination import examine_job
from tidegauge.judging.jobs.findings import family, finding, properties_of, runs_of
from tidegauge.wire.steps.job import JobScenario
from tidegauge.wire.transcript import Transcript
from tidegauge_adapters.spark.adapter import SparkAdapter
from tidegauge_adapters.spark.jobs import streaming_jobs
from tidegauge_adapters.spark.jobs.streaming_jobs import StreamingJobs
from tidegauge_adapters.spark_session.session import RunningSpark, end_spark
from tidegauge_reference import CORE

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture(scope="module", autouse=True)
def _wrong_sources_travel_to_spark() -> Iterator[None]:
    cloudpickle.register_pickle_by_value(wrong_sources)
    yield
    end_spark()


def findings_of(adapter: SparkAdapter, *jobs: str) -> Findings:
    reports = []
    for job in jobs:
        report = ItemReport(f"job-{job}", "job")
        examine_job(Examiner(adapter, adapter.describe(), CORE, effort=NO_EFFORT), report, job)
        reports.append(report)
    return merged(reports)


def test_the_flip_182_job_on_spark() -> None:
    findings = findings_of(SparkAdapter({}), "flip-182", "flip-182-literal")
    assert findings.properties["job-others-blocked"].checked == 1
    assert [failure.seen for failure in findings.failures] == []
    assert not any(counted.vacuous for counted in findings.properties.values())


def test_jobs_that_take_longest_begin_first(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []

    def answered(_jobs: StreamingJobs, _spark: RunningSpark, scenario: JobScenario) -> Transcript:
        begun.append(scenario.id)
        return Transcript(scenario.id, ())

    monkeypatch.setattr(StreamingJobs, "_transcript", answered)
    monkeypatch.setattr(streaming_jobs, "_AT_A_TIME", 1)
    names = "flip-182-literal", "flip-182", "blocked-is-not-idle", "window-state"
    answers = SparkAdapter({}).run([JOBS[name] for name in names])
    assert {answer.scenario for answer in answers} == {JOBS[name].id for name in names}
    assert begun == [JOBS[name].id for name in reversed(names)]


def seen_of(adapter: SparkAdapter, job: str, property_name: str) -> str | None:
    """What a property sees on a job, without those that it is compared with by others."""
    properties = [one for one in properties_of(JOBS[job]) if one.name == property_name]
    jobs = family(JOBS[job], properties)
    transcripts = {transcript.scenario: transcript for transcript in adapter.run(jobs.values())}
    found = finding(properties[0], runs_of(jobs, transcripts, adapter.describe()))
    assert found is not None
    return found.seen


@pytest.mark.slower
@pytest.mark.parametrize(
    "wrong",
    [None, "counts blocked time", "counts time under backpressure", "runs ahead"],
)
def test_windows_behind_a_wrong_source_show_it(wrong: str | None) -> None:
    if wrong is None:
        assert seen_of(SparkAdapter({}), "blocked-is-not-idle", "job-blocked-is-not-idle") is None
        return
    source, job, property_name = wrong_sources.WRONG_FILE_SOURCES[wrong]
    adapter = type("WrongAdapter", (SparkAdapter,), {"source": source})({})
    seen = seen_of(adapter, job, property_name)
    assert seen is not None
    assert "too late for its window" in seen or "windows kept" in seen


@pytest.mark.slower
@pytest.mark.parametrize("wrong", wrong_sources.WRONG_SOURCES)
def test_a_wrong_source_is_laid_to_the_rule_it_breaks(wrong: str) -> None:
    source, job, rule = wrong_sources.WRONG_SOURCES[wrong]
    adapter = type("WrongAdapter", (SparkAdapter,), {"source": source})({})
    findings = findings_of(adapter, job)
    accused = {name for one in job_accusations(findings) for name in one.rules}
    assert rule in accused, [failure.seen for failure in findings.failures]
