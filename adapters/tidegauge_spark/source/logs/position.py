"""How far a split of a log is planned."""

from __future__ import annotations

from typing import Any, NamedTuple

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.watermark_generators import bounded_watermark


class LogPosition(NamedTuple):
    """How far a split is planned.

    subtask: who reads it. next: the first position that is not planned. records: how many records are
    planned; where they were not counted, how many positions. latest: the greatest event time of them (ms),
    as far as it is known, `MIN` if there is none. finished: whether the split is planned to its end.
    """

    subtask: int
    next: int
    records: int = 0
    latest: int = MIN
    finished: bool = False

    def watermark(self, out_of_orderness: int) -> int:
        """Return the watermark (ms): what is up to there has come, unless it is later than the bound (ms)."""
        return bounded_watermark(self.latest, out_of_orderness)

    @classmethod
    def from_json(cls, stored: Any) -> LogPosition:
        """Return the position that a list of its fields holds. Raises `ValueError` for what is none."""
        position = cls(*stored)
        if (
            len(stored) != len(cls._fields)
            or any(type(each) is not int for each in position[:-1])
            or min(position.subtask, position.records) < 0
            or not MIN <= position.latest < MAX
            or type(position.finished) is not bool
        ):
            raise ValueError(f"no position in a split: {stored!r}")
        return position


class LogSlice(NamedTuple):
    """The records of a split from position `first` on, up to `end`, which is excluded."""

    first: int
    end: int

    @classmethod
    def from_json(cls, stored: Any) -> LogSlice:
        """Return the slice that a list of its fields holds. Raises `ValueError` for what is none."""
        found = cls(*stored)
        if any(type(each) is not int for each in found) or found.first >= found.end:
            raise ValueError(f"no positions of a split: {stored!r}")
        return found
