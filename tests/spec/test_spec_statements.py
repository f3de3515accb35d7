"""Nothing in the source documents is forgotten: each statement has its rule, or a reason why it has none."""

from __future__ import annotations

import re

import pytest

from tidegauge_spec import MalformedChapter, load_registry, load_statements
from tidegauge_spec.statements import read_not_covered, read_statements

HEAD = ["| # | statement (short) | why |", "|---|---|---|"]

STATEMENTS = {number: one.behaviour for number, one in load_statements().items()}
NOT_COVERED = {number: one.why_not for number, one in load_statements().items() if one.why_not}
RULES_OF = {
    number: [rule.id for rule in load_registry().rules.values() if number in rule.sources]
    for number in STATEMENTS
}


def test_the_statements_are_read_with_their_marks() -> None:
    assert {number[0] for number in STATEMENTS} == set("ABCDE")
    assert STATEMENTS["A1"]
    assert not STATEMENTS["A5"]


@pytest.mark.parametrize("number", [number for number, states in STATEMENTS.items() if states])
def test_a_statement_has_a_rule_or_a_reason_why_it_has_none(number: str) -> None:
    rules = RULES_OF[number]
    assert rules or number in NOT_COVERED, "name it in the Source of a rule, or in not-covered.md"
    assert not (rules and number in NOT_COVERED), f"{', '.join(rules)} and not-covered.md both have it"


@pytest.mark.parametrize("number", [number for number, states in STATEMENTS.items() if not states])
def test_what_states_no_behaviour_is_in_neither(number: str) -> None:
    assert not RULES_OF[number]
    assert number not in NOT_COVERED


def test_a_reason_is_a_reason() -> None:
    for number, why in NOT_COVERED.items():
        assert len(why.split()) >= 4, number


def test_a_rule_that_a_reason_names_exists() -> None:
    registry = load_registry()
    prefixes = "|".join(chapter.prefix for chapter in registry.chapters.values())
    for why in NOT_COVERED.values():
        assert set(re.findall(rf"\b(?:{prefixes})-[0-9]+\b", why)) <= set(registry.rules), why


ROWS = "\n".join([*HEAD, "| A1 | one | because of that |", "| A3 | three | for another reason |"])


def test_the_table_is_read() -> None:
    assert read_not_covered(f"# Title\n\nWords.\n\n{ROWS}\n", ["A1", "A2", "A3"]) == {
        "A1": "because of that",
        "A3": "for another reason",
    }


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("| # |", "| number |", 1),
        ("|---|---|---|\n", "", 1),
        ("| one |", "|", 3),
        ("because of that", "", 3),
        ("because of that", "this | that", 3),
        ("| A1 |", "|A1|", 3),
        ("| A1 |", "| A01 |", 3),
        ("| A1 |", "| A4 |", 3),
        ("| A1 |", "| A3 |", 4),
        ("| A3 |", "| A1 |", 4),
        ("\n| A3 |", "\n\n| A3 |", 5),
        ("for another reason |", "for another reason | |", 4),
    ],
)
def test_a_malformed_table_is_refused_with_the_line(old: str, new: str, line: int) -> None:
    assert old in ROWS
    with pytest.raises(MalformedChapter, match=f"^not-covered.md:{line}: "):
        read_not_covered(ROWS.replace(old, new, 1), ["A1", "A2", "A3"])


@pytest.mark.parametrize("row", ["| A1 | one | x |", "| A1 | one |", "| A1 |  | n |", "| A01 | one | n |"])
def test_a_malformed_statement_is_refused(row: str) -> None:
    with pytest.raises(MalformedChapter, match="^statements.md:2: "):
        read_statements(f"# Title\n{row}\n")


def test_a_statement_that_stands_twice_is_refused() -> None:
    with pytest.raises(MalformedChapter, match="^statements.md:2: "):
        read_statements("| A1 | one | n |\n| A1 | one |  |\n")
