"""Counts that can be added up over the parts of a log, and that do not grow with it."""

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

MOST_EXAMPLES = 3
"""So many rows that break a property are shown of an operator: the first ones by processing time."""


class Example(Struct, frozen=True):
    """A row that breaks a property or is in trouble. `because`: the sequence of the row that it
    contradicts."""

    processing_time: int
    subtask: int
    sequence: int
    says: str
    because: int | None = None


class Count(Struct):
    """How often (rows: `broken` of `about`), how far (ms of event time) and how long (ms of processing time
    since the row that is contradicted), each the most that was seen; and the first examples."""

    about: int = 0
    broken: int = 0
    far: int = 0
    long: int = 0
    first: list[Example] = []

    def add(self, other: "Count") -> None:
        """Count what another part of the log showed."""
        self.about += other.about
        self.broken += other.broken
        self.far = max(self.far, other.far)
        self.long = max(self.long, other.long)
        self.first = sorted([*self.first, *other.first], key=_when)[:MOST_EXAMPLES]


def _when(example: Example) -> tuple[int, int, int]:
    return example.processing_time, example.subtask, example.sequence


WIDTH = 1.02
"""The ratio of the borders of a bucket: a quantile is at most 2 % too large."""


class Histogram(Struct):
    """How often durations (ms, at least 0) occur. `buckets`: the number of durations up to `WIDTH ** bucket`;
    `most`: the longest one."""

    buckets: dict[int, int] = {}
    most: int = 0

    def count(self, durations: Sequence[int], weights: Sequence[int]) -> None:
        """Count durations, each as often as its weight says."""
        if not len(durations):
            return
        values = np.maximum(np.asarray(durations, dtype=np.float64), 1.0)
        places = np.ceil(np.log(values) / math.log(WIDTH)).astype(np.int64)
        for place in np.unique(places):
            number = int(np.asarray(weights)[places == place].sum())
            self.buckets[int(place)] = self.buckets.get(int(place), 0) + number
        self.most = max(self.most, int(np.max(durations)))

    def add(self, other: "Histogram") -> None:
        """Add the counts of another part of the log."""
        for place, number in other.buckets.items():
            self.buckets[place] = self.buckets.get(place, 0) + number
        self.most = max(self.most, other.most)

    @property
    def total(self) -> int:
        """The number of durations."""
        return sum(self.buckets.values())

    def quantile(self, share: float) -> int:
        """Return a duration (ms) that this share of the durations does not exceed."""
        wanted, reached = share * self.total, 0
        for place in sorted(self.buckets):
            reached += self.buckets[place]
            if reached >= wanted - 1e-9:
                return min(self.most, math.ceil(WIDTH**place))
        return self.most
