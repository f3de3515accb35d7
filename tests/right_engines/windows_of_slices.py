"""Windows that keep each record once, in the slice between two borders, and put results together from slices.

A window is not kept at all: of each result only its window and the number of its last record are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MIN, MAX = -(2**63), 2**63 - 1

Window = tuple[int, int]
Entry = tuple[int, int, int]
"""Number of arrival, timestamp in ms, value."""


def values_of(entries: list[Entry]) -> tuple[int, ...]:
    """The values, ascending."""
    return tuple(sorted(value for _, _, value in entries))


class Slices:
    """Slices by their start: time is cut wherever a window of `size` every `slide` ms starts or ends."""

    def __init__(self, size: int, slide: int, offset: int) -> None:
        self.size, self.slide, self.offset = size, slide, offset
        self.entries: dict[int, list[Entry]] = {}

    def add(self, entry: Entry) -> None:
        """Puts an entry into its slice."""
        self.entries.setdefault(self._slice(entry[1]), []).append(entry)

    def _slice(self, timestamp: int) -> int:
        into_window = (timestamp - self.offset) % self.slide
        after_an_end = (timestamp - self.offset - self.size) % self.slide
        return timestamp - min(into_window, after_an_end)

    def windows_at(self, timestamp: int) -> list[Window]:
        """The windows that cover a timestamp, latest first."""
        latest = timestamp - (timestamp - self.offset) % self.slide
        starts = range(latest, timestamp - self.size, -self.slide)
        return [(max(start, MIN), min(start + self.size, MAX)) for start in starts]

    def windows(self) -> set[Window]:
        """The windows that hold something."""
        return {window for start in self.entries for window in self.windows_at(start)}

    def held(self, window: Window) -> list[Entry]:
        """What a window holds."""
        start, end = window
        slices = [
            entries for border, entries in self.entries.items() if max(start, MIN) <= max(border, MIN) < end
        ]
        return [entry for entries in slices for entry in entries]

    def forget(self, is_over: Callable[[Window], bool]) -> None:
        """Drops the slices all of whose windows are over."""
        for start in [one for one in self.entries if all(map(is_over, self.windows_at(one)))]:
            del self.entries[start]

    def replaces(self, window: Window, earlier: Window) -> bool:
        """Whether results of one window replace those of the other."""
        return window == earlier


class Sessions:
    """Sessions by their ends, which are never equal; each has its start and its entries."""

    def __init__(self, gap: int) -> None:
        self.gap = gap
        self.entries: dict[int, tuple[int, list[Entry]]] = {}

    def windows_at(self, timestamp: int) -> list[Window]:
        """The session that a record of that time makes, or is in."""
        touched = self._touched(timestamp)
        starts = [self.entries[end][0] for end in touched]
        return [(min([timestamp, *starts]), max([min(timestamp + self.gap, MAX), *touched]))]

    def add(self, entry: Entry) -> None:
        """Joins the entry with all sessions that it touches."""
        ((start, end),) = self.windows_at(entry[1])
        joined = [one for touched in self._touched(entry[1]) for one in self.entries.pop(touched)[1]]
        self.entries[end] = start, [*joined, entry]

    def _touched(self, timestamp: int) -> list[int]:
        return [end for end, (start, _) in self.entries.items() if start - self.gap <= timestamp <= end]

    def windows(self) -> set[Window]:
        """All sessions."""
        return {(start, end) for end, (start, _) in self.entries.items()}

    def held(self, window: Window) -> list[Entry]:
        """What a session holds, or held before it was joined with others."""
        start, end = window
        return [e for _, entries in self.entries.values() for e in entries if start <= e[1] < end]

    def forget(self, is_over: Callable[[Window], bool]) -> None:
        """Drops the sessions that are over."""
        for end in [one for one, (start, _) in self.entries.items() if is_over((start, one))]:
            del self.entries[end]

    def replaces(self, window: Window, earlier: Window) -> bool:
        """Whether results of one session replace those of the other."""
        return window[0] <= earlier[0] <= earlier[1] <= window[1]


class WindowsOfSlices:
    """`_said` has for each window whose results stand the number of the last record in them."""

    def __init__(
        self, store: Slices | Sessions, lateness: int, trigger: str, mode: str, late_output: bool
    ) -> None:
        self._store = store
        self._lateness = lateness
        self._trigger = trigger
        self._mode = mode
        self._late_output = late_output
        self._now = MIN
        self._arrived = 0
        self._said: dict[Window, int] = {}

    def record(self, timestamp: int, value: int) -> list[tuple[Any, ...]]:
        """A record arrives."""
        if timestamp in (MIN, MAX):
            raise ValueError("this is no moment of event time")
        taking = [window for window in self._store.windows_at(timestamp) if not self._is_over(window)]
        if not taking:
            if min(timestamp + self._lateness, MAX) > self._now:
                return []
            return [("late", value) if self._late_output else ("drop",)]
        self._arrived += 1
        self._store.add((self._arrived, timestamp, value))
        at_once = [w for w in taking if self._trigger == "per-record" or self._now >= w[1] - 1]
        return self._results(at_once)

    def watermark(self, timestamp: int) -> list[tuple[Any, ...]]:
        """A watermark (ms) arrives."""
        if timestamp <= self._now:
            return []
        reached = [w for w in self._store.windows() if self._now < w[1] - 1 <= timestamp]
        outputs = self._results(reached if self._trigger == "event-time" else [])
        self._now = timestamp
        self._store.forget(self._is_over)
        kept = self._store.windows()
        self._said = {
            window: last
            for window, last in self._said.items()
            if any(self._store.replaces(one, window) for one in kept)
        }
        return [*outputs, ("watermark", timestamp)]

    def idle(self) -> list[tuple[Any, ...]]:
        """A status passes through."""
        return [("idle",)]

    def active(self) -> list[tuple[Any, ...]]:
        """A status passes through."""
        return [("active",)]

    def expired_state(self) -> list[tuple[Any, ...]]:
        """How many records are kept that are in no window any more."""
        windows = self._store.windows()
        kept = {entry for window in windows for entry in self._store.held(window)}
        needed = {e for window in windows if not self._is_over(window) for e in self._store.held(window)}
        return [("state-size", len(kept - needed))]

    def _is_over(self, window: Window) -> bool:
        return min(window[1] - 1 + self._lateness, MAX) <= self._now

    def _results(self, windows: list[Window]) -> list[tuple[Any, ...]]:
        outputs: list[tuple[Any, ...]] = []
        for window in sorted(windows, key=lambda window: (window[1], window[0])):
            said = {
                one: self._said_of(one) for one in sorted(self._said) if self._store.replaces(window, one)
            }
            if self._mode == "accumulating-and-retracting":
                outputs += [("retract", *one, values_of(entries)) for one, entries in said.items()]
            told = {entry for entries in said.values() for entry in entries}
            fresh = [e for e in self._store.held(window) if self._mode != "discarding" or e not in told]
            outputs.append(("fire", *window, values_of(fresh)))
            for one in said:
                del self._said[one]
            self._said[window] = self._arrived
        return outputs

    def _said_of(self, window: Window) -> list[Entry]:
        """What the window held when its last result was output."""
        return [entry for entry in self._store.held(window) if entry[0] <= self._said[window]]

    def snapshot(self) -> Any:
        """Time, entries and what has been said."""
        return self._now, self._arrived, self._said, self._store.entries

    def restore(self, saved: Any) -> None:
        """Go on from there."""
        self._now, self._arrived, self._said, self._store.entries = saved
