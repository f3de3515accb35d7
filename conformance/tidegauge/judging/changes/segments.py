"""A change of the reference as pieces of its text, so that changes which do not touch each other combine."""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from ...mutants.loading import reference_source
from ...mutants.mutant import Mutant
from .edits import Edit
from .syntax_mutants import edits_of, statement_of


@dataclass(frozen=True, order=True)
class Segment:
    """In a module of the reference `text` stands instead of the characters from `start` to before `stop`."""

    module: str
    start: int
    stop: int
    text: str


def segments_of_mutant(mutant: Mutant) -> tuple[Segment, ...]:
    """The replacements of a named mutant."""
    source = reference_source(mutant.module)
    places = [(source.index(right), right, wrong) for right, wrong in mutant.changed_texts]
    return tuple(Segment(mutant.module, place, place + len(right), wrong) for place, right, wrong in places)


@cache
def segment_of_small_change(module: str, number: int) -> Segment | None:
    """The small change of that number of a module; None if it is more than one piece of text."""
    source = reference_source(module)
    tree, edits = edits_of(module)
    _, edit = edits[number]
    segment = _segment(module, edit, _line_starts(source))
    part = tree.body.index(edit.place[1])  # type: ignore[arg-type]
    undo = edit.apply()
    try:
        changed = ast.unparse(tree.body[part])
    finally:
        undo()
    return segment if _part(changed_text(source, [segment]), part) == changed else None


def changed_text(source: str, segments: Iterable[Segment]) -> str:
    """A module's text with the segments in it, which must not touch each other (`touch`)."""
    for segment in sorted(segments, reverse=True):
        source = source[: segment.start] + segment.text + source[segment.stop :]
    return source


def touch(segments: Sequence[Segment]) -> bool:
    """Whether two of the segments change the same text."""
    ordered = sorted(segments)
    return any(one.module == other.module and one.stop > other.start for one, other in pairwise(ordered))


def _part(text: str, number: int) -> str | None:
    """One of the statements at the top of a module, None if it is no module."""
    try:
        return ast.unparse(ast.parse(text).body[number])
    except (SyntaxError, IndexError):
        return None


@cache
def _line_starts(source: str) -> list[int]:
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _segment(module: str, edit: Edit, starts: Sequence[int]) -> Segment:
    """The smallest expression or statement around the change, written anew."""
    if edit.before is not None and edit.after is not None:
        return Segment(
            module, *_span(edit.before, starts), _statement_text(edit.after, edit.before.col_offset)
        )
    node, changed = edit.node, edit.changed
    old = getattr(node, edit.field)
    if isinstance(old, ast.expr) and isinstance(changed, ast.expr) and hasattr(old, "lineno"):
        return Segment(module, *_span(old, starts), f"({ast.unparse(changed)})")
    whole = node if isinstance(node, ast.expr) else statement_of(edit)
    assert isinstance(whole, ast.expr | ast.stmt)
    undo = edit.apply()
    try:
        written = (
            f"({ast.unparse(whole)})"
            if isinstance(whole, ast.expr)
            else _statement_text(whole, whole.col_offset)
        )
    finally:
        undo()
    return Segment(module, *_span(whole, starts), written)


def _span(node: ast.expr | ast.stmt, starts: Sequence[int]) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset


def _statement_text(statement: ast.stmt, indentation: int) -> str:
    return ("\n" + " " * indentation).join(ast.unparse(statement).split("\n"))
