"""The offset of an aligned source: the complete state of its coordinator, as JSON.

Spark writes the offset to the checkpoint before a batch is read, and passes it to a new reader after a crash.
State that is not in the offset is lost with the process (JOB-4).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.options.numbers import Sequence
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError, sealed, unsealed
from tidegauge_spark.source.planning.signals import NO_SIGNALS, PlannedSignals


@dataclass(frozen=True)
class SubtaskOffset:
    """The planned position of a subtask: `next` is the first of its numbers, `first` to `last`, that is not
    planned."""

    first: int
    last: int
    next: int

    @property
    def finished(self) -> bool:
        """Whether all records of the subtask are planned, so that it gets no more."""
        return self.next > self.last

    @property
    def watermark(self) -> int:
        """The watermark (ms): 1 ms less than the timestamp of the last record that was planned.

        Before the first record it is the watermark after that record: a number sequence is known and in
        order, so the first timestamp - 1 is valid from the beginning, and bounds the other subtasks from the
        beginning.
        """
        return max(MIN, self.first - 1, self.next - 2)

    @property
    def records(self) -> int:
        """The number of records planned so far."""
        return self.next - self.first


@dataclass(frozen=True)
class SourceOffset:
    """The planned position of a source.

    source: the identity of the source, created when its query started for the first time. started_at: when
    that was (ms since 1970). now: the processing time of the last planning (ms since started_at, by the
    source's own clock). bound: the bound that was last announced to the subtasks (ms), None if there was
    none; it is only informative. signals: the signals of the source.
    """

    source: str
    started_at: int
    now: int
    bound: int | None
    subtasks: tuple[SubtaskOffset, ...]
    signals: PlannedSignals = NO_SIGNALS

    @property
    def finished(self) -> bool:
        """Whether all subtasks are finished."""
        return all(subtask.finished for subtask in self.subtasks)

    @property
    def ended(self) -> bool:
        """Whether the input is finished for good: no number comes after the last one."""
        return self.finished

    def at(self, now: int) -> SourceOffset:
        """Return this offset at another processing time (ms since the source started), without records to
        read."""
        return replace(self, now=now, signals=self.signals.silent())

    def to_json(self) -> dict[str, Any]:
        """Return the offset as Spark stores it. `watermark` and `finished` are there for human readers."""
        offset = {
            "source": self.source,
            "started_at": self.started_at,
            "now": self.now,
            "bound": self.bound,
            "subtasks": [
                {
                    "first": subtask.first,
                    "last": subtask.last,
                    "next": subtask.next,
                    "watermark": subtask.watermark,
                    "finished": subtask.finished,
                }
                for subtask in self.subtasks
            ],
            "signals": self.signals.to_json(),
        }
        return sealed(offset)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> SourceOffset:
        """Return the offset that `to_json` has written.

        Raises `IllegalOffsetError` for anything else: an offset of another source or version, or a damaged
        one.
        """
        unsealed(stored)
        try:
            return cls(
                source=str(stored["source"]),
                started_at=int(stored["started_at"]),
                now=int(stored["now"]),
                bound=None if stored["bound"] is None else int(stored["bound"]),
                subtasks=tuple(
                    SubtaskOffset(int(each["first"]), int(each["last"]), int(each["next"]))
                    for each in stored["subtasks"]
                ),
                signals=PlannedSignals.from_json(stored.get("signals")),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise IllegalOffsetError(
                f"the checkpoint has an offset that is not one of this source ({error!r}): "
                "start with a new checkpoint folder"
            ) from error

    @classmethod
    def initial(cls, sequences: tuple[Sequence, ...], source: str, started_at: int) -> SourceOffset:
        """Return the offset of a new source: nothing is planned and no time has passed."""
        subtasks = tuple(SubtaskOffset(each.first, each.last, each.first) for each in sequences)
        return cls(source, started_at, now=0, bound=None, subtasks=subtasks)

    def check(self, sequences: tuple[Sequence, ...]) -> None:
        """Raise `IllegalOffsetError` if the offset belongs to other numbers than the options.

        Continuing would lose or repeat records (JOB-1).
        """
        stored = [(subtask.first, subtask.last) for subtask in self.subtasks]
        wanted = [(sequence.first, sequence.last) for sequence in sequences]
        if stored != wanted:
            raise IllegalOffsetError(
                f"the checkpoint is of subtasks that read {_told(stored)}, the options say {_told(wanted)}: "
                "set numSubtasks, split, start and end as before, or start with a new checkpoint folder"
            )


def _told(borders: list[tuple[int, int]]) -> str:
    told = ", ".join(f"{first} to {last}" for first, last in borders[:8])
    return f"{told}, ... ({len(borders)} subtasks)" if len(borders) > 8 else told
