"""A source subtask as a planning finds it: made of what its offset says, without clocks and generators.

The planning itself writes the watermarks of the splits, and no processing time passes in it. What it asks is
how far the subtask is, and what the bound admits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from tidegauge_spark.decisions.activity_clock import InputActivityClock
from tidegauge_spark.decisions.sources.outputs import OutputsState, OutputState
from tidegauge_spark.decisions.sources.settings import SourceSettings
from tidegauge_spark.decisions.sources.subtask import SourceSubtask, SubtaskState
from tidegauge_spark.decisions.splits import CombinationState
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.watermark_strategy import WatermarkStrategy

_ALONE: Final = WatermarkStrategy.no_watermarks()


class StandingSplit(NamedTuple):
    """A split that is not finished: its watermark (ms), `MIN` before its first record; whether it is idle."""

    watermark: int
    idle: bool = False


def settings_for_planning(drift: int | None, by_split: bool) -> SourceSettings:
    """Return how the subtasks of a source are planned.

    drift: how far it may be ahead of its group (ms), None if it is not aligned (SOURCE-4). by_split: each
    split is bounded; otherwise the subtask as a whole is, and its splits may run ahead of each other.
    """
    strategy = _ALONE if drift is None else _ALONE.with_watermark_alignment("group", drift)
    return SourceSettings(strategy, can_pause=by_split, allow_unaligned_splits=not by_split)


def standing(settings: SourceSettings, watermark: int, splits: Mapping[str, StandingSplit]) -> SourceSubtask:
    """Return a subtask that has emitted this watermark (ms) last, with these splits."""
    output = OutputState(InputActivityClock().state(), (), False)
    combination = CombinationState(
        list(splits),
        [split.watermark for split in splits.values()],
        [split.idle for split in splits.values()],
        watermark,
        False,
    )
    state = SubtaskState(
        outputs=OutputsState(dict.fromkeys(splits, output), combination, 0),
        splits=tuple(splits),
        bound=MAX,
        blocked=False,
        paused=(),
        held=(),
        ended=False,
    )
    subtask = SourceSubtask.restored(settings, state)
    subtask.tick()
    return subtask


def reported(subtask: SourceSubtask) -> int | None:
    """Return what a subtask reports (ms): `MIN` as long as that is nothing, None if nobody waits for it."""
    (report,) = subtask.report() or (None,)
    watermark = MIN if report is None else report.timestamp
    return None if watermark == MAX else watermark
