"""`tidegauge_spark.event_log.monitor`: findings about queries of Spark while they run."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Command
from pyspark.sql.functions import max as greatest
from pyspark.sql.functions import unix_millis, window
from spark_programs.driven_files import DrivenFiles, aligned, write_parquet
from spark_programs.queries import PATIENCE, SparkQueries, spark_queries

import tidegauge_spark.event_log
from tidegauge_spark.event_log import running_monitor


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


JOBS = {
    "late": ([0, 100, *[10] * 5, 101], "late-rows"),
    "stalled": ([0, 100, *[1] * 25], "stalled-watermark"),
    "healthy": (list(range(30)), None),
}
"""The times of rows, one a batch (s), and the finding that they lead to."""


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("job", JOBS)
def test_one_line_monitors_the_queries_of_a_session(queries: SparkQueries, tmp_path: Path, job: str) -> None:
    seconds, name = JOBS[job]
    base = int(time.time()) - 10_000
    files = tmp_path / "files"
    files.mkdir()
    for number, second in enumerate(seconds):
        file = files / f"{number}.json"
        file.write_text(json.dumps({"second": base + second}))
        os.utime(file, (base + number, base + number))
    stream = queries.session.readStream.schema("second BIGINT").option("maxFilesPerTrigger", 1)
    rows = stream.json(str(files)).selectExpr("timestamp_seconds(second) AS at")
    observed = rows.withWatermark("at", "1 second").observe("rows", unix_millis(greatest("at")).alias("at"))

    log, output = tmp_path / "log", tmp_path / "lines"
    tidegauge_spark.event_log.monitor(
        queries.session, log, {"rows": "1 second"}, window="1d", every="100ms", output=output
    )
    gc.collect()  # the job need not keep what it returns
    (monitor,) = running_monitor._running
    try:
        writer = observed.groupBy(window("at", "1 second")).count().writeStream.format("noop")
        writer = writer.queryName(f"monitored-{job}").trigger(availableNow=True)
        query = writer.option("checkpointLocation", str(queries.folder / f"monitored-{job}")).start()
        assert query.awaitTermination(PATIENCE)
        last = log / f"query-{query.id}" / f"{query.recentProgress[-1].batchId:012}.parquet"
        deadline = time.monotonic() + PATIENCE
        while not last.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        monitor.stop()
        monitor.stop()
    *lines, summary = output.read_text().splitlines()
    assert "rows of 3 subtasks; findings: " in summary
    if name is None:
        assert lines == []
        return
    begins = [line for line in lines if f" begins error {name} monitored-{job}/" in line]
    assert begins
    assert "remedy: " in begins[0]


def test_the_log_of_an_aligned_source_is_monitored(tmp_path: Path, tidegauge_here: Command) -> None:
    write_parquet(tmp_path / "files", "x", "a", range(0, 10_000, 100))
    (tmp_path / "files" / "x" / "_FINISHED").touch()
    options = aligned(3000, clockStep="1 second", sourceName="orders")
    DrivenFiles(tmp_path / "files", numSubtasks="1", eventLog=str(tmp_path / "log"), **options).run()
    answer = tidegauge_here("monitor", str(tmp_path / "log"), "--once", "--fail-on", "any")
    assert (answer.returncode, answer.stdout) == (0, ""), answer.stdout
    assert " rows of 1 subtask; findings: none" in answer.stderr


PROGRAM = """
import sys, time
from tidegauge_spark.event_log.running_monitor import started_child
child = started_child(sys.argv[1], ["--every", "100ms"], sys.argv[2])
print(child.pid, flush=True)
time.sleep(600)
"""


def test_the_child_ends_with_a_driver_that_is_killed(tmp_path: Path) -> None:
    output = tmp_path / "lines"
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "log"), str(output)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout is not None
        assert int(driver.stdout.readline())
        driver.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE
    while output.read_text() != "0 rows of 0 subtasks; findings: none\n":  # its last line
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_driver_without_the_kit_gets_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running_monitor, "find_spec", lambda name: None)
    with pytest.raises(
        ModuleNotFoundError, match=r"not installed in this Python: .* -m pip install 'tidegauge\["
    ):
        running_monitor.started_child(tmp_path / "log", [], None)
    assert not (tmp_path / "log").exists()


def test_the_package_has_no_other_names() -> None:
    with pytest.raises(AttributeError, match="'tidegauge_spark.event_log' has no attribute 'monitors'"):
        tidegauge_spark.event_log.monitors  # noqa: B018
