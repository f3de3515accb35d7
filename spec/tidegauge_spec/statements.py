"""The numbered statements of the five source documents, and why some of them are stated by no rule."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

from .sections import MalformedChapter

STATEMENTS = "statements.md"
NOT_COVERED = "not-covered.md"

_STATEMENT = re.compile(r"\| (?P<number>[A-E][1-9][0-9]*) \| (?P<text>\S.*) \| (?P<mark>n? )\|")
_EXCEPTION = re.compile(r"\| (?P<number>[A-E][1-9][0-9]*) \| (?P<text>\S[^|]*) \| (?P<why>\S[^|]*) \|")
_HEAD = ["| # | statement (short) | why |", "|---|---|---|"]


@dataclass(frozen=True)
class Statement:
    """A sentence of a source document, in short; `behaviour`: it says what an engine does. `why_not` says why
    no rule states it, empty where one has to."""

    number: str
    text: str
    behaviour: bool
    why_not: str = ""


@cache
def load_statements() -> dict[str, Statement]:
    """All statements by number, in order. Raises `MalformedChapter`."""
    statements = read_statements(_text(STATEMENTS))
    reasons = read_not_covered(_text(NOT_COVERED), list(statements))
    return {
        number: Statement(number, one.text, one.behaviour, reasons.get(number, ""))
        for number, one in statements.items()
    }


def read_statements(text: str) -> dict[str, Statement]:
    """The rows of `statements.md` in order; those that state no behaviour are marked `n`. Raises
    `MalformedChapter`."""
    found: dict[str, Statement] = {}
    for line, row in enumerate(text.splitlines(), start=1):
        if not re.match(r"\| *[A-E][0-9]", row):
            continue
        cells = _STATEMENT.fullmatch(row)
        if cells is None or cells["number"] in found:
            raise MalformedChapter(
                STATEMENTS, line, f"{row!r} is not '| number | statement | n or nothing |', once"
            )
        found[cells["number"]] = Statement(cells["number"], _plain(cells["text"]), cells["mark"] != "n ")
    return found


def read_not_covered(text: str, order: list[str]) -> dict[str, str]:
    """The numbers of `not-covered.md` and why no rule names them: one table, in the `order` of the
    statements. Raises `MalformedChapter`."""
    lines = text.splitlines()
    table = [(line, row) for line, row in enumerate(lines, start=1) if "|" in row]
    if [row for _, row in table[:2]] != _HEAD:
        raise MalformedChapter(
            NOT_COVERED, table[0][0] if table else len(lines), f"the table starts with {_HEAD}"
        )
    found: dict[str, str] = {}
    for (before, _), (line, row) in pairwise(table[1:]):
        cells = _EXCEPTION.fullmatch(row)
        if cells is None or line != before + 1:
            raise MalformedChapter(
                NOT_COVERED, line, f"{row!r} is not '| number | statement | why |' in one table"
            )
        number = cells["number"]
        if number not in order:
            raise MalformedChapter(NOT_COVERED, line, f"there is no statement {number}")
        if found and order.index(number) <= order.index(list(found)[-1]):
            raise MalformedChapter(NOT_COVERED, line, f"{number} stands twice or out of order")
        found[number] = cells["why"]
    return found


def _plain(text: str) -> str:
    return text.replace("**", "").strip()


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
