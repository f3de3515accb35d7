"""Faulty source subtasks, odd numbers."""

from core import MIN, Good
from core.base import MAX
from core.registry import registry
from core.source import Source

D, S, entry = registry()
PUNCTUATED = {"generator": "punctuated"}


@entry("source", ["SOURCE-13"], "backpressure stops the clocks that exist when it begins: that of a split assigned during it runs",
       "single", {"idle_timeout": 5}, [("backpressure", True), ("assign", "a"), ("tick",), ("advance", 6), ("tick",)])
class EW2S01(Good):
    class Source(Source):
        def __init__(self, *setup):
            super().__init__(*setup)
            self.held = set()

        def backpressure(self, on):
            if on != self.backpressured:
                self.held = set(self.parts) if on else set()
            return super().backpressure(on)

        def stopped(self, key):
            return key in self.held or self.blocked or key in self.paused


@entry("source", ["SOURCE-10"], "while the subtask itself is beyond the new bound, no paused split is resumed at its announcement",
       "single", PUNCTUATED, [("assign", "a"), ("record", "a", 10), ("assign", "b"), ("record", "b", 5), ("announcement", 3), ("announcement", 7)])
class EW2S03(Good):
    class Source(Source):
        def on_bound(self, bound):
            if self.wm > bound:
                self.bound = bound
            else:
                super().on_bound(bound)


@entry("source", ["SOURCE-14"], "at the end of its input a subtask that has never emitted a watermark does not report MAX at once, only at the next interval",
       "single", {}, [("assign", "a"), ("finish", "a"), ("end_of_input",), ("report",)])
class EW2S05(Good):
    class Source(Source):
        def end_of_input(self):
            nothing = self.wm == MIN
            out = super().end_of_input()
            return [o for o in out if o[0] != "report"] if nothing else out


@entry("source", ["SOURCE-9"], "a split is compared with the bound only when its watermark or the bound has changed, not when it becomes active beyond it",
       "single", PUNCTUATED, [("assign", "a"), ("assign", "b"), ("record", "a", 10), ("idle", "a"), ("announcement", 5), ("active", "a")])
class EW2S07(Good):
    class Source(Source):
        def __init__(self, *setup):
            super().__init__(*setup)
            self.compared = {}

        def beyond(self):
            found = [s for s in super().beyond() if self.compared.get(s) != (self.parts[s].wm, self.bound)]
            self.compared = {s: (self.parts[s].wm, self.bound) for s in self.splits if s in self.parts}
            return found


@entry("source", ["SOURCE-17"], "the snapshot forgets that a record has come since the last probe, so that the idle countdown starts a probe early",
       "single", {"idle_timeout": 5},
       [("assign", "a"), ("record", "a", 1), ("snapshot+restore",), ("tick",), ("advance", 6), ("tick",), ("advance", 1), ("tick",)])
class EW2S09(Good):
    class Source(Source):
        def snapshot(self):
            saved = super().snapshot()
            for p in saved["parts"].values():
                p.idleness.seen = False
            return saved


@entry("source", ["SOURCE-5", "SOURCE-7"], "a punctuated record that ends idleness goes out after its watermark; an idle subtask without a watermark reports MAX",
       "double", PUNCTUATED, [("assign", "a"), ("idle", "a"), ("report",), ("record", "a", 5), ("record", "a", 6)])
class EW2S11(Good):
    class Source(Source):
        def on_record(self, p, timestamp):
            woken = self.status_idle
            super().on_record(p, timestamp)
            if woken and self.out[-1][0] == "watermark" and self.out[-2][0] == "record":
                self.out[-2:] = self.out[:-3:-1]

        def report(self):
            if self.aligned and self.status_idle and not self.ended:
                return [("report", MAX)]
            return super().report()


@entry("source", ["SPLIT-1"], "Flink FLINK-26018: a split joins the combination with its first record or status, not with its assignment",
       "report", PUNCTUATED, [("assign", "a"), ("assign", "b"), ("record", "a", 10), ("record", "b", 7)])
class EW2S13(Good):
    class Source(Source):
        def assign(self, split):
            out = super().assign(split)
            if self.per_split:
                del self.parts[split]
            return out

        def update(self):
            if self.parts or not self.splits:
                super().update()


@entry("source", ["SPLIT-10", "SPLIT-2"], "a tick at which no generator brings anything new sends no update, so that the end of the slowest split releases nothing",
       "single", {"max_out_of_orderness": 0},
       [("assign", "a"), ("assign", "b"), ("record", "a", 5), ("record", "b", 20), ("tick",), ("finish", "a"), ("tick",)])
class EW2S15(Good):
    class Source(Source):
        def on_tick(self):
            def state():
                return [(p.wm, p.idle) for p in self.parts.values()]
            before = state()
            self.emit_periodic()
            if before != state() or not before or self.status_idle:
                self.update()
