"""The figures of `conformance/DETECTION.md` about mutants are of a kit that is much like this one, and fit together.

They were measured (`tox -e mutation`, hours). A rule that comes with a wrong engine of its own does not make them
stale; a kit that has grown or shrunk by a twentieth does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from tidegauge.components.registry import load_mutants
from tidegauge.detection.listed_mutants import load_equivalents, load_survivors
from tidegauge.judging.changes.syntax_mutants import load_syntax_mutants

STALE = 0.05


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return " ".join((root / "conformance" / "DETECTION.md").read_text(encoding="utf-8").split())


def figures(pattern: str, text: str) -> Iterable[int]:
    """The numbers that a pattern finds in its groups."""
    found = re.search(pattern, text)
    assert found is not None, pattern
    return (int(number.replace(",", "")) for number in found.groups())


def is_fresh(measured: int, now: int, of: int) -> bool:
    """Whether a figure and what it would be now differ by less than a twentieth of the whole."""
    return abs(measured - now) <= STALE * of


def test_a_figure_is_stale_from_a_twentieth_on() -> None:
    assert is_fresh(100, 105, 105)
    assert not is_fresh(100, 106, 106)
    assert not is_fresh(100, 94, 94)


def test_named_wrong_engines_are_counted_right(page: str) -> None:
    named = load_mutants()
    jobs = sum(mutant.component == "job" for mutant in named.values())
    for pattern, now in (
        (r"of components \| ([\d,]+) of ([\d,]+), with seed 1", len(named) - jobs),
        (r"whole jobs \| ([\d,]+) of ([\d,]+) \|", jobs),
    ):
        caught, tried = figures(pattern, page)
        assert caught == tried
        assert is_fresh(tried, now, len(named)), "measure again: `tox -e mutation`"


def test_small_changes_are_counted_right(page: str) -> None:
    caught, wrong = figures(r"\| small changes \| ([\d,]+) of ([\d,]+) \([\d.]+ %\) \|", page)
    every, equivalent = figures(r"Of ([\d,]+) small changes ([\d,]+) change nothing", page)
    (broken,) = figures(r"and ([\d,]+) are no engines at all", page)
    (survive,) = figures(r"the ([\d,]+) that survive", page)
    assert f"({100 * caught / wrong:.1f} %)" in page
    assert (every - equivalent - broken, wrong - survive) == (wrong, caught)
    now = len(load_syntax_mutants())
    (later,) = figures(r"Another ([\d,]+) small changes [a-z ]+ are not measured yet", page)
    for measured, there in (
        (every + later, now),
        (equivalent, len(load_equivalents())),
        (survive, len(load_survivors())),
    ):
        assert is_fresh(measured, there, now), "measure again: `tox -e mutation`"


def test_few_small_changes_survive() -> None:
    wrong = len(load_syntax_mutants()) - len(load_equivalents())
    assert len(load_survivors()) <= 0.03 * wrong
