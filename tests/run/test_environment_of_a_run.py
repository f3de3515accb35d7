"""What pytest reads from its environment does not reach a run: it is meant for the tests of the user."""

from __future__ import annotations

from pathlib import Path

from conftest import Command, results_in

SMALL = (
    "run",
    "--adapter",
    "reference",
    "--component",
    "clock",
    "--budget",
    "smoke",
    "-n",
    "1",
    "--out",
    "out",
)

VARIABLES = {
    "PYTEST_ADDOPTS": "--collect-only",
    "PYTEST_PLUGINS": "no_such_plugin",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_XDIST_WORKER": "gw7",
    "PYTEST_XDIST_AUTO_NUM_WORKERS": "0",
    "PYTEST_THEME": "no-such-theme",
}


def test_variables_of_pytest_do_not_reach_a_run(tidegauge: Command, tmp_path: Path) -> None:
    ended = tidegauge(*SMALL, environment=VARIABLES)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert results_in(tmp_path / "out")["counts"]["pass"] > 0
