"""The planned position in a split of a log."""

from __future__ import annotations

from typing import Any, NamedTuple

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.watermark_generators import bounded_watermark


class LogPosition(NamedTuple):
    """The planned position in a split.

    subtask: the subtask that reads it. next: the first position that is not planned. records: the number of
    planned records; where they were not counted, the number of positions. latest: their greatest known event
    time (ms), `MIN` if there is none. finished: whether the split is planned to its end.
    """

    subtask: int
    next: int
    records: int = 0
    latest: int = MIN
    finished: bool = False

    def watermark(self, out_of_orderness: int) -> int:
        """Return the watermark (ms), for records that are out of order by at most this duration (ms)."""
        return bounded_watermark(self.latest, out_of_orderness)

    @classmethod
    def from_json(cls, stored: Any) -> LogPosition:
        """Return the position from a list of its fields. Raises `ValueError` for other values."""
        position = cls(*stored)
        if (
            len(stored) != len(cls._fields)
            or any(type(each) is not int for each in position[:-1])
            or min(position.subtask, position.records) < 0
            or not MIN <= position.latest < MAX
            or type(position.finished) is not bool
        ):
            raise ValueError(f"not a position in a split: {stored!r}")
        return position


class LogSlice(NamedTuple):
    """The records of a split from position `first` to `end`, excluded."""

    first: int
    end: int

    @classmethod
    def from_json(cls, stored: Any) -> LogSlice:
        """Return the slice from a list of its fields. Raises `ValueError` for other values."""
        found = cls(*stored)
        if any(type(each) is not int for each in found) or found.first >= found.end:
            raise ValueError(f"not a slice of positions: {stored!r}")
        return found
