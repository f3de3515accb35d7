"""The README, played as a new user plays it; its length, its links, its pictures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT
from played_page import Command, played, steps_of

PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_WORDS = 900


@pytest.mark.parametrize("part", ["A verdict in 30 seconds", "Your own engine"])
def test_every_printed_line_is_what_is_printed(part: str, tmp_path: Path) -> None:
    commands = [step for step in steps_of(PAGE, part) if isinstance(step, Command)]
    assert all(command.shown for command in commands if not command.installs)
    differing = played(PAGE, tmp_path, part)
    assert not differing, "\n".join(differing)


def test_it_is_short() -> None:
    assert len(PAGE.split()) <= MOST_WORDS


def test_what_it_links_to_is_there() -> None:
    linked = re.findall(r"\]\(([^)#:]+)\)|(?:src|srcset)=\"([^\"]+)\"", PAGE)
    assert len(linked) > 15
    assert [one for pair in linked for one in pair if one and not (ROOT / one).exists()] == []
