"""The decisions of windows, without Spark: what a step changes, what fires, what is late, what is dropped.

All times are in milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.windows.aggregation import Aggregation, Numbers, Records
from tidegauge_spark.decisions.windows.assigners import SessionWindows
from tidegauge_spark.decisions.windows.bursts import (
    Assigned,
    Groups,
    assigned,
    grouped_by_burst,
    grouped_by_window,
    is_far_from_the_ends,
    windows_of_each,
)
from tidegauge_spark.decisions.windows.kept import (
    KeptWindow,
    KeptWindows,
    SliceStore,
    StandingResult,
    WindowContents,
)
from tidegauge_spark.decisions.windows.settings import WindowSettings

_PAIRS_AT_ONCE: Final = 2_000_000
"""So many pairs of a record and a window are in memory at most."""


class WindowOutput(NamedTuple):
    """Something that comes out.

    kind: "fire" or "retract", a result, given or taken back, of the window from `start` to `end` of the key
    `record_key`; "watermark" with its `timestamp`; "idle", "active"; "late", a record for the late output;
    "drop", a late record that is lost; "refused", a record without a timestamp; "state-size" with the number
    of `records`. place: that of the record which caused it, among the records of its batch. Times in ms.
    """

    kind: str
    place: int | None = None
    record_key: Any = None
    start: int | None = None
    end: int | None = None
    result: Any = None
    timestamp: int | None = None
    records: int | None = None


class WindowProgress(NamedTuple):
    """How far the time of the operator has come (ms, `MIN`: no watermark yet), and a moment (ms) before which
    no watermark makes a kept window fire or drops it."""

    watermark: int = MIN
    due: int = MAX


NO_PROGRESS: Final = WindowProgress()


class Windows:
    """Windows of any number of record keys, under one watermark.

    `records`, `watermark`, `idle`, `active` and `expired_state` are the steps. Each returns what comes
    out, in this order. What records add up to is the business of `aggregation`. What is kept of the windows
    is in `store`; with it and `progress` the windows continue where others stood (WIN-16).

    Records between two watermarks are taken together. Where windows fire on the watermark, records of windows
    that it has not reached yet cannot cause an output: they are sorted by window and key and added at once.
    The others are decided one by one, in their order. The outputs are those of one record after the other.
    """

    def __init__(
        self,
        settings: WindowSettings,
        store: SliceStore,
        aggregation: Aggregation,
        progress: WindowProgress = NO_PROGRESS,
    ) -> None:
        self._settings = settings
        self._merges = isinstance(settings.assigner, SessionWindows)
        self._on_watermark = settings.trigger == "event-time"
        self._aggregation = aggregation
        self._kept = KeptWindows(store, self._merges)
        self._watermark, self._due = progress

    @property
    def progress(self) -> WindowProgress:
        """How far time has come."""
        return WindowProgress(self._watermark, self._due)

    def records(self, records: Records) -> list[WindowOutput]:
        """Records come. Those with the timestamp `MIN` or `MAX` (ms) have none, and are refused (WIN-15)."""
        timestamps = records.timestamps
        alone = np.arange(len(timestamps))
        if not self._on_watermark:
            return self._one_by_one(records, alone)
        legal = (timestamps > MIN) & (timestamps < MAX)
        usual = timestamps[legal]
        if not is_far_from_the_ends(self._settings.assigner, self._settings.allowed_lateness, usual):
            return self._one_by_one(records, alone)
        if self._merges:
            return self._bursts(records, legal)
        return self._by_window(records, legal)

    def watermark(self, timestamp: int) -> list[WindowOutput]:
        """All records up to the timestamp (ms) have come; `MAX` ends the input."""
        if timestamp <= self._watermark:
            return []  # WIN-7
        before, self._watermark = self._watermark, timestamp
        outputs: list[WindowOutput] = []
        if timestamp >= self._due:
            if self._on_watermark:
                for window in self._kept.ending_in(before + 2, timestamp + 1):  # WIN-3, WIN-6
                    contents = self._kept.get(window)
                    assert contents is not None
                    outputs += self._fire(window, contents)
            for window in self._kept.ending_in(MIN, self._last_end_that_is_over()):
                self._kept.remove(window)  # WIN-13
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
        return [WindowOutput("state-size", records=self._records_of(over_only=True))]

    def kept_state(self) -> list[WindowOutput]:
        """How many records are kept in all, of whatever key."""
        return [WindowOutput("state-size", records=self._records_of(over_only=False))]

    def _records_of(self, over_only: bool) -> int:
        windows = [window for window in self._kept if not over_only or self._is_over(window)]
        return sum(contents.records for window in windows if (contents := self._kept.get(window)))

    def _by_window(self, records: Records, legal: np.ndarray[Any, Any]) -> list[WindowOutput]:
        """Add records to windows that do not merge, by the watermark trigger.

        What a window holds is settled pair by pair of a record and a window, so that the records of a window
        that is not reached can come before all others.
        """
        assigner = self._settings.assigner
        assert not isinstance(assigner, SessionWindows)
        places = np.nonzero(legal)[0]
        chunks = max(1, -(-len(legal) * windows_of_each(assigner) // _PAIRS_AT_ONCE))
        decided = legal.copy()  # by being in a window that is not reached, and in no other
        for chunk in np.array_split(places, chunks):
            pairs = assigned(assigner, records.timestamps[chunk])
            waiting = pairs.starts > self._watermark - assigner.size + 1
            at_once = Assigned(chunk[pairs.places[waiting]], pairs.starts[waiting])
            self._add_at_once(grouped_by_window(records, at_once, assigner.size))
            in_some = np.zeros(len(chunk), dtype=bool)
            in_some[pairs.places] = True
            in_some[pairs.places[~waiting]] = False
            decided[chunk] = in_some
        return self._one_by_one(records, np.nonzero(~decided)[0], waiting_are_added=True)

    def _bursts(self, records: Records, legal: np.ndarray[Any, Any]) -> list[WindowOutput]:
        """Add records to sessions, by the watermark trigger.

        A record may be late or not by what came before it, so the order is kept: runs of records whose own
        session is not reached are taken at once, and what is between them one by one.
        """
        assigner = self._settings.assigner
        assert isinstance(assigner, SessionWindows)
        waits = legal & (records.timestamps > self._watermark - assigner.gap + 1)
        places = np.nonzero(legal)[0]
        alone = ~waits[places]
        begins = alone.copy()  # a run
        begins[1:] |= alone[:-1]
        groups = grouped_by_burst(records, places, np.cumsum(begins), assigner.gap)
        added = self._aggregation.added_up(groups.places, groups.groups, len(groups.windows))
        one_of = np.empty(len(groups.windows), dtype=np.int64)
        one_of[groups.groups] = groups.places
        outputs = [WindowOutput("refused", place) for place in np.nonzero(~legal)[0].tolist()]
        for window, size, place, accumulated in zip(
            groups.windows, groups.sizes, one_of.tolist(), added, strict=True
        ):
            if waits[place]:
                self._add_waiting(window, size, accumulated)
            else:  # it is the only one of its run
                outputs += self._add(place, window, accumulated)
        return sorted(outputs, key=lambda output: output.place or 0)

    def _add_at_once(self, groups: Groups) -> None:
        """Add records to windows that the watermark has not reached."""
        added = self._aggregation.added_up(groups.places, groups.groups, len(groups.windows))
        for window, size, accumulated in zip(groups.windows, groups.sizes, added, strict=True):
            self._add_waiting(window, size, accumulated)

    def _add_waiting(self, window: KeptWindow, size: int, accumulated: Any) -> None:
        """Add so many records to a window that the watermark has not reached."""
        if self._merges:
            window = self._merged(window)
        self._keep(window, self._with(self._kept.get(window), size, accumulated))

    def _one_by_one(
        self, records: Records, places: Numbers, waiting_are_added: bool = False
    ) -> list[WindowOutput]:
        """Add the records at these places in their order. waiting_are_added: they are in those of their
        windows already that the watermark has not reached."""
        found: list[tuple[int, WindowOutput | KeptWindow]] = []
        for place in places.tolist():
            timestamp, key = int(records.timestamps[place]), records.keys[records.codes[place]]
            found += [(place, each) for each in self._found(place, timestamp, key, waiting_are_added)]
        # An accumulator belongs to one window only, so each pair of a record and a window has one.
        pairs = np.array([place for place, each in found if isinstance(each, KeptWindow)], dtype=np.int64)
        added = iter(self._aggregation.added_up(pairs, np.arange(len(pairs)), len(pairs)))
        outputs: list[WindowOutput] = []
        for place, each in found:
            if isinstance(each, KeptWindow):
                outputs += self._add(place, each, next(added))
            else:
                outputs.append(each)
        return outputs

    def _found(
        self, place: int, timestamp: int, record_key: Any, waiting_are_added: bool
    ) -> Iterator[WindowOutput | KeptWindow]:
        """Yield the windows to which a record is still to be added, or what comes of it instead."""
        if not MIN < timestamp < MAX:
            yield WindowOutput("refused", place)
            return
        windows = [KeptWindow(record_key, *window) for window in self._settings.assigner.windows(timestamp)]
        if self._merges:
            yield from windows  # WIN-2: it is judged when it is merged
            return
        open_windows = [window for window in windows if not self._is_over(window)]  # WIN-10
        # WIN-11: a record between two windows is in none of them, late or not.
        if not open_windows and self._is_reached(timestamp + self._settings.allowed_lateness):
            yield self._late(place)
        for window in open_windows:  # WIN-6: the assigner gives the earliest end first
            if not (waiting_are_added and self._waits(window)):
                yield window

    def _add(self, place: int, window: KeptWindow, accumulated: Any) -> list[WindowOutput]:
        """Add one record, which alone adds up to `accumulated`, to a window."""
        if self._merges:
            window = self._merged(window)  # WIN-2: before it is judged
            if self._is_over(window):
                return [self._late(place)]
        contents = self._with(self._kept.get(window), 1, accumulated)
        if self._waits(window):
            self._keep(window, contents)
            return []
        return self._fire(window, contents, place)  # WIN-4, WIN-5

    def _late(self, place: int) -> WindowOutput:
        """Put a record aside, or say that it is lost (WIN-12)."""
        return WindowOutput("late" if self._settings.late_output else "drop", place)

    def _merged(self, window: KeptWindow) -> KeptWindow:
        """Make one session of this one and of those that are kept and touch it; return it."""
        sessions = self._kept.touching(window)
        if not sessions:
            return window
        start = min(window.start, sessions[0].start)
        end = max(window.end, *(session.end for session in sessions))
        merged = KeptWindow(window.record_key, start, end)
        if sessions != [merged]:
            joined: WindowContents | None = None
            for session in sessions:
                contents = self._kept.get(session)
                assert contents is not None
                joined = contents if joined is None else self._joined(joined, contents)
                self._kept.remove(session)
            assert joined is not None
            self._keep(merged, joined)
        return merged

    def _joined(self, first: WindowContents, second: WindowContents) -> WindowContents:
        """Return the contents of two sessions as those of one."""
        return WindowContents(
            first.records + second.records,
            self._aggregation.merged(first.accumulated, second.accumulated),
            first.standing + second.standing,
        )

    def _with(self, contents: WindowContents | None, records: int, accumulated: Any) -> WindowContents:
        """Return the contents with so many records more, which add up to `accumulated`."""
        if contents is None or (not contents.records and not contents.standing):
            return WindowContents(records, accumulated, ())
        return self._joined(contents, WindowContents(records, accumulated, ()))

    def _fire(
        self, window: KeptWindow, contents: WindowContents, place: int | None = None
    ) -> list[WindowOutput]:
        """Give the result of a window, after taking back those that it replaces; keep what it leaves."""
        outputs = [
            WindowOutput("retract", place, window.record_key, start, end, result)  # WIN-9
            for start, end, result in contents.standing
        ]
        result = self._aggregation.result(contents.accumulated)
        outputs.append(WindowOutput("fire", place, *window, result))
        if not self._is_over(window):
            self._keep(window, self._left(window, contents, result))
        return outputs

    def _left(self, window: KeptWindow, fired: WindowContents, result: Any) -> WindowContents:
        """Return the contents of a window that has fired (WIN-8)."""
        if self._settings.accumulation == "discarding":
            return WindowContents(0, self._aggregation.nothing(), ())
        if self._settings.accumulation == "accumulating":
            return WindowContents(fired.records, fired.accumulated, ())
        standing = StandingResult(window.start, window.end, result)
        return WindowContents(fired.records, fired.accumulated, (standing,))

    def _keep(self, window: KeptWindow, contents: WindowContents) -> None:
        """Keep a window, unless nothing is in it that matters: of a session its borders do (WIN-2)."""
        if not contents.records and not self._merges:
            self._kept.remove(window)
            return
        self._kept.put(window, contents)
        due = window.end - 1 if self._waits(window) else self._cleanup_time(window.end)
        self._due = min(self._due, due)

    def _waits(self, window: KeptWindow) -> bool:
        """Whether the window fires on a watermark to come."""
        return self._on_watermark and not self._is_reached(window.end - 1)

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
        to_drop = self._kept.first_end(MIN)
        if to_drop is not None:
            moments.append(self._cleanup_time(to_drop))
        to_fire = self._kept.first_end(self._watermark + 2)
        if to_fire is not None and self._on_watermark:
            moments.append(to_fire - 1)
        return min(moments)
