"""A generator such as a user of `tidegauge_spark` writes, from the chapter IDLE.

Python workers of Spark import this module: it knows nothing of the kit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tidegauge_spark.decisions.activity_clock import InputActivityClock
from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.decisions.watermark_generators import (
    GeneratorContext,
    StreamElement,
    WatermarkGenerator,
)

_NANOSECONDS = 1_000_000


@dataclass(frozen=True)
class AfterSilence:
    """Supplies generators that wait for a silence of more than `max_out_of_orderness` (ms), after which every
    record that has come with a smaller timestamp than the largest must have come, too."""

    max_out_of_orderness: int

    def __call__(self, context: GeneratorContext) -> WatermarkGenerator:
        """Return a new generator that measures the silence on the clock of its input."""
        return _AfterSilence(self.max_out_of_orderness * _NANOSECONDS, context.input_activity_clock)


class _AfterSilence(WatermarkGenerator):
    def __init__(self, silence: int, clock: InputActivityClock) -> None:
        self._silence = silence
        self._clock = clock
        self._largest = MIN
        self._last = clock.read()

    def on_event(self, timestamp: int) -> Sequence[StreamElement]:
        self._largest = max(self._largest, timestamp)
        self._last = self._clock.read()
        return ()

    def on_periodic_emit(self) -> Sequence[StreamElement]:
        if self._clock.read() - self._last <= self._silence:
            return ()
        return (StreamElement("watermark", self._largest),)

    def state(self) -> tuple[int, ...]:
        return self._largest, self._last

    def restore(self, state: Sequence[int]) -> None:
        self._largest, self._last = state
