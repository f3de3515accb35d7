"""Where things stand in a timeline: a column for each step, a height for each timestamp."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from textwrap import wrap

from ..svg import CHARACTER_WIDTH, text_width
from .history import Answer, History, Lane, MarkKind

ROW = 14.0
"""Height (px) of a row of labels."""

NARROW = 340.0
"""The width (px) of what has to be readable on a telephone without moving the picture."""

NAMES = ("output", "expected", "got")

BESIDE: tuple[MarkKind, ...] = ("begins", "end")
"""Kinds of marks whose label stands at the right of the mark, all others above or below it."""

_NARROWEST_COLUMN = 58.0
_WIDEST_EMPTY_COLUMN = 84.0
_COMFORTABLE = 480.0
_RANK = 13.0
_LOWEST_PLOT = 30.0
_HIGHEST_PLOT = 84.0
_FLAT = 6.0


@dataclass(frozen=True)
class Geometry:
    """Columns begin at `lefts` (one more than steps: the last is the right end). `ranks` maps each
    timestamp to its rank among all; heights are ranks, so that no value can ruin the scale."""

    gutter: float
    lefts: list[float]
    ranks: dict[int, int]
    plot: float

    @property
    def right(self) -> float:
        """The right end of the last column."""
        return self.lefts[-1]

    def center(self, column: int) -> float:
        """The middle of a column: there its step happens."""
        return (self.lefts[column] + self.lefts[column + 1]) / 2

    def height(self, timestamp: int) -> float:
        """How far above the bottom of a plot a timestamp stands."""
        return self.plot * self.ranks[timestamp] / max(1, len(self.ranks) - 1)

    def plot_of(self, lane: Lane) -> float:
        """The height (px) of the plot of a lane."""
        return self.plot if lane.has_heights else _FLAT

    def lines(
        self, levels: list[int | None], bottom: float, until: int | None = None
    ) -> list[list[tuple[float, float]]]:
        """The corners of a line that takes `levels[0]` first and `levels[n + 1]` from step n on, in pieces
        where it has none; it ends before the step `until`."""
        pieces: list[list[tuple[float, float]]] = []
        columns = len(self.lefts) - 1 if until is None else until
        start = self.lefts[0]
        for column in range(columns + 1):
            end = self.center(column) if column < columns else self.lefts[column]
            level = levels[column]
            if level is not None:
                y = bottom - self.height(level)
                if not pieces or pieces[-1][-1][0] != start:
                    pieces.append([])
                pieces[-1] += [(start, y), (end, y)]
            start = end
        return pieces

    def spans(self, lasted: list[bool], until: int | None = None) -> list[tuple[float, float]]:
        """Left and right ends of the spans in which something lasts: before the first step if `lasted[0]`,
        from step n on if `lasted[n + 1]`; they end before the step `until`."""
        found: list[tuple[float, float]] = []
        columns = len(self.lefts) - 1 if until is None else until
        start = self.lefts[0]
        for column in range(columns + 1):
            end = self.center(column) if column < columns else self.lefts[column]
            if lasted[column] and end > start:
                if found and found[-1][1] == start:
                    found[-1] = (found[-1][0], end)
                else:
                    found.append((start, end))
            start = end
        return found


def setup_rows(history: History) -> list[str]:
    """What was built, in lines."""
    return wrap(history.setup, round(NARROW / CHARACTER_WIDTH))


def head_height(history: History) -> float:
    """The height (px) of what stands above the steps."""
    rows = setup_rows(history)
    return 6 + ROW * len(rows) if rows else 2


def measure(history: History) -> Geometry:
    """The geometry in which all labels of a history have room."""
    narrowest = min(_WIDEST_EMPTY_COLUMN, max(_NARROWEST_COLUMN, _COMFORTABLE / history.steps))
    widths = [narrowest] * history.steps
    for column, text in _labels(history):
        widths[column] = max(widths[column], text_width(text) + 14)
    for lane in history.lanes:
        for mark in lane.marks:
            if mark.kind in BESIDE:
                widths[mark.column] = max(widths[mark.column], 2 * text_width(mark.label) + 14)
    names = [name for lane in history.lanes for name in lane.names]
    gutter = max(map(text_width, (*NAMES, *names, *history.clock))) + 24
    ranks = {timestamp: rank for rank, timestamp in enumerate(sorted(set(timestamps_of(history))))}
    plot = min(_HIGHEST_PLOT, max(_LOWEST_PLOT, _RANK * (len(ranks) - 1)))
    return Geometry(gutter, list(accumulate(widths, initial=gutter)), ranks, plot)


def _labels(history: History) -> Iterator[tuple[int, str]]:
    """Every label that stands in the middle of a column."""
    yield from history.moments.items()
    for column, passed in history.passed.items():
        yield column, passed.words
        yield column, f"= {passed.makes}"
    for lane in history.lanes:
        yield from ((mark.column, mark.label) for mark in lane.marks)
    for answer in (history.expected, history.got):
        yield from ((column, text) for column, said in enumerate(answer.labels) for text in said or ())


def timestamps_of(history: History) -> Iterator[int]:
    """Everything that has a height."""
    for lane in history.lanes:
        yield from (level for level in lane.levels if level is not None)
        yield from (mark.timestamp for mark in lane.marks if mark.timestamp is not None)
        yield from (timestamp for told in lane.told.values() for _, timestamp in told)
    for answer in (history.expected, history.got):
        yield from _heights(answer)


def _heights(answer: Answer) -> Iterator[int]:
    yield from (timestamp for points in answer.points for timestamp in points)
    yield from (edge for windows in answer.windows for window in windows for edge in window)
    yield from (level for levels in answer.levels.values() for level in levels if level is not None)
