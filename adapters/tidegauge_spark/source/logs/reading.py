"""The records that one planning takes from a split of a log, in order of position, up to an event time."""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from typing import Final, NamedTuple, TypeVar

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.logs.position import LogPosition, LogSlice
from tidegauge_spark.source.logs.split_log import RecordTimes, SplitLog, SplitRange
from tidegauge_spark.source.planning.alignment.blocked import Unread
from tidegauge_spark.source.planning.future_guard import FutureGuard
from tidegauge_spark.source.planning.late_rows import LateRows

Kept = TypeVar("Kept")

MOST_SPLITS_KNOWN: Final = 1000
"""The number of splits of which some event times are cached."""

LOOK_BACK: Final = 16
"""The number of positions before the target of a jump that the driver reads to find the last record before
it."""

PARTS_AHEAD: Final = 16
"""The number of parts of a split that the driver searches for its first event time."""


class FirstTime(NamedTuple):
    """The first event time (ms) of a split from the position `first` on, and the position `at` that has it.

    end: None; or the end of the split up to which, or near which, there was no event time: then `at` is
    `first`.
    """

    first: int
    at: int
    time: int
    end: int | None


def _keep(kept: OrderedDict[str, Kept], split: str, value: Kept) -> None:
    kept[split] = value
    kept.move_to_end(split)
    if len(kept) > MOST_SPLITS_KNOWN:
        kept.popitem(last=False)


class KnownTimes:
    """The latest event times that a log returned for each split; those in the future are `MIN`."""

    def __init__(self, log: SplitLog, guard: FutureGuard) -> None:
        """guard: what becomes of event times far ahead of the clock."""
        self._log, self._guard = log, guard
        self._future: dict[str, int] = {}
        """The smallest event time (ms) of each split that was in the future when it was read."""
        self._known: OrderedDict[str, tuple[int, RecordTimes]] = OrderedDict()
        self._first: OrderedDict[str, FirstTime] = OrderedDict()

    def after(self, split: str, first: int, end: int) -> RecordTimes:
        """Return event times that cover a position; they may begin before it, and end after `end`."""
        known = self._known.get(split)
        due = self._future.get(split, MAX) <= self._guard.limit()
        if known is not None and known[0] <= first < known[1].until and not due:
            return known[1]
        found = self._asked(split, first, end)
        _keep(self._known, split, (first, found))
        return found

    def first_time(self, split: str, first: int, end: int) -> int:
        """Return the first event time from a position on (ms), `MIN` if there is none near.

        The result is cached until the split is past it, because the search may read many parts.
        """
        known = self._first.get(split)
        due = self._future.get(split, MAX) <= self._guard.limit()
        if known is None or due or not (known.first <= first <= known.at and known.end in (None, end)):
            known = self._looked_for(split, first, end)
            _keep(self._first, split, known)
        return known.time

    def _looked_for(self, split: str, first: int, end: int) -> FirstTime:
        known = self.after(split, first, end)
        for _ in range(PARTS_AHEAD):
            for at, time in zip(known.positions, known.times, strict=True):
                if time != MIN and first <= at < end:
                    return FirstTime(first, at, time, None)
            if known.until >= end:
                break
            known = self._asked(split, known.until, end)
        return FirstTime(first, first, MIN, end)

    def _asked(self, split: str, first: int, end: int) -> RecordTimes:
        found = self._log.event_times(split, first, end)
        if found.until <= first or len(found.positions) != len(found.times):
            raise ValueError(
                f"{type(self._log).__name__}.event_times({split!r}, {first}, {end}) returned "
                f"{len(found.positions)} positions and {len(found.times)} times until {found.until}: return "
                f"a time for each position, and cover at least position {first}"
            )
        return self._guarded(split, found)

    def _guarded(self, split: str, found: RecordTimes) -> RecordTimes:
        """Pass the first event time in the future to the guard; return the times that may move a
        watermark."""
        self._future.pop(split, None)
        limit = self._guard.limit()
        if max(found.times, default=MIN) <= limit:
            return found
        beyond = [index for index, time in enumerate(found.times) if time > limit]
        self._guard.met(split, f"position {found.positions[beyond[0]]}", found.times[beyond[0]])
        if not self._guard.ignores:
            return found
        self._future[split] = min(found.times[index] for index in beyond)
        return found._replace(times=[MIN if time > limit else time for time in found.times])

    def seek(self, split: str, time: int) -> int | None:
        """Return the result of `SplitLog.seek`, but no position after one at which the query has to fail."""
        return self._log.seek(split, min(time, self._guard.limit() + 1) if self._guard.fails else time)


