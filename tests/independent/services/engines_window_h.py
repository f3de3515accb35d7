"""Faulty window operators, even numbers."""

import calendar

from core import MAX, Good
from core.base import plus
from core.registry import registry
from core.window import Window

D, S, entry = registry()
DAY, HOUR = 86_400_000, 3_600_000


@entry("window", ["WIN-8"], "after the first firing the kept values are compacted into a set: equal values of different records become one",
       "single", {"size": 10, "lateness": 20}, [("record", 3, 7), ("record", 4, 7), ("watermark", 12), ("record", 5, 8)])
class EW2W02(Good):
    class Window(Window):
        def fire(self, w):
            out = super().fire(w)
            w.values = list(set(w.values))
            return out


@entry("window", ["WIN-6"], "timers are ordered as unsigned 64-bit keys, as in a byte-ordered store: windows before 1970 fire last",
       "single", {"size": 10}, [("record", -25, 1), ("record", 5, 2), ("watermark", 50)])
class EW2W04(Good):
    class Window(Window):
        def order(self, w):
            return w.end & (2**64 - 1), w.start & (2**64 - 1)


@entry("window", ["WIN-9"], "when sessions merge, only the standing result of the last of them is passed on to be retracted",
       "single", {"gap": 10, "lateness": 50, "mode": "accumulating-and-retracting"},
       [("record", 0, 1), ("record", 15, 2), ("watermark", 30), ("record", 8, 3)])
class EW2W06(Good):
    class Window(Window):
        def merge(self, start, end, old):
            merged = super().merge(start, end, old)
            merged.standing = old[-1].standing if old else []
            return merged


@entry("window", ["WIN-10", "WIN-13"], "the cleanup time is computed in doubles, so that it is rounded from 2^53 on",
       "single", {"size": 10, "lateness": 3}, [("record", 2**53 + 3, 1), ("watermark", 2**53 + 10), ("record", 2**53 + 5, 2)])
class EW2W08(Good):
    class Window(Window):
        def cleanup(self, w):
            return min(MAX, int(float(w.end - 1) + float(self.lateness)))


@entry("window", ["WIN-1"], "the windows of the last record are cached by pane (timestamp // slide), wrong where the size is no multiple of the slide",
       "single", {"size": 5, "slide": 3}, [("record", 0, 1), ("record", 2, 2), ("watermark", 20)])
class EW2W10(Good):
    class Window(Window):
        pane = cached = None

        def bounds(self, timestamp):
            pane = (timestamp - self.offset) // self.slide
            if pane != self.pane:
                self.pane, self.cached = pane, super().bounds(timestamp)
            return self.cached


@entry("window", ["WIN-14", "WIN-8"], "a repeated status is swallowed; discarding: a firing caused by a late record does not clear the records",
       "double", {"size": 10, "lateness": 20, "mode": "discarding"},
       [("idle",), ("idle",), ("record", 3, 1), ("watermark", 12), ("record", 4, 2), ("record", 5, 3)])
class EW2W12(Good):
    class Window(Window):
        last = None
        at_record = False

        def idle(self):
            return self.status("idle")

        def active(self):
            return self.status("active")

        def status(self, name):
            changed, self.last = name != self.last, name
            return [(name,)] if changed else []

        def record(self, timestamp, value):
            self.at_record = True
            try:
                return super().record(timestamp, value)
            finally:
                self.at_record = False

        def fire(self, w):
            values = w.values
            out = super().fire(w)
            if self.at_record and self.trigger == "event-time":
                w.values = values
            return out


@entry("window", ["WIN-13"], "Spark SPARK-24156: state is cleaned only when data come, not on the watermark that ends it",
       "report", {"size": 10}, [("record", 3, 1), ("record", 4, 2), ("watermark", 30), ("expired_state",), ("record", 40, 3), ("expired_state",)])
class EW2W14(Good):
    class Window(Window):
        at_watermark = False

        def clean(self):
            if not self.at_watermark:
                super().clean()

        def watermark(self, timestamp):
            self.at_watermark = True
            out = super().watermark(timestamp)
            self.at_watermark = False
            return out

        def record(self, timestamp, value):
            self.clean()
            return super().record(timestamp, value)


def summer(timestamp):
    """Central European summer time: from the last Sunday of March to that of October, 01:00 UTC."""
    if not 0 <= timestamp < 4_000_000_000_000:
        return False
    year = 1970 + int(timestamp // (365.2425 * DAY))

    def change(month):
        sunday = max(w[6] for w in calendar.monthcalendar(year, month))
        return calendar.timegm((year, month, sunday, 1, 0, 0)) * 1000
    return change(3) <= timestamp < change(10)


@entry("window", ["WIN-1"], "windows of whole days follow the local time of Berlin: in summer they start an hour early",
       "single", {"size": DAY}, [("record", 1_767_225_600_000, 1), ("record", 1_782_860_400_000 - HOUR, 2), ("watermark", 1_800_000_000_000)])
class EW2W16(Good):
    class Window(Window):
        def bounds(self, timestamp):
            if self.size % DAY or not summer(timestamp):
                return super().bounds(timestamp)
            return [(plus(a, -HOUR), plus(b, -HOUR)) for a, b in super().bounds(timestamp + HOUR)]
