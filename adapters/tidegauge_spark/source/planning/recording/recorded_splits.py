"""The state of a source over splits for its event log, from an offset."""

from __future__ import annotations

from typing import Any

from tidegauge_spark.source.planning.recording.recorded_rows import RecordedSource, RecordedSplit
from tidegauge_spark.source.planning.splits_offset import SplitsOffset


def recorded(offset: SplitsOffset[Any, Any], at: int, out_of_orderness: int) -> RecordedSource:
    """Return the state of the source. at: the processing time (ms). out_of_orderness: how far a split's
    watermark is behind its greatest event time (ms)."""
    signals = offset.signals
    return RecordedSource(
        offset.source,
        at,
        offset.watermarks,
        {
            name: RecordedSplit(
                position.subtask,
                position.records,
                position.latest,
                position.watermark(out_of_orderness),
                position.finished,
                name in signals.idle_splits,
            )
            for name, position in offset.splits.items()
        },
        signals.idle_subtasks,
        None if signals.state is None else signals.said,
    )
