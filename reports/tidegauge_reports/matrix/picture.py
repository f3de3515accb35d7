"""`matrix.svg`: a small cell for each rule, chapters by engines; for a README, so with a paper of its own."""

from importlib.resources import files

from markupsafe import Markup

from tidegauge.wire.results import KNOWN_DEVIATIONS
from tidegauge.words.conclusion import in_a_few_words
from tidegauge.words.numbers import counted
from tidegauge.words.verdicts import SIGNS, number_words

from ..svg import CHARACTER_WIDTH, element, label, line, text_width
from ..text import short
from .columns import Column
from .table import Cell, Chapter, Matrix

FILE_NAME = "matrix.svg"

_MARGIN = 14.0
_GUTTER = 236.0
_CELL = 11.0
_PITCH = 13.0
_GAP = 22.0
_HEAD = 103.0
_LEAST_ROW = 32.0
_FEW_COLUMNS = 4
_ACROSS_FEW, _ACROSS_MANY = 12, 8
_ON_DARK = ("pass", "fail", "error")
_STYLES = {"conforms": "good", "deviates": "known", "fails": "bad", "errors": "erring", "open": ""}
_UNMARKED = ("pass", "not-applicable")


def render(matrix: Matrix) -> str:
    """The picture as one SVG element. The same matrix gives the same picture."""
    across = _ACROSS_FEW if len(matrix.columns) <= _FEW_COLUMNS else _ACROSS_MANY
    block = across * _PITCH
    width = 2 * _MARGIN + _GUTTER + len(matrix.columns) * (block + _GAP) - _GAP
    lefts = [_MARGIN + _GUTTER + place * (block + _GAP) for place in range(len(matrix.columns))]
    drawn = [
        _heading(matrix, place, column, left, block)
        for place, (column, left) in enumerate(zip(matrix.columns, lefts, strict=True))
    ]
    top = _MARGIN + _HEAD
    for chapter in matrix.chapters:
        height = max(_LEAST_ROW, _PITCH * -(-len(chapter.rows) // across) + 8)
        drawn.append(_chapter(chapter, lefts, across, top, width))
        top += height
    legend, bottom = _legend(matrix, width, top + 10)
    names = "; ".join(_words(matrix, place, column) for place, column in enumerate(matrix.columns))
    style = files(__package__).joinpath("picture.css").read_text(encoding="utf-8")
    rules = counted(len(matrix.rows), "rule")
    return str(element(
        "svg",
        element("title", f"{rules} by {counted(len(matrix.columns), 'engine')}"),
        element("desc", f"Rules by chapters and engines. {names}."),
        element("style", Markup(style)),
        element("rect", x=0.5, y=0.5, width=width - 1, height=bottom - 1, rx=8, class_="paper"),
        *drawn,
        legend,
        xmlns="http://www.w3.org/2000/svg",
        class_="matrix-picture",
        role="img",
        width=width,
        height=bottom,
        viewBox=f"0 0 {width:g} {bottom:g}",
    )) + "\n"  # fmt: skip


def _heading(matrix: Matrix, place: int, column: Column, left: float, block: float) -> Markup:
    room = (block + _GAP - 6) / CHARACTER_WIDTH
    standing, style = _standing(matrix, place)
    names = _in_two(column.name, int(room * 0.85))
    below = [column.version, column.profile, column.distinction]
    y = _MARGIN + 12
    written = [label(text, left, y + 14 * row, "head", "start") for row, text in enumerate(names)]
    y += 14 * len(names)
    for text in filter(None, below):
        written.append(label(short(text, int(room)), left, y, "faint", "start"))
        y += 13
    for row, text in enumerate(_in_two(standing, int(room * 0.94))):
        written.append(label(text, left, y + 2 + 13 * row, style, "start"))
    return Markup("").join(written)


def _in_two(text: str, room: int) -> list[str]:
    """A name in at most two lines of at most so many characters, broken at a space or behind a hyphen."""
    if len(text) <= room:
        return [text]
    place = max(text.rfind(" ", 0, room + 1), text.rfind("-", 0, room))
    first = text[: place + 1] if place > 0 else text[:room]
    return [first.strip(), short(text[len(first) :], room)]


def _standing(matrix: Matrix, place: int) -> tuple[str, str]:
    """What the run of a column comes to, and the style that shows it."""
    column = matrix.columns[place]
    return in_a_few_words(column.run.results), _STYLES[column.conclusion.kind]


def _words(matrix: Matrix, place: int, column: Column) -> str:
    found = matrix.whole.counts(place)
    counts = ", ".join(number_words(count, SIGNS[kind][1]) for kind, count in found.items())
    return f"{short(column.label, 120)}: {counts or 'no rule'}"


def _chapter(chapter: Chapter, lefts: list[float], across: int, top: float, width: float) -> Markup:
    drawn = [
        line(_MARGIN, top, width - _MARGIN, top, "grid"),
        label(short(chapter.name, 24), _MARGIN, top + 14, "chapter", "start"),
        label(short(chapter.title, 42), _MARGIN, top + 27, "faint", "start"),
    ]
    for place, left in enumerate(lefts):
        for number, row in enumerate(chapter.rows):
            x, y = left + number % across * _PITCH, top + 5 + number // across * _PITCH
            drawn.append(_cell(row.cells[place], x, y))
    return Markup("").join(drawn)


def _cell(cell: Cell | None, x: float, y: float) -> Markup:
    if cell is None:
        return element("circle", cx=x + _CELL / 2, cy=y + _CELL / 2, r=1.5, class_="absent")
    by_policy = cell.standing.kind == "pass" and cell.result.policy is not None
    return _square(x, y, cell.standing.kind, "*" if by_policy else _mark(cell.standing.kind))


def _mark(kind: str) -> str:
    """What stands in a cell, which has room for one character."""
    if kind == KNOWN_DEVIATIONS:
        return "†"
    return "" if kind in _UNMARKED else SIGNS[kind][0]


def _square(x: float, y: float, style: str, mark: str) -> Markup:
    ground = "on-red" if style == KNOWN_DEVIATIONS else "on-dark" if style in _ON_DARK else "on-light"
    inset = 0.5 if style not in _ON_DARK else 0.0
    side = _CELL - 2 * inset
    square = element("rect", x=x + inset, y=y + inset, width=side, height=side, rx=2, class_=style)
    if not mark:
        return square
    return square + label(mark, x + _CELL / 2, y + _CELL - 2.2, f"mark {ground}")


def _legend(matrix: Matrix, width: float, top: float) -> tuple[Markup, float]:
    """The signs that occur with their meaning, and the lower edge."""
    cells = [cell for row in matrix.rows for cell in row.cells]
    shown = [cell for cell in cells if cell is not None]
    by_policy = [cell for cell in shown if cell.standing.kind == "pass" and cell.result.policy is not None]
    plain = {cell.standing.kind for cell in shown if cell not in by_policy}
    entries = [(words, kind, _mark(kind)) for kind, (_, words) in SIGNS.items() if kind in plain]
    if by_policy:
        entries.append(("pass in the reading of the profile", "pass", "*"))
    if len(shown) < len(cells):
        entries.append(("not in this run", "", ""))
    x, y = _MARGIN, top
    drawn = [line(_MARGIN, top - 10, width - _MARGIN, top - 10, "grid")]
    for words, style, mark in entries:
        needed = 18 + text_width(words) + 12
        if x > _MARGIN and x + needed > width - _MARGIN:
            x, y = _MARGIN, y + 18
        drawn.append(_square(x, y, style, mark) if style else _cell(None, x, y))
        drawn.append(label(words, x + 18, y + 9.5, "faint", "start"))
        x += needed
    return Markup("").join(drawn), y + _CELL + _MARGIN
