"""Processors of other authors: the right ones break no check, and every mistake breaks one that names it."""

import pytest
from processor_cases import CASES

from tidegauge_adapters.processors.playing.player import Player
from tidegauge_adapters.processors.searching.search import searched

QUICK = {("tumbling", ""), ("tumbling", "timer_plus1"), ("dedup", "extends"), ("sorter", "buffer_attr")}
TRACES = 80


def _params(mistakes: bool) -> list[object]:
    found = []
    for name, case in CASES.items():
        for bug in case.mistakes if mistakes else [""]:
            marks = () if (name, bug) in QUICK else (pytest.mark.slower,)
            found.append(pytest.param(name, bug, marks=marks, id=f"{name}-{bug or 'right'}"))
    return found


@pytest.mark.parametrize(("name", "bug"), _params(mistakes=False))
def test_a_right_processor_breaks_no_check(name: str, bug: str) -> None:
    result = searched(Player(CASES[name].subject(bug)), traces=TRACES)
    assert [(broken.check.name, broken.wrong.text) for broken in result.broken] == []
    assert result.rows > TRACES


@pytest.mark.parametrize(("name", "bug"), _params(mistakes=True))
def test_a_mistake_breaks_the_check_that_is_about_it(name: str, bug: str) -> None:
    expected = CASES[name].mistakes[bug]
    result = searched(Player(CASES[name].subject(bug)), traces=TRACES)
    broken = {counterexample.check.name for counterexample in result.broken}
    if not expected:
        assert broken == set()
        return
    assert broken & expected
    assert result.broken[0].check.name in expected
    assert len(result.broken[0].trace) <= 12
