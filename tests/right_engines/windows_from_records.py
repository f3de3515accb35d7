"""Windows that keep records and what was said of them, and find out again at every step which windows there are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

MIN, MAX = -(2**63), 2**63 - 1


class Record(NamedTuple):
    """A record that was added to a window, with a number of its own."""

    timestamp: int
    number: int
    value: int


class Window(NamedTuple):
    """[start, end) in ms; windows compare in the order of their ends."""

    end: int
    start: int


class Result(NamedTuple):
    """What was output of a window and stands."""

    window: Window
    records: tuple[Record, ...]

    def output(self, name: str) -> tuple[Any, ...]:
        """The result itself, or its retraction."""
        return name, self.window.start, self.window.end, tuple(sorted(one.value for one in self.records))


class Sliding:
    """Windows of `size` ms every `slide` ms, one of which starts at `offset`."""

    def __init__(self, size: int, slide: int, offset: int) -> None:
        self.size, self.slide, self.offset = size, slide, offset

    def windows(self, records: Iterable[Record]) -> dict[Window, list[Record]]:
        """All windows that have records."""
        found: dict[Window, list[Record]] = {}
        for record in records:
            start = record.timestamp - (record.timestamp - self.offset) % self.slide
            while start + self.size > record.timestamp:
                window = Window(min(start + self.size, MAX), max(start, MIN))
                found.setdefault(window, []).append(record)
                start -= self.slide
        return found

    def precedes(self, earlier: Window, later: Window) -> bool:
        """Whether a result of one window is replaced by one of the other."""
        return earlier == later


class Sessions:
    """Windows that last until nothing has come for `gap` ms."""

    def __init__(self, gap: int) -> None:
        self.gap = gap

    def windows(self, records: Iterable[Record]) -> dict[Window, list[Record]]:
        """The records in the order of time, cut where the next one does not touch."""
        chains: list[list[Record]] = []
        for record in sorted(records):
            if chains and record.timestamp <= self._end(chains[-1]):
                chains[-1].append(record)
            else:
                chains.append([record])
        return {Window(self._end(chain), chain[0].timestamp): chain for chain in chains}

    def _end(self, chain: list[Record]) -> int:
        return min(chain[-1].timestamp + self.gap, MAX)

    def precedes(self, earlier: Window, later: Window) -> bool:
        """Whether a result of one session is replaced by one of the other, into which it was merged."""
        return later.start <= earlier.start and earlier.end <= later.end


class WindowsFromRecords:
    """`_kept` are the records of open windows, `_standing` the results of open windows."""

    def __init__(
        self, assigner: Sliding | Sessions, lateness: int, trigger: str, mode: str, late_output: bool
    ) -> None:
        self._assigner = assigner
        self._lateness = lateness
        self._per_record = trigger == "per-record"
        self._discarding = mode == "discarding"
        self._retracting = mode == "accumulating-and-retracting"
        self._late_output = late_output
        self._watermark = MIN
        self._numbered = 0
        self._kept: list[Record] = []
        self._standing: list[Result] = []

    def record(self, timestamp: int, value: int) -> list[tuple[Any, ...]]:
        """A record arrives."""
        if not MIN < timestamp < MAX:
            raise ValueError("a record needs a moment of event time")
        self._numbered += 1
        record = Record(timestamp, self._numbered, value)
        taking = {w: held for w, held in self._open([*self._kept, record]).items() if record in held}
        if not taking:
            return self._left_over(record)
        self._kept.append(record)
        due = {w: held for w, held in taking.items() if self._per_record or w.end - 1 <= self._watermark}
        return self._fired(due)

    def watermark(self, timestamp: int) -> list[tuple[Any, ...]]:
        """A watermark (ms) arrives."""
        if timestamp <= self._watermark:
            return []
        due = {
            w: held for w, held in self._open(self._kept).items() if self._watermark < w.end - 1 <= timestamp
        }
        outputs = [] if self._per_record else self._fired(due)
        self._watermark = timestamp
        still_open = self._open(self._kept)
        self._kept = sorted({record for held in still_open.values() for record in held})
        self._standing = [
            one for one in self._standing if any(self._assigner.precedes(one.window, w) for w in still_open)
        ]
        return [*outputs, ("watermark", timestamp)]

    def idle(self) -> list[tuple[Any, ...]]:
        """A status passes through."""
        return [("idle",)]

    def active(self) -> list[tuple[Any, ...]]:
        """A status passes through."""
        return [("active",)]

    def expired_state(self) -> list[tuple[Any, ...]]:
        """How many of the kept records no open window holds."""
        held = {record for records in self._open(self._kept).values() for record in records}
        return [("state-size", len(set(self._kept) - held))]

    def _open(self, records: list[Record]) -> dict[Window, list[Record]]:
        """The windows of records whose cleanup time the watermark has not reached."""
        return {
            window: held
            for window, held in self._assigner.windows(records).items()
            if min(window.end - 1 + self._lateness, MAX) > self._watermark
        }

    def _left_over(self, record: Record) -> list[tuple[Any, ...]]:
        if min(record.timestamp + self._lateness, MAX) > self._watermark:
            return []
        return [("late", record.value)] if self._late_output else [("drop",)]

    def _fired(self, due: dict[Window, list[Record]]) -> list[tuple[Any, ...]]:
        outputs = []
        for window in sorted(due):
            replaced = sorted(one for one in self._standing if self._assigner.precedes(one.window, window))
            told = {record for one in replaced for record in one.records}
            if self._retracting:
                outputs += [one.output("retract") for one in replaced]
            held = [record for record in due[window] if not (self._discarding and record in told)]
            result = Result(window, tuple(held))
            outputs.append(result.output("fire"))
            if not self._discarding:
                self._standing = [one for one in self._standing if one not in replaced]
            self._standing.append(result)
        return outputs

    def snapshot(self) -> Any:
        """Watermark, records and results."""
        return self._watermark, self._numbered, self._kept, self._standing

    def restore(self, saved: Any) -> None:
        """Go on from there."""
        self._watermark, self._numbered, self._kept, self._standing = saved
