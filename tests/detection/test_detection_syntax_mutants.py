"""The syntax mutants of the reference: all of its semantics, each once, under names that stay."""

from __future__ import annotations

import ast
import pickle
import sys
from collections import Counter
from pathlib import Path

import pytest

import tidegauge_reference
from tidegauge.components.registry import COMPONENTS
from tidegauge.judging.changes import syntax_mutants
from tidegauge.judging.changes.syntax_mutants import LEFT_OUT, MODULES, SyntaxMutant, load_syntax_mutants
from tidegauge.mutants.loading import forget_copy, reference_source
from tidegauge_reference import Policies, Valve
from tidegauge_spec import load_registry

KNOWN = {
    "valve.Valve.watermark: timestamp <= source.watermark -> timestamp < source.watermark": ("VALVE-3",),
    "valve.Valve.active: source.idle = False -> pass": None,
    "windows.Windows.watermark: timestamp <= self.current_watermark -> timestamp < self.current_watermark": (
        "WIN-7",
    ),
    "timestamps.later: timestamp + milliseconds > MAX -> timestamp + milliseconds >= MAX": ("TIME-1",),
}


def test_every_module_of_the_reference_is_changed_or_left_out_for_a_reason() -> None:
    modules = {path.stem for path in Path(tidegauge_reference.__file__).parent.glob("*.py")}
    assert set(LEFT_OUT) <= modules
    assert {mutant.module for mutant in load_syntax_mutants().values()} == set(MODULES)


def test_known_changes_are_among_them_with_the_rules_around_them() -> None:
    for name, rules in KNOWN.items():
        mutant = load_syntax_mutants()[name]
        assert mutant.name == name
        assert rules is None or mutant.rules == rules


def test_there_are_many_of_every_kind() -> None:
    assert len(load_syntax_mutants()) > 1_500
    for module in MODULES:
        assert sum(mutant.module == module for mutant in load_syntax_mutants().values()) >= 10


@pytest.mark.parametrize("module", ["valve", "clock", "timestamps"])
def test_names_and_numbers_are_always_the_same(module: str) -> None:
    before = [name for name, mutant in load_syntax_mutants().items() if mutant.module == module]
    again = [name for name, _ in syntax_mutants.edits_of.__wrapped__(module)[1]]
    assert again == before
    assert [load_syntax_mutants()[name].number for name in again] == list(range(len(again)))


@pytest.mark.parametrize("module", MODULES)
def test_each_changes_the_source_and_no_two_alike(module: str) -> None:
    original = ast.unparse(ast.parse(reference_source(module)))
    chosen = [mutant for mutant in load_syntax_mutants().values() if mutant.module == module][::3]
    sources = [mutant.source() for mutant in chosen]
    assert original not in sources
    assert len(set(sources)) == len(sources)
    for source in sources[::5]:
        assert difference(source, original) >= 1


def difference(source: str, other: str) -> int:
    """How many lines are in one and not in the other."""
    mine, theirs = Counter(source.splitlines()), Counter(other.splitlines())
    return ((mine - theirs) + (theirs - mine)).total()


@pytest.mark.parametrize("module", MODULES)
def test_rules_components_and_policies_exist(module: str) -> None:
    for mutant in load_syntax_mutants().values():
        if mutant.module == module:
            assert set(mutant.rules) <= set(load_registry().rules)
            assert mutant.rules or module == "job", mutant.name
            assert set(mutant.components) <= set(COMPONENTS)
            assert set(mutant.policies) <= set(Policies.__dataclass_fields__)


def test_components_are_those_that_import_the_module_the_nearest_first_and_jobs_last() -> None:
    assert syntax_mutants.components_showing("valve") == ("valve", "job")
    assert syntax_mutants.components_showing("splits") == ("splits", "generator", "source", "job")
    assert syntax_mutants.components_showing("job") == ("job",)
    assert set(syntax_mutants.components_showing("timestamps")) == set(COMPONENTS) - {"clock"}, (
        "all but durations"
    )


def test_a_mutant_is_loaded_beside_the_original_and_forgotten() -> None:
    name = "valve.Valve.watermark: timestamp <= source.watermark -> timestamp < source.watermark"
    mutant = load_syntax_mutants()[name]
    wrong = mutant.load("valve").Valve(1)
    right = Valve(1)
    for valve in (wrong, right):
        valve.watermark(0, 5)
        valve.idle(0)
        valve.active(0)
    assert type(wrong).__module__ == f"{mutant.copy_name}.valve"
    assert any(module.startswith(mutant.copy_name) for module in sys.modules)
    forget_copy(mutant.copy_name)
    assert not any(module.startswith(mutant.copy_name) for module in sys.modules)
    assert wrong.state() == right.state()


def test_a_syntax_mutant_is_data() -> None:
    mutant = next(iter(load_syntax_mutants().values()))
    assert pickle.loads(pickle.dumps(mutant)) == mutant
    assert isinstance(mutant, SyntaxMutant)
