"""Places for labels in a drawing, where they hide as little as possible."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

Point = tuple[float, float]
Cell = tuple[int, int]

_CELL = 4.0
_MOST_ANCHORS = 80


@dataclass(frozen=True)
class Box:
    """A rectangle (px); y grows downwards."""

    left: float
    top: float
    width: float
    height: float

    def cells(self) -> Iterable[Cell]:
        """The cells that it touches, and those next to them."""
        for column in range(int(self.left // _CELL) - 1, int((self.left + self.width) // _CELL) + 2):
            for row in range(int(self.top // _CELL) - 1, int((self.top + self.height) // _CELL) + 2):
                yield column, row

    def within(self, other: "Box") -> bool:
        """Whether it is inside of another."""
        return (
            other.left <= self.left
            and other.top <= self.top
            and self.left + self.width <= other.left + other.width
            and self.top + self.height <= other.top + other.height
        )

    def meets(self, other: "Box") -> bool:
        """Whether the two have something in common."""
        return (
            self.left < other.left + other.width
            and other.left < self.left + self.width
            and self.top < other.top + other.height
            and other.top < self.top + self.height
        )


@dataclass
class Places:
    """What is taken so far: cells by lines, boxes by labels. Labels are put within `area`."""

    area: Box
    taken: set[Cell] = field(default_factory=set)
    labels: list[Box] = field(default_factory=list)

    def add_line(self, line: list[Point]) -> None:
        """Take the places along a line."""
        self.taken |= {(int(x // _CELL), int(y // _CELL)) for x, y in along(line, _CELL)}

    def put(self, candidates: Iterable[tuple[Box, float]]) -> Box | None:
        """Take and return the best of the candidates, each with a cost; None if none is free."""
        best: tuple[float, Box] | None = None
        for box, cost in candidates:
            if best is not None and cost >= best[0]:  # what it hides only adds to it
                continue
            if not box.within(self.area) or any(box.meets(label) for label in self.labels):
                continue
            cost += 4 * len(self.taken.intersection(box.cells()))
            if best is None or cost < best[0]:
                best = (cost, box)
        if best is None:
            return None
        self.labels.append(best[1])
        return best[1]


def along(line: list[Point], distance: float) -> list[Point]:
    """Points on a line, no further apart than `distance`."""
    found = line[:1]
    for (x0, y0), (x1, y1) in pairwise(line):
        count = max(1, int(max(abs(x1 - x0), abs(y1 - y0)) / distance) + 1)
        found += [(x0 + (x1 - x0) * n / count, y0 + (y1 - y0) * n / count) for n in range(1, count + 1)]
    return found


def beside(line: list[Point], width: float, height: float) -> Iterable[tuple[Box, float]]:
    """Places for a label on either side of a line, best about its middle."""
    anchors = along(line, 6)
    anchors = anchors[:: len(anchors) // _MOST_ANCHORS + 1]
    for number, (x, y) in enumerate(anchors):
        cost = 6 * abs(number / max(1, len(anchors) - 1) - 0.55)
        yield Box(x - 8 - width, y - height - 3, width, height), cost
        yield Box(x + 8, y + 3, width, height), cost
        yield Box(x + 8, y - height / 2, width, height), cost + 1
        yield Box(x - width / 2, y + 8, width, height), cost + 1
        yield Box(x - width / 2, y - height - 8, width, height), cost + 1
