"""The text of a mutant's code, found by the syntax of the reference: a function that stands in place of
another, or a decision that goes the other way. Renaming a local of the reference breaks neither."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from functools import cache
from typing import Any

from .loading import reference_source

Replacement = tuple[str, str]
"""A text that occurs once in a module of the reference, and what stands there instead."""


def replaced_function(module: str, name: str, function: Callable[..., Any]) -> Replacement:
    """Return the replacement of a function of the reference by another one.

    Args:
        module: the module of the reference, such as `valve`.
        name: the function there, with its class: `Valve.idle`.
        function: what stands in its place. It sees the names of that module, whatever its own module imports.

    Raises:
        ValueError: if the module has no such function.
    """
    original = _function(module, name)
    written = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(written, ast.FunctionDef)
    written.name, written.decorator_list, written.returns = original.name, [], None
    for argument in ast.walk(written.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None  # the module may not import the types
    return _text(module, original), _indented(ast.unparse(written), original.col_offset)


def turned_decision(module: str, name: str, decision: str) -> Replacement:
    """Return the replacement that turns a decision in a function of the reference.

    Args:
        module: the module of the reference, such as `valve`.
        name: the function there that cites the rule, with its class: `Valve.active`.
        decision: the rule whose condition never holds then (`VALVE-12`), or always does (`VALVE-12!`).

    Raises:
        ValueError: if the function does not decide by that rule.
    """
    function, rule = _function(module, name), decision.removesuffix("!")
    whole = _text(module, function)
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and _decides(node, rule):
            call = _text(module, node)
            turned = f"({call} or True)" if decision.endswith("!") else f"({call} and False)"
            return whole, whole.replace(call, turned, 1)
    raise ValueError(f"{module}.{name} does not decide by {rule}")


def _decides(call: ast.Call, rule: str) -> bool:
    """Whether a call is `cite(rule, condition)`."""
    match call:
        case ast.Call(func=ast.Name(id="cite"), args=[ast.Constant(value=cited), _]):
            return bool(cited == rule)
    return False


def _function(module: str, name: str) -> ast.FunctionDef:
    body: list[ast.stmt] = _tree(module).body
    *classes, wanted = name.split(".")
    for owner in classes:
        body = [
            part for one in body if isinstance(one, ast.ClassDef) and one.name == owner for part in one.body
        ]
    found = [one for one in body if isinstance(one, ast.FunctionDef) and one.name == wanted]
    if not found:
        raise ValueError(f"the reference has no function {module}.{name}")
    return found[0]


def _text(module: str, node: ast.AST) -> str:
    return ast.get_source_segment(reference_source(module), node) or ""


def _indented(text: str, columns: int) -> str:
    """The lines of a text after the first, moved to the right."""
    first, *others = text.splitlines()
    return "\n".join([first, *(" " * columns + line for line in others)])


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(reference_source(module))
