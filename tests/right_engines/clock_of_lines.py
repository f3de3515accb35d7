"""An input activity clock as a line: what it reads follows from the time that has passed, by a slope of 1 or 0."""

from __future__ import annotations

from typing import Any, NamedTuple

BIT_OF = {"backpressure": 0, "alignment": 64, "busy-downstream": 128}
"""Where the count of the pauses of each reason begins in a number of 192 bits; `no-data` stops no clock."""


class Line(NamedTuple):
    """From the moment `since` on the clock reads `reading` and `slope` times what has passed since then (all in ns)."""

    since: int
    reading: int
    slope: int

    def at(self, now: int) -> int:
        """What the clock reads at a moment."""
        return self.reading + self.slope * (now - self.since)


class LineClock:
    """The time that has passed in all, the line that holds now, and all pauses counted in one number."""

    def __init__(self, nanoseconds: int) -> None:
        self._now = 0
        self._line = Line(0, nanoseconds, 1)
        self._stops = 0
        self._without_effect = 0

    def advance(self, nanoseconds: int) -> None:
        """A duration passes."""
        if nanoseconds < 0:
            raise ValueError(f"{nanoseconds} ns cannot pass")
        self._now += nanoseconds

    def pause(self, reason: str) -> None:
        """The input is not polled from now on, for a reason."""
        if reason in BIT_OF:
            self._stop(1 << BIT_OF[reason])
        else:
            self._without_effect += 1

    def resume(self, reason: str) -> None:
        """One pause of the reason is over."""
        count = self._stops >> BIT_OF[reason] & (1 << 64) - 1 if reason in BIT_OF else self._without_effect
        if count == 0:
            raise RuntimeError(f"no pause for {reason} is in force")
        if reason in BIT_OF:
            self._stop(-1 << BIT_OF[reason])
        else:
            self._without_effect -= 1

    def read(self) -> list[tuple[Any, ...]]:
        """What the clock shows."""
        return [("reading", self._line.at(self._now))]

    def _stop(self, change: int) -> None:
        """Begins another line where the slope changes."""
        self._stops += change
        slope = 0 if self._stops else 1
        if slope != self._line.slope:
            self._line = Line(self._now, self._line.at(self._now), slope)

    def snapshot(self) -> Any:
        """Four numbers and the line."""
        return self._now, self._line, self._stops, self._without_effect

    def restore(self, saved: Any) -> None:
        """Go on from there."""
        self._now, self._line, self._stops, self._without_effect = saved
