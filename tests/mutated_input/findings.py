"""What must not be found after a command that was given any files whatsoever."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import msgspec

from .commands import STDIN, Reading
from .in_process import Ended, kept_traceback
from .mutations import UNESCAPED

FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What a terminal obeys, and marks that reorder the text around them."""

LONGEST_COMPLAINT = 2_500
"""Characters of the one line of bad input."""

MOST_SECONDS = 10.0
"""Seconds of computing."""

MOST_PRINTED = 1_000_000
"""Bytes that a command prints for people."""

_PAGES = {".html", ".svg", ".md", ".xml"}
_CODE_OF_MARKDOWN = re.compile(r"^(`{3,})[^`\n]*\n.*?^\1`*[ \t]*$", re.MULTILINE | re.DOTALL)
"""A block of code, in which nothing is markup but its end."""

_LONGEST_TRACEBACK = 3_000


def findings(reading: Reading, ended: Ended, folder: Path, before: set[str]) -> Iterator[str]:
    """What is wrong, a text each. `before` are the names in the folder before the command."""
    err = ended.stderr.decode("utf-8", "replace")
    if ended.code is None:
        yield "it does not end"
        return
    if ended.code not in reading.codes:
        told = kept_traceback(folder)[-_LONGEST_TRACEBACK:] or err[-_LONGEST_TRACEBACK:]
        yield f"exit code {ended.code}, documented are {reading.codes}: {told}"
    elif "Traceback (most recent call last)" in err:
        yield f"a traceback: {err[-_LONGEST_TRACEBACK:]}"
    if ended.code == 2 and not (reading.name.startswith("report") and ended.stdout):  # that of the run
        yield from _complaint(reading, err)
    elif ended.code in reading.codes and err:
        yield f"it ends with {ended.code} and says on stderr: {err[:300]!r}"
    if ended.seconds > MOST_SECONDS and not reading.slow:
        yield f"it computes for {ended.seconds:.0f} s"
    yield from _printed(reading, ended, err)
    yield from _written(folder)
    asked_for = {"out", "tmp", *([reading.target] if reading.begins else [])}
    for name in sorted({path.name for path in folder.iterdir()} - before - asked_for):
        yield f"it wrote {name!r}, which it was not asked for"


def _complaint(reading: Reading, err: str) -> Iterator[str]:
    """Bad input is one line that names the thing."""
    lines = err.split("\n")
    if len(lines) != 2 or lines[1] or not lines[0].startswith("tidegauge: "):
        yield f"bad input is not one line: {err[:500]!r}"
    target = Path(reading.target)
    if not any(name in err for name in (target.name, target.parts[0], "scenario '")):
        yield f"bad input is not named: {err[:500]!r}"
    if len(err) > LONGEST_COMPLAINT:
        yield f"bad input is a line of {len(err):,} characters: {err[:200]!r}"


def _printed(reading: Reading, ended: Ended, err: str) -> Iterator[str]:
    for name, text in (("stdout", ended.stdout.decode("utf-8", "replace")), ("stderr", err)):
        if reading.protocol and name == "stdout":
            yield from _not_json(ended.stdout)
        elif found := FORBIDDEN.search(text):
            around = text[max(0, found.start() - 80) : found.end() + 40]
            yield f"a control character on {name}: {around!r}"
        elif len(text) > MOST_PRINTED:
            yield f"{len(text):,} characters on {name}"


def _not_json(stdout: bytes) -> Iterator[str]:
    """What programs read is JSON, whose texts hold any character but those below a space."""
    for line in stdout.splitlines():
        try:
            msgspec.json.decode(line)
        except msgspec.DecodeError as error:
            yield f"stdout is no JSON: {error}: {line[:200]!r}"


def _written(folder: Path) -> Iterator[str]:
    """Pages and documents that were written hold no markup of the input."""
    for place in ("out", "run"):
        for path in sorted((folder / place).rglob("*")):
            if path.suffix in _PAGES and path.is_file():
                text = path.read_text(encoding="utf-8", errors="replace")
                if path.suffix == ".md":
                    text = _CODE_OF_MARKDOWN.sub("", text)
                for markup in UNESCAPED:
                    if markup in text:
                        at = text.index(markup)
                        yield f"unescaped markup in {path.name}: {text[max(0, at - 100) : at + 50]!r}"
                if found := FORBIDDEN.search(text):
                    yield f"a control character in {path.name}: {text[max(0, found.start() - 80) : found.end()]!r}"
            if path.suffix in {".xml", ".svg"} and path.is_file():
                try:
                    ElementTree.parse(path)
                except ElementTree.ParseError as error:
                    yield f"{path.name} is no XML: {error}"


def names_in(folder: Path) -> set[str]:
    """What is in a folder."""
    return {path.name for path in folder.iterdir()} | {STDIN}
