"""The offset of a source over a log: the complete state of its coordinator, as JSON.

Spark writes the offset to the checkpoint before a batch is read, and passes it to a new reader after a crash.
State that is not in the offset is lost with the process (JOB-4).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.logs.position import LogPosition, LogSlice
from tidegauge_spark.source.logs.split_log import LostRecordsError
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError
from tidegauge_spark.source.planning.splits_offset import SplitsOffset

KIND: Final = "log"


@dataclass(frozen=True)
class LogOffset(SplitsOffset[LogPosition, LogSlice]):
    """The planned position of a source over a log.

    log: the identity of the log. generations: the known generations of its parts; see `SplitLog`.
    """

    log: str = field(kw_only=True)
    generations: Mapping[str, str] = field(kw_only=True, default_factory=dict)

    @classmethod
    def initial(cls, log: str, subtasks: int, source: str, started_at: int) -> LogOffset:
        """Return the offset of a new source: nothing is known yet and no time has passed."""
        return cls(source, started_at, 0, None, (MIN,) * subtasks, log=log)

    def to_json(self) -> dict[str, Any]:
        """Return the offset as Spark stores it."""
        return self.stored(KIND, log=self.log, generations=dict(self.generations))

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> LogOffset:
        """Return the offset that `to_json` has written.

        Raises `IllegalOffsetError` for anything else: an offset of another source or version, or a damaged
        one.
        """
        own: dict[str, Callable[[Any], Any]] = {"log": str, "generations": _generations}
        return cls.read(stored, KIND, "a log", LogPosition.from_json, LogSlice.from_json, own)

    def continued(self, log: str, subtasks: int, in_band: bool) -> LogOffset:
        """Return this offset for a source that continues with these options; see `with_subtasks`.

        Raises `IllegalOffsetError` if it belongs to another log: continuing would lose or repeat records
        (JOB-1).
        """
        if self.log != log:
            raise IllegalOffsetError(
                f"the checkpoint is of {self.log}, the options say {log}: set them as before, or start with "
                "a new checkpoint folder"
            )
        return self.with_subtasks(subtasks, in_band)

    def of_generations(self, present: Mapping[str, str]) -> LogOffset:
        """Return this offset with the present generations of the parts of the log.

        Raises `LostRecordsError` if the generation of a part has changed. A part without a known generation
        is new, or the offset was written by an earlier version of this library; the part then gets the
        present generation. The generation of a part that has vanished is kept in case the part reappears.
        """
        for part, generation in present.items():
            before = self.generations.get(part, generation)
            if before != generation:
                raise LostRecordsError(
                    f"{part!r} of {self.log} was deleted and recreated: the checkpoint has the id {before}, "
                    f"and the id is {generation} now; start with a new checkpoint folder"
                )
        return replace(self, generations={**self.generations, **present})

    def check_follows(self, start: LogOffset) -> None:
        """Raise `IllegalOffsetError` if the records of this offset do not begin where another offset ends.

        Before the first batch Spark requests the initial offset again, and the splits may have grown since.
        """
        if start.source == self.source:
            super().check_follows(start)

    def _follows(self, before: LogPosition | None, split: str, slices: Sequence[LogSlice]) -> bool:
        first = slices[0].first
        begins = first if before is None else before.next
        return begins <= first and slices[-1].end <= self.splits[split].next


def _generations(stored: Any) -> dict[str, str]:
    return {str(part): str(generation) for part, generation in stored.items()}
