"""`tidegauge monitor`: lines, JSON, exit codes, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from conftest import Command
from written_logs import written

NOW = 1_780_000_000_000
"""A day of 2026 (ms)."""

PATIENCE = 120
"""How long (s) a test waits for a process."""


def log_with_late_rows(folder: Path, late: int) -> Path:
    """Write a log in which a hundred batches of 10 records have so many late rows each."""
    rows: list[dict[str, Any]] = []
    for second in range(100):
        at = {"processing_time": NOW + 1000 * second}
        event = NOW + 1000 * second
        rows.append({**at, "source": "orders", "kind": "record", "event_time": event, "count": 10})
        rows.append({**at, "source": "sums", "kind": "watermark", "event_time": event - 1000})
        rows.append({**at, "source": "orders", "kind": "watermark", "event_time": event - 1000})
        rows += [{**at, "source": "sums", "kind": "late", "event_time": event - 3000}] * late
    folder.mkdir()
    pq.write_table(written(rows), folder / "0.parquet")
    return folder


def test_a_healthy_log_prints_nothing(tmp_path: Path, tidegauge_here: Command) -> None:
    answer = tidegauge_here("monitor", str(log_with_late_rows(tmp_path / "log", 0)), "--once")
    assert (answer.returncode, answer.stdout) == (0, "")
    assert answer.stderr == "300 rows of 2 subtasks; findings: none\n"


@pytest.mark.parametrize(("fail_on", "code"), [((), 0), (("any",), 1), (("stalled-watermark",), 0)])
def test_a_finding_is_a_line_and_fails_on_request(
    tmp_path: Path, tidegauge_here: Command, fail_on: tuple[str, ...], code: int
) -> None:
    log = log_with_late_rows(tmp_path / "log", 1)
    options = [word for name in fail_on for word in ("--fail-on", name)]
    answer = tidegauge_here("monitor", log.as_uri(), "--once", *options)
    assert answer.returncode == code
    (line,) = answer.stdout.splitlines()
    assert line.startswith("2026-05-28 20:27:00.000 begins error late-rows job/sums: ")
    assert "10.00% of 200, by up to 2 s; remedy: increase the delay of the watermark by 2.001 s" in line
    assert answer.stderr == "400 rows of 2 subtasks; findings: late-rows 1 x; 1 has not ended\n"


def test_json_lines_have_the_whole_finding(tmp_path: Path, tidegauge_here: Command) -> None:
    log = log_with_late_rows(tmp_path / "log", 1)
    answer = tidegauge_here("monitor", str(log), "--once", "--json")
    (change,) = [json.loads(line) for line in answer.stdout.splitlines()]
    assert (change["event"], change["episode"]["begin"]) == ("begins", NOW)
    assert change["episode"]["finding"]["name"] == "late-rows"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["absent"], "absent: no such file or folder"),
        ([".", "--every", "0s"], "--every and --window must be longer than 0"),
        ([".", "--window", "soon"], "--window 'soon' is no duration: write 500ms, 30s, 5m or 2h"),
        ([".", "--fail-on", "late-row"], "late-rows"),
        ([".", "--prometheus", "0", "--host", "no such host"], "--prometheus 0: no such host:0 cannot be"),
    ],
)
def test_bad_input_is_one_line(tidegauge_here: Command, arguments: list[str], words: str) -> None:
    answer = tidegauge_here("monitor", *arguments)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert words in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_bad_files_are_skipped_on_request_and_make_the_exit_code_1(
    tmp_path: Path, tidegauge_here: Command
) -> None:
    log = log_with_late_rows(tmp_path / "log", 0)
    (log / "1.parquet").write_bytes(b"PAR1")
    assert tidegauge_here("monitor", str(log), "--once").returncode == 2
    answer = tidegauge_here("monitor", str(log), "--once", "--skip-bad-files")
    assert (answer.returncode, answer.stdout) == (1, "")
    assert "1.parquet: cannot be read as Parquet" in answer.stderr


def test_the_files_beside_the_monitor_are_printed(tidegauge_here: Command) -> None:
    assert "alert: TidegaugeFinding" in tidegauge_here("monitor", "--alert-rules").stdout
    assert json.loads(tidegauge_here("monitor", "--dashboard").stdout)["title"] == "Tidegauge monitor"


@contextmanager
def running(folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """A monitor that follows a log, as a process of its own."""
    command = [sys.executable, "-m", "tidegauge", "monitor", str(folder), "--every", "50ms", *options]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_log_that_grows_is_followed_until_a_signal_comes(tmp_path: Path, stop: signal.Signals) -> None:
    folder = tmp_path / "log"
    folder.mkdir()
    with running(folder, "--window", "100000d") as process:
        log_with_late_rows(tmp_path / "written", 1)
        os.rename(tmp_path / "written" / "0.parquet", folder / "0.parquet")
        assert process.stdout is not None
        assert "begins error late-rows" in process.stdout.readline()
        process.send_signal(stop)
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert errors.splitlines()[-1] == "400 rows of 2 subtasks; findings: late-rows 1 x; 1 has not ended"


def test_a_child_ends_with_its_parent(tmp_path: Path) -> None:
    """The other end of its stdin closes when the parent is killed. The rest of the log is read before."""
    log = log_with_late_rows(tmp_path / "log", 1)
    with running(log, "--window", "100000d", "--until-stdin-closes", "--fail-on", "any") as process:
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "findings: late-rows 1 x" in errors
