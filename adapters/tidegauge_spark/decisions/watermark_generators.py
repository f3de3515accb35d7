"""Generators of watermarks, in plain Python: what an input says about its time, on records and at ticks.

Timestamps, watermarks and bounds are in milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tidegauge_spark.decisions.activity_clock import InputActivityClock
from tidegauge_spark.decisions.duration_arguments import Duration, milliseconds_of
from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.timestamps import MAX, MIN


class StreamElement(NamedTuple):
    """Something that goes downstream: a "record" or "watermark" with its timestamp (ms), or a status, "idle"
    or "active", without one."""

    kind: str
    timestamp: int | None = None


IDLE: Final = StreamElement("idle")
ACTIVE: Final = StreamElement("active")


def watermark(timestamp: int) -> StreamElement:
    """Return the promise that everything up to the timestamp (ms) has arrived."""
    return StreamElement("watermark", timestamp)


class ProcessingTime:
    """The clock of the machine (ms since 1970), as far as an input has been told it; `MIN`: not yet."""

    def __init__(self, milliseconds: int = MIN) -> None:
        """Start at this time."""
        self.milliseconds = milliseconds

    def advance(self, milliseconds: int) -> None:
        """So much time passes (ms), at most until `MAX`; while it is not known it stays so.

        Raises `IllegalArgumentError`, having changed nothing, for less than 0.
        """
        if milliseconds < 0:
            raise IllegalArgumentError(f"time does not go back: {milliseconds} ms")
        if self.milliseconds != MIN:
            self.milliseconds = min(MAX, self.milliseconds + milliseconds)


class GeneratorContext(NamedTuple):
    """What a generator may look at beside its records.

    input_activity_clock: that of its own input, for whoever measures how long no record has come (GEN-13,
    IDLE-6). processing_time: the clock of the machine; None where rows tell no such time.
    """

    input_activity_clock: InputActivityClock
    processing_time: ProcessingTime | None = None


class WatermarkGenerator:
    """Base of all generators, and of your own: it hears of records and ticks, and returns what it has to say.

    Measure durations on the activity clock of the context, never on the system clock (IDLE-6). A generator
    that remembers something returns it by `state` and takes it back by `restore`, as numbers of 64 bits, a
    list of the same length always.
    """

    def on_event(self, timestamp: int) -> Sequence[StreamElement]:
        """A record with this timestamp (ms) has come; `MIN` if it has none."""
        return ()

    def on_periodic_emit(self) -> Sequence[StreamElement]:
        """The periodic tick, and the last moment of an input that is finished."""
        return ()

    def state(self) -> tuple[int, ...]:
        """Return what has to be remembered."""
        return ()

    def restore(self, state: Sequence[int]) -> None:
        """Go on where the generator stood whose state this is."""

    @property
    def name(self) -> str:
        """Whose state this is; that of a generator with another name is not given to it."""
        return type(self).__name__


class NoWatermarks(WatermarkGenerator):
    """Says nothing about time (GEN-4): for jobs on processing time."""


class Punctuated(WatermarkGenerator):
    """Makes each record a watermark, as it is, at once (GEN-4); it may repeat and go back."""

    def on_event(self, timestamp: int) -> Sequence[StreamElement]:
        """The record says how far the data have come."""
        return (watermark(timestamp),)


def bounded_watermark(largest: int, max_out_of_orderness: int) -> int:
    """Return the watermark (ms) after a largest timestamp (ms), if records are at most so far behind it (ms).

    It is a millisecond less, of which more may come (GEN-5), and `MIN` before the first record (GEN-3,
    TIME-2).
    """
    return max(MIN, largest - max_out_of_orderness - 1)


class BoundedOutOfOrderness(WatermarkGenerator):
    """Expects records that are at most `max_out_of_orderness` behind the latest one (GEN-2, GEN-3)."""

    def __init__(self, max_out_of_orderness: Duration) -> None:
        """Start without a record. The bound: a number of ms, or "10 seconds".

        Raises `IllegalArgumentError` for what is no such duration (GEN-15).
        """
        self._bound = milliseconds_of(max_out_of_orderness, "max_out_of_orderness")
        self._largest = MIN

    def on_event(self, timestamp: int) -> Sequence[StreamElement]:
        """Only a greater timestamp than all before tells how far the data have come (GEN-2)."""
        self._largest = max(self._largest, timestamp)
        return ()

    def on_periodic_emit(self) -> Sequence[StreamElement]:
        """How far the data have come: see `bounded_watermark`."""
        return (watermark(bounded_watermark(self._largest, self._bound)),)

    def state(self) -> tuple[int, ...]:
        """The largest timestamp (ms)."""
        return (self._largest,)

    def restore(self, state: Sequence[int]) -> None:
        """Take back the largest timestamp."""
        (self._largest,) = state


class MonotonousTimestamps(BoundedOutOfOrderness):
    """Expects records whose timestamps never fall: the bound is 0."""

    def __init__(self) -> None:
        """Start without a record."""
        super().__init__(0)


class ProcessingTimeWatermarks(WatermarkGenerator):
    """Goes by the clock of the machine, whatever the records say (GEN-6)."""

    def __init__(self, processing_time: ProcessingTime) -> None:
        """Follow this clock."""
        self._processing_time = processing_time

    def on_periodic_emit(self) -> Sequence[StreamElement]:
        """The time, less the millisecond of which more may come (GEN-5)."""
        return (watermark(max(MIN, self._processing_time.milliseconds - 1)),)
