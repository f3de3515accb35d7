"""What a planning takes of a split, and how far a split is for alignment."""

from __future__ import annotations

from typing import Any, Final, Protocol

from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.decisions.watermark_generators import bounded_watermark
from tidegauge_spark.source.planning.alignment.blocked import Unread
from tidegauge_spark.source.planning.late_rows import LateRows

NOTHING: Final = MIN - 1
"""Up to which event time a split is read of which nothing is: rows without one count as `MIN`."""


class Reading(Protocol):
    """What one planning takes of a split: see `SplitReading` and `LogReading`. admitted: the greatest event
    time up to which records are taken, or `NOTHING`. late_until: up to which event time records are
    late (ms); late: how many of those that were taken are."""

    admitted: int
    late_until: int
    late: LateRows

    @property
    def position(self) -> Any:
        """How far it is, a `SplitPosition`."""

    @property
    def slices(self) -> Any:
        """What was taken, in a list."""

    @property
    def held_back(self) -> bool:
        """Whether the last `take` has left a record because its event time is later than what is admitted."""

    @property
    def unread(self) -> Unread:
        """How much of the split is not planned."""

    @property
    def exhausted(self) -> bool:
        """Whether all that is there has been planned."""

    def next_time(self) -> int | None:
        """Return the event time that the next record brings the split to (ms), None if there is no record."""

    def take(self, rows: int) -> int:
        """Take up to so many records more; return how many."""


def known_watermark(reading: Reading, out_of_orderness: int) -> int | None:
    """Return how far a split is for alignment (ms), None if nobody knows.

    Before the first record it is what the first one will make of it: that is true from the beginning, and
    bounds the others from the beginning.
    """
    if reading.position.latest != MIN:
        return int(reading.position.watermark(out_of_orderness))
    first = reading.next_time()
    return None if first is None or first == MIN else bounded_watermark(first, out_of_orderness)
