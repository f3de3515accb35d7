"""A page of documentation, played: its commands are run in a shell, its edits are made, and what the commands print is
compared with what the page shows.

    python tests/instruments/played_page.py conformance/FIRST_VERDICT.md guides/adapter.md

plays pages, the guides as a whole and others part by part, with the installed package and writes what is printed into it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conftest import PATIENCE, plain_environment

VARIES = "…"
"""Stands in a page for whatever differs from run to run, within a line."""

_INSTALLS = ("python3 -m venv ", "python3.11 -m venv ", ". .venv/", "pip install ")
_END = "-- the end of a command --"

_VARYING = (
    (r"(?<=explains )[\d,]+ of [\d,]+ examined scenarios, of [\d,]+", "… of … examined scenarios, of …"),
    (r"(?<=explains the )[\d,]+(?= )", "…"),
    (r"(?<=explains all )[\d,]+(?= )", "…"),
    (r"[\d,]+ scenarios, [\d,]+ steps, [\d.]+ s(?=, seed)", "… scenarios, … steps, … s"),
    (r"[\d,]+ scenarios, [\d,]+ steps · [\d.]+ s$", "… scenarios, … steps · … s"),
    (r"(?<=explains )[\d,]+ of [\d,]+(?= failing scenarios)", "… of …"),
    (r"\d{4}-\d\d-\d\dT[\d:]+\+00:00", "…"),
    (r"[\d,]+ before, [\d,]+ now", "… before, … now"),
    (r"(?<=in )[\d,]+ of [\d,]+(?= scenarios, which the diagnosis explains)", "… of …"),
    (r"(?<=shown in )[\d,]+(?= scenarios)", "…"),
    (r"(?<=conforms in )[\d,]+(?= scenarios)", "…"),
    (r"(?<= traces, )[\d,]+(?= rows$)", "…"),
    (r"(?<=^JOB-2      (?:fail|pass)  ) *\d+", "        …"),
    (r"(?<=^VALVE-21  fail             ) *\d+", "     …"),
)
"""What is written as `…`: durations, and numbers of scenarios where Hypothesis draws some of them."""


@dataclass(frozen=True)
class Command:
    """A command, and the lines that the page shows under it. `line`: where it stands, from 1."""

    text: str
    shown: tuple[str, ...]
    line: int

    @property
    def installs(self) -> bool:
        """Whether it prepares the environment, which a test may have done already."""
        return self.text.startswith(_INSTALLS)


@dataclass(frozen=True)
class Edit:
    """Changes of a file: what stands in it, once, and what takes its place."""

    file: str
    changes: tuple[tuple[str, str], ...]

    def make(self, folder: Path) -> None:
        """Change the file."""
        path = folder / self.file
        text = path.read_text(encoding="utf-8")
        for old, new in self.changes:
            assert text.count(old) == 1, f"{self.file} does not have this once:\n{old}"
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")


@dataclass(frozen=True)
class NewFile:
    """A file that the page has in full."""

    file: str
    text: str

    def make(self, folder: Path) -> None:
        """Write the file, in a folder that is made if need be."""
        path = folder / self.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text, encoding="utf-8")


Step = Command | Edit | NewFile


def steps_of(page: str, part: str = "") -> list[Step]:
    """The commands, edits and files of a page in their order, or of the part under the heading `## part`."""
    found: list[Step] = []
    heading, block, at = "", "", 0
    body: list[str] = []
    for number, line in enumerate(page.splitlines(), start=1):
        if line.startswith("```") and not block:
            block, body, at = line.removeprefix("```") or "text", [], number
        elif line == "```":
            if part in ("", heading):
                found += _of_block(block, body, at)
            block = ""
        elif block:
            body.append(line)
        elif line.startswith("## "):
            heading = line.removeprefix("## ")
    return found


def _of_block(block: str, body: Sequence[str], at: int) -> Iterator[Step]:
    language, _, file = block.partition(" ")
    if language == "console":
        starts = [place for place, line in enumerate(body) if line.startswith("$ ")]
        for start, stop in zip(starts, [*starts[1:], len(body)], strict=True):
            yield Command(body[start].removeprefix("$ "), tuple(body[start + 1 : stop]), at + 1 + start)
    elif language == "diff":
        hunks = "\n".join(body).split("@@\n")[1:]
        yield Edit(file, tuple((_side(hunk, "-"), _side(hunk, "+")) for hunk in hunks))
    elif file:
        yield NewFile(file, "\n".join(body) + "\n")


def _side(hunk: str, sign: str) -> str:
    """The lines of a side of a change, with those of both."""
    kept = [line[1:] for line in hunk.splitlines() if line[:1] in (" ", sign) or not line]
    return "\n".join(kept) + "\n"


class Shell:
    """A shell in a folder, as a terminal of 80 columns has it."""

    def __init__(self, folder: Path, path: Sequence[Path] = (), **environment: str) -> None:
        told = {**plain_environment(), "COLUMNS": "80", "PIP_DISABLE_PIP_VERSION_CHECK": "1", **environment}
        told["PATH"] = ":".join([*map(str, path), told["PATH"]])
        self._process = subprocess.Popen(
            ["bash", "--norc"],
            cwd=folder,
            env=told,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> Shell:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate("exit\n", timeout=PATIENCE)

    def run(self, command: str) -> list[str]:
        """Return the lines that a command prints; the next command finds its exit code in `$?`."""
        return self._told(f"(exit $kept)\n{{ {command}\n}} </dev/null\nkept=$?")

    def folder(self) -> Path:
        """Where the shell is."""
        return Path(self._told("pwd")[0])

    def processor_seconds(self) -> float:
        """The processor time of all commands so far."""
        minutes = re.findall(r"(\d+)m([\d.]+)s", self._told("times")[1])
        return sum(60 * int(whole) + float(rest) for whole, rest in minutes)

    def _told(self, command: str) -> list[str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{command}\necho '{_END}'\n")
        self._process.stdin.flush()
        printed = []
        for line in self._process.stdout:
            if line.endswith(f"{_END}\n"):
                return printed
            printed.append(line.rstrip("\n"))
        raise AssertionError(f"the shell ended in: {command}")


def agrees(shown: str, printed: str) -> bool:
    """Whether a line is as the page shows it, without blanks at its end."""
    parts = [re.escape(part) for part in shown.rstrip().split(VARIES)]
    return re.fullmatch(".+?".join(parts), printed.rstrip()) is not None


def differences(command: Command, printed: Sequence[str]) -> list[str]:
    """What a command prints otherwise than the page shows, line by line."""
    found = []
    for place in range(max(len(command.shown), len(printed))):
        shown = command.shown[place] if place < len(command.shown) else None
        line = printed[place] if place < len(printed) else None
        if shown is None or line is None or not agrees(shown, line):
            found.append(
                f"line {command.line + 1 + place}, {command.text}\n  page:    {shown}\n  printed: {line}"
            )
    return found


def played(page: str, folder: Path, part: str = "") -> list[str]:
    """Plays a page, or a part of it, in a folder; what is printed otherwise than the page shows."""
    differing: list[str] = []
    with Shell(folder, [Path(sys.executable).parent]) as shell:
        for step in steps_of(page, part):
            if not isinstance(step, Command):
                step.make(shell.folder())
            elif not step.installs:
                differing += differences(step, shell.run(step.text))
    return differing


def rewritten(page: str, folder: Path, parts: Sequence[str]) -> str:
    """The page with what its commands print in this environment; each part begins in a folder of its own, and the
    part without a name is the whole page."""
    lines = page.splitlines()
    told: dict[int, tuple[int, list[str]]] = {}
    for part in parts:
        place = folder / (part.replace(" ", "-") or "whole")
        place.mkdir()
        with Shell(place, [Path(sys.executable).parent]) as shell:
            for step in steps_of(page, part):
                if not isinstance(step, Command):
                    step.make(shell.folder())
                elif not step.installs:
                    told[step.line] = (len(step.shown), [_steady(line) for line in shell.run(step.text)])
    for line, (number, printed) in sorted(told.items(), reverse=True):
        lines[line : line + number] = printed
    return "\n".join(lines) + "\n"


def _steady(line: str) -> str:
    """A printed line as a page shows it."""
    for pattern, instead in _VARYING:
        line = re.sub(pattern, instead, line)
    return line.rstrip()


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as scratch:
            document = Path(name)
            text = document.read_text(encoding="utf-8")
            parts = [""] if document.parent.name == "guides" else re.findall(r"^## (.+)$", text, re.MULTILINE)
            document.write_text(rewritten(text, Path(scratch), parts), encoding="utf-8")
