"""The decisions that ship with the chapters."""

import re
from importlib.resources import files

import pytest

from tidegauge_spec import load_registry

PAGES = {
    entry.name.removesuffix(".md"): entry.read_text(encoding="utf-8")
    for entry in (files("tidegauge_spec") / "decisions").iterdir()
}
ROW = re.compile(r"^\| ([A-Z]+[0-9]+) \| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)
PREFIXES = {chapter.prefix for chapter in load_registry().chapters.values()}


def test_each_chapter_has_a_page() -> None:
    assert set(PAGES) == PREFIXES


@pytest.mark.parametrize("chapter", sorted(PAGES))
def test_a_page_says_what_was_decided_and_why(chapter: str) -> None:
    page = PAGES[chapter]
    assert page.startswith(f"# {chapter}: decisions\n")
    rows = ROW.findall(page)
    assert rows
    assert len(rows) == page.count("\n| ") - 1, "a row has a number, a question, a decision and a reason"
    assert all(cell.strip() for row in rows for cell in row)


def test_a_number_is_given_once() -> None:
    numbers = [number for page in PAGES.values() for number, *_ in ROW.findall(page)]
    assert len(set(numbers)) == len(numbers)


def test_rules_that_a_decision_names_exist() -> None:
    named = {rule for page in PAGES.values() for rule in re.findall(r"\b[A-Z]+-[0-9]+\b", page)}
    own = {one for one in named if one.partition("-")[0] in PREFIXES}
    assert own
    assert own <= set(load_registry().rules)
