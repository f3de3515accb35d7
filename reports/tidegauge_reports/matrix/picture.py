"""`matrix.svg`: a bar for each chapter and engine; for a README, so with a paper of its own, light or dark as
the reader's system, and readable on a telephone."""

from collections.abc import Mapping
from importlib.resources import files
from itertools import accumulate

from markupsafe import Markup

from tidegauge.wire.results import KNOWN_DEVIATIONS
from tidegauge.words.conclusion import in_a_few_words
from tidegauge.words.numbers import counted
from tidegauge.words.verdicts import NOT_IN_RUN, SIGNS, number_words

from ..svg import CHARACTER_WIDTH, element, label, line, text_width
from ..text import short
from .columns import Column
from .table import Chapter, Matrix

FILE_NAME = "matrix.svg"
NARROW_FILE_NAME = "matrix-narrow.svg"
NARROW = 3
"""Maximum number of engines that are readable side by side on a telephone."""
WIDE = 6
"""Maximum number of engines that are readable side by side in a README."""

_MARGIN = 14.0
_GAP = 10.0
_COLUMN = 118.0
_LEAST_WIDTH = 300.0
_HEAD = 98.0
_ROW = 39.0
_BAR = 15.0
_LEAST_SEGMENT = 12.0
_STYLES = {"conforms": "good", "deviates": "known", "fails": "bad", "errors": "erring", "open": ""}
_BY_POLICY, _ABSENT = "by-policy", "absent"
_SEGMENTS: dict[str, tuple[str, str]] = {
    "pass": ("", SIGNS["pass"][1]),
    _BY_POLICY: ("*", "pass in the reading of the profile"),
    "fail": ("F", SIGNS["fail"][1]),
    "suspect": ("S", SIGNS["suspect"][1]),
    "error": ("E", SIGNS["error"][1]),
    KNOWN_DEVIATIONS: ("†", SIGNS[KNOWN_DEVIATIONS][1]),
    "not-tested": ("?", SIGNS["not-tested"][1]),
    "not-applicable": (" –", SIGNS["not-applicable"][1]),
    _ABSENT: (" ·", NOT_IN_RUN[1]),
}
"""The parts of a bar in their order, each with the mark behind its number, and what it means."""


