"""The single changes that make syntax mutants: what is changed, what is left alone, and what it is laid to."""

from __future__ import annotations

import ast
import textwrap

import pytest

from tidegauge.judging.changes.branches import Branches
from tidegauge.judging.changes.edits import edits_at
from tidegauge.judging.changes.tree import places

CHANGES = {
    "x = a < b": {"x = a <= b", "x = a >= b", "pass"},
    "x = a <= b": {"x = a < b", "x = a > b", "pass"},
    "x = a == b": {"x = a != b", "pass"},
    "x = a is None": {"x = a is not None", "pass"},
    "x = a in b": {"x = a not in b", "pass"},
    "x = 0 < a <= b": {
        "x = 0 <= a <= b",
        "x = 0 >= a <= b",
        "x = 0 < a < b",
        "x = 0 < a > b",
        "x = 1 < a <= b",
        "x = -1 < a <= b",
        "pass",
    },
    "x = a and b": {"x = a or b", "x = a", "x = b", "x = not a and b", "x = a and (not b)", "pass"},
    "x = not a": {"x = a", "pass"},
    "x = -a": {"x = a", "pass"},
    "x = a + b": {"x = a - b", "x = a", "x = b", "pass"},
    "x = a - b": {"x = a + b", "x = a", "pass"},
    "x = a * b": {"x = a // b", "pass"},
    "x = a % b": {"x = a * b", "pass"},
    "x = a | b": {"x = a & b", "x = a", "x = b", "pass"},
    "x = True": {"x = False", "pass"},
    "x = 5": {"x = 6", "x = 4", "pass"},
    "x = min(a)": {"x = max(a)", "pass"},
    "x = any(a)": {"x = all(a)", "pass"},
    "x = sorted(a, key=b)": {"x = list(a)", "x = sorted(a)", "pass"},
    "x = [a, b]": {"x = [a]", "x = [b]", "pass"},
    "x = {a: b, **c}": {"x = {a: b}", "x = {**c}", "pass"},
    "x = f(*a, b=c)": {"x = f(*a)", "x = f(b=c)", "pass"},
    "x = a if b else c": {"x = a if not b else c", "pass"},
    "x = [a for a in b if c]": {"x = [a for a in b]", "x = [a for a in b if not c]", "pass"},
    "x, y = a, b": {"x = a", "y = b", "pass"},
    "x: int = 1": {"x: int = 2", "x: int = 0", "pass"},
    "x += a": {"x -= a", "pass"},
    "if not a:\n    x = b": {"if a:\n    x = b", "if not a:\n    pass"},
    "if a < b:\n    del x": {"if a <= b:\n    del x", "if a >= b:\n    del x", "if a < b:\n    pass"},
    "while a:\n    break": {"while not a:\n    break", "while a:\n    pass"},
    "if cite('X-1', a):\n    f()": {"if cite('X-1', not a):\n    f()", "if cite('X-1', a):\n    pass"},
}

LEFT_ALONE = {
    "a text": "'''Says 1 + 2.'''",
    "an annotation": "def f(a: 1 | 2, b: list[0]) -> 3:\n    return None",
    "a decorator": "@dataclass(frozen=True)\nclass A(B[1]):\n    '''Meaning.'''",
    "a type alias": "Output = tuple[str, 1] | tuple[str]",
    "a statement that only cites": "cite('X-1', a < 1)",
    "the name of a rule": "cite('X-1')",
    "a text with values": "f(f'{a + 1}')",
    "an import": "from .a import b",
    "a refusal of a constructor": "class A:\n\n    def __init__(self, a):\n        if a < 1:\n            raise B(a + 1)",
    "the arguments of a type": "f(dict[str, 1]())",
}


def programs(source: str) -> set[str]:
    """Every program that one change makes."""
    tree = ast.parse(source)
    found = set()
    for place in places(tree):
        for edit in edits_at(place):
            undo = edit.apply()
            found.add(ast.unparse(tree))
            undo()
    assert ast.unparse(tree) == ast.unparse(ast.parse(source)), "every change was put back"
    return found


@pytest.mark.parametrize("source", CHANGES)
def test_each_place_is_changed_in_each_way(source: str) -> None:
    assert programs(in_a_function(source)) == {in_a_function(changed) for changed in CHANGES[source]}


def in_a_function(source: str) -> str:
    """On the outside a union would be one of types."""
    return "def f():\n" + textwrap.indent(source, "    ")


@pytest.mark.parametrize("what", LEFT_ALONE)
def test_what_does_not_act_is_left_alone(what: str) -> None:
    removed = {"pass"} if LEFT_ALONE[what].startswith("f(") else set()
    assert programs(LEFT_ALONE[what]) == removed


def test_of_a_raise_only_the_whole_is_removed() -> None:
    assert programs("def f(a):\n    raise A(a + 1)") == {"def f(a):\n    pass"}


def test_zip_is_as_strict_as_before() -> None:
    assert programs("f(zip(a, strict=True))") == {"pass"}


def test_what_is_returned_becomes_nothing() -> None:
    assert programs("def f() -> list[A]:\n    return a") == {"def f() -> list[A]:\n    return []"}
    assert programs("def f() -> int:\n    return a") == {"def f() -> int:\n    return None"}
    assert programs("def f() -> list[A]:\n    return []") == set()
    assert programs("def f() -> bool:\n    return False") == {"def f() -> bool:\n    return True"}


CITING = textwrap.dedent(
    """
    class Valve:
        def idle(self, channel):
            if cite("V-1", channel > 0):
                self.inside = 1
            self.outside = 2
            if cite("V-2", self._known(channel)):
                return self._advance("V-3", 5)
            return self._advance("V-4", 6)

        def _known(self, channel):
            return channel == 7

        def _advance(self, rule, timestamp):
            return [timestamp] if cite(rule, timestamp > 8) else []

        def state(self):
            return self.inside, 9

        def restore(self, saved):
            cite("V-5")
            self.inside = saved

        def unused(self):
            return 10

        def configure(self, value):
            self.value = allowed(value, 13)

    class Other:
        def idle(self):
            return 11

    def allowed(value, least):
        if cite("V-6", value < least):
            raise ValueError
        return value

    LARGEST = 12
    """
)


@pytest.mark.parametrize(
    ("number", "rules"),
    [
        (0, "V-1"),  # its condition
        (1, "V-1"),  # its block
        (2, "V-1 V-2 V-3 V-4"),  # the function
        (5, "V-3"),  # the call that is given a rule
        (7, "V-2"),  # a function that cites nothing: where it is called
        (8, "V-3 V-4"),  # a decision whose rule is given
        (9, "V-5"),  # what is kept belongs to `restore`
        (10, "V-1 V-2 V-3 V-4 V-5"),  # the class
        (11, "V-1 V-2 V-3 V-4 V-5 V-6"),  # a class that cites nothing: the module
        (12, "V-1 V-2 V-3 V-4 V-5 V-6"),  # the module
        (13, "V-6"),  # what is called
    ],
)
def test_a_place_belongs_to_the_rules_cited_around_it(number: int, rules: str) -> None:
    tree = ast.parse(CITING)
    (place,) = (place for place in places(tree) if getattr(place[-1], "value", None) == number)
    assert Branches(tree).rules(place) == tuple(rules.split())
