"""How the product calls: with names where there are many arguments, and processes are ended in one place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

PRODUCT = ("conformance", "adapters", "reports", "reference_impl", "spec")

MOST_POSITIONAL = 6

ANY_NUMBER = {"takes_request", "element", "TypeVar"}
"""Functions that take any number of arguments of one kind; so do those that begin with `_` and make mutants."""

ENDS_PROCESSES = re.compile(r"\bos\.killpg\(|\bos\.kill\([^)]*SIGKILL|\.(?:kill|terminate)\(\)")

ONE_PLACE = "conformance/tidegauge/engine/process_tree.py"


def modules() -> Iterator[Path]:
    """The modules of the product."""
    for folder in PRODUCT:
        yield from sorted((ROOT / folder).rglob("*.py"))


def name_of(call: ast.Call) -> str:
    """The name of what is called, without the object that it belongs to."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


@pytest.mark.parametrize("folder", PRODUCT)
def test_no_call_has_more_than_six_positional_arguments(folder: str) -> None:
    long = []
    for module in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or len(node.args) <= MOST_POSITIONAL:
                continue
            of_mutants = module.name == "mutants.py" and name_of(node).startswith("_")
            if name_of(node) not in ANY_NUMBER and not of_mutants:
                long.append(f"{module.relative_to(ROOT)}:{node.lineno}: {name_of(node)}")
    assert not long, "give these arguments by their names"


def test_one_module_ends_processes() -> None:
    """Those that a signal ends in order, and the queries that Spark is asked to stop, are another matter."""
    ending = {
        module.relative_to(ROOT).as_posix()
        for module in modules()
        if ENDS_PROCESSES.search(module.read_text(encoding="utf-8"))
    }
    assert ending == {ONE_PLACE}