def render(matrix: Matrix, beside: int | None = None) -> str:
    """Return the picture as one SVG element. The same matrix gives the same picture.

    :param beside: the maximum number of engines side by side, the next ones below them; None: all. Below the
        first row of engines, chapters without an applicable rule for any engine beside each other are left
        out: most engines of other projects have windows alone.
    """
    number = len(matrix.columns)
    beside = min(number, beside or number)
    width = max(2 * _MARGIN + beside * (_COLUMN + _GAP) - _GAP, _LEAST_WIDTH)
    drawn = []
    top = _MARGIN
    for first in range(0, number, beside):
        shown = range(first, min(first + beside, number))
        lefts = {place: _MARGIN + (place - first) * (_COLUMN + _GAP) for place in shown}
        drawn += [_heading(matrix, place, left, top) for place, left in lefts.items()]
        top += _HEAD
        for chapter in matrix.chapters:
            if first and not any(_applies(chapter, place) for place in shown):
                continue
            drawn.append(_chapter(chapter, lefts, top, width))
            top += _ROW
        top += 10
    legend, bottom = _legend(matrix, width, top)
    names = "; ".join(_words(matrix, place, column) for place, column in enumerate(matrix.columns))
    style = files(__package__).joinpath("picture.css").read_text(encoding="utf-8")
    rules = counted(len(matrix.rows), "rule")
    return str(element(
        "svg",
        element("title", f"{rules} by {counted(number, 'engine')}"),
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


def _applies(chapter: Chapter, place: int) -> bool:
    """Whether a rule of the chapter applies to the engine in this column."""
    return bool(_segments(chapter, place).keys() - {"not-applicable", _ABSENT})


def _heading(matrix: Matrix, place: int, left: float, top: float) -> Markup:
    room = _COLUMN / CHARACTER_WIDTH
    column = matrix.columns[place]
    standing, style = _standing(matrix, place)
    y = top + 12
    written = []
    for row in _in_two(column.name, int(0.92 * room)):
        written.append(label(row, left, y, "head", "start"))
        y += 14
    for row in filter(None, [column.version, column.profile, column.distinction]):
        written.append(label(short(row, int(room)), left, y, "faint", "start"))
        y += 13
    for row in _in_two(standing, int(0.92 * room)):
        written.append(label(row, left, y + 2, style, "start"))
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
    return in_a_few_words(column.run.results), _STYLES[column.conclusion.kind]


def _words(matrix: Matrix, place: int, column: Column) -> str:
    found = matrix.whole.counts(place)
    counts = ", ".join(number_words(count, SIGNS[kind][1]) for kind, count in found.items())
    return f"{short(column.label, 120)}: {counts or 'no rule'}"


def _chapter(chapter: Chapter, lefts: Mapping[int, float], top: float, width: float) -> Markup:
    """A chapter's name and a bar for each engine: `lefts` has their places in the matrix."""
    name = short(chapter.name, 24)
    title = short(chapter.title, int((width - 2 * _MARGIN) / CHARACTER_WIDTH) - len(name) - 2)
    drawn = [
        line(_MARGIN, top, width - _MARGIN, top, "grid"),
        label(name, _MARGIN, top + 14, "chapter", "start"),
        label(title, _MARGIN + 1.2 * text_width(name) + 8, top + 14, "faint", "start"),
    ]
    for place, left in lefts.items():
        drawn.append(_bar(_segments(chapter, place), left, top + 19, _COLUMN))
    return Markup("").join(drawn)


def _segments(chapter: Chapter, place: int) -> dict[str, int]:
    """How many rules of a chapter are of each kind in a column; only kinds that occur."""
    counts = dict.fromkeys(_SEGMENTS, 0)
    for row in chapter.rows:
        cell = row.cells[place]
        if cell is None:
            counts[_ABSENT] += 1
        elif cell.standing.kind == "pass" and cell.result.policy is not None:
            counts[_BY_POLICY] += 1
        else:
            counts[cell.standing.kind] += 1
    return {kind: count for kind, count in counts.items() if count}


def _bar(counts: dict[str, int], left: float, top: float, width: float) -> Markup:
    """A part for each kind, as wide as its share, but wide enough for its number."""
    needed = {kind: max(_LEAST_SEGMENT, text_width(_told(kind, count))) for kind, count in counts.items()}
    spare = max(width - sum(needed.values()), 0.0)
    whole = sum(counts.values())
    widths = [needed[kind] + spare * count / whole for kind, count in counts.items()]
    return Markup("").join(
        _segment(kind, _told(kind, count), left + end - own, top, own)
        for (kind, count), own, end in zip(counts.items(), widths, accumulate(widths), strict=True)
    )


def _told(kind: str, count: int) -> str:
    """The number of rules, and the mark of their kind: a verdict never shows by colour alone."""
    return f"{count}{_SEGMENTS[kind][0]}"


def _segment(kind: str, text: str, x: float, y: float, width: float) -> Markup:
    box = element("rect", x=x + 0.5, y=y + 0.5, width=width - 1, height=_BAR - 1, rx=2, class_=kind)
    return box + label(text, x + width / 2, y + _BAR - 4, f"mark of-{kind}")


def _legend(matrix: Matrix, width: float, top: float) -> tuple[Markup, float]:
    """The kinds that occur with their meaning, and the lower edge."""
    places = range(len(matrix.columns))
    shown = {kind for chapter in matrix.chapters for place in places for kind in _segments(chapter, place)}
    x, y = _MARGIN, top
    drawn = [line(_MARGIN, top - 10, width - _MARGIN, top - 10, "grid")]
    for kind, (mark, words) in _SEGMENTS.items():
        if kind not in shown:
            continue
        needed = 21 + text_width(words) + 10
        if x > _MARGIN and x + needed > width - _MARGIN:
            x, y = _MARGIN, y + 20
        drawn.append(_segment(kind, mark, x, y, 15))
        drawn.append(label(words, x + 21, y + 11, "faint", "start"))
        x += needed
    return Markup("").join(drawn), y + _BAR + _MARGIN
