"""Engines as their authors get them wrong: none is made from a mutant that the kit knows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.of_the_reference import OfTheReference
from tidegauge.wire.steps.clock import ClockSetup
from tidegauge.wire.steps.generator import GeneratorSetup
from tidegauge_reference import CORE, Valve
from tidegauge_reference.clock import PausableClock
from tidegauge_reference.outputs import ACTIVE, Output
from tidegauge_reference.strategy import WatermarkedInput, WatermarkStrategy
from tidegauge_reference.timestamps import MAX


class ValveWithDefects(Valve):
    """A valve of its own making. A subclass says which of the conditions it gets wrong."""

    ignores_watermarks_while_idle = True
    ignores_repeated_statuses = True
    aligns_at_the_output = True
    catches_up_at_the_output = True
    is_idle_after_a_flush = True

    def watermark(self, channel: int, timestamp: int) -> list[Output]:
        source = self._channel(channel)
        if (source.idle and self.ignores_watermarks_while_idle) or timestamp <= source.watermark:
            return []
        source.watermark = timestamp
        if not source.aligned and not source.idle:
            reached = self.output_watermark if self.catches_up_at_the_output else self.output_watermark + 1
            source.aligned = timestamp >= reached
        if timestamp == MAX and self._all_idle():
            return self._become_idle()
        return self._output_minimum("VALVE-2")

    def idle(self, channel: int) -> list[Output]:
        source = self._channel(channel)
        if source.watermark == MAX or (source.idle and self.ignores_repeated_statuses):
            return []
        source.idle, source.aligned = True, False
        if not self._all_idle():
            return self._output_minimum("VALVE-6")
        outputs = self._become_idle()
        return outputs if self.is_idle_after_a_flush else outputs[:1]

    def active(self, channel: int) -> list[Output]:
        source = self._channel(channel)
        if source.watermark == MAX or not source.idle:
            return []
        source.idle = False
        outputs = [ACTIVE] if self.output_idle else []
        self.output_idle = False
        reached = self.output_watermark if self.aligns_at_the_output else self.output_watermark + 1
        if source.watermark < reached:
            return outputs
        source.aligned = True
        return outputs + self._output_minimum("VALVE-12")


class FourDefects(ValveWithDefects):
    """It breaks VALVE-5, 7, 8 and 10."""

    ignores_watermarks_while_idle = False
    ignores_repeated_statuses = False
    aligns_at_the_output = False
    catches_up_at_the_output = False


class FiveDefects(FourDefects):
    """It breaks VALVE-14, too."""

    is_idle_after_a_flush = False


class NoIdleAfterAFlush(ValveWithDefects):
    """It breaks VALVE-14."""

    is_idle_after_a_flush = False


class FourOfFive(FiveDefects):
    """It breaks VALVE-7, 8, 10 and 14."""

    ignores_watermarks_while_idle = True


class ForgottenReturn(Valve):
    """What `watermark` computes never reaches the caller."""

    def watermark(self, channel: int, timestamp: int) -> Any:
        super().watermark(channel, timestamp)


class BareTuple(Valve):
    """One output instead of a list of them."""

    def watermark(self, channel: int, timestamp: int) -> Any:
        outputs = super().watermark(channel, timestamp)
        return outputs[0] if len(outputs) == 1 else outputs


class LostConnection(Valve):
    """Its broker goes away at the fourth watermark."""

    def __init__(self, channels: int) -> None:
        super().__init__(channels)
        self.watermarks = 0

    def watermark(self, channel: int, timestamp: int) -> list[Output]:
        self.watermarks += 1
        if self.watermarks == 4:
            raise RuntimeError("lost connection to broker")
        return super().watermark(channel, timestamp)


class Unprintable:
    """An object that cannot be shown, and is no list of outputs."""

    def __repr__(self) -> str:
        raise ValueError("no text")

    __str__ = __repr__

    def __iter__(self) -> Any:
        raise ValueError("no outputs")


class RefusesByNonsense(Valve):
    """For a channel that does not exist it returns something unprintable, instead of a refusal."""

    def watermark(self, channel: int, timestamp: int) -> Any:
        return super().watermark(channel, timestamp) if self._exists(channel) else Unprintable()

    def idle(self, channel: int) -> Any:
        return super().idle(channel) if self._exists(channel) else Unprintable()

    def active(self, channel: int) -> Any:
        return super().active(channel) if self._exists(channel) else Unprintable()

    def _exists(self, channel: int) -> bool:
        return 0 <= channel < len(self.channels)


class NeverAligned(WatermarkStrategy):
    """It cannot be built with alignment."""

    def with_watermark_alignment(self, *arguments: Any) -> Any:
        raise KeyError("alignment")


class Unreadable(PausableClock):
    """It goes right, and nobody can read it."""

    def read(self) -> int:
        raise KeyError("read")


class GeneratorAdapter(OfTheReference):
    """A generator whose strategy cannot be aligned."""

    name = "never aligned"
    extras = ("snapshot", "int64")

    def generator(self, setup: GeneratorSetup) -> Any:
        module = SimpleNamespace(WatermarkStrategy=NeverAligned, WatermarkedInput=WatermarkedInput)
        return COMPONENTS["generator"].build(module, setup, CORE)


class ClockAdapter(OfTheReference):
    """A clock that cannot be read."""

    name = "unreadable"
    extras = ("snapshot", "int64")

    def clock(self, setup: ClockSetup) -> Any:
        return Unreadable(setup.nanoseconds)
