"""Windows as objects that are updated record by record, with two sorted lists of timers: to fire, and to drop."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass, field
from heapq import merge
from typing import Any

MIN, MAX = -(2**63), 2**63 - 1

Key = tuple[int, int]
"""Start and end of a window in ms."""

Timer = tuple[int, int, Key]
"""When it goes off, the window's end and the window: those of one moment go off in the order of the ends."""


@dataclass
class Pane:
    """The values of a window, ascending: those that its next result holds; and what it has said."""

    values: list[int] = field(default_factory=list)
    said: list[tuple[Key, tuple[int, ...]]] = field(default_factory=list)


def later(moment: int, duration: int) -> int:
    """A moment so many ms later, at most `MAX`."""
    return MAX if duration > MAX - moment else moment + duration


class WindowsWithTimers:
    """`assigner` is (size, slide, offset) or (gap,)."""

    def __init__(
        self, assigner: tuple[int, ...], lateness: int, trigger: str, mode: str, late_output: bool
    ) -> None:
        self._assigner = assigner
        self._lateness = lateness
        self._on_record = trigger == "per-record"
        self._mode = mode
        self._late_output = late_output
        self._time = MIN
        self._panes: dict[Key, Pane] = {}
        self._to_fire: list[Timer] = []
        self._to_drop: list[Timer] = []

    def record(self, timestamp: int, value: int) -> list[tuple[Any, ...]]:
        """A record arrives."""
        if timestamp in (MIN, MAX):
            raise ValueError("the record has no timestamp that a window covers")
        keys = self._windows_of(timestamp) if len(self._assigner) > 1 else self._session_of(timestamp)
        in_time = [key for key in keys if self._cleanup(key) > self._time]
        outputs = []
        for key in in_time:
            if key not in self._panes:
                self._open(key, Pane())
            insort(self._panes[key].values, value)
            if self._on_record or key[1] - 1 <= self._time:
                outputs += self._fire(key)
        if in_time or later(timestamp, self._lateness) > self._time:
            return outputs
        return [("late", value) if self._late_output else ("drop",)]

    def watermark(self, timestamp: int) -> list[tuple[Any, ...]]:
        """A watermark (ms) arrives."""
        if timestamp <= self._time:
            return []
        self._time = timestamp
        outputs = []
        for _, _, key in self._gone_off(self._to_fire):
            outputs += self._fire(key)
        for _, _, key in self._gone_off(self._to_drop):
            del self._panes[key]
        return [*outputs, ("watermark", timestamp)]

    def idle(self) -> list[tuple[Any, ...]]:
        """A status passes through."""
        return [("idle",)]

    def active(self) -> list[tuple[Any, ...]]:
        """A status passes through."""
        return [("active",)]

    def expired_state(self) -> list[tuple[Any, ...]]:
        """The records of the windows that should have been dropped."""
        over = self._to_drop[: bisect_right(self._to_drop, self._time, key=lambda timer: timer[0])]
        return [("state-size", sum(len(self._panes[key].values) for _, _, key in over))]

    def _windows_of(self, timestamp: int) -> list[Key]:
        """The windows that cover a timestamp, earliest first."""
        size, slide, offset = self._assigner
        first = (timestamp - offset - size) // slide + 1
        last = (timestamp - offset) // slide
        starts = [offset + number * slide for number in range(first, last + 1)]
        return [(max(start, MIN), later(start, size)) for start in starts]

    def _session_of(self, timestamp: int) -> list[Key]:
        """The session that a record makes of all that it touches; the kept ones are merged into it."""
        start, end = timestamp, later(timestamp, *self._assigner)
        touched = [key for key in self._panes if key[0] <= end and start <= key[1]]
        merged = (min([start, *(key[0] for key in touched)]), max([end, *(key[1] for key in touched)]))
        if touched and touched != [merged]:
            panes = [self._close(key) for key in sorted(touched)]
            values = list(merge(*(pane.values for pane in panes)))
            self._open(merged, Pane(values, [result for pane in panes for result in pane.said]))
        return [merged]

    def _cleanup(self, key: Key) -> int:
        return later(key[1] - 1, self._lateness)

    def _timers(self, key: Key) -> list[tuple[list[Timer], Timer]]:
        timers = [(self._to_drop, (self._cleanup(key), key[1], key))]
        if not self._on_record and key[1] - 1 > self._time:
            timers.append((self._to_fire, (key[1] - 1, key[1], key)))
        return timers

    def _open(self, key: Key, pane: Pane) -> None:
        self._panes[key] = pane
        for timers, timer in self._timers(key):
            insort(timers, timer)

    def _close(self, key: Key) -> Pane:
        for timers, timer in self._timers(key):
            del timers[bisect_left(timers, timer)]
        return self._panes.pop(key)

    def _gone_off(self, timers: list[Timer]) -> list[Timer]:
        """Takes the timers that time has reached off the list."""
        reached = bisect_right(timers, self._time, key=lambda timer: timer[0])
        gone_off = timers[:reached]
        del timers[:reached]
        return gone_off

    def _fire(self, key: Key) -> list[tuple[Any, ...]]:
        pane = self._panes[key]
        outputs: list[tuple[Any, ...]] = []
        if self._mode == "accumulating-and-retracting":
            outputs = [("retract", *window, values) for window, values in pane.said]
            pane.said = [(key, tuple(pane.values))]
        outputs.append(("fire", *key, tuple(pane.values)))
        if self._mode == "discarding":
            pane.values.clear()
        return outputs

    def snapshot(self) -> Any:
        """Time and panes; the timers follow from them."""
        return self._time, self._panes

    def restore(self, saved: Any) -> None:
        """Go on from there, with the timers set anew."""
        self._time, panes = saved
        self._to_fire, self._to_drop = [], []
        for key, pane in panes.items():
            self._open(key, pane)
