"""`matrix.md`: chapters by engines with counts, then the rules where engines differ."""

from collections.abc import Iterable

from tidegauge.wire.results import ACCUSED
from tidegauge.words.numbers import counted
from tidegauge.words.verdicts import NOT_IN_RUN, SIGNS

from ..machines.inert_markdown import inert, prose
from .questions import Answer
from .table import Cell, Chapter, Matrix, Row

FILE_NAME = "matrix.md"

MOST_ROWS = 200
"""So many rules are listed."""

_BOLD = (*ACCUSED, "error")


def render(matrix: Matrix) -> str:
    """The text. The same matrix gives the same text."""
    blocks = [_questions(matrix)] if matrix.questions else []
    blocks += [_chapters(matrix), _key(matrix)]
    budgets = {column.run.results.budget for column in matrix.columns}
    if len(budgets) > 1:
        blocks += [_budget(matrix, budget) for budget in sorted(budgets)]
    declared = [column for column in matrix.columns if column.shape]
    measured = [column for column in matrix.columns if column.choices]
    blocks += [f"{inert(column.label, 200)}: {inert(column.choices, 100)}." for column in measured]
    blocks += [f"{inert(column.label, 200)} has a shape: {inert(column.shape, 400)}." for column in declared]
    contested = [row for row in matrix.rows if row.contested]
    if contested:
        blocks += ["Where engines that claim a rule differ:", _rules(matrix, contested)]
    elif len(matrix.columns) > 1:
        blocks.append("Engines that claim a rule stand the same with it, with every rule.")
    if unclaimed := _unclaimed(matrix):
        blocks += ["Not every engine claims every rule:", unclaimed]
    return "\n\n".join(blocks) + "\n"


def _questions(matrix: Matrix) -> str:
    rows = [
        [prose(question.text, 200), *(_answer(given) for given in answers)]
        for question, answers in matrix.questions
    ]
    table = _table(["question", *_headings(matrix)], rows)
    return (
        f"{table}\n\nAn answer follows from the verdicts on rules. – means that the engine has no such part."
    )


def _answer(given: Answer | None) -> str:
    if given is None:
        return "–"
    limits = "".join(f" ({prose(sentence.removesuffix('.'), 300)})" for sentence in given.but)
    return f"{prose(given.text, 300)}{limits}"


def _budget(matrix: Matrix, budget: str) -> str:
    labels = [column.label for column in matrix.columns if column.run.results.budget == budget]
    return f"With the budget {inert(budget, 40)}: {inert(', '.join(labels), 1000)}."


def _chapters(matrix: Matrix) -> str:
    rows = [
        [f"{inert(chapter.name)}: {inert(chapter.title)}", *_each(chapter, matrix)]
        for chapter in matrix.chapters
    ]
    rows.append(["**all**", *_each(matrix.whole, matrix)])
    return _table(["chapter", *_headings(matrix)], rows)


def _each(chapter: Chapter, matrix: Matrix) -> list[str]:
    return [_counts(chapter, place) for place in range(len(matrix.columns))]


def _counts(chapter: Chapter, column: int) -> str:
    """`23 P`, or `21 P, 2 F`; failures, suspects and errors stand out."""
    parts = [
        f"**{count} {SIGNS[kind][0]}**" if kind in _BOLD else f"{count} {SIGNS[kind][0]}"
        for kind, count in chapter.counts(column).items()
    ]
    if missing := chapter.missing(column):
        parts.append(f"{missing} {NOT_IN_RUN[0]}")
    return ", ".join(parts)


def _headings(matrix: Matrix) -> list[str]:
    return [inert(column.label, 200) for column in matrix.columns]


def _key(matrix: Matrix) -> str:
    used = {cell.standing.kind for row in matrix.rows for cell in row.cells if cell is not None}
    entries = [f"{letter} {words}" for kind, (letter, words) in SIGNS.items() if kind in used]
    if any(cell is None for row in matrix.rows for cell in row.cells):
        entries.append(" ".join(NOT_IN_RUN))
    entries += [f"{inert(mark)} {meaning}" for mark, meaning in matrix.notes.items()]
    return "; ".join(entries) + "."


def _rules(matrix: Matrix, rows: list[Row]) -> str:
    listed = [
        [f"{inert(row.id)} {prose(row.rule.title, 120)}", *map(_sign, row.cells)] for row in rows[:MOST_ROWS]
    ]
    table = _table(["rule", *_headings(matrix)], listed)
    left_out = len(rows) - MOST_ROWS
    return f"{table}\n\n… and {counted(left_out, 'more rule')}." if left_out > 0 else table


def _sign(cell: Cell | None) -> str:
    if cell is None:
        return NOT_IN_RUN[0]
    sign = inert(cell.standing.sign)
    return f"**{sign}**" if cell.standing.kind in _BOLD else sign


def _unclaimed(matrix: Matrix) -> str:
    """For each engine the rules it does not claim though another does, chapters as a whole where it is so."""
    lines = []
    for place, column in enumerate(matrix.columns):
        parts = []
        for chapter in matrix.chapters:
            ids = [row.id for row in chapter.rows if _is_unclaimed(row, place)]
            if ids:
                whole = chapter.counts(place).get("not-applicable") == len(chapter.rows)
                parts.append(f"{chapter.name} (all)" if whole else ", ".join(ids))
        if parts:
            lines.append(f"* {inert(column.label, 200)}: {inert(', '.join(parts), 1000)}")
    return "\n".join(lines)


def _is_unclaimed(row: Row, column: int) -> bool:
    own = row.cells[column]
    others = [cell for cell in row.cells if cell is not None and cell.result.verdict != "not-applicable"]
    return own is not None and own.result.verdict == "not-applicable" and bool(others)


def _table(columns: list[str], rows: list[list[str]]) -> str:
    lines = [_row(columns), _row(["---", *["---"] * (len(columns) - 1)])]
    return "\n".join([*lines, *map(_row, rows)])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
