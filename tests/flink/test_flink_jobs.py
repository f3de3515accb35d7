"""Whole jobs on a cluster of stock Apache Flink, in virtual time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from flink_jars import flink_jar

from tidegauge.components.job.jobs import JOBS
from tidegauge.engine.loading import describe
from tidegauge.engine.runner import run
from tidegauge.judging.jobs.examination import replayed
from tidegauge.judging.jobs.findings import JobFinding
from tidegauge_adapters.flink.adapter import FlinkAdapter
from tidegauge_reference import FLINK_2_3

pytestmark = pytest.mark.flink

NOT_CLAIMED = {"restart", "job-backpressure"}


@pytest.fixture(scope="module")
def flink() -> Iterator[FlinkAdapter]:
    flink_jar()
    adapter = FlinkAdapter({})
    yield adapter
    adapter.close()


def findings(adapter: FlinkAdapter, job: str) -> dict[str, JobFinding]:
    """What each property that speaks of a job sees on Flink."""
    found = replayed(adapter, describe("flink", adapter), FLINK_2_3, JOBS[job])
    return {one.property: one for one in found}


@pytest.mark.parametrize("job", [name for name, job in JOBS.items() if not NOT_CLAIMED & set(job.needs)])
def test_flink_has_every_property_of_a_job(flink: FlinkAdapter, job: str) -> None:
    found = findings(flink, job).values()
    assert {one.property: one.seen for one in found if one.seen is not None} == {}
    assert {one.property: one.did_not_run for one in found if one.did_not_run is not None} == {}
    assert [one.property for one in found if one.vacuous] == []


def test_all_but_subtask_0_become_blocked_in_the_job_of_the_flip(flink: FlinkAdapter) -> None:
    found = findings(flink, "flip-182")
    assert found["job-others-blocked"].seen is None
    assert found["job-slowest-not-blocked"].seen is None
    assert found["job-spread-bounded"].seen is None


def test_with_the_samples_of_its_default_a_subtask_runs_past_its_bound() -> None:
    """Flink then decides on samples that are taken at an interval on the wall."""
    adapter = FlinkAdapter({"alignment-buffer": "3"})
    try:
        seen = findings(adapter, "flip-182")["job-spread-bounded"].seen
    finally:
        adapter.close()
    assert seen is not None
    assert "ahead of the slowest; 30000 ms are allowed, and 2001 ms declared as overshoot" in seen


def test_a_cluster_that_is_killed_costs_its_job_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    others = set(psutil.Process().children())
    adapter = FlinkAdapter({})
    jobs = [JOBS["short-subtask"]]
    (before,) = run(adapter, jobs)
    assert before is not None
    assert before.failure is None
    (jvm,) = set(psutil.Process().children()) - others
    jvm.kill()
    jvm.wait()
    (lost,) = run(adapter, jobs)
    assert lost is not None
    assert lost.failure is not None
    assert run(adapter, jobs) == [before]
    adapter.close()
    assert set(psutil.Process().children()) == others
    assert list(tmp_path.iterdir()) == []
