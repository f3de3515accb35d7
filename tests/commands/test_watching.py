"""`tidegauge run --watch`: a change is a new run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Timer

import pytest
from conftest import PATIENCE, plain_environment

ENGINE = """
from tidegauge import ComponentAdapter
from tidegauge_reference import Valve

class Mine(Valve):
    def idle(self, channel):
        return {idle}

class Engine(ComponentAdapter):
    extras = ("snapshot", "int64")
    def valve(self, setup):
        return Mine(setup.channels)
"""


@pytest.mark.slower
def test_a_change_is_a_new_run(engine_module: Callable[[str, str], None], tmp_path: Path) -> None:
    engine_module("mine", ENGINE.format(idle="[]"))
    command = [
        "run",
        "--adapter",
        "mine:Engine",
        "--rule",
        "VALVE-6",
        "--budget",
        "smoke",
        "-n",
        "1",
        "--watch",
    ]
    watching = subprocess.Popen(
        [sys.executable, "-m", "tidegauge", *command],
        cwd=tmp_path,
        env=plain_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    never = Timer(PATIENCE, lambda: os.killpg(watching.pid, signal.SIGKILL))
    never.start()
    try:
        assert watching.stdout is not None
        said = ""
        for line in watching.stdout:
            said += line
            if line.startswith("Watching ") and "changed" not in said:
                engine_module("mine", ENGINE.format(idle="super().idle(channel)"))
            if line.startswith("Conforms: "):
                break
        assert "First difference, in valve-" in said
        assert "changed: mine.py" in said
        os.killpg(watching.pid, signal.SIGINT)
        assert watching.wait(PATIENCE) != 0
    finally:
        never.cancel()
        watching.kill()
        watching.communicate()


def test_what_a_run_prints_into_is_no_change(tmp_path: Path) -> None:
    program = (
        "from pathlib import Path; from watchfiles import Change\n"
        "from tidegauge.commands.watching import ChangesOfOthers\n"
        "seen = ChangesOfOthers(Path('out'))\n"
        "print(*(seen(Change.modified, str(Path(name).resolve()))"
        " for name in ('watch.log', 'mine.py', 'out/report.html')))"
    )
    (tmp_path / "mine.py").touch()
    with (tmp_path / "watch.log").open("wb") as log:
        subprocess.run([sys.executable, "-c", program], cwd=tmp_path, stdout=log, check=True)
    assert (tmp_path / "watch.log").read_text(encoding="utf-8") == "False True False\n"
