"""A component is built of one copy of the reference: what is changed in a copy is changed in all of it."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path

import pytest

import tidegauge.components
from tidegauge.components.shared.beside import beside
from tidegauge.mutants.loading import forget_copy, load_copy, reference_source
from tidegauge_reference import IllegalArgument, generators, source_operator
from tidegauge_reference.windows import Windows

BINDINGS = sorted(Path(tidegauge.components.__file__).parent.glob("*/binding.py"))
COPY = "tidegauge_copy_of_a_test"


@pytest.mark.parametrize("path", BINDINGS, ids=lambda path: path.parent.name)
def test_a_binding_names_no_class_of_the_original(path: Path) -> None:
    """What it builds of comes from the module that `build` is given, or from one beside it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    named = [
        (node.module, alias.name)
        for node in imports
        for alias in node.names
        if node.module.partition(".")[0] == "tidegauge_reference"
    ]
    assert named, "a binding names its own module of the reference"
    assert {module for module, _ in named} == {"tidegauge_reference"}
    assert {name for _, name in named if name[0].isupper()} <= {"Policies", "Unsupported"}


def test_what_is_beside_a_module_of_the_reference_is_the_reference() -> None:
    assert beside(source_operator, "generators") is generators


def test_a_copy_is_whole_with_the_change_in_it() -> None:
    changed = reference_source("idleness") + "\nCHANGED = True\n"
    try:
        module = load_copy(COPY, {"idleness": changed}, "source_operator")
        assert beside(module, "idleness").CHANGED
        assert beside(module, "generators") is not generators
        assert (
            beside(module, "strategy").WatermarksWithIdleness
            is beside(module, "idleness").WatermarksWithIdleness
        )
    finally:
        forget_copy(COPY)
    assert not [name for name in sys.modules if name.startswith(COPY)]


def test_a_copy_is_made_as_its_modules_are_asked_for_until_it_is_forgotten() -> None:
    try:
        load_copy(COPY, {"clock": reference_source("clock") + "\nCHANGED = True\n"}, "idleness")
        assert f"{COPY}.windows" not in sys.modules, "nobody has asked for it"
        assert import_module(f"{COPY}.windows").Windows is not Windows
        assert import_module(f"{COPY}.clock").CHANGED
    finally:
        forget_copy(COPY)
    with pytest.raises(ModuleNotFoundError):
        import_module(f"{COPY}.windows")


def test_two_copies_do_not_know_each_other() -> None:
    names = (COPY, f"{COPY}_too")
    try:
        for number, name in enumerate(names):
            load_copy(name, {"clock": reference_source("clock") + f"\nNUMBER = {number}\n"}, "idleness")
        clocks = [import_module(f"{name}.clock") for name in names]
        assert [clock.NUMBER for clock in clocks] == [0, 1]
        forget_copy(names[0])
        assert import_module(f"{names[1]}.generators").__name__ == f"{names[1]}.generators"
    finally:
        for name in names:
            forget_copy(name)


def test_a_refusal_of_a_copy_is_one_of_the_kit() -> None:
    try:
        with pytest.raises(IllegalArgument):
            load_copy(COPY, {}, "valve").Valve(0)
    finally:
        forget_copy(COPY)
