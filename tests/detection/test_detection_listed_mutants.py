"""Equivalents and survivors: listed by a name that exists, with an argument; no vector finds an equivalent."""

from __future__ import annotations

from collections import Counter

import pytest

from tidegauge.detection.arena import arena_of
from tidegauge.detection.campaign import conditions_for
from tidegauge.detection.engine import WrongEngine
from tidegauge.detection.listed_mutants import load_equivalents, load_survivors, read_arguments
from tidegauge.detection.trial import Trial
from tidegauge.judging.changes.syntax_mutants import MODULES, load_syntax_mutants


@pytest.mark.parametrize("module", MODULES)
def test_every_name_is_that_of_a_mutant(module: str) -> None:
    listed = [name for name in (*load_equivalents(), *load_survivors()) if name.startswith(f"{module}.")]
    assert [name for name in listed if name not in load_syntax_mutants()] == []


def test_none_is_both_equivalent_and_a_survivor() -> None:
    assert load_equivalents().keys() & load_survivors().keys() == set()


def test_every_one_belongs_to_a_module_and_has_an_argument() -> None:
    for name, argument in (load_equivalents() | load_survivors()).items():
        assert name.startswith(tuple(MODULES)), name
        assert len(argument.split()) >= 5, name
        assert argument.endswith("."), name


def test_they_are_a_small_part_of_all() -> None:
    mutants = Counter(mutant.module for mutant in load_syntax_mutants().values())
    equivalents = Counter(name.partition(".")[0] for name in load_equivalents())
    for module in MODULES:
        assert equivalents[module] < mutants[module] / 4, module


@pytest.mark.parametrize("module", MODULES)
def test_no_vector_of_a_profile_tells_them_from_the_reference(module: str) -> None:
    """One that a vector kills is no equivalent, whatever its argument says."""
    mutants = [load_syntax_mutants()[name] for name in load_equivalents() if name.startswith(f"{module}.")]
    told_apart = []
    for conditions in dict.fromkeys(one for mutant in mutants for one in conditions_for(mutant, "smoke")):
        if conditions.changed or conditions.component == "job":
            continue
        for mutant in mutants:
            if conditions.component in mutant.components:
                engine = WrongEngine(mutant, conditions)
                finding = Trial(arena_of(conditions), engine, mutant.rules).go_on(("vectors",))
                engine.close()
                if finding.failed_in is not None:
                    told_apart.append((mutant.name, conditions.text))
    assert told_apart == []


def test_the_list_is_read_as_arguments_and_names() -> None:
    text = """
# A heading.

# It makes no
# difference.
a: b -> c
d: e -> f

# Another.
g: h -> i
"""
    assert read_arguments(text, "list.txt") == {
        "a: b -> c": "It makes no difference.",
        "d: e -> f": "It makes no difference.",
        "g: h -> i": "Another.",
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: b -> c", "list.txt, line 1: a: b -> c has no argument"),
        ("# Why.\na: b -> c\na: b -> c", "list.txt, line 3: a: b -> c stands twice"),
    ],
)
def test_a_name_without_argument_or_given_twice_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_arguments(text, "list.txt")
