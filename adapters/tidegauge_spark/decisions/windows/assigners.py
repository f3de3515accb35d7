"""Which windows a timestamp belongs to: tumbling, sliding, session windows. All times and lengths in ms."""

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

    All are in ms; they may be given as "1 minute", too. A record is in size / slide windows, and kept in
    each, if the slide is smaller than the size; if it is larger, in one or none.
    Raises `IllegalArgumentError` for a size or a slide below 1 ms.
    """

    size: int
    slide: int
    offset: int

    def __init__(self, size: Duration, slide: Duration, offset: Duration = 0) -> None:
        _set(self, size=_length(size, "size"), slide=_length(slide, "slide"), offset=_offset(offset))

    def windows(self, timestamp: int) -> list[Window]:
        """Return the windows that cover the timestamp (ms), the earliest end first."""
        # Python's remainder has the sign of the divisor, so that this is right before the offset too.
        last = timestamp - (timestamp - self.offset) % self.slide
        starts = range(last, timestamp - self.size, -self.slide)
        return [_window(start, self.size) for start in reversed(starts)]


@dataclass(frozen=True, init=False)
class TumblingWindows:
    """Windows of `size`, one after the other; one of them starts at `offset` (WIN-1).

    Both are in ms; they may be given as "1 minute", too. Raises `IllegalArgumentError` for a size below 1 ms.
    """

    size: int
    offset: int

    def __init__(self, size: Duration, offset: Duration = 0) -> None:
        _set(self, size=_length(size, "size"), offset=_offset(offset))

    def windows(self, timestamp: int) -> list[Window]:
        """Return the one window that covers the timestamp (ms)."""
        return [_window(timestamp - (timestamp - self.offset) % self.size, self.size)]


@dataclass(frozen=True, init=False)
class SessionWindows:
    """A window for each burst of records: it lasts until nothing has come for `gap` (WIN-2).

    The gap is in ms; it may be given as "1 minute", too. Raises `IllegalArgumentError` for one below 1 ms.
    """

    gap: int

    def __init__(self, gap: Duration) -> None:
        _set(self, gap=_length(gap, "gap"))

    def windows(self, timestamp: int) -> list[Window]:
        """Return the session of a record that comes alone at the timestamp (ms)."""
        return [_window(timestamp, self.gap)]


Assigner = TumblingWindows | SlidingWindows | SessionWindows
"""What says which windows a record belongs to."""


def _window(start: int, size: int) -> Window:
    return Window(max(start, MIN), min(start + size, MAX))


def _length(duration: Duration, name: str) -> int:
    return milliseconds_of(duration, f"the {name} of a window", at_least=1)


def _offset(duration: Duration) -> int:
    return milliseconds_of(duration, "the offset of windows", at_least=MIN)


def _set(windows: object, **milliseconds: int) -> None:
    for name, value in milliseconds.items():
        object.__setattr__(windows, name, value)
