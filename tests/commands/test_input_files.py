"""Whatever stands in the place of a file that a command reads: one line, exit code 2, and no command waits for it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import PATIENCE, Command, plain_environment

GIGABYTES = 8 << 30

Kind = Callable[[Path], object]


def fifo(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def folder(path: Path) -> None:
    path.mkdir()


def unreadable(path: Path) -> None:
    """A regular file that is not read even by root: this process has nothing mapped at its address 0."""
    path.symlink_to("/proc/self/mem")


def gigabytes(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(GIGABYTES)


KINDS: dict[str, tuple[Kind, str]] = {
    "a FIFO": (fifo, "a FIFO, not a file"),
    "a device": (device, "a device, not a file"),
    "a folder": (folder, "folder"),
    "an unreadable file": (unreadable, "Input/output error"),
    "gigabytes": (gigabytes, "larger than "),
}

ENGINE = ("--adapter", "reference")
READING: dict[str, tuple[str, tuple[str, ...]]] = {
    "scenarios": ("in.jsonl", ("replay", "in.jsonl", *ENGINE)),
    "scenarios of expect": ("in.jsonl", ("expect", "in.jsonl")),
    "scenarios to promote": ("in.jsonl", ("promote", "in.jsonl", "--into", "own")),
    "a profile": ("mine.toml", ("expect", "clock:seed:1:1", "--profile", "mine.toml")),
    "deviations": ("known.toml", ("replay", "clock:seed:1:1", *ENGINE, "--deviations", "known.toml")),
    "vectors": ("own/clock.json", ("vectors", "own")),
    "vectors of a run": ("own/clock.json", ("run", *ENGINE, "--vectors", "own")),
    "results to report": ("results.json", ("report", "results.json")),
    "results to compare": ("results.json", ("compare", "results.json", "results.json")),
    "results of a matrix": ("results.json", ("matrix", "results.json")),
    "results of a site": ("results.json", ("site", "results.json", "--out", "out")),
    "results to diagnose": ("results.json", ("diagnose", "results.json")),
    "results of a profile": ("results.json", ("profile", "results.json", "--name", "mine")),
    "a journal to report": ("run/journal.jsonl", ("report", "run")),
    "a journal to diagnose": ("run/journal.jsonl", ("diagnose", "run", "--diagnose-steps", "1")),
    "an event log": ("log.jsonl", ("check-log", "log.jsonl")),
    "an event log of Parquet": ("log.parquet", ("check-log", "log.parquet")),
    "outcomes": (
        "kept.jsonl",
        ("mutants", "--soundness", "--name", "clock|single|clock-m", "--kept", "kept.jsonl"),
    ),
}


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("reading", list(READING))
def test_what_is_no_file_is_refused_with_one_line(tidegauge_here: Command, reading: str, kind: str) -> None:
    name, arguments = READING[reading]
    make, reason = KINDS[kind]
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    make(path)
    ended = tidegauge_here(*arguments)
    assert ended.returncode == 2, (ended.stdout, ended.stderr)
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    assert line.startswith("tidegauge: ")
    assert name.partition("/")[0] in line
    if not name.endswith(("journal.jsonl", "log.jsonl", "log.parquet")):  # these are told apart before
        assert reason in line


def test_a_stream_without_an_end_is_refused(tmp_path: Path) -> None:
    with Path("/dev/zero").open("rb") as zeros:
        ended = subprocess.run(
            [sys.executable, "-m", "tidegauge", "execute", *ENGINE],
            cwd=tmp_path,
            env=plain_environment(),
            stdin=zeros,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "tidegauge: stdin cannot be read: larger than 64 MiB\n"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "an unreadable file"])
def test_the_module_of_an_adapter_is_refused_with_one_line(
    tidegauge: Command, tmp_path: Path, kind: str
) -> None:
    KINDS[kind][0](tmp_path / "mine.py")
    (tmp_path / "in.jsonl").write_bytes(b"")
    ended = tidegauge("replay", "in.jsonl", "--adapter", "mine:Engine")
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith("tidegauge: adapter 'mine:Engine' ")
    if kind == "gigabytes":
        assert "larger than 64 MiB" in line


def test_a_name_too_long_for_a_file_is_no_file(tidegauge_here: Command) -> None:
    ended = tidegauge_here("replay", "x" * 300, *ENGINE)
    assert ended.returncode == 2
    assert "is no file, and neither the name of a scenario nor a rule" in ended.stderr


def test_allure_results_of_others_that_are_no_files_are_left_alone(
    tidegauge: Command, tmp_path: Path
) -> None:
    small = ("run", *ENGINE, "--component", "clock", "--budget", "smoke", "-n", "1", "--out", "out")
    (tmp_path / "out" / "allure-results").mkdir(parents=True)
    for name in ("one-result.json", "categories.json", "environment.properties"):
        fifo(tmp_path / "out" / "allure-results" / name)
    ended = tidegauge(*small, "--report", "allure", "--force")
    assert ended.returncode == 3, ended.stderr
    (line,) = ended.stderr.splitlines()
    assert "report 'allure' failed: " in line
