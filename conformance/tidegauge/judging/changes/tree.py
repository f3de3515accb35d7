"""The places of a module of the reference at which something is done.

Left out are parts that do not act: docstrings, annotations and type aliases, decorators, texts, statements
that only cite, what a `raise` says, the names of rules, `strict` of `zip` (an assertion), and in constructors
the refusals, since the wire form has no setup that cannot be built.
"""

import ast
from collections.abc import Iterator
from typing import TypeGuard

Place = tuple[ast.AST, ...]
"""A node of a syntax tree with all that stands around it: the module first, the node itself last."""

_CONSTRUCTORS = ("__init__", "__post_init__")
_GENERIC_TYPES = ("dict", "frozenset", "list", "set", "tuple")
_FIELDS_THAT_DO_NOT_ACT = {
    ast.AnnAssign: ("target", "annotation"),
    ast.arg: ("annotation",),
    ast.FunctionDef: ("decorator_list", "returns"),
    ast.ClassDef: ("bases", "decorator_list", "keywords"),
    ast.JoinedStr: ("values",),
    ast.Raise: ("exc", "cause"),
    ast.Import: ("names",),
    ast.ImportFrom: ("names",),
}


def places(tree: ast.Module) -> Iterator[Place]:
    """All places that act, in the order of the text."""
    yield from _inside((tree,))


def statements_of(node: ast.AST) -> list[tuple[str, list[ast.stmt]]]:
    """The statements directly in a node, by the field that holds them."""
    found = [(field, getattr(node, field, None)) for field in ("body", "orelse", "finalbody")]
    return [(field, body) for field, body in found if isinstance(body, list)]


def is_citation(node: ast.AST | None) -> TypeGuard[ast.Call]:
    """Whether a node is a call of `cite`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cite"


def acts(node: ast.AST, field: str, child: ast.AST, place: Place) -> bool:
    """Whether `child`, in `field` of `node` at `place`, has a part in what the module does."""
    if field in _FIELDS_THAT_DO_NOT_ACT.get(type(node), ()):
        return False
    if isinstance(node, ast.Module):
        return not _is_type_alias(child) and not _is_comment(child)
    if isinstance(node, ast.Subscript) and field == "slice":
        return not (isinstance(node.value, ast.Name) and node.value.id in _GENERIC_TYPES)
    if isinstance(node, ast.keyword) or isinstance(child, ast.keyword):
        return "strict" not in (getattr(node, "arg", None), getattr(child, "arg", None))
    return not _is_comment(child) and not _is_refusal_of_a_constructor(child, place)


def function_of(place: Place) -> ast.FunctionDef | None:
    """The innermost function around a place."""
    return next((node for node in reversed(place) if isinstance(node, ast.FunctionDef)), None)


def qualified_name(place: Place) -> str:
    """The class and the function around a place; empty outside of both."""
    named = (node.name for node in place if isinstance(node, ast.ClassDef | ast.FunctionDef))
    return ".".join(named)


def class_of(place: Place) -> ast.ClassDef | None:
    """The innermost class around a place."""
    return next((node for node in reversed(place) if isinstance(node, ast.ClassDef)), None)


def _inside(place: Place) -> Iterator[Place]:
    yield place
    node = place[-1]
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and acts(node, field, child, place):
                yield from _inside((*place, child))


def _is_comment(node: ast.AST) -> bool:
    """A text, or a statement that only cites: `cite` is a comment that executes."""
    return isinstance(node, ast.Expr) and (isinstance(node.value, ast.Constant) or is_citation(node.value))


def _is_type_alias(node: ast.AST) -> bool:
    if not isinstance(node, ast.Assign):
        return False
    union = isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.BitOr)
    return union or isinstance(node.value, ast.Subscript)


def _is_refusal_of_a_constructor(node: ast.AST, place: Place) -> bool:
    function = function_of(place)
    only_raises = isinstance(node, ast.If) and [type(one) for one in node.body] == [ast.Raise]
    return only_raises and function is not None and function.name in _CONSTRUCTORS
