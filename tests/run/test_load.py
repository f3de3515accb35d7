"""Results do not depend on the load of the machine: a wrong engine is judged alone, and beside four busy loops."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import results_in, run_module

from tidegauge.engine.parent_death import ending_with_parent

BUSY_LOOPS = 4
TIMES = ("started", "duration_s", "slower")
"""The fields of results that are measured times."""

SLOW_IN_LONG_SCENARIOS = """
from hashlib import sha256
from tidegauge import ComponentAdapter
from tidegauge_reference import CORE, Valve

MUCH = bytes(8_000_000)


class SlowValve(Valve):
    def watermark(self, channel, timestamp):
        if 0 < timestamp - 1_700_000_000_000 < 5_000:  # as in the suite `endurance`
            sha256(MUCH).digest()
        return super().watermark(channel, timestamp)

    def idle(self, channel):
        return super().idle(channel)[-1:]


class Engines(ComponentAdapter):
    name = "slow valves"
    extras = ("snapshot", "int64")

    def valve(self, setup):
        return SlowValve(setup.channels, CORE)
"""


@contextmanager
def busy_machine() -> Iterator[None]:
    """Processes that compute for as long as the block runs."""
    loops = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=ending_with_parent())
        for _ in range(BUSY_LOOPS)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def without_times(document: Any) -> Any:
    """A JSON document without the fields that are measured times."""
    if isinstance(document, list):
        return [without_times(each) for each in document]
    if isinstance(document, dict):
        return {name: without_times(value) for name, value in document.items() if name not in TIMES}
    return document


def judged_in(folder: Path, *arguments: str) -> Any:
    """The results of a run in a folder of its own, without times."""
    folder.mkdir()
    (folder / "slow_valves.py").write_text(SLOW_IN_LONG_SCENARIOS, encoding="utf-8")
    ended = run_module(folder, "tidegauge")("run", *arguments, "--budget", "smoke", "--out", "out")
    assert ended.returncode == 1, ended.stderr
    return without_times(results_in(folder / "out"))


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(
            ("--adapter", "mutant:clock-first-resumption-ends-all", "--component", "clock", "-n", "1"),
            id="clock",
        ),
        pytest.param(
            ("--adapter", "slow_valves:Engines", "-n", "2"), id="slow valve", marks=pytest.mark.slower
        ),
        pytest.param(
            ("--adapter", "mutant:window-state-kept-for-ever", "--component", "window", "-n", "2"),
            id="window",
            marks=pytest.mark.slower,
        ),
    ],
)
def test_a_busy_machine_gives_the_same_verdicts_counts_and_counterexamples(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    alone = judged_in(tmp_path / "alone", *arguments)
    with busy_machine():
        beside = judged_in(tmp_path / "beside", *arguments)
    assert alone["counts"]["failing_scenarios"]
    assert beside == alone
