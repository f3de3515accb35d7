"""Stateful processors with windows, as people write them: they know nothing of the kit. `bug` plants a mistake."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import ArrayType, LongType, StructType

VALUES = StructType().add("vals", ArrayType(LongType()))
SESSION = StructType().add("end", "long").add("vals", ArrayType(LongType()))
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class TumblingCount(StatefulProcessor):
    """The values of each minute when the timer of the window expires; late rows are reported."""

    def __init__(self, bug: str = "") -> None:
        self.bug = bug

    def init(self, handle: Any) -> None:
        self.handle = handle
        self.windows = handle.getMapState("windows", StructType().add("start", "long"), VALUES)

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:
        watermark = timerValues.getCurrentWatermarkInMs()
        for row in rows:
            start = row.ts - row.ts % 60_000
            end = start + 60_000
            late = {"late_lt": end < watermark, "late_row": row.ts < watermark, "late_counted": False}
            if late.get(self.bug, end <= watermark):
                yield Row(user=key[0], what="late", start=None, end=None, vals=[row.value])
                continue
            (values,) = self.windows.getValue((start,)) if self.windows.containsKey((start,)) else ([],)
            self.windows.updateValue((start,), ([*values, row.value],))
            if self.bug != "late_counted" or end > watermark:
                self.handle.registerTimer(end + (self.bug == "timer_plus1"))

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        due = expiredTimerInfo.getExpiryTimeInMs() - (self.bug == "timer_plus1")
        watermark = timerValues.getCurrentWatermarkInMs()
        for (start,) in sorted(self.windows.keys()):
            end = start + 60_000
            if end <= watermark if self.bug == "all_due" else end == due:
                (values,) = self.windows.getValue((start,))
                yield Row(user=key[0], what="fire", start=start, end=end, vals=sorted(values))
                if self.bug != "not_cleared":
                    self.windows.removeKey((start,))


class Sessions(StatefulProcessor):
    """The values of each session with a gap of 30 seconds."""

    def __init__(self, bug: str = "") -> None:
        self.bug = bug

    def init(self, handle: Any) -> None:
        self.handle = handle
        self.sessions = handle.getMapState("sessions", StructType().add("start", "long"), SESSION)

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:
        watermark = timerValues.getCurrentWatermarkInMs()
        for row in rows:
            own, values = (row.ts, row.ts + 30_000), [row.value]
            touching = [
                (start, *self.sessions.getValue((start,)))
                for (start,) in list(self.sessions.keys())
                if self.joins((start, self.sessions.getValue((start,))[0]), own)
            ]
            start = min([own[0], *(session[0] for session in touching)])
            end = max([own[1], *(session[1] for session in touching)])
            if (own[1] if self.bug == "late_before_merge" else end) <= watermark:
                yield Row(user=key[0], what="late", start=None, end=None, vals=values)
                continue
            for merged, merged_end, merged_values in touching:
                self.sessions.removeKey((merged,))
                if self.bug != "timer_left":
                    self.handle.deleteTimer(merged_end)
                values = [*values, *merged_values]
            self.sessions.updateValue((start,), (end, values))
            self.handle.registerTimer(end)

    def joins(self, session: tuple[int, int], own: tuple[int, int]) -> bool:
        if self.bug == "touch_lt":
            return session[0] < own[1] and own[0] < session[1]
        return session[0] <= own[1] and own[0] <= session[1]

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        for (start,) in sorted(self.sessions.keys()):
            end, values = self.sessions.getValue((start,))
            if self.bug == "timer_left" or end == expiredTimerInfo.getExpiryTimeInMs():
                yield Row(user=key[0], what="fire", start=start, end=end, vals=sorted(values))
                if self.bug != "not_cleared":
                    self.sessions.removeKey((start,))


class SumPerTill(StatefulProcessor):
    """Sums a minute for two key columns and timestamps. Late rows are only counted, in a state of their own."""

    def __init__(self, bug: str = "") -> None:
        self.bug = bug

    def init(self, handle: Any) -> None:
        self.handle = handle
        self.totals = handle.getMapState("totals", "start timestamp", "total double, n int")
        self.dropped = handle.getValueState("dropped", "n long")

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:
        for row in rows:
            at = (row.at - EPOCH) // dt.timedelta(milliseconds=1)
            end = at - at % 60_000 + 60_000
            start = EPOCH + dt.timedelta(milliseconds=end - 60_000)
            if end <= timerValues.getCurrentWatermarkInMs() and self.bug != "late_counted":
                self.dropped.update(((self.dropped.get() or (0,))[0] + 1,))
                continue
            total, n = self.totals.getValue((start,)) if self.totals.containsKey((start,)) else (0.0, 0)
            total += 0 if self.bug == "forgets_the_third" and n == 2 else row.amount
            self.totals.updateValue((start,), (total, n + 1))
            self.handle.registerTimer(end)
        return iter(())

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        end = EPOCH + dt.timedelta(milliseconds=expiredTimerInfo.getExpiryTimeInMs())
        start = end - dt.timedelta(minutes=1)
        if self.totals.containsKey((start,)):
            total, n = self.totals.getValue((start,))
            self.totals.removeKey((start,))
            yield Row(shop=key[0], till=key[1], window_end=end, total=total, n=n)


class SlidingMean(StatefulProcessor):
    """Means over a minute every 20 seconds; a late row is reported for each of its windows that is over."""

    def __init__(self, bug: str = "") -> None:
        self.bug = bug

    def init(self, handle: Any) -> None:
        self.handle = handle
        self.means = handle.getMapState("means", "end long", "n long, mean double")

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:
        for row in rows:
            latest = row.ts - row.ts % 20_000
            for end in range(latest + 60_000, row.ts, -20_000):
                if end <= timerValues.getCurrentWatermarkInMs():
                    yield Row(user=key[0], end=None, mean=None, late=row.value)
                    continue
                n, mean = self.means.getValue((end,)) if self.means.containsKey((end,)) else (0, 0.0)
                n += 1
                self.means.updateValue((end,), (n, mean + (row.value - mean) / n))
                self.handle.registerTimer(end)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        end = expiredTimerInfo.getExpiryTimeInMs()
        if self.means.containsKey((end,)):
            _, mean = self.means.getValue((end,))
            if self.bug != "not_cleared":
                self.means.removeKey((end,))
            yield Row(user=key[0], end=end, mean=mean + (self.bug == "off_by_a_half") / 2, late=None)


class MaximumInPandas(StatefulProcessor):
    """The maximum of each minute, of data frames. A row below the maximum changes no state."""

    def __init__(self, bug: str = "") -> None:
        self.bug = bug

    def init(self, handle: Any) -> None:
        self.handle = handle
        self.best = handle.getMapState("best", "start long", "v double")

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Any]:
        for frame in rows:
            for at, value in zip(frame["at"], frame["v"], strict=True):
                ms = at.value // 1_000_000  # nanoseconds, whatever the unit of the column
                start = ms - ms % 60_000
                if start + 60_000 <= timerValues.getCurrentWatermarkInMs():
                    continue
                if self.best.containsKey((start,)) and self.best.getValue((start,))[0] >= value:
                    continue
                self.best.updateValue((start,), (float(value),))
                self.handle.registerTimer(start + 60_000)
        yield pd.DataFrame({"device": [], "start": [], "best": []})

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Any]:
        start = expiredTimerInfo.getExpiryTimeInMs() - 60_000
        if self.best.containsKey((start,)):
            (value,) = self.best.getValue((start,))
            self.best.removeKey((start,))
            best = value - (self.bug == "too_small")
            yield pd.DataFrame(
                {"device": [key[0]], "start": [pd.Timestamp(start, unit="ms")], "best": [best]}
            )


class CountsInAList(StatefulProcessor):
    """Counts a minute, with 30 seconds of allowed lateness, out of one list of timestamps."""

    def __init__(self, bug: str = "") -> None:
        self.bug = bug

    def init(self, handle: Any) -> None:
        self.handle = handle
        self.times = handle.getListState("times", "ts long")

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:
        watermark = timerValues.getCurrentWatermarkInMs()
        for row in rows:
            end = row.ts - row.ts % 60_000 + 60_000
            if end + 30_000 <= watermark:
                yield Row(user=key[0], start=None, n=1, late=True)
                continue
            self.times.appendValue((row.ts,))
            self.handle.registerTimer(end + 30_000)
            # A timer that is not after the watermark expires at the end of the micro-batch.
            if self.bug != "waits" or end > watermark:
                self.handle.registerTimer(end)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        end = expiredTimerInfo.getExpiryTimeInMs()
        times = [ts for (ts,) in self.times.get()]
        if end % 60_000 == 0:
            n = sum(end - 60_000 <= ts < end for ts in times)
            yield Row(user=key[0], start=end - 60_000, n=n, late=False)
        elif self.bug != "not_cleared":
            self.times.put([(ts,) for ts in times if ts - ts % 60_000 + 90_000 > end])
