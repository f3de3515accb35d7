"""Which windows a timestamp belongs to: tumbling, sliding, session windows.

All times and lengths are kept in ms. Lengths may be given as texts such as "30 seconds", or as `timedelta`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tidegauge_spark.decisions.duration_arguments import Duration, milliseconds_of
from tidegauge_spark.decisions.timestamps import MAX, MIN


class Window(NamedTuple):
    """The moments from `start` to `end` - 1 ms. A border beyond 64 bits is `MIN` or `MAX` (TIME-1)."""

    start: int
    end: int


@dataclass(frozen=True, init=False)
class SlidingWindows:
    """Windows of `size`, one every `slide`; one of them starts at `offset` (WIN-1).

    A record is in size / slide windows, and kept in each, if the slide is smaller than the size; if it is
    larger, in one or none.
    Raises `IllegalArgumentError` for a size or a slide below 1 ms.
    """

    size: int
    slide: int
    offset: int

    def __init__(self, size: Duration, slide: Duration, offset: Duration = 0) -> None:
        _set(self, "size", size)
        _set(self, "slide", slide)
        _set(self, "offset", offset, at_least=MIN)

    def windows(self, timestamp: int) -> list[Window]:
        """Return the windows that cover the timestamp (ms), the earliest end first."""
        # Python's remainder has the sign of the divisor, so that this is right before the offset too.
        last = timestamp - (timestamp - self.offset) % self.slide
        starts = range(last, timestamp - self.size, -self.slide)
        return [_window(start, self.size) for start in reversed(starts)]


@dataclass(frozen=True, init=False)
class TumblingWindows:
    """Windows of `size`, one after the other; one of them starts at `offset` (WIN-1).

    Raises `IllegalArgumentError` for a size below 1 ms.
    """

    size: int
    offset: int

    def __init__(self, size: Duration, offset: Duration = 0) -> None:
        _set(self, "size", size)
        _set(self, "offset", offset, at_least=MIN)

    def windows(self, timestamp: int) -> list[Window]:
        """Return the one window that covers the timestamp (ms)."""
        return [_window(timestamp - (timestamp - self.offset) % self.size, self.size)]


@dataclass(frozen=True, init=False)
class SessionWindows:
    """A window for each burst of records: it lasts until nothing has come for `gap` (WIN-2).

    Raises `IllegalArgumentError` for a gap below 1 ms.
    """

    gap: int

    def __init__(self, gap: Duration) -> None:
        _set(self, "gap", gap)

    def windows(self, timestamp: int) -> list[Window]:
        """Return the session of a record that comes alone at the timestamp (ms)."""
        return [_window(timestamp, self.gap)]


Assigner = TumblingWindows | SlidingWindows | SessionWindows
"""What says which windows a record belongs to."""


def _window(start: int, size: int) -> Window:
    return Window(max(start, MIN), min(start + size, MAX))


def _set(assigner: Assigner, name: str, duration: Duration, at_least: int = 1) -> None:
    milliseconds = milliseconds_of(duration, f"the {name} of a window", at_least)
    object.__setattr__(assigner, name, milliseconds)  # which is frozen