class LogReading:
    """A split in a planning: `position` advances with the records taken, `slices` holds them."""

    def __init__(self, split: str, position: LogPosition, range_: SplitRange, known: KnownTimes) -> None:
        self.position = position
        self.slices: list[LogSlice] = []
        self.admitted = MAX
        """The greatest event time up to which records are taken."""
        self.late_until = MIN
        """Records up to this event time (ms) are late; `late` counts them."""
        self.late = LateRows()
        self.held_back = False
        """Whether a record was left because its event time is later than the admitted one."""
        self._split, self._end, self._known = split, range_.end, known

    @property
    def unread(self) -> Unread:
        """The number of positions that are not planned."""
        return Unread(max(0, self._end - self.position.next), "Positions")

    @property
    def exhausted(self) -> bool:
        """Whether all that is there has been planned."""
        return self.position.next >= self._end

    def next_time(self) -> int | None:
        """Return the event time of the split after its next record, None if there is no record.

        Before the first event time it is that first one, if it is not too far away: records without an event
        time come first.
        """
        while not self.exhausted:
            at = self.position.next
            known = self._known.after(self._split, at, self._end)
            index = bisect_left(known.positions, at)
            if index < len(known.positions) and known.positions[index] < self._end:
                time = max(self.position.latest, known.times[index])
                return self._known.first_time(self._split, at, self._end) if time == MIN else time
            self.position = self.position._replace(next=min(known.until, self._end))
        return None

    def take(self, rows: int) -> int:
        """Take up to this number of further records; return the number taken."""
        taken = 0
        while taken < rows and not self.exhausted and self.position.latest <= self.admitted:
            known = self._known.after(self._split, self.position.next, self._end)
            taken += self._take(known, rows - taken)
            if self.position.next < min(known.until, self._end):
                self.held_back = taken < rows
                return taken
            taken += self._jump(rows - taken, len(known.positions))
        self.held_back = not self.exhausted and self.position.latest > self.admitted
        return taken

    def _take(self, known: RecordTimes, rows: int) -> int:
        """Take the admitted records among those whose event times are known; return their number."""
        first = index = bisect_left(known.positions, self.position.next)
        last = min(bisect_left(known.positions, self._end), first + rows)
        latest = self.position.latest
        while index < last and known.times[index] <= self.admitted:
            latest = max(latest, known.times[index])
            index += 1
        if self.late_until != MIN:
            late = sum(MIN < time <= self.late_until for time in known.times[first:index])
            self.late = self.late.plus(LateRows(late))
        at_the_end = index == len(known.positions)
        end = min(self._end, known.until if at_the_end else known.positions[index])
        self._move(end, index - first, latest)
        return index - first

    def _jump(self, rows: int, least: int) -> int:
        """Take more than `least` positions at once, if the log has an index; return their number."""
        at = self.position.next
        target = min(self._end, at + rows)
        if target - at <= least:
            return 0
        if (found := self._known.seek(self._split, min(MAX, self.admitted + 1))) is None:
            return 0
        target = min(target, found)
        if target - at <= least:
            return 0
        last = self._last_time(max(at, target - LOOK_BACK), target)
        if last is None:
            return 0
        self._move(target, target - at, max(self.position.latest, last))
        if self.late_until != MIN:
            self.late = self.late.plus(LateRows(unchecked=target - at))
        return target - at

    def _last_time(self, first: int, end: int) -> int | None:
        """Return the event time of the last record that has one, between a position and `end`, excluded; None
        if there is none."""
        last = None
        while first < end:
            known = self._known.after(self._split, first, self._end)
            index = bisect_left(known.positions, end) - 1
            while index >= 0 and known.positions[index] >= first and known.times[index] == MIN:
                index -= 1
            if index >= 0 and known.positions[index] >= first:
                last = known.times[index]
            first = known.until
        return last

    def _move(self, end: int, records: int, latest: int) -> None:
        """Advance to a position; the positions before it are read if they have records."""
        first = self.position.next
        self.position = self.position._replace(
            next=end, records=self.position.records + records, latest=latest
        )
        if records:
            self.slices = [LogSlice(self.slices[0].first if self.slices else first, end)]
