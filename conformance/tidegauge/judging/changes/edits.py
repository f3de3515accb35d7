"""Single changes of a syntax tree, each at one place: what a slip of the pen makes of a right program."""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .tree import Place, acts, function_of, is_citation, statements_of


@dataclass(frozen=True)
class Edit:
    """`field` of `node` takes the value `changed`; `place` is where. If a statement goes: which (`before`)
    and what stands there then (`after`)."""

    node: ast.AST
    field: str
    changed: Any
    place: Place
    before: ast.stmt | None = None
    after: ast.stmt | None = None

    def apply(self) -> Callable[[], None]:
        """Change the tree; the function returned puts it back."""
        node, field, before = self.node, self.field, getattr(self.node, self.field)
        setattr(node, field, self.changed)
        return lambda: setattr(node, field, before)


def edits_at(place: Place) -> Iterator[Edit]:
    """The changes at a place, in a fixed order."""
    node = place[-1]
    for field, changed in _changes(node, place):
        yield Edit(node, field, changed, place)
    for field, body in statements_of(node):
        for index, statement in enumerate(body):
            if acts(node, field, statement, place):
                for other in _instead_of_statement(statement):
                    changed = _with(body, index, other)
                    yield Edit(node, field, changed, (*place, statement), statement, other)


_NEIGHBOURS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}

_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}

_SWAPPED_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}

_Change = tuple[str, Any]


def _changes(node: ast.AST, place: Place) -> Iterator[_Change]:
    match node:
        case ast.Compare():
            yield from _comparisons(node)
        case ast.BoolOp():
            yield from _connectives(node)
        case ast.Call():
            yield from _calls(node)
        case ast.BinOp() | ast.AugAssign():
            yield "op", _ARITHMETIC[type(node.op)]()
        case ast.List() | ast.Tuple() | ast.Set():
            if isinstance(getattr(node, "ctx", None), ast.Load | None) and not _in_pairs(place[-2]):
                yield from _dropped("elts", node.elts)
        case ast.comprehension():
            yield from _dropped("ifs", node.ifs)
        case ast.Return():
            yield from _nothing_returned(node, place)
    yield from _turned_round(node)
    yield from _replaced(node, place)


def _comparisons(node: ast.Compare) -> Iterator[_Change]:
    for index, operator in enumerate(node.ops):
        for neighbour in _NEIGHBOURS[type(operator)]:
            yield "ops", _with(node.ops, index, neighbour())


def _connectives(node: ast.BoolOp) -> Iterator[_Change]:
    yield "op", ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield from _dropped("values", node.values)
    for index, operand in enumerate(node.values):
        if not isinstance(operand, ast.Compare | ast.BoolOp) and not is_citation(operand):
            yield "values", _with(node.values, index, negated(operand))


def _calls(node: ast.Call) -> Iterator[_Change]:
    if isinstance(node.func, ast.Name) and node.func.id in _SWAPPED_CALLS:
        yield "func", ast.Name(_SWAPPED_CALLS[node.func.id], ast.Load())
    yield from _choices(node)
    for index, keyword in enumerate(node.keywords):
        if keyword.arg not in (None, "strict"):
            yield "keywords", _without(node.keywords, index)
    for index, argument in enumerate(node.args):
        if isinstance(argument, ast.Starred):
            yield "args", _without(node.args, index)


def _choices(node: ast.Call) -> Iterator[_Change]:
    """Another choice where a function of `choices.py` makes one: the largest, the earlier, another order."""
    match node:
        case ast.Call(func=ast.Name(id="smallest"), args=[rule, timestamps]):
            # A list of the largest alone, empty if there are none.
            ascending = ast.Call(ast.Name("sorted", ast.Load()), [timestamps], [])
            last = ast.Slice(ast.Constant(-1), None, None)
            yield "args", [rule, ast.Subscript(ascending, last, ast.Load())]
        case ast.Call(func=ast.Name(id="latest"), args=[rule, earlier, newest]):
            yield "args", [rule, earlier, ast.Call(ast.Name("max", ast.Load()), [earlier, newest], [])]
        case ast.Call(func=ast.Name(id="before"), args=[rule, first, then]):
            nothing = ast.List([], ast.Load())
            for both in ((then, first), (nothing, then), (first, nothing)):
                yield "args", [rule, *both]


