"""The monitor on jobs of stock Apache Flink, through the REST interface of a MiniCluster."""

from __future__ import annotations

import json
import select
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest
from flink_jars import flink_jar, jars_of
from monitored_flink import MOST_POLLS, SOURCE, WINDOW, MonitoredJob, compiled, monitored_job

from tidegauge.wire.scenario import BadInput
from tidegauge_pipeline.monitor.flink.flink_rows import FlinkRows
from tidegauge_pipeline.monitor.recorded_rows import RecordedRows

pytestmark = pytest.mark.flink

SECOND, MINUTE = 1000, 60_000
NOW = int(time.time() * SECOND) // SECOND * SECOND - 10 * MINUTE
YEAR_2100 = 4_102_444_800_000

Job = Callable[..., AbstractContextManager[MonitoredJob]]


@pytest.fixture(scope="module", params=["2.3.0", "1.20.5"])
def job(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """Starts a job on a version of Flink."""
    jars = str(flink_jar()) if request.param == "2.3.0" else f"{jars_of(request.param)}/*"
    return partial(monitored_job, compiled(jars, tmp_path_factory.mktemp("classes")))


def test_a_healthy_job_has_no_findings(job: Job, tidegauge: Callable[..., object], tmp_path: Path) -> None:
    with job() as running:
        running.source = RecordedRows(running.rows, tmp_path / "log")
        running.advance(NOW, NOW + 30 * SECOND)
        running.end()
    assert running.rows.end == "the job 'shop' is FINISHED"
    assert sum(row["count"] for row in running.of_kind("record") if row["source"] == SOURCE) == 60
    assert {(row["source"], row["subtask"]) for row in running.of_kind("finished") if row["channel"] < 0} == {
        (name, subtask) for name in (SOURCE, WINDOW) for subtask in (0, 1)
    }
    assert not running.findings()
    assert not running.broken()
    checked = tidegauge("check-log", "log", "--fail-on", "any")
    assert checked.returncode == 0, checked.stdout  # type: ignore[attr-defined]


def test_a_silent_partition_is_named_as_what_holds_the_watermark(job: Job) -> None:
    with job() as running:
        running.advance(NOW, NOW + 15 * SECOND)
        for number in range(15, 75):
            running.step(NOW + number * SECOND, 1)
        (finding,) = running.findings()
        assert not running.broken()
    assert (finding.name, finding.source) == ("idle-input-holds", WINDOW)
    assert finding.sentence.startswith(f"channel 0 ({SOURCE}[0]) of subtask 0 of {WINDOW} had no rows")


def test_a_silent_partition_with_an_idle_timeout_holds_nothing(job: Job) -> None:
    with job("idle") as running:
        running.advance(NOW, NOW + 15 * SECOND)
        for number in range(15, 75):
            running.step(NOW + number * SECOND, 1)
        latest = NOW + 75 * SECOND
        running.tell(f"records 1 {latest}")
        is_wanted = {"source": WINDOW, "kind": "watermark", "channel": -1, "event_time": latest - 1}
        running.until(lambda row: is_wanted.items() <= row.items())
        running.tell(f"records 1 {latest + SECOND}")
        idle = {"source": WINDOW, "kind": "idle", "split": f"{SOURCE}[0]"}
        if not any(idle.items() <= row.items() for row in running.all().to_pylist()):
            running.until(lambda row: idle.items() <= row.items())
        assert not running.broken()


def test_the_command_reports_late_rows_and_writes_a_log(
    job: Job, tidegauge: Callable[..., object], tmp_path: Path
) -> None:
    with job() as running:
        running.advance(NOW, NOW + 30 * SECOND)
        command = [sys.executable, "-m", "tidegauge", "monitor", "--flink", running.url, "--job", "shop"]
        command += ["--every", "10ms", "--out", "log", "--json", "--fail-on", "any"]
        with subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as monitor:
            assert monitor.stdout is not None
            assert monitor.stderr is not None
            # The command counts from its first poll on: late rows are sent until it has seen one.
            for number in range(MOST_POLLS):
                running.tell(f"records 0 {NOW + number % 1000}")
                running.poll()
                if select.select([monitor.stdout], [], [], 0)[0]:
                    break
            begun = json.loads(monitor.stdout.readline())
            running.end()
            said = monitor.stderr.read()
        assert monitor.returncode == 1
    assert (begun["event"], begun["episode"]["finding"]["name"]) == ("begins", "late-rows")
    assert "the job 'shop' is FINISHED" in said
    checked = tidegauge("check-log", "log", "--fail-on", "late-rows")
    assert checked.returncode == 1, checked.stdout  # type: ignore[attr-defined]
    assert "late-rows" in checked.stdout  # type: ignore[attr-defined]


def test_late_rows_are_counted(job: Job) -> None:
    with job() as running:
        running.advance(NOW, NOW + 30 * SECOND)
        for number in range(7):
            running.tell(f"records {number % 2} {NOW + number}")
        counted = 0
        for _ in range(MOST_POLLS):
            counted += sum(row["count"] for row in running.poll() if row["kind"] == "late")
            if counted >= 7:
                break
        (finding,) = running.findings()
        assert not running.broken()
    assert counted == 7
    assert (finding.name, finding.source) == ("late-rows", WINDOW)
    assert finding.sentence.startswith("7 rows came too late, 10.45% of 67")


def test_a_record_of_the_year_2100_makes_the_watermark_leap(job: Job) -> None:
    with job() as running:
        running.advance(NOW, NOW + 15 * SECOND)
        running.tell(f"records 1 {YEAR_2100}")
        running.until(lambda row: row["source"] == SOURCE and row["event_time"] == YEAR_2100 - 1)
        for number in range(15, 18):
            running.step(NOW + number * SECOND, 0)
        finding, *others = running.findings()
        assert not others, others
        assert not running.broken()
    assert (finding.name, finding.source) == ("watermark-leap", SOURCE)
    assert finding.evidence[0].subtask == 1


def test_alignment_blocks_the_faster_subtask_until_the_slower_one_has_come(job: Job) -> None:
    with job("aligned") as running:
        running.advance(NOW, NOW + 5 * SECOND)
        running.tell(f"records 0 {NOW + 5 * MINUTE}")
        blocked = running.until(lambda row: (row["kind"], row["subtask"]) == ("blocked", 0))
        running.tell(f"records 1 {NOW + 5 * MINUTE}")
        unblocked = running.until(lambda row: (row["kind"], row["subtask"]) == ("unblocked", 0))
        running.end()
    assert [row["source"] for row in (blocked, unblocked)] == [SOURCE, SOURCE]
    assert not running.broken()


def test_a_restart_is_one_row_a_subtask_and_counts_go_on(job: Job) -> None:
    with job() as running:
        running.advance(NOW, NOW + 15 * SECOND)
        running.tell("fail 0")
        running.until(lambda row: row["kind"] == "restarted")
        running.advance(NOW + 15 * SECOND, NOW + 20 * SECOND)
        running.end()
    restarted = [(row["source"], row["subtask"]) for row in running.of_kind("restarted")]
    assert sorted(restarted) == sorted((name, subtask) for name in (SOURCE, WINDOW) for subtask in (0, 1))
    assert all(row["count"] > 0 for row in running.all().to_pylist())
    assert sum(row["count"] for row in running.of_kind("record") if row["source"] == SOURCE) == 40
    assert not running.findings()
    assert not running.broken()


def test_a_job_manager_that_vanishes_ends_the_rows_after_a_while(job: Job) -> None:
    clock = [0.0]
    with job() as running:
        rows = FlinkRows(running.url, "shop", patience=60, clock=lambda: clock[0])
        running.process.kill()
        running.process.wait()
        assert len(rows.poll()) == 0
        assert not rows.has_ended
        clock[0] = 61
        assert len(rows.poll()) == 0
        assert rows.has_ended
        with pytest.raises(BadInput, match="does not answer: Connection refused"):
            FlinkRows(running.url)
        rows.close()
