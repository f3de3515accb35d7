"""`matrix.svg`: a bar for each chapter and engine; for a README, so with a paper of its own, light or dark as
the reader's system, and readable on a telephone."""

from collections import Counter
from collections.abc import Mapping

from markupsafe import Markup

from tidegauge.words.conclusion import in_a_few_words
from tidegauge.words.numbers import counted
from tidegauge.words.verdicts import SIGNS, number_words

from ..readings import OWN
from ..svg import CHARACTER_WIDTH, label, line, text_width
from ..text import short
from ..verdict_bars import ABSENT, BY_POLICY, MARGIN, bar, framed_picture, in_order
from .columns import Column
from .table import Chapter, Matrix

FILE_NAME = "matrix.svg"
NARROW_FILE_NAME = "matrix-narrow.svg"
NARROW = 3
"""Maximum number of engines that are readable side by side on a telephone."""
WIDE = 6
"""Maximum number of engines that are readable side by side in a README."""

_GAP = 10.0
_COLUMN = 118.0
_LEAST_WIDTH = 300.0
_HEAD = 98.0
_ROW = 39.0
_STYLES = {
    "conforms": "good",
    OWN: "own",
    "deviates": "known",
    "fails": "bad",
    "errors": "erring",
    "open": "",
}


def render(matrix: Matrix, beside: int | None = None) -> str:
    """Return the picture as one SVG element. The same matrix gives the same picture.

    Below the first row of engines, the picture omits chapters that apply to no engine of a row: most engines
    of other projects have only windows.

    Args:
        matrix: the matrix to draw.
        beside: maximum number of engines side by side; further engines are drawn in rows below. None: all.
    """
    number = len(matrix.columns)
    beside = min(number, beside or number)
    width = max(2 * MARGIN + beside * (_COLUMN + _GAP) - _GAP, _LEAST_WIDTH)
    drawn = []
    top = MARGIN
    for first in range(0, number, beside):
        shown = range(first, min(first + beside, number))
        lefts = {place: MARGIN + (place - first) * (_COLUMN + _GAP) for place in shown}
        drawn += [_heading(matrix, place, left, top) for place, left in lefts.items()]
        top += _HEAD
        for chapter in matrix.chapters:
            if first and not any(_applies(chapter, place) for place in shown):
                continue
            drawn.append(_chapter(chapter, lefts, top, width))
            top += _ROW
        top += 10
    kinds = {
        kind for chapter in matrix.chapters for place in range(number) for kind in _counts(chapter, place)
    }
    names = "; ".join(_words(matrix, place, column) for place, column in enumerate(matrix.columns))
    rules = counted(len(matrix.rows), "rule")
    return framed_picture(
        title=f"{rules} by {counted(number, 'engine')}",
        description=f"Rules by chapters and engines. {names}.",
        drawn=drawn,
        kinds=kinds,
        width=width,
        top=top,
    )


def _applies(chapter: Chapter, place: int) -> bool:
    """Return whether any rule of the chapter applies to the engine of a column."""
    return bool(_counts(chapter, place).keys() - {"not-applicable", ABSENT})


def _heading(matrix: Matrix, place: int, left: float, top: float) -> Markup:
    room = _COLUMN / CHARACTER_WIDTH
    column = matrix.columns[place]
    standing, colour = _standing(matrix, place)
    y = top + 12
    written = []
    for row in _in_two(column.name, int(0.92 * room)):
        written.append(label(row, left, y, "head", "start"))
        y += 14
    for row in filter(None, [column.version, column.profile, column.distinction]):
        written.append(label(short(row, int(room)), left, y, "faint", "start"))
        y += 13
    for row in _in_two(standing, int(0.92 * room)):
        written.append(label(row, left, y + 2, colour, "start"))
        y += 13
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
    return in_a_few_words(column.run.results), _STYLES[column.kind]


def _words(matrix: Matrix, place: int, column: Column) -> str:
    found = matrix.whole.counts(place)
    counts = ", ".join(number_words(count, SIGNS[kind][1]) for kind, count in found.items())
    return f"{short(column.label, 120)}: {counts or 'no rule'}"


def _chapter(chapter: Chapter, lefts: Mapping[int, float], top: float, width: float) -> Markup:
    """A chapter's name and a bar for each engine: `lefts` has their places in the matrix."""
    name = short(chapter.name, 24)
    title = short(chapter.title, int((width - 2 * MARGIN) / CHARACTER_WIDTH) - len(name) - 2)
    drawn = [
        line(MARGIN, top, width - MARGIN, top, "grid"),
        label(name, MARGIN, top + 14, "chapter", "start"),
        label(title, MARGIN + 1.2 * text_width(name) + 8, top + 14, "faint", "start"),
    ]
    for place, left in lefts.items():
        drawn.append(bar(_counts(chapter, place), left, top + 19, _COLUMN))
    return Markup("").join(drawn)


def _counts(chapter: Chapter, place: int) -> dict[str, int]:
    """How many rules of a chapter are of each kind in a column; only kinds that occur."""
    counts: Counter[str] = Counter()
    for row in chapter.rows:
        cell = row.cells[place]
        if cell is None:
            counts[ABSENT] += 1
        elif cell.standing.kind == "pass" and cell.result.policy is not None:
            counts[BY_POLICY] += 1
        else:
            counts[cell.standing.kind] += 1
    return in_order(counts)
