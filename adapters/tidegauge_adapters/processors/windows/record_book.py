"""The driver tracks the accepted records of each window from the steps of the scenario."""

from __future__ import annotations

from dataclasses import dataclass, field

from tidegauge.wire.steps.window import Accumulation, Session, Sliding

from .aggregates import Record
from .assigners import KitAssigner

Interval = tuple[int, int]


@dataclass
class _Window:
    """The records of a window in the order of arrival: all records, and the records since its last result."""

    records: list[Record] = field(default_factory=list)
    since_result: list[Record] = field(default_factory=list)


class RecordBook:
    """A record book tracks the windows of one key.

    The rules decide which records are late (WIN-10), not the processor, because a processor that accepts a
    late record may be faulty. A late record that the processor accepts is not added to a window here.
    """

    def __init__(self, assigner: KitAssigner, allowed_lateness: int, accumulation: Accumulation) -> None:
        self._assigner = assigner
        self._allowed_lateness = allowed_lateness
        self._accumulation = accumulation
        self._windows: dict[Interval, _Window] = {}
        self._seen: list[Record] = []
        # Spark's first watermark is 1970-01-01: all records before it have arrived.
        self._watermark = -1

    @property
    def seen(self) -> list[Record]:
        """Return all records in the order of arrival, including late records."""
        return self._seen

    @property
    def has_windows(self) -> bool:
        """Return whether any window still accepts records."""
        return bool(self._windows)

    def is_in_time(self, timestamp: int) -> bool:
        """Return whether any window of a timestamp accepts a record."""
        return any(self._accepts(self._whole(own)) for own in self._own_windows(timestamp))

    def windows_over(self, timestamp: int) -> int:
        """Return the number of windows of a timestamp that no longer accept records."""
        return sum(not self._accepts(self._whole(own)) for own in self._own_windows(timestamp))

    def see(self, record: Record, is_accepted: bool) -> None:
        """Record an arrival. An accepted record is added to its open windows, and sessions are merged."""
        self._seen.append(record)
        for own in self._own_windows(record.timestamp) if is_accepted else ():
            whole = self._whole(own)
            if self._accepts(whole):
                parts = [self._windows.pop(window) for window in self._joined(own)]
                merged = _Window(
                    [known for part in parts for known in part.records] + [record],
                    [known for part in parts for known in part.since_result] + [record],
                )
                order = {id(known): place for place, known in enumerate(self._seen)}
                for records in (merged.records, merged.since_result):
                    records.sort(key=lambda known: order[id(known)])
                self._windows[whole] = merged

    def advance(self, watermark: int) -> None:
        """Advance the watermark to `watermark` (ms), and remove windows that no longer accept records."""
        self._watermark = max(self._watermark, watermark)
        for window in [window for window in self._windows if not self._accepts(window)]:
            del self._windows[window]

    def likely_records(self, start: int, end: int) -> list[list[Record]]:
        """Return the sets of records that a window result may aggregate, the most likely set first."""
        window = self._windows.get((start, end), _Window())
        inside = [record for record in self._seen if start <= record.timestamp < end]
        expected = window.since_result if self._accumulation == "discarding" else window.records
        return [expected, window.records, window.since_result, inside]

    def has_fired(self, start: int, end: int) -> None:
        """Record that a window has returned a result."""
        if (start, end) in self._windows:
            self._windows[start, end].since_result = []

    def copy(self) -> RecordBook:
        """Return an independent copy of the book."""
        book = RecordBook(self._assigner, self._allowed_lateness, self._accumulation)
        book._watermark, book._seen = self._watermark, list(self._seen)
        book._windows = {
            window: _Window(list(kept.records), list(kept.since_result))
            for window, kept in self._windows.items()
        }
        return book

    def _own_windows(self, timestamp: int) -> list[Interval]:
        assigner = self._assigner
        if isinstance(assigner, Session):
            return [(timestamp, timestamp + assigner.gap)]
        slide = assigner.slide if isinstance(assigner, Sliding) else assigner.size
        latest = timestamp - (timestamp - assigner.offset) % slide
        starts = range(latest, timestamp - assigner.size, -slide)
        return [(start, start + assigner.size) for start in starts]

    def _joined(self, own: Interval) -> list[Interval]:
        if not isinstance(self._assigner, Session):
            return [own] if own in self._windows else []
        return [window for window in self._windows if window[0] <= own[1] and own[0] <= window[1]]

    def _whole(self, own: Interval) -> Interval:
        parts = [own, *self._joined(own)]
        return min(start for start, _ in parts), max(end for _, end in parts)

    def _accepts(self, window: Interval) -> bool:
        return window[1] - 1 + self._allowed_lateness > self._watermark
