"""A quantity over processing time, in a bounded number of stretches of equal width."""

from collections.abc import Callable
from operator import add
from typing import Any, Final, Literal

import numpy as np
from msgspec import Struct

from ..rows import Numbers

MOST_STRETCHES = 64
"""The maximum number of stretches of a course. At least half of them are used once the course is longer than
64 ms."""


Kept = Literal["highest", "lowest", "sum"]
"""What is kept of the values in a stretch."""

_OF_TWO: Final[dict[Kept, Callable[[int, int], int]]] = {"highest": max, "lowest": min, "sum": add}
_OF_ARRAY: Final[dict[Kept, Any]] = {"highest": np.maximum, "lowest": np.minimum, "sum": np.add}


class Course(Struct, frozen=True):
    """The highest or the lowest value, or the sum of the values, in each stretch of processing time.

    The width of a stretch is 2 ** exponent ms, the smallest with which the course fits into `MOST_STRETCHES`.
    The width depends on the first and the last time only, so the courses of the parts of a log can be merged
    in any order. `values`: the value of each stretch; the key is the time divided by the width. Stretches
    without a value are absent.
    """

    exponent: int = 0
    values: dict[int, int] = {}
    kept: Kept = "highest"

    @staticmethod
    def of(times: Numbers, values: Numbers, kept: Kept = "highest") -> "Course":
        """Return the course of these values at these times (ms)."""
        if not len(times):
            return Course(kept=kept)
        exponent = _exponent(int(times.min()), int(times.max()), 0)
        stretch = times >> exponent
        changes = np.diff(stretch)
        if (changes < 0).any():
            order = np.argsort(stretch, kind="stable")
            stretch, values = stretch[order], values[order]
            changes = np.diff(stretch)
        begins = np.append(0, np.flatnonzero(changes) + 1)
        chosen = _OF_ARRAY[kept].reduceat(values, begins)
        return Course(exponent, dict(zip(stretch[begins].tolist(), chosen.tolist(), strict=True)), kept)

    def merged(self, other: "Course") -> "Course":
        """Return the course of the values of both courses."""
        if not self.values or not other.values:
            return self if self.values else other
        exponent = max(self.exponent, other.exponent)
        both = [self.coarsened(exponent), other.coarsened(exponent)]
        low = min(min(values) for values in both) << exponent
        high = max(max(values) for values in both) << exponent
        exponent = _exponent(low, high, exponent)
        merged = self.coarsened(exponent)
        for stretch, value in other.coarsened(exponent).items():
            merged[stretch] = self._joined(merged.get(stretch), value)
        return Course(exponent, merged, self.kept)

    def coarsened(self, exponent: int) -> dict[int, int]:
        """Return the values in stretches of 2 ** exponent ms; `exponent` is at least that of the course."""
        coarse: dict[int, int] = {}
        for stretch, value in self.values.items():
            place = stretch >> (exponent - self.exponent)
            coarse[place] = self._joined(coarse.get(place), value)
        return coarse

    def _joined(self, known: int | None, value: int) -> int:
        return value if known is None else _OF_TWO[self.kept](known, value)

    def has_between(self, begin: int, end: int) -> bool:
        """Return whether a stretch that lies entirely between two times (ms) has a value."""
        first, last = (begin >> self.exponent) + 1, (end >> self.exponent) - 1
        return any(first <= stretch <= last for stretch in self.values)


def _exponent(low: int, high: int, exponent: int) -> int:
    while (high >> exponent) - (low >> exponent) >= MOST_STRETCHES:
        exponent += 1
    return exponent


def common(courses: dict[str, Course]) -> tuple[int, dict[str, dict[int, int]]]:
    """Return a common width (ms), and the values of each course in stretches of this width."""
    exponent = max((course.exponent for course in courses.values()), default=0)
    return 1 << exponent, {name: course.coarsened(exponent) for name, course in courses.items()}
