"""The windows that are kept, found by time and by the key of their records."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Final, NamedTuple, Protocol
from zlib import crc32

from tidegauge_spark.decisions.timestamps import MAX, MIN

BUCKETS: Final = 16
"""Keys share this many slices (of a window, or of all sessions)."""


class KeptWindow(NamedTuple):
    """A window [start, end) (ms) of the records of one key; None is a key like any other."""

    record_key: Hashable
    start: int
    end: int


class StandingResult(NamedTuple):
    """A result of a window [start, end) (ms) that has not been retracted yet."""

    start: int
    end: int
    result: Any


class WindowContents(NamedTuple):
    """What is kept of a window: the number of records that its next result holds, what they add up to, and
    the results that stand. More than one stands where sessions that have fired were merged, and none if
    results are not retracted.
    """

    records: int
    accumulated: Any
    standing: tuple[StandingResult, ...]


class Slice(NamedTuple):
    """Windows that are stored together: those from `start` to `end` (ms) of the keys in one bucket. The
    sessions of a bucket are all in one slice, from `MIN` to `MAX`."""

    start: int
    end: int
    bucket: int


SliceContents = dict[Hashable, dict[tuple[int, int], WindowContents]]
"""By record key the windows (start, end) of a slice; no key is without windows."""


class SliceStore(Protocol):
    """Where slices are kept."""

    def slices(self) -> Iterable[Slice]:
        """Return the slices that have contents."""
        ...

    def read(self, place: Slice) -> SliceContents:
        """Return the contents of a slice, empty if there are none. What the caller changes in them is kept
        once `changed` was called."""
        ...

    def changed(self, place: Slice) -> None:
        """Note that the contents of a slice have changed."""
        ...


class KeptWindows:
    """The windows of an operator subtask, in the slices of a store.

    A slice is read when one of its windows is needed, or when windows are looked for by time that may be in
    it: for sessions these are all slices.
    """

    def __init__(self, store: SliceStore, merges: bool) -> None:
        self._store = store
        self._merges = merges

    def get(self, window: KeptWindow) -> WindowContents | None:
        """Return the contents of a window, None if it is not kept."""
        windows = self._store.read(self._slice(window)).get(window.record_key)
        return None if windows is None else windows.get(window[1:])

    def put(self, window: KeptWindow, contents: WindowContents) -> None:
        """Keep a window with these contents."""
        place = self._slice(window)
        self._store.read(place).setdefault(window.record_key, {})[window[1:]] = contents
        self._store.changed(place)

    def remove(self, window: KeptWindow) -> None:
        """Keep a window no longer, if it is kept."""
        place = self._slice(window)
        contents = self._store.read(place)
        windows = contents.get(window.record_key, {})
        if windows.pop(window[1:], None) is not None:
            if not windows:
                del contents[window.record_key]
            self._store.changed(place)

    def touching(self, window: KeptWindow) -> list[KeptWindow]:
        """Return the sessions of the same record key that the window overlaps or touches (WIN-2), the
        earliest first."""
        windows = self._store.read(self._slice(window)).get(window.record_key, {})
        return [
            KeptWindow(window.record_key, start, end)
            for start, end in sorted(windows)
            if start <= window.end and window.start <= end
        ]

    def ending_in(self, first: int, last: int) -> list[KeptWindow]:
        """Return the windows that end from `first` to `last` (ms, both included), the earliest end first
        (WIN-6). Where ends are the same, the start and the key decide, so that the order is always the same.
        """
        found = [window for window in self._among(first, last) if first <= window.end <= last]
        return sorted(found, key=lambda window: (window.end, window.start, repr(window.record_key)))

    def first_end(self, first: int) -> int | None:
        """Return the earliest end that is not before `first` (ms), if there is one."""
        if self._merges:
            ends: Iterable[int] = (window.end for window in self)
        else:
            ends = (place.end for place in self._store.slices())
        return min((end for end in ends if end >= first), default=None)

    def __iter__(self) -> Iterator[KeptWindow]:
        return self._among(MIN, MAX)

    def _among(self, first: int, last: int) -> Iterator[KeptWindow]:
        """Return the windows of all slices in which there may be an end from `first` to `last` (ms)."""
        for place in sorted(self._store.slices()):
            if self._merges or first <= place.end <= last:
                for key, windows in self._store.read(place).items():
                    for start, end in windows:
                        yield KeptWindow(key, start, end)

    def _slice(self, window: KeptWindow) -> Slice:
        bucket = crc32(repr(window.record_key).encode()) % BUCKETS
        return Slice(MIN, MAX, bucket) if self._merges else Slice(window.start, window.end, bucket)
