"""The state of a source over number sequences for its event log, from an offset."""

from __future__ import annotations

from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.numbers.offset import SourceOffset
from tidegauge_spark.source.planning.recording.recorded_rows import RecordedSource, RecordedSplit


def recorded(offset: SourceOffset, at: int) -> RecordedSource:
    """Return the state of the source; each subtask has one split, named by its index. at: the processing time
    (ms)."""
    signals = offset.signals
    watermarks = tuple(each.watermark if each.records else MIN for each in offset.subtasks)
    return RecordedSource(
        offset.source,
        at,
        watermarks if signals.state is None else tuple(signals.state["emitted"]),
        {
            str(number): RecordedSplit(
                number,
                each.records,
                each.next - 1 if each.records else MIN,
                watermarks[number],
                each.finished,
                str(number) in signals.idle_splits,
            )
            for number, each in enumerate(offset.subtasks)
            if each.records or each.finished
        },
        signals.idle_subtasks,
        None if signals.state is None else signals.said,
    )
