"""A job of Flink on a cluster with a REST interface, which tests drive step by step."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tidegauge_pipeline.event_log.findings import OperatorFindings
from tidegauge_pipeline.event_log.in_process import judged_rows
from tidegauge_pipeline.event_log.job.job_findings import Finding, findings_of
from tidegauge_pipeline.monitor.flink.flink_rows import FlinkRows

SOURCE, WINDOW = "Source: orders", "sums -> Sink: Writer"
MOST_POLLS = 100_000
"""A bound that ends a test in which nothing happens."""

_OPENED = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in ("lang", "util")]
_JVM = ["java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", *_OPENED]

Row = Mapping[str, Any]


class MonitoredJob:
    """A running job and the rows that the monitor has read from it."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process, self.url = process, url
        self.rows = FlinkRows(url)
        self.tables: list[Any] = []
        self.source: Any = self.rows
        """What is polled."""

    def tell(self, command: str) -> None:
        """Give the job a command: see `MonitoredJob.java`."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()

    def poll(self) -> list[Row]:
        self.tables.append(self.source.poll())
        return list(self.tables[-1].to_pylist())

    def until(self, is_wanted: Callable[[Row], bool]) -> Row:
        """Poll until a new row is wanted, and return the row."""
        for _ in range(MOST_POLLS):
            for row in self.poll():
                if is_wanted(row):
                    return row
        pytest.fail(f"the row does not come; the last rows are {self.all().to_pylist()[-20:]}")

    def step(self, time: int, *subtasks: int) -> None:
        """Emit a record by each of the subtasks, and poll until the window has counted one."""
        for subtask in subtasks:
            self.tell(f"records {subtask} {time}")
        self.until(lambda row: row["source"] == WINDOW and row["kind"] == "record")

    def advance(self, begin: int, end: int) -> None:
        """Emit a record a second by both subtasks, and poll until the watermark of each has come."""
        for time in range(begin, end, 1000):
            self.tell(f"records 0 {time}")
            self.tell(f"records 1 {time}")
            self.until(
                lambda row, time=time: (  # type: ignore[misc]
                    row["source"] == WINDOW
                    and row["kind"] == "watermark"
                    and row["channel"] < 0
                    and row["event_time"] == time - 1
                )
            )

    def end(self) -> None:
        """End the job, and poll until the rows have ended."""
        self.tell("end")
        for _ in range(MOST_POLLS):
            self.poll()
            if self.rows.has_ended:
                return
        pytest.fail("the rows do not end")

    def all(self) -> Any:
        return pa.concat_tables(self.tables)

    def of_kind(self, kind: str) -> list[Row]:
        return [row for row in self.all().to_pylist() if row["kind"] == kind]

    def operators(self) -> list[OperatorFindings]:
        return judged_rows(self.all())

    def findings(self) -> list[Finding]:
        return list(findings_of(self.operators()))

    def broken(self) -> list[tuple[str, str]]:
        """Properties that the rows break, and troubles of the log, by operator."""
        return [
            (operator.source, name)
            for operator in self.operators()
            for name, count in [*operator.properties.items(), *operator.troubles.items()]
            if count.broken
        ]


@contextmanager
def monitored_job(class_path: str, *arguments: str) -> Iterator[MonitoredJob]:
    """Start the job, and wait until its metrics are there; without that the first records are not counted."""
    command = [*_JVM, "-cp", class_path, "MonitoredJob", *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        job = MonitoredJob(process, process.stdout.readline().strip())
        with closing(job.rows):
            waiting = {(SOURCE, 0), (SOURCE, 1), (WINDOW, 0), (WINDOW, 1)}
            for _ in range(MOST_POLLS):
                job.poll()
                if waiting <= job.rows.counted:
                    break
            else:
                pytest.fail("the metrics of the job do not come")
            yield job
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


def compiled(class_path: str, folder: Path) -> str:
    """Compile the job, and return the class path with which it runs."""
    source = Path(__file__).parents[1] / "flink" / "monitored" / "MonitoredJob.java"
    subprocess.run(
        ["javac", "-nowarn", "-d", str(folder), "-cp", class_path, str(source)],
        check=True,
        capture_output=True,
    )
    return f"{folder}:{class_path}"
