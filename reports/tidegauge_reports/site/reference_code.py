"""The modules of the reference, line by line, with the rules that each line cites."""

import re
from dataclasses import dataclass

from markupsafe import Markup, escape

from tidegauge.judging.traceability import reference_lines
from tidegauge_spec import load_registry

from .addresses import rule_address

_RULE_ID = re.compile(r"\b[A-Z]+-[1-9][0-9]*\b")
_CITED = re.compile(r'"([A-Z]+-[1-9][0-9]*)"')


@dataclass(frozen=True)
class CodeLine:
    """A line: its number, its text with rule ids as links, and the rules it cites."""

    number: int
    markup: Markup
    cites: tuple[str, ...]


@dataclass(frozen=True)
class CodeModule:
    """A module of the reference: `valve.py`."""

    name: str
    lines: tuple[CodeLine, ...]

    @property
    def rules(self) -> list[str]:
        """The rules it cites, in the order of the registry."""
        cited = {rule for line in self.lines for rule in line.cites}
        return [rule for rule in load_registry().rules if rule in cited]


def code_modules(root: str) -> list[CodeModule]:
    """All modules of the reference; `root` leads from their pages to the site's top folder."""
    return [
        CodeModule(name, tuple(_line(number, text, root) for number, text in enumerate(lines, start=1)))
        for name, lines in reference_lines().items()
    ]


def _line(number: int, text: str, root: str) -> CodeLine:
    rules = load_registry().rules
    cites = tuple(rule for rule in dict.fromkeys(_CITED.findall(text)) if rule in rules)
    pieces, after = [], 0
    for found in _RULE_ID.finditer(text):
        if found[0] in rules:
            link = Markup('<a href="{}">{}</a>').format(root + rule_address(found[0]), found[0])
            pieces += [escape(text[after : found.start()]), link]
            after = found.end()
    return CodeLine(number, Markup("").join([*pieces, escape(text[after:])]), cites)
