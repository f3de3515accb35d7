"""A valve that keeps its channels in sets and two heaps, from which stale entries are removed when they come up."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Any

MIN, MAX = -(2**63), 2**63 - 1


class HeapValve:
    """`_slowest` has the aligned channels, smallest watermark first; `_fastest` all, largest first.

    An entry is stale when the channel's watermark has changed since, or it is not in the set any more.
    """

    def __init__(self, channels: int) -> None:
        self._watermarks = dict.fromkeys(range(channels), MIN)
        self._active = set(self._watermarks)
        self._aligned = set(self._watermarks)
        self._unfinished = set(self._watermarks)
        self._sent = MIN
        self._sent_idle = False
        self._fill_heaps()

    def _fill_heaps(self) -> None:
        self._slowest = [(self._watermarks[channel], channel) for channel in self._aligned]
        self._fastest = [(-self._watermarks[channel], channel) for channel in self._unfinished]
        heapify(self._slowest)
        heapify(self._fastest)

    def watermark(self, channel: int, timestamp: int) -> list[tuple[Any, ...]]:
        """A watermark (ms) arrives."""
        if timestamp <= self._known(channel) or channel not in self._active:
            return []
        self._watermarks[channel] = timestamp
        if timestamp == MAX:
            for members in (self._unfinished, self._aligned, self._active):
                members.discard(channel)
            return self._last_active_went() if not self._active else self._raised()
        heappush(self._fastest, (-timestamp, channel))
        if timestamp >= self._sent:
            self._align(channel)
        return self._raised()

    def idle(self, channel: int) -> list[tuple[Any, ...]]:
        """The channel has no data for now."""
        self._known(channel)
        if channel not in self._active:
            return []
        self._active.remove(channel)
        self._aligned.discard(channel)
        return self._raised() if self._active else self._last_active_went()

    def active(self, channel: int) -> list[tuple[Any, ...]]:
        """The channel has data again."""
        if self._known(channel) == MAX or channel in self._active:
            return []
        said: list[tuple[Any, ...]] = [("active",)] if self._sent_idle else []
        self._sent_idle = False
        self._active.add(channel)
        if self._watermarks[channel] >= self._sent:
            self._align(channel)
        return said + self._raised()

    def _known(self, channel: int) -> int:
        """The channel's watermark; refuses a channel that is not there."""
        if channel not in self._watermarks:
            raise ValueError(f"no channel {channel}")
        return self._watermarks[channel]

    def _align(self, channel: int) -> None:
        self._aligned.add(channel)
        heappush(self._slowest, (self._watermarks[channel], channel))

    def _raised(self) -> list[tuple[Any, ...]]:
        """The minimum of the aligned channels, if it is news."""
        while self._slowest:
            watermark, channel = self._slowest[0]
            if channel in self._aligned and self._watermarks[channel] == watermark:
                return self._sending(watermark)
            heappop(self._slowest)
        return []

    def _last_active_went(self) -> list[tuple[Any, ...]]:
        if not self._unfinished:
            return self._sending(MAX)
        while self._fastest[0][1] not in self._unfinished:
            heappop(self._fastest)
        said = self._sending(-self._fastest[0][0])
        self._sent_idle = True
        return [*said, ("idle",)]

    def _sending(self, watermark: int) -> list[tuple[Any, ...]]:
        if watermark <= self._sent:
            return []
        self._sent = watermark
        return [("watermark", watermark)]

    def snapshot(self) -> Any:
        """Everything but the heaps, which follow from it."""
        members = tuple(map(frozenset, (self._active, self._aligned, self._unfinished)))
        return dict(self._watermarks), members, self._sent, self._sent_idle

    def restore(self, saved: Any) -> None:
        """Go on from there, with heaps without stale entries."""
        self._watermarks, members, self._sent, self._sent_idle = saved
        self._active, self._aligned, self._unfinished = map(set, members)
        self._fill_heaps()
