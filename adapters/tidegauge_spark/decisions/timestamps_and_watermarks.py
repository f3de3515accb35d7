"""An input with a watermark strategy, in plain Python: what goes downstream at each step.

Timestamps and processing time are in milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tidegauge_spark.decisions.activity_clock import ClockState, InputActivityClock
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.watermark_generators import (
    ACTIVE,
    IDLE,
    GeneratorContext,
    ProcessingTime,
    StreamElement,
    watermark,
)
from tidegauge_spark.decisions.watermark_strategy import WatermarkAlignment, WatermarkStrategy

_NANOSECONDS = 1_000_000


class InputState(NamedTuple):
    """All that an input has to remember.

    strategy: as it is built. running: the one that made the generator. generator_name, generator: whose state
    this is, and the state. output_watermark, output_idle: what was sent last, in mid-pipeline.
    """

    strategy: WatermarkStrategy
    running: WatermarkStrategy
    processing_time: int
    clock: ClockState
    generator_name: str
    generator: tuple[int, ...]
    output_watermark: int
    output_idle: bool


class TimestampsAndWatermarks:
    """Gives the records of an input their timestamps, and makes its watermarks and statuses.

    At a source, watermarks and statuses go out as the generator makes them. In mid-pipeline they replace
    those that come from upstream (GEN-10) and go out only if they rise or change (GEN-11). Each step returns
    what goes downstream, in this order.

    `strategy` may be replaced at any time; what runs is the strategy of the last `start` (GEN-12).
    """

    def __init__(
        self,
        strategy: WatermarkStrategy,
        in_mid_pipeline: bool = False,
        processing_time: int = MIN,
        clock: InputActivityClock | None = None,
    ) -> None:
        """Start with this strategy, at this processing time (ms); `MIN`: it is not known yet.

        clock: the input activity clock; without it the input has a new one.
        """
        self.strategy = strategy
        self._in_mid_pipeline = in_mid_pipeline
        self._context = GeneratorContext(clock or InputActivityClock(), ProcessingTime(processing_time))
        self.start()

    @classmethod
    def restored(cls, state: InputState, in_mid_pipeline: bool = False) -> TimestampsAndWatermarks:
        """Return an input that goes on where the one with this state stood.

        If the running strategy now makes another kind of generator than the one whose state this is, the new
        one starts with nothing of it.
        """
        clock = InputActivityClock.restored(state.clock)
        restored = cls(state.running, in_mid_pipeline, state.processing_time, clock)
        if restored._generator.name == state.generator_name:
            restored._generator.restore(state.generator)
        restored.strategy = state.strategy
        restored._output_watermark = state.output_watermark
        restored._output_idle = state.output_idle
        return restored

    def state(self) -> InputState:
        """Return a copy of the state; later steps do not change it."""
        return InputState(
            strategy=self.strategy,
            running=self._running,
            processing_time=self.processing_time,
            clock=self._context.input_activity_clock.state(),
            generator_name=self._generator.name,
            generator=self._generator.state(),
            output_watermark=self._output_watermark,
            output_idle=self._output_idle,
        )

    @property
    def processing_time(self) -> int:
        """The processing time (ms); `MIN`: it is not known yet."""
        assert self._context.processing_time is not None
        return self._context.processing_time.milliseconds

    def start(self) -> None:
        """Start again by the strategy as it stands, remembering nothing but the two clocks (GEN-12)."""
        self._running = self.strategy
        self._generator = self._running.create_generator(self._context)
        self._output_watermark = MIN
        self._output_idle = False

    def alignment(self) -> WatermarkAlignment | None:
        """Return how the strategy, as it is built, is aligned; None: not at all (GEN-14)."""
        return self.strategy.alignment

    def record(self, timestamp: int) -> list[StreamElement]:
        """A record arrives that carries this timestamp (ms), or `MIN` for none.

        It goes out with the timestamp that its assigner gives it (GEN-1), after the ACTIVE and before the
        watermark that it causes.
        """
        assigned = self._running.assigner(timestamp, self.processing_time)
        sent = self._sent(self._generator.on_event(assigned))
        sent.insert(1 if sent[:1] == [ACTIVE] else 0, StreamElement("record", assigned))
        return sent

    def tick(self) -> list[StreamElement]:
        """The periodic tick (GEN-4)."""
        return self._sent(self._generator.on_periodic_emit())

    def finish(self) -> list[StreamElement]:
        """The operator is finished in an orderly way: its generator has a last say (GEN-4)."""
        return self.tick()

    def advance(self, milliseconds: int) -> None:
        """So much time passes (ms).

        Raises `IllegalArgumentError`, having changed nothing, for less than 0.
        """
        clock, time = self._context
        assert time is not None
        time.advance(milliseconds)
        clock.advance(milliseconds * _NANOSECONDS)

    def advance_to(self, processing_time: int) -> None:
        """The processing time is at least this (ms); what is known to be past has no effect.

        The first time that is told is no time that passes.
        """
        time = self._context.processing_time
        assert time is not None
        if time.milliseconds == MIN:
            time.milliseconds = processing_time
        elif processing_time > time.milliseconds:
            self.advance(processing_time - time.milliseconds)

    def pause(self, reason: str) -> None:
        """The input is not polled from now on; see `InputActivityClock.pause`."""
        self._context.input_activity_clock.pause(reason)

    def resume(self, reason: str) -> None:
        """A pause ends; see `InputActivityClock.resume`."""
        self._context.input_activity_clock.resume(reason)

    def watermark(self, timestamp: int) -> list[StreamElement]:
        """A watermark (ms) arrives from upstream: only the end of the input gets through (GEN-10)."""
        return self._sent([watermark(MAX)]) if timestamp == MAX else []

    def idle(self) -> list[StreamElement]:
        """Upstream says that it has no data for now, which is for the strategy to find out (GEN-10)."""
        return []

    def active(self) -> list[StreamElement]:
        """Upstream says that it has data again, which the records say, too (GEN-10)."""
        return []

    def _sent(self, elements: Iterable[StreamElement]) -> list[StreamElement]:
        """Return what goes out: at a source everything, else what is new (GEN-11)."""
        if not self._in_mid_pipeline:
            return list(elements)
        sent: list[StreamElement] = []
        for element in elements:
            idle = element == IDLE
            if idle != self._output_idle:  # a watermark, be it an old one, is a sign of life as ACTIVE is
                self._output_idle = idle
                sent.append(IDLE if idle else ACTIVE)
            if element.timestamp is not None and element.timestamp > self._output_watermark:
                self._output_watermark = element.timestamp
                sent.append(element)
        return sent
