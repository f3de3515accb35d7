"""The places of a module of the reference, and the rules that are cited around one.

Left out are parts that do not act: docstrings, annotations and type aliases, decorators, texts, statements
that only cite, what a `raise` says, the names of rules, `strict` of `zip` (an assertion), and in constructors
the refusals, since the wire form has no setup that cannot be built.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import TypeGuard

Place = tuple[ast.AST, ...]
"""A node of a syntax tree with all that stands around it: the module first, the node itself last."""

_RULE = re.compile(r"[A-Z]+-\d+")
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


class Citations:
    """The rules cited in a module, by place."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._calls: dict[str, list[Place]] = {}
        self._definitions: Counter[str] = Counter()
        self._named: dict[ast.AST, set[str]] = {}
        self._given: dict[ast.AST, bool] = {}
        for place in places(tree):
            if isinstance(place[-1], ast.Call):
                self._calls.setdefault(_called(place[-1]), []).append(place)
            elif isinstance(place[-1], ast.FunctionDef):
                self._definitions[place[-1].name] += 1

    def around(self, place: Place) -> tuple[str, ...]:
        """The rules of the innermost expression, statement or block around `place` that cites; else those of
        the function; of one that cites nothing those around its calls in the module. What `state` keeps
        belongs to `restore`. Outside of functions, and failing all that, the whole class, or the module."""
        function, owner = function_of(place), class_of(place)
        if function is not None:
            if found := self._in_function(place, function, frozenset()):
                return tuple(sorted(found))
            if function.name == "state" and owner is not None:
                siblings = [one for one in owner.body if getattr(one, "name", "") == "restore"]
                if found := set().union(*map(self._rules_named, siblings)):
                    return tuple(sorted(found))
        whole = self._rules_named(owner) if owner is not None else set()
        return tuple(sorted(whole or self._rules_named(self._tree)))

    def _in_function(self, place: Place, function: ast.FunctionDef, seen: frozenset[str]) -> set[str]:
        for node in reversed(place[place.index(function) :]):
            if rules := self._cited_in(node, place):
                return rules
        if function.name in seen:
            return set()
        found: set[str] = set()
        for call in self._calls_of(function, class_of(place)):
            if (caller := function_of(call)) is not None:
                found |= self._in_function(call, caller, seen | {function.name})
        return found

    def _calls_of(self, function: ast.FunctionDef, owner: ast.ClassDef | None) -> list[Place]:
        """The calls that are surely of this function: its name stands for no other, or its own object's."""
        calls = self._calls.get(function.name, [])
        if self._definitions[function.name] == 1:
            return calls
        return [call for call in calls if class_of(call) is owner and _is_on_self(call[-1])]

    def _cited_in(self, node: ast.AST, place: Place) -> set[str]:
        """The rules named in a node; where it cites one that the function is given, those it is given."""
        rules, function = self._rules_named(node), function_of(place)
        if function is not None and self._cites_what_is_given(node):
            for call in self._calls_of(function, class_of(place)):
                rules = rules | self._rules_named(call[-1])
        return rules

    def _rules_named(self, node: ast.AST) -> set[str]:
        if node not in self._named:
            texts = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
            self._named[node] = {text for text in texts if isinstance(text, str) and _RULE.fullmatch(text)}
        return self._named[node]

    def _cites_what_is_given(self, node: ast.AST) -> bool:
        if node not in self._given:
            citations = filter(is_citation, ast.walk(node))
            self._given[node] = any(isinstance(one.args[0], ast.Name) for one in citations)
        return self._given[node]


def _inside(place: Place) -> Iterator[Place]:
    yield place
    node = place[-1]
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and acts(node, field, child, place):
                yield from _inside((*place, child))


def class_of(place: Place) -> ast.ClassDef | None:
    """The innermost class around a place."""
    return next((node for node in reversed(place) if isinstance(node, ast.ClassDef)), None)


def _is_on_self(call: ast.AST) -> bool:
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"))):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")))):
            return True
    return False


def _called(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


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
