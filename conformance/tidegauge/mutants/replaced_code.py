"""Makes the replaced source of a mutant from the syntax tree of the reference: a replaced function or an
inverted decision. Renaming a local variable of the reference does not break either."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from functools import cache
from typing import Any

from .loading import reference_source

Replacement = tuple[str, str]
"""A text that occurs once in a module of the reference, and its replacement."""


def replaced_function(module: str, name: str, function: Callable[..., Any]) -> Replacement:
    """Return the replacement of a function of the reference by another one.

    Args:
        module: the module of the reference, such as `valve`.
        name: the function in the module, with its class: `Valve.idle`.
        function: the replacement. Its global names are resolved in the module of the reference and not in the
            module that defines it.

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
    """Return the replacement that inverts a decision in a function of the reference.

    Args:
        module: the module of the reference, such as `valve`.
        name: the function in the module that cites the rule, with its class: `Valve.active`.
        decision: the rule, if its condition must never hold (`VALVE-12`); with a `!`, if it must always hold
            (`VALVE-12!`).

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
    """Return whether a call is `cite(rule, condition)`."""
    match call:
        case ast.Call(func=ast.Name(id="cite"), args=[ast.Constant(value=cited), _]):
            return bool(cited == rule)
    return False


def _function(module: str, name: str) -> ast.FunctionDef:
    body: list[ast.stmt] = _tree(module).body
    *classes, wanted = name.split(".")
    for owner in classes:
        classes_named = [node for node in body if isinstance(node, ast.ClassDef) and node.name == owner]
        body = [statement for node in classes_named for statement in node.body]
    functions = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == wanted]
    if not functions:
        raise ValueError(f"the reference has no function {module}.{name}")
    return functions[0]


def _text(module: str, node: ast.AST) -> str:
    return ast.get_source_segment(reference_source(module), node) or ""


def _indented(text: str, columns: int) -> str:
    """Indent all lines of a text after the first."""
    first, *others = text.splitlines()
    return "\n".join([first, *(" " * columns + line for line in others)])


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(reference_source(module))
