"""Counts that can be summed over the parts of a log, and whose size does not depend on its length."""

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

MOST_EXAMPLES = 3
"""Maximum number of rows shown per operator and property: the first rows by processing time."""


class Example(Struct, frozen=True):
    """A row that breaks a property, is in trouble or shows a finding.

    `because`: the sequence number of the row that it contradicts.
    """

    processing_time: int
    subtask: int
    sequence: int
    says: str
    because: int | None = None


class Count(Struct):
    """Count of rows that break a property.

    `about`: the number of rows examined. `broken`: the number of rows that break the property. `far`: the
    largest deviation (ms of event time). `long`: the longest time since the contradicted row (ms of
    processing time). `first`: the first examples.
    """

    about: int = 0
    broken: int = 0
    far: int = 0
    long: int = 0
    first: list[Example] = []

    def add(self, other: "Count") -> None:
        """Add the count of another part of the log."""
        self.about += other.about
        self.broken += other.broken
        self.far = max(self.far, other.far)
        self.long = max(self.long, other.long)
        self.first = sorted([*self.first, *other.first], key=_when)[:MOST_EXAMPLES]


def _when(example: Example) -> tuple[int, int, int]:
    return example.processing_time, example.subtask, example.sequence


WIDTH = 1.02
"""The ratio of a bucket's upper bound to its lower bound: quantiles are overestimated by at most 2 %."""


class Histogram(Struct):
    """A histogram of durations (ms, at least 0).

    `buckets`: the number of durations in each bucket; the upper bound of a bucket is `WIDTH ** bucket`.
    `most`: the longest duration.
    """

    buckets: dict[int, int] = {}
    most: int = 0

    def count(self, durations: Sequence[int], weights: Sequence[int]) -> None:
        """Count durations, each with its weight."""
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
        """Return a duration (ms) that at least this share of the durations does not exceed."""
        wanted, reached = share * self.total, 0
        for place in sorted(self.buckets):
            reached += self.buckets[place]
            if reached >= wanted - 1e-9:
                return min(self.most, math.ceil(WIDTH**place))
        return self.most
