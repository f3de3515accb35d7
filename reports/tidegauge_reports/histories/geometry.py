"""Where things stand in a timeline: a column for each step, a height for each timestamp."""

from dataclasses import dataclass
from itertools import accumulate

from tidegauge.timestamps import MIN

from ..svg import text_width
from .history import History

ROW = 14.0
"""Height (px) of a row of labels."""

BESIDE = ("idle", "end")
"""Kinds of marks whose label stands at the right of the mark, all others above or below it."""

_NARROWEST_COLUMN = 58.0
_WIDEST_EMPTY_COLUMN = 84.0
_COMFORTABLE = 480.0
_RANK = 13.0
_LOWEST_PLOT = 30.0
_HIGHEST_PLOT = 84.0


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

    def steps(self, levels: list[int], bottom: float, until: int | None = None) -> list[tuple[float, float]]:
        """The corners of a line that takes `levels[0]` first and `levels[n + 1]` from step n on; it ends
        before the step `until`."""
        points = [(self.lefts[0], bottom - self.height(levels[0]))]
        columns = len(self.lefts) - 1 if until is None else until
        for column in range(columns):
            x = self.center(column)
            points += [(x, points[-1][1]), (x, bottom - self.height(levels[column + 1]))]
        end = self.right if until is None else self.lefts[until]
        return [*points, (end, points[-1][1])]


def measure(history: History, lane_names: list[str]) -> Geometry:
    """The geometry in which all labels of a history have room."""
    narrowest = min(_WIDEST_EMPTY_COLUMN, max(_NARROWEST_COLUMN, _COMFORTABLE / history.steps))
    widths = [narrowest] * history.steps
    labels = list(history.whole_valve.items())
    labels += [(mark.column, mark.label) for lane in history.channels for mark in lane.marks]
    for outputs in (history.expected, history.got):
        labels += [(column, text) for column, said in enumerate(outputs.labels) for text in said or ()]
    for column, text in labels:
        widths[column] = max(widths[column], text_width(text) + 14)
    for lane in history.channels:
        for mark in lane.marks:
            if mark.kind in BESIDE:
                widths[mark.column] = max(widths[mark.column], 2 * text_width(mark.label) + 14)
    gutter = max(map(text_width, lane_names)) + 24
    distinct = {MIN} | {
        time for line in (history.expected, history.got) for rise in line.rises for time in rise
    }
    for lane in history.channels:
        distinct |= {mark.timestamp for mark in lane.marks if mark.timestamp is not None}
    ranks = {timestamp: rank for rank, timestamp in enumerate(sorted(distinct))}
    plot = min(_HIGHEST_PLOT, max(_LOWEST_PLOT, _RANK * (len(ranks) - 1)))
    return Geometry(gutter, list(accumulate(widths, initial=gutter)), ranks, plot)
