"""The offset of a source over a log: all that its coordinator has to remember, as JSON.

Spark writes the offset to the checkpoint before a batch is read, and hands it to a new reader after a crash.
What is not in here is lost with the process (JOB-4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.logs.position import LogPosition, LogSlice
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError
from tidegauge_spark.source.planning.splits_offset import SplitsOffset

KIND: Final = "log"


@dataclass(frozen=True)
class LogOffset(SplitsOffset[LogPosition, LogSlice]):
    """How far a source over a log is planned. log: the identity of the log."""

    log: str = field(kw_only=True)

    @classmethod
    def initial(cls, log: str, subtasks: int, source: str, started_at: int) -> LogOffset:
        """Return where a new source stands: nothing is known yet and no time has passed."""
        return cls(source, started_at, 0, None, (MIN,) * subtasks, log=log)

    def to_json(self) -> dict[str, Any]:
        """Return the offset as Spark stores it."""
        return self.stored(KIND, log=self.log)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> LogOffset:
        """Return the offset that `to_json` has written.

        Raises `IllegalOffsetError` for anything else: one of another source or version, or damaged.
        """
        return cls.read(stored, KIND, "a log", LogPosition.from_json, LogSlice.from_json, "log")

    def continued(self, log: str, subtasks: int, in_band: bool) -> LogOffset:
        """Return this offset for a source that goes on with these options; see `with_subtasks`.

        Raises `IllegalOffsetError` if it belongs to another log: going on then would lose records or repeat
        them (JOB-1).
        """
        if self.log != log:
            raise IllegalOffsetError(
                f"the checkpoint is of {self.log}, the options say {log}: set them as before, or start with "
                "a new checkpoint folder"
            )
        return self.with_subtasks(subtasks, in_band)

    def check_follows(self, start: LogOffset) -> None:
        """Raise `IllegalOffsetError` if the records of this offset do not begin where another one ends.

        Before the first batch Spark asks for the initial offset again, and splits have grown since.
        """
        if start.source == self.source:
            super().check_follows(start)

    def _follows(self, before: LogPosition | None, split: str, slices: Sequence[LogSlice]) -> bool:
        first = slices[0].first
        begins = first if before is None else before.next
        return begins <= first and slices[-1].end <= self.splits[split].next
