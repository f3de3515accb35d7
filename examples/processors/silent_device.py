"""Devices that fall silent, and that are back: a value state, and a timer that each heartbeat moves.

    tidegauge processor silent_device:silent_device

in this folder checks the processor, without a JVM.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from tidegauge_adapters.processors import ProcessorUnderTest

# What the processor is, whether or not it is ever tested.

QUIET_MS = 120_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MS = timedelta(milliseconds=1)


class SilentDevice(StatefulProcessor):
    """Reports a device once that has sent nothing for two minutes of event time, and its next heartbeat."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare the state: the newest heartbeat, and whether the device is reported as silent."""
        self.handle = handle
        self.newest = handle.getValueState("newest", "beat_ms long, is_silent boolean")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        """Move the timer to two minutes after the newest heartbeat."""
        beat = max((row.beat - EPOCH) // MS for row in rows)
        known, was_silent = self.newest.get() or (None, False)
        if known is not None:
            if beat <= known:
                return
            self.handle.deleteTimer(known + QUIET_MS)
        is_silent = beat + QUIET_MS <= timerValues.getCurrentWatermarkInMs()
        if not is_silent:
            self.handle.registerTimer(beat + QUIET_MS)
        self.newest.update((beat, is_silent))
        if is_silent != was_silent:
            yield report(key, is_silent, beat)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        """Report the device as silent."""
        beat, _ = self.newest.get()
        self.newest.update((beat, True))
        yield report(key, True, beat)


def report(key: Any, is_silent: bool, beat: int) -> Row:
    """The row about a device."""
    return Row(device=key[0], is_silent=is_silent, newest=EPOCH + beat * MS, due_ms=beat + QUIET_MS)


# What holds for it.


silent_device = ProcessorUnderTest(
    make=SilentDevice,
    input_schema="device string, beat timestamp",
    output_schema="device string, is_silent boolean, newest timestamp, due_ms long",
    key="device",
    time="beat",
    any_order=True,  # of the heartbeats of a micro-batch the newest counts
    once=("is_silent", "newest"),
    due="due_ms",  # a device is reported when the watermark reaches the end of its silence
    # A device that was reported as silent and sends two heartbeats is back with the first one if
    # each is a micro-batch of its own, with the second one if both are in one: its rows are about
    # micro-batches.
    without=("cuts",),
    keeps=("newest",),  # until it is back, which may be never
)
