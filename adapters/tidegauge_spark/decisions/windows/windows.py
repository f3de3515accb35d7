"""The decisions of windows, in plain Python: what a step changes, what fires, what is late, what is dropped.

All times are in milliseconds. Nothing here knows Spark.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Final, NamedTuple

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.windows.assigners import SessionWindows
from tidegauge_spark.decisions.windows.index import KeptWindow, WindowIndex, in_order_of_time
from tidegauge_spark.decisions.windows.settings import WindowSettings


class WindowOutput(NamedTuple):
    """Something that comes out.

    kind: "fire" or "retract", a result, given or taken back, of the window from `window_start` to
    `window_end` with `values` in ascending order; "watermark" with its `timestamp`; "idle", "active"; "late",
    a record with its `timestamp` and `value`; "drop", a late record that is lost; "state-size" with the
    number of `records`. `record_key` is that of the records of a result, and of a late record. Times in ms.
    """

    kind: str
    record_key: str | None = None
    window_start: int | None = None
    window_end: int | None = None
    values: list[int] | None = None
    timestamp: int | None = None
    value: int | None = None
    records: int | None = None


class StandingResult(NamedTuple):
    """The last result of a window [start, end) (ms), of so many records, which was not taken back yet."""

    start: int
    end: int
    records: int


class WindowContents(NamedTuple):
    """What is kept of a window: the values that its next result holds, and its results that stand.

    The values of the results come first, result by result, so that none is kept twice. There is more than one
    where sessions that have fired were merged, and none if results are not retracted.
    """

    values: list[int]
    standing: list[StandingResult]


class WindowProgress(NamedTuple):
    """How far the time of the operator has come (ms, `MIN`: no watermark yet), and a moment (ms) before which
    no watermark makes a kept window fire or drops it."""

    watermark: int = MIN
    due: int = MAX


NO_PROGRESS: Final = WindowProgress()


class Windows:
    """Windows of any number of record keys, under one watermark.

    `record`, `watermark`, `idle`, `active` and `expired_state` are the steps. Each returns what comes out, in
    this order, and raises `IllegalArgumentError`, having changed nothing, for what cannot be (WIN-15).

    What is kept of the windows is in `kept`, and only what a step needs of it is read or written: the windows
    that the record belongs to or that the watermark makes due. Its keys are gone through for sessions, for a
    watermark that makes something due, and for `expired_state`. With `kept` and `progress` the windows go on
    where others stood (WIN-16).
    """

    def __init__(
        self,
        settings: WindowSettings,
        kept: MutableMapping[KeptWindow, WindowContents],
        progress: WindowProgress = NO_PROGRESS,
    ) -> None:
        self._settings = settings
        self._merges = isinstance(settings.assigner, SessionWindows)
        self._on_watermark = settings.trigger == "event-time"
        self._kept = kept
        self._watermark, self._due = progress
        self._found: WindowIndex | None = None

    @property
    def progress(self) -> WindowProgress:
        """How far time has come."""
        return WindowProgress(self._watermark, self._due)

    def record(self, timestamp: int, value: int, record_key: str | None = None) -> list[WindowOutput]:
        """A record comes; `MIN` and `MAX` are no timestamps (ms) of records (WIN-15)."""
        if not MIN < timestamp < MAX:
            raise IllegalArgumentError("a record has a timestamp between MIN and MAX")
        windows = [KeptWindow(record_key, *window) for window in self._settings.assigner.windows(timestamp)]
        if self._merges:
            windows = [self._merged(window) for window in windows]  # WIN-2: before it is judged
        open_windows = [window for window in windows if not self._is_over(window)]  # WIN-10
        if not open_windows:
            # WIN-11: a record between two windows is in none of them, late or not.
            late = self._is_reached(timestamp + self._settings.allowed_lateness)
            return [self._late(timestamp, value, record_key)] if late else []
        outputs: list[WindowOutput] = []
        for window in open_windows:  # WIN-6: the assigner gives the earliest end first
            contents = self._kept.get(window) or WindowContents([], [])
            contents.values.append(value)
            if self._on_watermark and not self._is_reached(window.end - 1):
                self._keep(window, contents)
            else:
                outputs += self._fire(window, contents)  # WIN-4, WIN-5
        return outputs

    def watermark(self, timestamp: int) -> list[WindowOutput]:
        """All records up to the timestamp (ms) have come; `MAX` ends the input."""
        if timestamp <= self._watermark:
            return []  # WIN-7
        before, self._watermark = self._watermark, timestamp
        outputs: list[WindowOutput] = []
        if timestamp >= self._due:
            if self._on_watermark:
                for window in self._index.ending_in(before + 2, timestamp + 1):  # WIN-3, WIN-6
                    outputs += self._fire(window, self._kept[window])
            for window in self._index.ending_in(MIN, self._last_end_that_is_over()):
                self._drop(window)  # WIN-13
            self._due = self._next_due()
        return [*outputs, WindowOutput("watermark", timestamp=timestamp)]  # WIN-6: after what it released

    def idle(self) -> list[WindowOutput]:
        """Upstream has no data for now, which says nothing about time (WIN-14)."""
        return [WindowOutput("idle")]

    def active(self) -> list[WindowOutput]:
        """Upstream has data again, which says nothing about time (WIN-14)."""
        return [WindowOutput("active")]

    def expired_state(self) -> list[WindowOutput]:
        """How many records are kept, of whatever key, of windows that no record can be added to any more."""
        over = [window for window in self._kept if self._is_over(window)]
        return [WindowOutput("state-size", records=sum(len(self._kept[window].values) for window in over))]

    def kept_state(self) -> list[WindowOutput]:
        """How many records are kept in all, of whatever key."""
        records = sum(len(self._kept[window].values) for window in self._kept)
        return [WindowOutput("state-size", records=records)]

    def _late(self, timestamp: int, value: int, record_key: str | None) -> WindowOutput:
        """Put a record aside, or say that it is lost (WIN-12)."""
        if self._settings.late_output:
            return WindowOutput("late", record_key, timestamp=timestamp, value=value)
        return WindowOutput("drop")

    def _merged(self, window: KeptWindow) -> KeptWindow:
        """Make one session of this one and of those that are kept and touch it; return it."""
        sessions = sorted(self._index.touching(window), key=in_order_of_time)
        if not sessions:
            return window
        start, end = min(window.start, sessions[0].start), max(window.end, sessions[-1].end)
        merged = KeptWindow(window.record_key, start, end)
        if sessions != [merged]:
            contents = _joined([self._kept[session] for session in sessions])
            for session in sessions:
                self._drop(session)
            self._keep(merged, contents)
        return merged

    def _fire(self, window: KeptWindow, contents: WindowContents) -> list[WindowOutput]:
        """Give the result of a window, after taking back those that it replaces; keep what it leaves."""
        outputs = []
        values, standing = contents
        place = 0
        for start, end, records in standing:  # WIN-9
            retracted = sorted(values[place : place + records])
            outputs.append(WindowOutput("retract", window.record_key, start, end, retracted))
            place += records
        outputs.append(WindowOutput("fire", *window, sorted(values)))
        if not self._is_over(window):
            self._keep(window, self._left(window, values))
        return outputs

    def _left(self, window: KeptWindow, fired: list[int]) -> WindowContents:
        """Return the contents of a window that has fired with these values (WIN-8)."""
        if self._settings.accumulation == "discarding":
            return WindowContents([], [])
        if self._settings.accumulation == "accumulating":
            return WindowContents(fired, [])
        return WindowContents(fired, [StandingResult(window.start, window.end, len(fired))])

    def _keep(self, window: KeptWindow, contents: WindowContents) -> None:
        """Keep a window, unless nothing is in it that matters: of a session its borders do (WIN-2)."""
        if not contents.values and not self._merges:
            self._drop(window)
            return
        self._kept[window] = contents
        if self._found is not None:
            self._found.add(window)
        waits = self._on_watermark and not self._is_reached(window.end - 1)
        self._due = min(self._due, window.end - 1 if waits else self._cleanup_time(window.end))

    def _drop(self, window: KeptWindow) -> None:
        if window in self._kept:
            del self._kept[window]
        if self._found is not None:
            self._found.remove(window)

    @property
    def _index(self) -> WindowIndex:
        """All kept windows. Made when it is needed first: most steps ask for single windows only."""
        if self._found is None:
            self._found = WindowIndex(self._kept)
        return self._found

    def _is_reached(self, moment: int) -> bool:
        """Whether the watermark has reached the moment (ms); one later than `MAX` is `MAX` (TIME-1)."""
        return min(moment, MAX) <= self._watermark

    def _is_over(self, window: KeptWindow) -> bool:
        """Whether the cleanup time has been reached: state is dropped and records are late from then on."""
        return self._is_reached(self._cleanup_time(window.end))

    def _cleanup_time(self, end: int) -> int:
        return end - 1 + self._settings.allowed_lateness

    def _last_end_that_is_over(self) -> int:
        """Return the latest end (ms) of windows whose cleanup time the watermark has reached."""
        return MAX if self._watermark == MAX else self._watermark + 1 - self._settings.allowed_lateness

    def _next_due(self) -> int:
        """Return the first moment (ms) at which a kept window fires or is dropped."""
        moments = [MAX]
        to_drop = self._index.first_end(MIN)
        if to_drop is not None:
            moments.append(self._cleanup_time(to_drop))
        to_fire = self._index.first_end(self._watermark + 2)
        if to_fire is not None and self._on_watermark:
            moments.append(to_fire - 1)
        return min(moments)


def _joined(several: list[WindowContents]) -> WindowContents:
    """Return the contents of sessions, earliest first, as those of one; what stands goes first."""
    values: list[int] = []
    added: list[int] = []
    for contents in several:
        fired = sum(result.records for result in contents.standing)
        values += contents.values[:fired]
        added += contents.values[fired:]
    return WindowContents(values + added, [result for contents in several for result in contents.standing])
