"""The rules that decide in the branch that a place belongs to: a change there must be laid to one of them."""

import ast
import re
from collections import Counter
from collections.abc import Iterable

from .tree import Place, class_of, function_of, is_citation, places

_RULE = re.compile(r"[A-Z]+-\d+")


class Branches:
    """The branches of a module; `imported` are the modules whose functions and classes it may call."""

    def __init__(self, tree: ast.Module, imported: Iterable[ast.Module] = ()) -> None:
        self._tree = tree
        self._calls: dict[str, list[Place]] = {}
        self._definitions: Counter[str] = Counter()
        self._decided_in: dict[str, set[str]] = {}
        self._rules: dict[ast.AST, set[str]] = {}
        self._citing: dict[ast.AST, bool] = {}
        for module in (tree, *imported):
            for node in ast.walk(module):
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    self._decided_in.setdefault(node.name, set()).update(_rules_named(node))
        for place in places(tree):
            if isinstance(place[-1], ast.Call):
                self._calls.setdefault(_called(place[-1]), []).append(place)
            elif isinstance(place[-1], ast.FunctionDef):
                self._definitions[place[-1].name] += 1

    def rules(self, place: Place) -> tuple[str, ...]:
        """The rules of the innermost expression, statement or block around `place` that cites, or calls what
        does; else those of the function; of one in which nothing is decided those around its calls in the
        module. What `state` keeps belongs to `restore`. Outside of functions, and failing all that, those of
        the whole class, or of the module."""
        function, owner = function_of(place), class_of(place)
        if function is not None:
            if found := self._in_function(place, function, frozenset()):
                return tuple(sorted(found))
            if function.name == "state" and owner is not None:
                siblings = [one for one in owner.body if getattr(one, "name", "") == "restore"]
                if found := set().union(*map(self._decided, siblings)):
                    return tuple(sorted(found))
        whole = _rules_named(owner) if owner is not None else set()
        return tuple(sorted(whole or _rules_named(self._tree)))

    def _in_function(self, place: Place, function: ast.FunctionDef, seen: frozenset[str]) -> set[str]:
        for node in reversed(place[place.index(function) :]):
            if rules := self._decided(node) | self._given(node, place):
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

    def _decided(self, node: ast.AST) -> set[str]:
        """The rules named in a node, and in what it calls."""
        if node not in self._rules:
            calls = (_called(one) for one in ast.walk(node) if isinstance(one, ast.Call))
            called = (self._decided_in.get(name, set()) for name in calls)
            self._rules[node] = _rules_named(node).union(*called)
        return self._rules[node]

    def _given(self, node: ast.AST, place: Place) -> set[str]:
        """Where a node cites a rule that the function is given: those that it is given."""
        function = function_of(place)
        if function is None or not self._cites_what_is_given(node):
            return set()
        calls = self._calls_of(function, class_of(place))
        return {rule for call in calls for rule in _rules_named(call[-1])}

    def _cites_what_is_given(self, node: ast.AST) -> bool:
        if node not in self._citing:
            found = filter(is_citation, ast.walk(node))
            self._citing[node] = any(isinstance(one.args[0], ast.Name) for one in found)
        return self._citing[node]


def _rules_named(node: ast.AST) -> set[str]:
    texts = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
    return {text for text in texts if isinstance(text, str) and _RULE.fullmatch(text)}


def _called(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _is_on_self(call: ast.AST) -> bool:
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"))):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")))):
            return True
    return False
