"""What goes wrong in the kit itself, or in what it writes to: one line, and exit code 4."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PATIENCE, Command, plain_environment

from tidegauge.components.job.jobs import JOBS
from tidegauge.wire.scenario import encode_scenario

FAILS = """
import sys
from tidegauge import __main__ as kit
def fails():
    {action}
own = kit.application
def with_one_more(wanted=()):
    app = own()
    app.command("fail")(fails)
    return app
kit.application = with_one_more
sys.argv[1:] = ["fail"]
kit.main()
"""


def ended(*command: str, **more: object) -> subprocess.CompletedProcess[str]:
    """A command that has ended."""
    return subprocess.run(
        [sys.executable, *command],
        env={**plain_environment(), **more.pop("env", {})},  # type: ignore[dict-item]
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=PATIENCE,
        **more,  # type: ignore[call-overload]
    )


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("open('/nowhere/file', 'w')", "tidegauge: No such file or directory (/nowhere/file)\n"),
        ("raise OSError(28, 'No space left on device')", "tidegauge: No space left on device\n"),
    ],
)
def test_trouble_with_files_is_one_line(action: str, said: str) -> None:
    found = ended("-c", FAILS.format(action=action))
    assert (found.returncode, found.stderr) == (4, said)


def test_a_defect_of_the_kit_is_one_line_with_the_place_of_its_traceback() -> None:
    found = ended("-c", FAILS.format(action="raise KeyError('rule')"))
    assert found.returncode == 4
    (line,) = found.stderr.splitlines()
    assert line.startswith("tidegauge: this is a defect of the kit, please report it with ")
    assert line.endswith(": KeyError: 'rule'")
    kept = Path(
        line.removeprefix("tidegauge: this is a defect of the kit, please report it with ").split(": ")[0]
    )
    assert "Traceback" in kept.read_text(encoding="utf-8")
    kept.unlink()


RAISING = """
from tidegauge_adapters.reference import ReferenceAdapter

class Raising(ReferenceAdapter):
    def run(self, scenarios):
        for one in scenarios:
            raise {error}
"""


UNPRINTABLE = "type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})()"


@pytest.mark.parametrize("error", ["KeyError('rule')", "OSError(111, 'Connection refused')", UNPRINTABLE])
def test_what_an_adapter_raises_is_no_defect_of_the_kit(
    tidegauge: Command, tmp_path: Path, error: str
) -> None:
    (tmp_path / "mine.py").write_text(RAISING.format(error=error), encoding="utf-8")
    (tmp_path / "one.jsonl").write_bytes(encode_scenario(JOBS["flip-182"]) + b"\n")
    found = tidegauge("replay", "one.jsonl", "--adapter", "mine:Raising")
    assert found.returncode == 1, found.stderr
    assert found.stderr == ""
    assert "error: a job did not run" in found.stdout
    assert "raised by `run` of the adapter, at mine.py:7" in " ".join(found.stdout.split())


def test_a_full_disk_behind_stdout_is_one_line() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        found = ended("-m", "tidegauge", "rules", stdout=full)
    assert found.returncode == 4
    assert found.stderr == "tidegauge: No space left on device\n"


def test_who_stops_reading_is_told_nothing() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    found = ended("-m", "tidegauge", "rules", stdout=writing)
    os.close(writing)
    assert (found.returncode, found.stderr) == (1, "")


def test_a_terminal_of_ascii_is_written_to() -> None:
    found = ended(
        "-m", "tidegauge", "explain", "VALVE-1", stdout=subprocess.DEVNULL, env={"PYTHONIOENCODING": "ascii"}
    )
    assert (found.returncode, found.stderr) == (0, "")
