"""Which windows a timestamp belongs to: tumbling, sliding, session windows. All times and lengths in ms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.timestamps import MAX, MIN


class Window(NamedTuple):
    """The moments from `start` to `end` - 1 ms. A border beyond 64 bits is `MIN` or `MAX` (TIME-1)."""

    start: int
    end: int


@dataclass(frozen=True)
class SlidingWindows:
    """Windows of `size` ms, one every `slide` ms; one of them starts at `offset` ms (WIN-1).

    A record is in size / slide windows, and kept in each, if the slide is smaller than the size; if it is
    larger, in one or none.
    Raises `IllegalArgumentError` for a size or a slide below 1 ms.
    """

    size: int
    slide: int
    offset: int = 0

    def __post_init__(self) -> None:
        _check_length("size", self.size)
        _check_length("slide", self.slide)

    def windows(self, timestamp: int) -> list[Window]:
        """Return the windows that cover the timestamp (ms), the earliest end first."""
        # Python's remainder has the sign of the divisor, so that this is right before the offset too.
        last = timestamp - (timestamp - self.offset) % self.slide
        starts = range(last, timestamp - self.size, -self.slide)
        return [_window(start, self.size) for start in reversed(starts)]


@dataclass(frozen=True)
class TumblingWindows:
    """Windows of `size` ms, one after the other; one of them starts at `offset` ms (WIN-1).

    Raises `IllegalArgumentError` for a size below 1 ms.
    """

    size: int
    offset: int = 0

    def __post_init__(self) -> None:
        _check_length("size", self.size)

    def windows(self, timestamp: int) -> list[Window]:
        """Return the one window that covers the timestamp (ms)."""
        return [_window(timestamp - (timestamp - self.offset) % self.size, self.size)]


@dataclass(frozen=True)
class SessionWindows:
    """A window for each burst of records: it lasts until nothing has come for `gap` ms (WIN-2).

    Raises `IllegalArgumentError` for a gap below 1 ms.
    """

    gap: int

    def __post_init__(self) -> None:
        _check_length("gap", self.gap)

    def windows(self, timestamp: int) -> list[Window]:
        """Return the session of a record that comes alone at the timestamp (ms)."""
        return [_window(timestamp, self.gap)]


Assigner = TumblingWindows | SlidingWindows | SessionWindows
"""What says which windows a record belongs to."""


def _window(start: int, size: int) -> Window:
    return Window(max(start, MIN), min(start + size, MAX))


def _check_length(name: str, milliseconds: int) -> None:
    if not 1 <= milliseconds <= MAX:
        raise IllegalArgumentError(f"the {name} of a window is 1 to 2^63 - 1 ms, not {milliseconds}")
