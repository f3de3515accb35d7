"""Names and messages of others begin no line that a terminal, or a CI server that reads the log, obeys."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT, Command
from engines import valve_scenario
from msgspec.structs import replace

from tidegauge.wire.scenario import encode_scenario

COMMAND = "::error::the kit is broken"
FORGED = f"x\n{COMMAND}\r\n  {COMMAND}\n##[error]broken ##vso[task.setvariable variable=x]y\x1b[2K"
OBEYED = re.compile(r"^\s*::|##\[|##vso\[|\x1b|\r", re.MULTILINE)

ENGINE = f"""
from tidegauge import ComponentAdapter
from tidegauge_reference import Valve

class Mine(ComponentAdapter):
    name = {COMMAND!r}

    def valve(self, setup):
        return Valve(setup.channels)

class Speaks(Mine):
    def describe(self):
        from msgspec.structs import replace
        return replace(super().describe(), remark={FORGED!r})

class Raises(Mine):
    def valve(self, setup):
        raise RuntimeError({FORGED!r})

class RaisesAtOnce(Mine):
    def __init__(self, options):
        raise RuntimeError({FORGED!r})
"""


def scenario_with_a_forged_id() -> bytes:
    return encode_scenario(replace(valve_scenario(2, "w0=5"), id=FORGED)) + b"\n"


@pytest.mark.parametrize("engine", ["Mine", "Speaks", "Raises", "RaisesAtOnce"])
def test_replay_prints_no_line_that_others_begin(tidegauge: Command, tmp_path: Path, engine: str) -> None:
    (tmp_path / "mine.py").write_text(ENGINE, encoding="utf-8")
    (tmp_path / "in.jsonl").write_bytes(scenario_with_a_forged_id())
    ended = tidegauge("replay", "in.jsonl", "--adapter", f"mine:{engine}")
    assert ended.returncode == {"Raises": 1, "RaisesAtOnce": 2}.get(engine, 0), ended.stderr
    assert OBEYED.search(ended.stdout + ended.stderr) is None
    assert "error::the kit is broken" in ended.stdout + ended.stderr


@pytest.mark.parametrize("engine", ["Speaks", "Raises"])
def test_a_run_prints_no_line_that_others_begin(tidegauge: Command, tmp_path: Path, engine: str) -> None:
    (tmp_path / "mine.py").write_text(ENGINE, encoding="utf-8")
    ended = tidegauge(
        "run", "--adapter", f"mine:{engine}", "--component", "valve", "--budget", "smoke", "-n", "1", "-v"
    )
    assert ended.returncode in (0, 1, 2), ended.stderr
    assert OBEYED.search(ended.stdout + ended.stderr) is None
    assert "error::the kit is broken" in ended.stdout + ended.stderr


def test_the_name_of_a_file_stays_on_its_line(tidegauge_here: Command) -> None:
    name = f"a\n{COMMAND}.jsonl"
    Path(name.replace("/", "")).write_bytes(scenario_with_a_forged_id())
    for arguments in (
        ("promote", name, "--into", f"own\n{COMMAND}"),
        ("expect", name),
        ("vectors", "own\n::error::x"),
    ):
        ended = tidegauge_here(*arguments)
        assert OBEYED.search(ended.stdout + ended.stderr) is None, arguments
        assert ended.stdout + ended.stderr


def test_arguments_that_no_command_takes_stay_on_their_line(tidegauge: Command) -> None:
    for arguments in ((COMMAND,), ("replay", "a", f"b\n{COMMAND}"), ("replay", f"--b\n{COMMAND}")):
        ended = tidegauge(*arguments)
        assert ended.returncode == 2
        assert OBEYED.search(ended.stdout + ended.stderr) is None, ended.stderr


def test_commands_print_foreign_texts_on_one_line_by_one_function() -> None:
    """`escape` of rich leaves line breaks in a text."""
    places = [ROOT / "conformance" / "tidegauge" / "commands", ROOT / "conformance" / "tidegauge_pipeline"]
    places.append(ROOT / "reports" / "tidegauge_reports" / "commands")
    using = [
        file.name
        for place in places
        for file in place.rglob("*.py")
        if "from rich.markup import escape" in file.read_text(encoding="utf-8")
    ]
    assert using == ["terminal_text.py"]
