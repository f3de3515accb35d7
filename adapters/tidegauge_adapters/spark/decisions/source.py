"""The source subtask of tidegauge_spark as an engine in this process."""

from __future__ import annotations

from typing import Any

from tidegauge.wire.steps.source import SourceSetup
from tidegauge_spark.decisions.sources.settings import SourceSettings
from tidegauge_spark.decisions.sources.subtask import (
    SourceOutput,
    SourceSubtask,
    SubtaskState,
)
from tidegauge_spark.decisions.watermark_generators import ACTIVE, IDLE, watermark
from tidegauge_spark.decisions.watermark_strategy import WatermarkStrategy, punctuated_watermarks


def settings_of(setup: SourceSetup) -> SourceSettings:
    """The settings of the library that a setup means."""
    if setup.generator == "bounded-out-of-orderness":
        strategy = WatermarkStrategy.for_bounded_out_of_orderness(setup.max_out_of_orderness)
    elif setup.generator == "punctuated":
        strategy = WatermarkStrategy.for_generator(punctuated_watermarks)
    else:
        strategy = WatermarkStrategy.no_watermarks()
    if setup.idle_timeout is not None:
        strategy = strategy.with_idleness(setup.idle_timeout)
    if setup.aligned:
        strategy = strategy.with_watermark_alignment("group", 0)
    return SourceSettings(
        strategy,
        can_pause=setup.can_pause,
        allow_unaligned_splits=setup.allow_unaligned_splits,
        per_split_outputs=setup.per_split_outputs,
        start=setup.start,
    )


def _told(output: SourceOutput) -> tuple[Any, ...]:
    if output.splits:
        return (output.kind, output.splits)
    return (output.kind,) if output.timestamp is None else (output.kind, output.timestamp)


class SourceDecisions:
    """The library's source subtask; what it says is told as the kit writes it.

    Backpressure is that of all its splits: a batch withholds single splits. `subtask` is the library's class,
    or one derived from it.
    """

    def __init__(self, setup: SourceSetup, subtask: type[SourceSubtask] = SourceSubtask) -> None:
        self._class = subtask
        self._settings = settings_of(setup)
        self._subtask = subtask(self._settings)
        self._is_withheld = False

    def __getattr__(self, step: str) -> Any:
        taken = getattr(self._subtask, step)
        return lambda *arguments: [_told(output) for output in taken(*arguments)]

    def assign(self, split: str) -> list[tuple[Any, ...]]:
        """The reader gets a split, which is withheld as the others are."""
        told = [_told(output) for output in self._subtask.assign(split)]
        return told + (self.backpressure(True) if self._is_withheld else [])

    def backpressure(self, on: bool) -> list[tuple[Any, ...]]:
        """Downstream takes no records of any split, or takes them again."""
        self._is_withheld = on
        return [
            _told(output) for output in self._subtask.hold(self._subtask.splits if on else (), everything=on)
        ]

    def watermark(self, split: str | None, timestamp: int) -> list[tuple[Any, ...]]:
        """The reader itself writes a watermark."""
        return self._written(split, watermark(timestamp))

    def idle(self, split: str | None) -> list[tuple[Any, ...]]:
        """The reader itself says that it has no data for now."""
        return self._written(split, IDLE)

    def active(self, split: str | None) -> list[tuple[Any, ...]]:
        """The reader itself says that it has data again."""
        return self._written(split, ACTIVE)

    def _written(self, split: str | None, element: Any) -> list[tuple[Any, ...]]:
        return [_told(output) for output in self._subtask.write(split, element)]

    def snapshot(self) -> tuple[SubtaskState, bool]:
        """All that the subtask remembers, and whether its splits are withheld."""
        return self._subtask.state(), self._is_withheld

    def restore(self, saved: tuple[SubtaskState, bool]) -> None:
        """Continue from a snapshot."""
        state, self._is_withheld = saved
        self._subtask = self._class.restored(self._settings, state)
