"""The task's half of the low-watermark service: what a subtask answers, and what it emits for others."""

from __future__ import annotations

from typing import NamedTuple

from tidegauge_spark.decisions.timestamps import MAX, MIN


class LowWatermarkTaskState(NamedTuple):
    """All that a task remembers, see `LowWatermarkTask`."""

    partitions: int
    current: int
    told: int


class LowWatermarkTask:
    """A source subtask that emits the low watermark of the others while it has no partitions of its own.

    Timestamps are in ms. `partitions` is how many it has. `current` is the greatest watermark that it has
    emitted, those for the others included (`MIN`: none): the answer to the coordinator (LOW-11). `told` is
    the low watermark of which it was notified last (`MIN`: none). `listens`: whether it uses that (LOW-12).
    """

    def __init__(self, partitions: int, listens: bool = True) -> None:
        self.partitions = partitions
        self.current = MIN
        self.told = MIN
        self.listens = listens

    @classmethod
    def restored(cls, state: LowWatermarkTaskState, listens: bool = True) -> LowWatermarkTask:
        """Return a task that goes on where the one with this state stood (LOW-16)."""
        partitions, current, told = state
        task = cls(partitions, listens)
        task.current, task.told = current, told
        return task

    def state(self) -> LowWatermarkTaskState:
        """Return all that is remembered."""
        return LowWatermarkTaskState(self.partitions, self.current, self.told)

    def watermark(self, timestamp: int) -> None:
        """The task has emitted a watermark (ms) of its own; one that is not greater changes nothing."""
        self.current = max(self.current, timestamp)

    def assign(self, partitions: int) -> int | None:
        """The task has so many partitions now. Return the low watermark (ms) that it emits, if any."""
        self.partitions = partitions
        return self._emitted()

    def notify(self, low_watermark: int) -> int | None:
        """The task is told how far the others are (ms). Return the low watermark (ms) it emits, if any."""
        self.told = low_watermark
        return self._emitted()

    def _emitted(self) -> int | None:
        """Return what has to be emitted now (LOW-13), nothing as long as there are partitions (LOW-14)."""
        if not self.listens or self.partitions or not self.current < self.told < MAX:  # LOW-8
            return None
        self.current = self.told
        return self.told
