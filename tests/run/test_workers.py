"""Same seed, same scenarios, same verdicts, however many processes share the work."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Command, run_module

CHANGES_WITH_TIME = {"started", "duration_s", "command"}

SMOKE = ("--budget", "smoke", "--component", "valve", "--out", "out")


def results_without_times(folder: Path) -> dict[str, Any]:
    """All of the results that the engine and the seed decide."""
    results = json.loads((folder / "out" / "results.json").read_text(encoding="utf-8"))
    kept = {name: value for name, value in results.items() if name not in CHANGES_WITH_TIME}
    for item in kept["items"]:
        del item["duration_s"]
    return kept


@pytest.mark.slower
@pytest.mark.parametrize(
    ("adapter", "exit_code"),
    [
        pytest.param("reference", 0, id="reference"),
        pytest.param("mutant:valve-heard-while-idle", 1, id="mutant"),
    ],
)
def test_one_two_and_four_workers_find_the_same(adapter: str, exit_code: int, tmp_path: Path) -> None:
    found = []
    for workers in ("1", "2", "4"):
        folder = tmp_path / workers
        folder.mkdir()
        arguments = ("run", "--adapter", adapter, *SMOKE, "-n", workers, "--seed", "11")
        ended = run_module(folder, "tidegauge")(*arguments)
        assert ended.returncode == exit_code, ended.stdout + ended.stderr
        found.append(results_without_times(folder))
    one, two, four = found
    assert one["counts"]["scenarios"] > 2000
    assert one["rules"] == two["rules"] == four["rules"]
    assert one == two == four


@pytest.mark.slower
def test_another_seed_gives_other_scenarios(tidegauge: Command, tmp_path: Path) -> None:
    steps = []
    for seed in ("1", "2"):
        assert tidegauge("run", "--adapter", "reference", *SMOKE, "-n", "1", "--seed", seed).returncode == 0
        steps.append(results_without_times(tmp_path)["counts"]["steps"])
    assert steps[0] != steps[1]


HEAVY = """
import os
from msgspec.structs import replace
from pathlib import Path
from tidegauge import ComponentAdapter
from tidegauge_reference import Valve

class Heavy(ComponentAdapter):
    extras = ("snapshot", "int64")

    def describe(self):
        return replace(super().describe(), one_process=ONE_PROCESS)

    def valve(self, setup):
        Path(__file__).with_name("processes").joinpath(str(os.getpid())).touch()
        return Valve(setup.channels)
"""


@pytest.mark.slower
@pytest.mark.parametrize(("one_process", "processes"), [(True, 1), (False, 3)])
def test_an_engine_too_heavy_for_several_processes_runs_in_one(
    tidegauge: Command,
    engine_module: Callable[[str, str], None],
    tmp_path: Path,
    one_process: bool,
    processes: int,
) -> None:
    """Otherwise three workers run it, of which the first looks at its methods."""
    engine_module("heavy", HEAVY.replace("ONE_PROCESS", str(one_process)))
    (tmp_path / "processes").mkdir()
    ended = tidegauge("run", "--adapter", "heavy:Heavy", *SMOKE, "-n", "3")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert len(list((tmp_path / "processes").iterdir())) == processes
