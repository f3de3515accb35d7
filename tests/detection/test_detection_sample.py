"""A sample of the syntax mutants dies; all of them are tried outside of these tests (`tidegauge mutants --ast`)."""

from __future__ import annotations

import pytest

from tidegauge.detection.campaign import try_syntax
from tidegauge.detection.listed_mutants import load_equivalents, load_survivors
from tidegauge.detection.score import MutantScore
from tidegauge.judging.changes.syntax_mutants import load_syntax_mutants

pytestmark = pytest.mark.slower

EVERY = 40
"""One of so many is tried: which ones changes when the reference does, how many hardly."""


@pytest.fixture(scope="module")
def scores() -> list[MutantScore]:
    """Of a sample of the mutants that are known to be caught; those of whole jobs may take minutes."""
    listed = load_equivalents() | load_survivors()
    caught = [
        mutant
        for name, mutant in load_syntax_mutants().items()
        if name not in listed and mutant.module != "job"
    ]
    return [one for one in try_syntax(caught[::EVERY], "smoke", 1) if isinstance(one, MutantScore)]


def test_all_are_killed(scores: list[MutantScore]) -> None:
    assert len(scores) > 40
    assert [one.name for one in scores if not one.killed] == []


def test_most_are_laid_to_a_rule_that_decides_where_they_are_changed(scores: list[MutantScore]) -> None:
    killed = [one for one in scores if one.killed and one.answers]
    assert sum(one.blamed for one in killed) >= 0.8 * len(killed)
