"""The watch over the processes of a run, by a clock of the test's own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE
from types import SimpleNamespace

import pytest

from tidegauge.engine.runner import Marker
from tidegauge.run import watch
from tidegauge.run.watch import RUNNING, SECONDS_BETWEEN_LOOKS, Watch, killed_in

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
        self.folder, self.now = folder, 1_000.0
        Marker(folder / f"{RUNNING}{process.pid}").about_to_run("an-item", "a-scenario", SCENARIO_SECONDS)

    def look_for(self, seconds: float, watching: Watch) -> list[str]:
        """Look as usual, for so long; return why something was killed."""
        for _ in range(round(seconds / SECONDS_BETWEEN_LOOKS)):
            self.now += SECONDS_BETWEEN_LOOKS
            watching.look()
        return [one.reason for one in killed_in(self.folder)]


@pytest.fixture(name="watched")
def _watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        watched = Watched(tmp_path, process)
        monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: watched.now))
        yield watched
        process.kill()


def test_a_scenario_has_its_time_and_no_more(watched: Watched) -> None:
    watching = Watch(watched.folder, 300, 10_000)
    assert watched.look_for(SCENARIO_SECONDS, watching) == []
    assert watched.look_for(2, watching) == ["did not answer within 30 s"]


def test_an_engine_is_not_blamed_for_a_machine_that_stood_still(watched: Watched) -> None:
    watching = Watch(watched.folder, 300, 10_000)
    assert watched.look_for(10, watching) == []
    watched.now += 3_600
    assert watched.look_for(SCENARIO_SECONDS - 10, watching) == []
    assert not watching.is_stuck()
    assert watched.look_for(3, watching) == ["did not answer within 30 s"]


def test_memory_that_processes_share_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen([sys.executable, "-c", SHARING], stdin=PIPE, stdout=PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"shared\n"
        watched = Watched(tmp_path, process)
        monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: watched.now))
        assert watched.look_for(1, Watch(tmp_path, 300, 600)) == []
        assert watched.look_for(1, Watch(tmp_path, 300, 150)) == ["took more than 150 MiB of memory"]
