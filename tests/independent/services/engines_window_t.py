"""Faulty window operators, odd numbers."""

from core import MAX, MIN, Good
from core.registry import registry
from core.window import Window

D, S, entry = registry()


@entry("window", ["WIN-2"], "a record that bridges two sessions is merged with the first one found only", "single",
       {"gap": 10}, [("record", 0, 1), ("record", 15, 2), ("record", 8, 3), ("watermark", 100)])
class EW2W01(Good):
    class Window(Window):
        def touching(self, start, end):
            found = next((w for w in self.wins.values() if self.touch(w, start, end)), None)
            return [found] if found else []


@entry("window", ["WIN-10", "WIN-13"], "with an allowed lateness above 0 a record is accepted at the very cleanup time, too (< for <=)",
       "single", {"size": 10, "lateness": 5}, [("record", 3, 1), ("watermark", 14), ("record", 4, 2), ("watermark", 20)])
class EW2W03(Good):
    class Window(Window):
        def accepts(self, w):
            return not self.over(w) or (self.lateness > 0 and self.wm == self.cleanup(w))


@entry("window", ["WIN-2"], "discarding: a session that has fired is removed with its bounds, so that later records start a new one",
       "single", {"gap": 10, "lateness": 50, "mode": "discarding"},
       [("record", 0, 1), ("watermark", 12), ("record", 5, 2), ("watermark", 90)])
class EW2W05(Good):
    class Window(Window):
        def fire(self, w):
            out = super().fire(w)
            if self.gap is not None and self.mode == "discarding":
                self.wins.pop((w.start, w.end), None)  # nothing left to keep
            return out


@entry("window", ["WIN-5"], "per-record trigger: a merge of sessions registers the event-time timer of the merged session, which fires it again",
       "single", {"gap": 10, "trigger": "per-record"}, [("record", 0, 1), ("record", 5, 2), ("watermark", 30)])
class EW2W07(Good):
    class Window(Window):
        def merge(self, start, end, old):
            merged = super().merge(start, end, old)
            merged.timer = bool(old)
            return merged

        def due(self, before):
            if self.trigger != "per-record":
                return super().due(before)
            timers = [w for w in self.wins.values() if getattr(w, "timer", False) and before < w.end - 1 <= self.wm]
            return sorted(timers, key=self.order)


@entry("window", ["WIN-16"], "the snapshot leaves out windows without pending values, as discarding sessions that have fired are",
       "single", {"gap": 10, "lateness": 50, "mode": "discarding"},
       [("record", 0, 1), ("watermark", 12), ("snapshot+restore",), ("record", 5, 2), ("watermark", 90)])
class EW2W09(Good):
    class Window(Window):
        def snapshot(self):
            saved = super().snapshot()
            saved["wins"] = {k: w for k, w in saved["wins"].items() if w.values}
            return saved


@entry("window", ["WIN-6", "WIN-12"], "the watermark MAX is forwarded before the results that it releases; a record sent to the late output is counted as dropped, too",
       "double", {"size": 10, "late_output": True}, [("record", 3, 1), ("watermark", 20), ("record", 4, 2), ("record", 33, 3), ("watermark", MAX)])
class EW2W11(Good):
    class Window(Window):
        def watermark(self, timestamp):
            out = super().watermark(timestamp)
            return out[-1:] + out[:-1] if timestamp == MAX else out

        def late(self, value):
            return [("late", value), ("drop",)] if self.late_output else [("drop",)]


@entry("window", ["WIN-16"], "Kafka Streams KAFKA-7895: the buffered windows are restored but stream time is not, so that windows fire twice after a failure",
       "report", {"size": 10, "lateness": 20}, [("record", 3, 1), ("watermark", 12), ("snapshot+restore",), ("watermark", 15)])
class EW2W13(Good):
    class Window(Window):
        def snapshot(self):
            return {**super().snapshot(), "wm": MIN}


@entry("window", ["WIN-13", "WIN-3"], "at most 64 windows are kept: the 65th evicts the one that ends first, without a result",
       "single", {"size": 10}, [("record", 10 * i, i) for i in range(66)] + [("watermark", 15)])
class EW2W15(Good):
    class Window(Window):
        def add(self, w, value):
            super().add(w, value)
            while len(self.wins) > 64:
                w = min(self.wins.values(), key=self.order)
                del self.wins[w.start, w.end]
