"""Reads from the source of a processor what its class does not declare: names of columns, time and form."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SourceOfProcessor:
    """What the source of a processor shows; empty if there is no source.

    Attributes:
        columns_read: the columns that it reads of input rows.
        columns_written: the columns of the rows that it returns.
        key: the columns that it fills from the key.
        methods: the names of the methods that it calls.
    """

    columns_read: tuple[str, ...] = ()
    columns_written: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    methods: frozenset[str] = frozenset()

    @property
    def has_timers(self) -> bool:
        """Whether it sets timers, or timeouts."""
        return bool(self.methods & {"registerTimer", "setTimeoutTimestamp", "setTimeoutDuration"})

    @property
    def has_event_time(self) -> bool:
        """Whether it looks at the watermark."""
        return bool(self.methods & {"getCurrentWatermarkInMs", "getCurrentWatermarkMs"})

    @property
    def has_processing_time(self) -> bool:
        """Whether it looks at the clock of processing time."""
        return bool(self.methods & {"getCurrentProcessingTimeInMs", "getCurrentProcessingTimeMs"})

    @property
    def has_frames(self) -> bool:
        """Whether it makes data frames of pandas."""
        return "DataFrame" in self.methods


def source_of(processor: Any) -> SourceOfProcessor:
    """Return what the source of a class or function shows, with that of its own base classes."""
    calls: list[ast.Call] = []
    read: list[str] = []
    for tree in _trees(processor):
        calls += [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        read += _columns_read(tree)
    methods = frozenset(name for name in map(_name, calls) if name)
    rows = [keyword for call in calls if _name(call) == "Row" for keyword in call.keywords if keyword.arg]
    return SourceOfProcessor(
        columns_read=tuple(dict.fromkeys(read)),
        columns_written=tuple(dict.fromkeys(str(keyword.arg) for keyword in rows)),
        key=tuple(dict.fromkeys(str(keyword.arg) for keyword in rows if _is_key(keyword.value))),
        methods=methods,
    )


def _trees(processor: Any) -> Iterator[ast.AST]:
    kinds = inspect.getmro(processor) if inspect.isclass(processor) else (processor,)
    for kind in kinds:
        if kind.__module__.split(".")[0] in ("builtins", "abc", "pyspark", "typing"):
            continue
        try:
            yield ast.parse(textwrap.dedent(inspect.getsource(kind)))
        except (OSError, TypeError, SyntaxError):  # typed into a console, or compiled
            continue


def _name(call: ast.Call) -> str:
    """The name of what is called, without what it belongs to."""
    called = call.func
    return (
        called.attr
        if isinstance(called, ast.Attribute)
        else called.id
        if isinstance(called, ast.Name)
        else ""
    )


def _columns_read(tree: ast.AST) -> Iterator[str]:
    """The attributes of variables that go over `rows`: `for row in rows: ... row.value`."""
    rows = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
            over = {inner.id for inner in ast.walk(node.iter) if isinstance(inner, ast.Name)}
            if "rows" in over:
                rows.add(node.target.id)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in rows:
            yield node.attr


def _is_key(value: ast.expr) -> bool:
    """Whether an expression is `key[0]`, or another part of the key."""
    return isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name) and value.value.id == "key"