def _dropped(field: str, elements: Sequence[ast.expr]) -> Iterator[_Change]:
    for index in range(len(elements)):
        yield field, _without(elements, index)


def _nothing_returned(node: ast.Return, place: Place) -> Iterator[_Change]:
    function = function_of(place)
    returns = ast.unparse(function.returns) if function is not None and function.returns else ""
    listed = returns.startswith(("list", "Outputs"))
    empty = isinstance(node.value, ast.List) and not node.value.elts
    means_nothing = isinstance(node.value, ast.Constant) and not node.value.value
    if node.value is not None and not empty and not means_nothing:
        yield "value", ast.List([], ast.Load()) if listed else ast.Constant(None)


def _turned_round(node: ast.AST) -> Iterator[_Change]:
    """A condition negated; one that is a comparison has its opposite among its neighbours."""
    match node:
        case ast.If() | ast.While() | ast.IfExp() if _is_turned(node.test):
            yield "test", negated(node.test)
        case ast.Call() if is_citation(node) and len(node.args) == 2 and _is_turned(node.args[1]):
            yield "args", _with(node.args, 1, negated(node.args[1]))
        case ast.comprehension():
            for index, test in enumerate(node.ifs):
                if _is_turned(test):
                    yield "ifs", _with(node.ifs, index, negated(test))


def _is_turned(condition: ast.expr) -> bool:
    compares = isinstance(condition, ast.Compare) and len(condition.ops) == 1
    return not compares and not is_citation(condition)


def _replaced(node: ast.AST, place: Place) -> Iterator[_Change]:
    """Expressions in the fields of a node that something else takes the place of."""
    for field, value in ast.iter_fields(node):
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(child, ast.expr) and acts(node, field, child, place):
                for other in _instead_of(child):
                    yield field, _with(value, index, other) if isinstance(value, list) else other


def _instead_of(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case ast.UnaryOp():
            yield node.operand
        case ast.BinOp(op=ast.Add() | ast.BitOr()):
            yield from (node.left, node.right)
        case ast.BinOp(op=ast.Sub()):
            yield node.left
        case ast.Dict():
            for index in range(len(node.keys)):
                yield ast.Dict(_without(node.keys, index), _without(node.values, index))
        case ast.Call(func=ast.Name(id="sorted")):
            yield ast.Call(ast.Name("list", ast.Load()), node.args[:1], [])


def _instead_of_statement(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Nothing, or fewer of several assignments in one."""
    removed = ast.Assign | ast.AugAssign | ast.Expr | ast.Raise | ast.Delete | ast.Break | ast.Continue
    has_value = isinstance(statement, ast.AnnAssign) and statement.value is not None
    if isinstance(statement, removed) or has_value:
        yield ast.Pass()
    if (pairs := _in_pairs(statement)) is not None:
        targets, values = pairs
        for index in range(len(targets)):
            left, right = _without(targets, index), _without(values, index)
            target = ast.Tuple(left, ast.Store()) if len(left) > 1 else left[0]
            value = ast.Tuple(right, ast.Load()) if len(right) > 1 else right[0]
            yield ast.Assign([target], value, lineno=statement.lineno)


def _in_pairs(node: ast.AST) -> tuple[list[ast.expr], list[ast.expr]] | None:
    """The targets and the values of `a, b = x, y`."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            starred = any(isinstance(one, ast.Starred) for one in (*targets, *values))
            return None if starred or len(targets) != len(values) else (targets, values)
    return None


def negated(condition: ast.expr) -> ast.expr:
    """The opposite."""
    if isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
        return condition.operand
    return ast.UnaryOp(ast.Not(), condition)


def _with(values: Sequence[Any], index: int, value: Any) -> list[Any]:
    return [*values[:index], value, *values[index + 1 :]]


def _without(values: Sequence[Any], index: int) -> list[Any]:
    return [*values[:index], *values[index + 1 :]]
