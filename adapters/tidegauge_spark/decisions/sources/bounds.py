"""How far a source may read next, and how a batch is divided: decisions of its planner, in plain Python.

Nothing here knows Spark, clocks, files or other processes: what they say comes in as an argument. Timestamps
are in ms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidegauge_spark.decisions.sources.coordinator import drift_above
from tidegauge_spark.decisions.timestamps import MAX


@dataclass(frozen=True)
class GroupMinimum:
    """What a source knows of its group at a planning.

    complete: whether all the sources that have to join have done so; until then nothing is read. watermark:
    the smallest minimum of the sources of the group (ALIGN-2), None if all of them are finished. reach: how
    far all others are when this batch is read (ms), `MAX` if there are no others; None: nobody knows.
    """

    complete: bool
    watermark: int | None
    reach: int | None = None

    def raised(self, own: int | None) -> GroupMinimum:
        """Return what the group is when this source has planned up to a minimum (ms), None: it is finished.

        The others will be at `reach`, too, so the minimum of the group is then the smaller of the two.
        """
        if self.reach is None:
            return self
        if self.reach == MAX or own is None:
            return replace(self, watermark=own if self.reach == MAX else self.reach)
        lowest = min(own, self.reach)
        return replace(self, watermark=lowest if self.watermark is None else max(self.watermark, lowest))


ROUNDS: Final = 64
"""How often a planning raises the bound by what it has planned. With one round only nobody would get further
than the drift in a batch, however far all are behind the clock; with any number of rounds it could take long.
"""


def bound_above(minimum: GroupMinimum, drift: int) -> int:
    """Return how far the splits may read (ms): the drift (ms) above the group minimum (ALIGN-4).

    It is `MAX` at most, and if everybody is finished.
    """
    return MAX if minimum.watermark is None else drift_above(minimum.watermark, drift)


def share_out(
    readings: Sequence[Callable[[int], int]], planned: Sequence[int], most_rows: int | None
) -> list[int]:
    """Divide the rows of a batch among the splits, `most_rows` in all; return how many each got.

    A reading takes so many rows more of its split, or less if there are no more, and returns how many. All
    get the same, except that nobody gets more than there is. What does not divide goes, one row each, to
    those who have had least so far (`planned`): nobody waits for ever.
    """
    if most_rows is None:
        return [take(MAX) for take in readings]
    counts = [0] * len(readings)
    left = most_rows
    hungry = list(range(len(readings)))
    while hungry and left:
        fair = left // len(hungry)
        if fair == 0:
            hungry.sort(key=lambda index: planned[index])
        still = []
        for index in hungry:
            wanted = fair or min(left, 1)
            got = readings[index](wanted)
            counts[index] += got
            left -= got
            if got == wanted:
                still.append(index)
        hungry = still
    return counts
