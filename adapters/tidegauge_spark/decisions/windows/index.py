"""The windows that are kept, found by time and by the key of their records."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from typing import NamedTuple


class KeptWindow(NamedTuple):
    """A window [start, end) (ms) of the records of one key; None is a key like any other."""

    record_key: str | None
    start: int
    end: int


_Place = tuple[int, int, bool, str]


def in_order_of_time(window: KeptWindow) -> _Place:
    """Sort key: by end (WIN-6); where ends are the same, which decides nothing, by start and record key."""
    key = window.record_key
    return (window.end, window.start, key is not None, key or "")


class WindowIndex:
    """An index of windows. Adding and removing one costs little, and so does finding those that are due."""

    def __init__(self, windows: Iterable[KeptWindow]) -> None:
        self._places: list[_Place] = []
        self._of_key: dict[str | None, set[KeptWindow]] = {}
        for window in windows:
            self._places.append(in_order_of_time(window))
            self._of_key.setdefault(window.record_key, set()).add(window)
        self._places.sort()

    def add(self, window: KeptWindow) -> None:
        """Add a window, if it is not there yet."""
        windows = self._of_key.setdefault(window.record_key, set())
        if window not in windows:
            windows.add(window)
            insort(self._places, in_order_of_time(window))

    def remove(self, window: KeptWindow) -> None:
        """Remove a window, if it is there."""
        windows = self._of_key.get(window.record_key, set())
        if window in windows:
            windows.remove(window)
            if not windows:
                del self._of_key[window.record_key]
            del self._places[bisect_left(self._places, in_order_of_time(window))]

    def ending_in(self, first: int, last: int) -> list[KeptWindow]:
        """Return the windows that end from `first` to `last` (ms, both included), in the order of time."""
        borders = bisect_left(self._places, (first,)), bisect_left(self._places, (last + 1,))
        return [
            KeptWindow(key if has_key else None, start, end)
            for end, start, has_key, key in self._places[slice(*borders)]
        ]

    def first_end(self, first: int) -> int | None:
        """Return the earliest end that is not before `first` (ms), if there is one."""
        place = bisect_left(self._places, (first,))
        return self._places[place][0] if place < len(self._places) else None

    def touching(self, window: KeptWindow) -> Iterator[KeptWindow]:
        """Return the windows of the same record key that the window overlaps or touches (WIN-2)."""
        for other in self._of_key.get(window.record_key, ()):
            if other.start <= window.end and window.start <= other.end:
                yield other
