"""A verdict about tidegauge_spark is about code that a query runs: the adapter claims nothing else.

The modules that a query starts from are named here, their imports and what they make are read from the code.
`tests/spark_library/source/test_spark_sabotage.py` breaks the classes, and queries go wrong.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import grimp
import pytest
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from tidegauge.components.registry import COMPONENTS
from tidegauge.components.within import outside_of_shapes
from tidegauge.vectors.published import load_vectors
from tidegauge_adapters.spark.adapter import SparkAdapter
from tidegauge_adapters.spark.components import BINDINGS, DECISIONS
from tidegauge_spark.decisions.activity_clock import InputActivityClock
from tidegauge_spark.decisions.low_watermark.service import LowWatermarkService
from tidegauge_spark.decisions.sources.coordinator import SourceCoordinators
from tidegauge_spark.decisions.sources.subtask import SourceSubtask

LIBRARY = "tidegauge_spark"
OPERATORS = tuple(
    f"{LIBRARY}.operators.{name}"
    for name in ("backlog", "generator", "idleness", "operator_input", "splits", "valve", "window")
)
STARTS = (
    f"{LIBRARY}.source.aligned_source",
    f"{LIBRARY}.group_coordination.session",
    f"{LIBRARY}.group_coordination.service",
    *OPERATORS,
)
"""Where a query enters the library: the data source, which plans and reads; the coordination service that
sources ask; and the operators that it puts into `transformWithState`."""


@cache
def run_by_queries() -> frozenset[str]:
    """The modules that their imports lead to, by names of modules: the face of the package imports everything."""
    graph = grimp.build_graph(LIBRARY, cache_dir=None)
    found = frozenset(STARTS).union(*(graph.find_upstream_modules(start) for start in STARTS))
    assert LIBRARY not in found
    return found


@cache
def makers(name: str) -> frozenset[str]:
    """The modules that queries run in which an object of the class `name` is made, outside of its own body."""
    return frozenset(
        module
        for module in run_by_queries()
        if any(made == name for made in _made(ast.parse(Path(_file(module)).read_text(encoding="utf-8"))))
    )


def _file(module: str) -> str:
    return inspect.getfile(import_module(module))


def _made(node: ast.AST, around: str = "") -> Iterator[str]:
    """The classes that are called, or whose class methods are, except by themselves."""
    for child in ast.iter_child_nodes(node):
        inside = child.name if isinstance(child, ast.ClassDef) and not around else around
        if isinstance(child, ast.Call):
            called = child.func.value if isinstance(child.func, ast.Attribute) else child.func
            if isinstance(called, ast.Name) and called.id != around:
                yield called.id
        yield from _made(child, inside)


def decision_class(component: str) -> type[Any]:
    """The class of the library that a component in process is judged by: what its adapter makes unless it is
    given another."""
    parameters = inspect.signature(DECISIONS[component]).parameters.values()
    (judged,) = (
        each.default
        for each in parameters
        if inspect.isclass(each.default) and each.default is not each.empty
    )
    assert judged.__module__.startswith(LIBRARY)
    found: type[Any] = judged
    return found


def processor_classes(component: str) -> set[type[StatefulProcessor]]:
    """The processors that the scenarios of a component are put through."""
    (binding,) = (each for each in BINDINGS if each.component == component)
    return {type(binding.make(vector.scenario.setup)) for vector in load_vectors(component)}


@pytest.mark.parametrize("component", sorted(DECISIONS))
def test_queries_make_what_is_judged_in_this_process(component: str) -> None:
    judged = decision_class(component)
    assert judged.__module__ in run_by_queries()
    assert makers(judged.__name__) - {judged.__module__}


@pytest.mark.parametrize("component", sorted(binding.component for binding in BINDINGS))
def test_an_operator_of_the_library_runs_the_processor_that_is_judged(component: str) -> None:
    judged = processor_classes(component)
    assert judged
    for processor in judged:
        assert processor.__module__ in OPERATORS
        assert makers(processor.__name__) & set(OPERATORS)


def test_the_classes_are_those_of_the_library() -> None:
    assert [decision_class(each) for each in sorted(DECISIONS)] == [
        InputActivityClock,
        SourceCoordinators,
        LowWatermarkService,
        SourceSubtask,
    ]


def test_the_adapter_claims_what_it_judges() -> None:
    described = SparkAdapter({"engine": "tester"}).describe()
    claimed = COMPONENTS.keys() & set(described.capabilities)
    assert claimed == {*DECISIONS, *(binding.component for binding in BINDINGS)}
    assert COMPONENTS.keys() - claimed == {"job"}
    assert set(described.layers) == set(DECISIONS)


@pytest.mark.parametrize(
    ("vector", "left_out"),
    [
        ("source/two-splits-part-one", "cannot pause"),
        ("source/cannot-pause", "cannot pause"),
        ("coordinator/failed-subtask-FLINK-32362", "the step failed"),
        ("coordinator/restored", "snapshots of this component"),
        ("low-watermark/left-before-its-reply", "the step leave"),
    ],
)
def test_scenarios_beyond_queries_lie_outside_of_the_shapes(vector: str, left_out: str) -> None:
    (scenario,) = (
        each.scenario for name in DECISIONS for each in load_vectors(name) if each.scenario.id == vector
    )
    assert left_out in outside_of_shapes(scenario, SparkAdapter({"engine": "tester"}).describe().shapes)


def test_what_only_a_class_without_users_makes_counts_for_nothing() -> None:
    code = "class Own:\n    def again(self): return Own()\ndef f(): return Other(), Third.restored(1)"
    assert sorted(_made(ast.parse(code))) == ["Other", "Third"]
