"""The records that a planning takes from a split, and the watermark of a split for alignment."""

from __future__ import annotations

from typing import Any, Final, Protocol

from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.decisions.watermark_generators import bounded_watermark
from tidegauge_spark.source.planning.alignment.blocked import Unread
from tidegauge_spark.source.planning.late_rows import LateRows

NOTHING: Final = MIN - 1
"""The admitted event time of a split from which nothing is read: rows without an event time count as
`MIN`."""


class Reading(Protocol):
    """The records that one planning takes from a split: see `SplitReading` and `LogReading`. admitted: the
    greatest event time up to which records are taken, or `NOTHING`. late_until: records up to this event time
    are late (ms); late: the number of late records that were taken."""

    admitted: int
    late_until: int
    late: LateRows

    @property
    def position(self) -> Any:
        """The position of the split, a `SplitPosition`."""

    @property
    def slices(self) -> Any:
        """The slices that were taken."""

    @property
    def held_back(self) -> bool:
        """Whether the last `take` has left a record because its event time is later than the admitted one."""

    @property
    def unread(self) -> Unread:
        """The unread part of the split."""

    @property
    def exhausted(self) -> bool:
        """Whether all that is there has been planned."""

    def next_time(self) -> int | None:
        """Return the event time of the split after its next record (ms), None if there is no record."""

    def take(self, rows: int) -> int:
        """Take up to this number of further records; return the number taken."""


def known_watermark(reading: Reading, out_of_orderness: int) -> int | None:
    """Return the watermark of a split for alignment (ms), None if it is not known.

    Before the first record it is the watermark after that record: it is valid from the beginning, and bounds
    the other splits from the beginning.
    """
    if reading.position.latest != MIN:
        return int(reading.position.watermark(out_of_orderness))
    first = reading.next_time()
    return None if first is None or first == MIN else bounded_watermark(first, out_of_orderness)
