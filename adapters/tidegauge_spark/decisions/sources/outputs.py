"""The outputs of a source subtask, in plain Python: one for each split, one for all else, and what they say
together.

Timestamps and processing time are in ms, activity clocks in ns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tidegauge_spark.decisions.activity_clock import ClockState, InputActivityClock
from tidegauge_spark.decisions.splits import CombinationState, SplitWatermarks
from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.decisions.valve import ValveOutput
from tidegauge_spark.decisions.watermark_generators import (
    ACTIVE,
    IDLE,
    GeneratorContext,
    ProcessingTime,
    StreamElement,
    WatermarkGenerator,
    watermark,
)
from tidegauge_spark.decisions.watermark_strategy import WatermarkStrategy

MAIN: Final = ""
"""The output that belongs to no split. It counts like a split once it has been written to (SOURCE-15)."""

_NANOSECONDS: Final = 1_000_000


class OutputState(NamedTuple):
    """What is remembered of an output: its activity clock, what its generator remembers, and whether the last
    status that the generator said is IDLE."""

    clock: ClockState
    generator: Sequence[int]
    idle: bool


class OutputsState(NamedTuple):
    """What is remembered of the outputs of a subtask: each of them, their combination, the time (ms)."""

    outputs: dict[str, OutputState]
    combination: CombinationState[str]
    processing_time: int


class _Combination(SplitWatermarks):
    """The combination of the outputs, which can be asked how each of them stands."""

    @property
    def watermark_sent(self) -> int:
        return self._output_watermark

    @property
    def idle_sent(self) -> bool:
        return self._output_idle

    def watermark_of(self, output: str) -> int:
        return self._watermarks[output]

    def __contains__(self, output: object) -> bool:
        return output in self._watermarks

    def is_idle(self, output: str) -> bool:
        return output in self._idle

    def resume(self) -> list[ValveOutput]:
        """Say ACTIVE if the last word was IDLE, whatever the outputs have said."""
        return self._resumed()

    def end(self) -> list[ValveOutput]:
        """Say that the input has ended, whatever the outputs have said."""
        return [*self._resumed(), *self._raised_to(MAX)]


@dataclass
class _Output:
    generator: WatermarkGenerator
    clock: InputActivityClock
    idle: bool = False

    def heard(self, elements: Sequence[StreamElement]) -> Sequence[StreamElement]:
        for element in elements:
            if element.timestamp is None:
                self.idle = element == IDLE
        return elements


class SourceOutputs:
    """Records go into the outputs, and from all of them comes one watermark and one status (chapter SPLIT).

    Each output has a generator by the strategy, and an activity clock of its own (SOURCE-13). Names are not
    checked. The steps return what goes downstream, in this order.
    """

    def __init__(self, strategy: WatermarkStrategy, processing_time: int = 0) -> None:
        """Start without outputs, at this processing time (ms), which their clocks show, too."""
        self._strategy = strategy
        self._time = ProcessingTime(processing_time)
        self._outputs: dict[str, _Output] = {}
        self._combination = _Combination()

    def state(self) -> OutputsState:
        """Return all that is remembered; later steps do not change it."""
        outputs = {
            name: OutputState(output.clock.state(), output.generator.state(), output.idle)
            for name, output in self._outputs.items()
        }
        return OutputsState(outputs, self._combination.state(), self._time.milliseconds)

    def restore(self, state: OutputsState) -> None:
        """Go on where outputs by the same strategy stood."""
        self._time = ProcessingTime(state.processing_time)
        self._outputs = {}
        for name, (clock, generator, idle) in state.outputs.items():
            self._outputs[name] = self._made(InputActivityClock.restored(ClockState(*clock)))
            self._outputs[name].generator.restore(generator)
            self._outputs[name].idle = idle
        self._combination = _Combination()
        self._combination._restore(CombinationState(*state.combination))

    @property
    def watermark(self) -> int:
        """The watermark of the subtask (ms): the last one that went downstream, `MIN` before."""
        return self._combination.watermark_sent

    @property
    def idle(self) -> bool:
        """Whether the last status that went downstream is IDLE."""
        return self._combination.idle_sent

    @property
    def names(self) -> Iterable[str]:
        """The outputs that take part."""
        return self._outputs.keys()

    def watermark_of(self, output: str) -> int:
        """Return the greatest watermark (ms) that was written to an output."""
        return self._combination.watermark_of(output)

    def is_idle(self, output: str) -> bool:
        """Return whether an output has no data for now."""
        return self._combination.is_idle(output)

    def __contains__(self, output: object) -> bool:
        return output in self._combination

    def open(self, output: str, pauses: Sequence[str]) -> None:
        """An output takes part, and these are the reasons for which nothing can be written to it now."""
        # from 0, since only differences count: a start beyond year 2262 is more ns than a reading holds
        self._outputs[output] = self._made(InputActivityClock())
        for reason in pauses:
            self.pause(output, reason)
        self._combination.add_split(output)

    def close(self, output: str) -> None:
        """An output takes no part until it is opened anew. What that changes is said at the next tick."""
        self._combination.remove_split(output)
        self._outputs.pop(output, None)

    def pause(self, output: str, reason: str) -> None:
        """Pause the clock of an output for one of `activity_clock.REASONS`: nothing can be written to it.

        An output that is not open has no clock, so nothing happens. Its reasons to pause are given to `open`.
        """
        if output in self._outputs:
            self._outputs[output].clock.pause(reason)

    def resume(self, output: str, reason: str) -> None:
        """One of these reasons is over."""
        if output in self._outputs:
            self._outputs[output].clock.resume(reason)

    def pause_all(self, reason: str) -> None:
        """Nothing can be written to any output from now on."""
        for output in self._outputs:
            self.pause(output, reason)

    def resume_all(self, reason: str) -> None:
        """One reason for which nothing could be written to any output is over."""
        for output in self._outputs:
            self.resume(output, reason)

    def advance(self, milliseconds: int) -> None:
        """So much time passes (ms). Raises `IllegalArgumentError`, having changed nothing, below 0."""
        self._time.advance(milliseconds)
        for output in self._outputs.values():
            output.clock.advance(milliseconds * _NANOSECONDS)

    def record(self, output: str, timestamp: int) -> list[StreamElement]:
        """A record with this timestamp (ms), or `MIN` for none, is written to an output.

        It goes out after the ACTIVE and before the watermark that it causes, whoever it was that declared
        the output idle (SOURCE-5).
        """
        assigned = self._strategy.assigner(timestamp, self._time.milliseconds)
        written = self._outputs[output]
        said = written.heard(written.generator.on_event(assigned))
        sent: list[StreamElement] = []
        if self.is_idle(output) or self.idle:
            sent += self.write(output, ACTIVE)
        sent += _elements(self._combination.resume())  # one that is finished makes nobody active by itself
        sent.append(StreamElement("record", assigned))
        for element in said:
            if element != ACTIVE:
                sent += self.write(output, element)
        return sent

    def tick(self) -> list[StreamElement]:
        """Time for periodic watermarks and for probes of idleness; all that is new is said together."""
        for name, output in self._outputs.items():
            if name in self:
                for element in output.heard(output.generator.on_periodic_emit()):
                    self.write(name, element, deferred=True)
        return _elements(self._combination.tick())

    def write(self, output: str, element: StreamElement, deferred: bool = False) -> list[StreamElement]:
        """A watermark or a status is written to an output, by its generator or by the reader itself."""
        if element.timestamp is not None:
            return _elements(self._combination.watermark(output, element.timestamp, deferred))
        status = self._combination.active if element == ACTIVE else self._combination.idle
        return _elements(status(output, deferred))

    def write_watermarks(self, watermarks: Mapping[str, int]) -> list[StreamElement]:
        """A watermark (ms) is written to each of these outputs; what is new is said together."""
        for output, timestamp in watermarks.items():
            self.write(output, watermark(timestamp), deferred=True)
        return _elements(self._combination.tick())

    def end(self) -> list[StreamElement]:
        """The input has ended: `MAX` is the last watermark (SOURCE-14)."""
        return _elements(self._combination.end())

    def _made(self, clock: InputActivityClock) -> _Output:
        return _Output(self._strategy.create_generator(GeneratorContext(clock, self._time)), clock)


def _elements(sent: Sequence[tuple[str, int | None]]) -> list[StreamElement]:
    return [StreamElement(kind, timestamp) for kind, timestamp in sent]
