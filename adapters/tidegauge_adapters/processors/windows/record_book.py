"""The records that a processor has accepted, by window, as the driver knows them from the scenario."""

from __future__ import annotations

from dataclasses import dataclass, field

from tidegauge.wire.steps.window import Accumulation, Session, Sliding

from .aggregates import Record
from .assigners import KitAssigner

Interval = tuple[int, int]


@dataclass
class _Window:
    """The records of a window in the order of their arrival: all, and those since its last result."""

    records: list[Record] = field(default_factory=list)
    since_result: list[Record] = field(default_factory=list)


class RecordBook:
    """Keeps account of the windows of one key.

    Lateness is judged by the rules (WIN-10), because a processor that accepts a late record may be wrong. A
    late record that was accepted belongs to no window here.
    """

    def __init__(self, assigner: KitAssigner, allowed_lateness: int, accumulation: Accumulation) -> None:
        self._assigner = assigner
        self._allowed_lateness = allowed_lateness
        self._accumulation = accumulation
        self._windows: dict[Interval, _Window] = {}
        self._seen: list[Record] = []
        # Spark's watermark begins at 1970: everything before that has arrived.
        self._watermark = -1

    @property
    def seen(self) -> list[Record]:
        """All records, in the order of their arrival, late ones included."""
        return self._seen

    @property
    def has_windows(self) -> bool:
        """Whether a window can still receive records."""
        return bool(self._windows)

    def is_in_time(self, timestamp: int) -> bool:
        """Return whether a window accepts a record."""
        return any(self._accepts(self._whole(own)) for own in self._own_windows(timestamp))

    def windows_over(self, timestamp: int) -> int:
        """Return the number of windows of a timestamp that accept no records any more."""
        return sum(not self._accepts(self._whole(own)) for own in self._own_windows(timestamp))

    def see(self, record: Record, is_accepted: bool) -> None:
        """Note a record; one that is accepted is added to its windows, and sessions are merged."""
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
        """Note that everything up to `watermark` (ms) has arrived."""
        self._watermark = max(self._watermark, watermark)
        for window in [window for window in self._windows if not self._accepts(window)]:
            del self._windows[window]

    def likely_records(self, start: int, end: int) -> list[list[Record]]:
        """Return the sets of records that a result of a window may be made of, the likeliest first."""
        window = self._windows.get((start, end), _Window())
        inside = [record for record in self._seen if start <= record.timestamp < end]
        expected = window.since_result if self._accumulation == "discarding" else window.records
        return [expected, window.records, window.since_result, inside]

    def has_fired(self, start: int, end: int) -> None:
        """Note a result of a window."""
        if (start, end) in self._windows:
            self._windows[start, end].since_result = []

    def copy(self) -> RecordBook:
        """Return a book that has seen the same."""
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
