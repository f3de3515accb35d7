"""The watch over the processes of a run, by a clock of the test's own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE
from types import SimpleNamespace

import pytest

from tidegauge.engine import watch
from tidegauge.engine.runner import Marker
from tidegauge.engine.watch import SECONDS_BETWEEN_LOOKS, Limits, Watch

SCENARIO_SECONDS = 30

SHARING = """
import os
held = b"x" * (200 << 20)
for _ in range(4):
    if not os.fork():
        os.read(0, 1)
        os._exit(0)
print("shared", flush=True)
os.read(0, 1)
"""
"""A process of 200 MiB, and four that share them."""


class Watched:
    """A process that waits in a scenario, and the watch that looks after it."""

    def __init__(self, folder: Path, process: subprocess.Popen[bytes]) -> None:
        self.process, self.marks, self.now = process, folder / "marks", 1_000.0
        Marker(self.marks).about_to_run("an-item", "a-scenario", SCENARIO_SECONDS)

    def watch(self, memory_mib: int) -> Watch:
        """Return a watch with a memory limit."""
        return Watch(self.process.pid, self.marks, Limits(300, memory_mib))

    def look_for(self, seconds: float, watching: Watch) -> str:
        """Look as usual, for so long; return why the process was killed, empty if it was not."""
        for _ in range(round(seconds / SECONDS_BETWEEN_LOOKS)):
            self.now += SECONDS_BETWEEN_LOOKS
            watching.look()
        return watching.killed.reason if watching.killed is not None else ""


@pytest.fixture(name="watched")
def _watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        watched = Watched(tmp_path, process)
        monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: watched.now))
        yield watched
        process.kill()


def test_a_scenario_has_its_time_and_no_more(watched: Watched) -> None:
    watching = watched.watch(10_000)
    assert watched.look_for(SCENARIO_SECONDS, watching) == ""
    assert watched.look_for(2, watching) == "did not answer within 30 s"


def test_an_engine_is_not_blamed_for_a_machine_that_stood_still(watched: Watched) -> None:
    watching = watched.watch(10_000)
    assert watched.look_for(10, watching) == ""
    watched.now += 3_600
    assert watched.look_for(SCENARIO_SECONDS - 10, watching) == ""
    assert watched.look_for(3, watching) == "did not answer within 30 s"


def test_an_engine_that_stops_its_process_is_killed_at_once(watched: Watched) -> None:
    os.kill(watched.process.pid, signal.SIGSTOP)
    os.waitpid(watched.process.pid, os.WUNTRACED)
    assert watched.look_for(1, watched.watch(10_000)) == "stopped a process of the kit (SIGSTOP)"


def test_memory_that_processes_share_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen([sys.executable, "-c", SHARING], stdin=PIPE, stdout=PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"shared\n"
        watched = Watched(tmp_path, process)
        monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: watched.now))
        assert watched.look_for(1, watched.watch(600)) == ""
        assert watched.look_for(1, watched.watch(150)) == "took more than 150 MiB of memory"
