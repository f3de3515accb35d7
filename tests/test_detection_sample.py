"""A sample of the syntax mutants dies; all of them are tried outside of these tests (`tidegauge mutants --ast`)."""

from __future__ import annotations

import pytest

from tidegauge.detection.campaign import try_syntax
from tidegauge.detection.equivalents import load_equivalents
from tidegauge.detection.score import MutantScore
from tidegauge.detection.syntax_mutants import load_syntax_mutants

EVERY = 40
"""One of so many is tried: which ones changes when the reference does, how many hardly."""

LOOKED_THROUGH = {"backlog", "clock", "idleness", "low_watermark", "splits", "valve", "windows"}
"""The modules of whose survivors each is known to be equivalent, or a hole that has been closed."""


@pytest.fixture(scope="module")
def scores() -> list[MutantScore]:
    """Of a sample of the mutants that are wrong engines."""
    wrong = [
        mutant
        for mutant in load_syntax_mutants().values()
        if mutant.name not in load_equivalents() and mutant.module in LOOKED_THROUGH
    ]
    return [one for one in try_syntax(wrong[::EVERY], "smoke", 1) if isinstance(one, MutantScore)]


def test_nearly_all_are_killed(scores: list[MutantScore]) -> None:
    survivors = [one.name for one in scores if not one.killed]
    assert len(scores) > 20
    assert len(survivors) <= 0.03 * len(scores), survivors


def test_most_are_laid_to_a_rule_that_decides_where_they_are_changed(scores: list[MutantScore]) -> None:
    killed = [one for one in scores if one.killed and one.answers]
    assert sum(one.blamed for one in killed) >= 0.8 * len(killed)
