"""The tutorial, played as a new user plays it: every command of the page, every edit, every printed line."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import PATIENCE, ROOT, plain_environment
from played_page import VARIES, Command, Edit, Shell, Step, agrees, differences, steps_of

PAGE = (ROOT / "conformance" / "FIRST_VERDICT.md").read_text(encoding="utf-8")
PYTHON, JAVASCRIPT = "In Python", "In JavaScript"


def played(shell: Shell, steps: list[Step], capsys: pytest.CaptureFixture[str]) -> None:
    """Play the steps; print what they cost until the first verdict."""
    began, spent = time.monotonic(), shell.processor_seconds()
    told, differing = False, []
    for step in steps:
        if not isinstance(step, Command):
            step.make(shell.folder())
            continue
        differing += differences(step, shell.run(step.text))
        if step.text.startswith("tidegauge run ") and not told:
            told = True
            with capsys.disabled():
                print(
                    f"\nthe first verdict: {shell.processor_seconds() - spent:.1f} s of processor time, "
                    f"{time.monotonic() - began:.1f} s in all"
                )
    assert not differing, "\n".join(differing)


def without_installation(steps: list[Step]) -> list[Step]:
    """The steps but for those that prepare the environment."""
    return [one for one in steps if not isinstance(one, Command) or not one.installs]


@pytest.mark.slower
def test_in_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Shell(tmp_path, [Path(sys.executable).parent]) as shell:
        steps = steps_of(PAGE, PYTHON)
        played(shell, without_installation(steps), capsys)


@pytest.mark.slower
def test_in_javascript(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shutil.which("node"), "no Node.js found: .ci/node installs Debian's"
    with Shell(tmp_path, [Path(sys.executable).parent]) as shell:
        played(shell, steps_of(PAGE, JAVASCRIPT), capsys)


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """The wheel, built from the tree."""
    folder = tmp_path / "wheel"
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    environment = plain_environment()
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, timeout=PATIENCE)
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.slower
def test_both_parts_with_the_wheel_in_an_empty_folder(
    wheel: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The wheel takes the place of the name in `pip install tidegauge`; its dependencies come from the index."""
    assert shutil.which("node"), "no Node.js found: .ci/node installs Debian's"
    empty = tmp_path / "empty"
    empty.mkdir()
    interpreter = tmp_path / "bin"
    interpreter.mkdir()
    (interpreter / "python3").symlink_to(Path(sys.base_prefix) / "bin" / "python3")
    with Shell(empty, [interpreter]) as shell:
        for part in (PYTHON, JAVASCRIPT):
            played(shell, list(_with_the_wheel(part, wheel)), capsys)
            shell.run("cd ..")
        assert str(empty) in "".join(shell.run("command -v tidegauge"))


def _with_the_wheel(part: str, wheel: Path) -> Iterator[Step]:
    for step in steps_of(PAGE, part):
        if isinstance(step, Command) and step.text.startswith("pip install"):
            assert step.text.endswith(" tidegauge")
            yield Command(step.text.removesuffix("tidegauge") + str(wheel), step.shown, step.line)
        else:
            yield step


def test_the_page_shows_what_each_run_prints_and_little_of_it_varies() -> None:
    """So that a page without outputs, or one of `…` alone, cannot pass."""
    for part in (PYTHON, JAVASCRIPT):
        commands = [one for one in steps_of(PAGE, part) if isinstance(one, Command)]
        runs = [one for one in commands if one.text.startswith("tidegauge run ")]
        assert len(runs) == 2
        for run in runs:
            assert len(run.shown) > 20
            assert sum(VARIES in line for line in run.shown) <= 4
    assert not re.findall(rf"^\W*{VARIES}\W*$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("22 fail, … s, seed 1", "22 fail, 4.0 s, seed 1", True),
        ("22 fail, … s, seed 1", "21 fail, 4.0 s, seed 1", False),
        ("22 fail, … s, seed 1", "22 fail,  s, seed 1", False),
        ("a.c", "abc", False),
        ("rule  ", "rule", True),
        ("", "more", False),
    ],
)
def test_a_line_agrees_but_for_what_varies(shown: str, printed: str, same: bool) -> None:
    assert agrees(shown, printed) is same


def test_a_line_too_few_too_many_or_another_is_told() -> None:
    command = Command("say", ("one", "two"), 7)
    assert differences(command, ["one", "two"]) == []
    for printed in (["one"], ["one", "two", "three"], ["one", "three"]):
        (told,) = differences(command, printed)
        assert told.startswith(f"line {10 if len(printed) == 3 else 9}, say\n")


def test_an_edit_that_does_not_fit_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text("a\na\nb\n", encoding="utf-8")
    Edit("engine.py", (("b\n", "c\n"),)).make(tmp_path)
    assert (tmp_path / "engine.py").read_text(encoding="utf-8") == "a\na\nc\n"
    for old in ("a\n", "x\n"):
        with pytest.raises(AssertionError, match="does not have this once"):
            Edit("engine.py", ((old, "c\n"),)).make(tmp_path)
