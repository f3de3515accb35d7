"""The scales of a job's picture: times to places, and the round values that are written beside them."""

from dataclasses import dataclass
from math import ceil, log10

from ..time_words import Unit, unit_for

_RECORDS = (Unit("million records", 1e6), Unit("thousand records", 1e3), Unit("records", 1))


@dataclass(frozen=True)
class Scale:
    """Maps times from `low` to `high` (ms), or numbers of records, to places from `begin` to `end` (px).
    Values are written as distances from `origin`, in `unit`."""

    low: float
    high: float
    begin: float
    end: float
    origin: float
    unit: Unit

    def at(self, time: float) -> float:
        """The place of a time."""
        return self.begin + (self.end - self.begin) * (time - self.low) / (self.high - self.low)

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Round values on the scale, at most so many and one: time and text."""
        raw = (self.high - self.low) / self.unit.length / most
        power = 10.0 ** ceil(log10(raw) - 1)
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw) * self.unit.length
        ticks = []
        number = ceil((self.low - self.origin) / step)
        while (time := self.origin + number * step) <= self.high:
            text = f"{number * step / self.unit.length:.6g}".replace("-", "−")
            ticks.append((time, text))
            number += 1
        return ticks


def scale(low: float, high: float, begin: float, end: float) -> Scale:
    """A scale from `low` to `high`; its values count from 0 if that is near, else from `low`."""
    high = max(high, low + max(1.0, abs(low) * 1e-12))
    origin = 0.0 if abs(low) <= high - low else low
    return Scale(low, high, begin, end, origin, unit_for(high - low))


def records_scale(most: float, begin: float, end: float) -> Scale:
    """A scale for numbers of records, from 0 to `most`."""
    unit = next((unit for unit in _RECORDS if most >= 10 * unit.length), _RECORDS[-1])
    return Scale(0.0, max(4.0, most), begin, end, 0.0, unit)


def polyline(points: list[tuple[float, float]], tolerance: float = 0.4) -> list[tuple[float, float]]:
    """The line through `points` (px) without those that it passes within `tolerance` anyway."""
    if len(points) < 3:
        return points
    keep = {0, len(points) - 1}
    open_parts = [(0, len(points) - 1)]
    while open_parts:
        first, last = open_parts.pop()
        if last - first < 2:
            continue
        (x0, y0), (x1, y1) = points[first], points[last]
        length = max(1e-9, ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5)
        away, farthest = max(
            (abs((x1 - x0) * (y0 - y) - (x0 - x) * (y1 - y0)) / length, first + 1 + index)
            for index, (x, y) in enumerate(points[first + 1 : last])
        )
        if away > tolerance:
            keep.add(farthest)
            open_parts += [(first, farthest), (farthest, last)]
    return [points[index] for index in sorted(keep)]


def cut_above(points: list[tuple[float, float]], limit: float) -> list[tuple[float, float]]:
    """The line through `points` (time, value) with all that is above `limit` set to it."""
    cut = []
    for index, (x, y) in enumerate(points):
        if index and (points[index - 1][1] - limit) * (y - limit) < 0:
            x0, y0 = points[index - 1]
            cut.append((x0 + (x - x0) * (limit - y0) / (y - y0), limit))
        cut.append((x, min(y, limit)))
    return cut
