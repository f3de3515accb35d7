"""The input activity clock of tidegauge_spark as an engine in this process."""

from __future__ import annotations

from typing import Any

from tidegauge.wire.steps.clock import ClockSetup
from tidegauge_spark.decisions.activity_clock import ClockState, InputActivityClock


class ClockDecisions:
    """The library's clock: its methods are the steps. `clock` is its class, or one derived from it."""

    def __init__(self, setup: ClockSetup, clock: type[InputActivityClock] = InputActivityClock) -> None:
        self._class = clock
        self._clock = clock(setup.nanoseconds)

    def __getattr__(self, step: str) -> Any:
        return getattr(self._clock, step)

    def read(self) -> list[tuple[str, int]]:
        """What it shows (ns)."""
        return [("reading", self._clock.read())]

    def snapshot(self) -> ClockState:
        """The reading, and the pauses that have not ended."""
        return self._clock.state()

    def restore(self, saved: ClockState) -> None:
        """Go on from a snapshot."""
        self._clock = self._class.restored(saved)
