"""Faulty source subtasks, even numbers."""

from core import MAX, Good
from core.registry import registry
from core.source import MAIN, Idleness, Source

D, S, entry = registry()
PUNCTUATED = {"generator": "punctuated"}


@entry("source", ["SOURCE-13"], "backpressure and alignment stop the clocks by one flag: the end of either starts them although the other lasts",
       "single", {**PUNCTUATED, "idle_timeout": 5},
       [("assign", "a"), ("record", "a", 10), ("tick",), ("tick",), ("backpressure", True), ("announcement", 5), ("announcement", 20), ("advance", 6), ("tick",)])
class EW2S02(Good):
    class Source(Source):
        halted = False

        def backpressure(self, on):
            self.halted = on
            return super().backpressure(on)

        def align(self):
            before = self.blocked
            super().align()
            if self.blocked != before:
                self.halted = self.blocked

        def stopped(self, key):
            return self.halted or key in self.paused


@entry("source", ["SOURCE-8"], "an idle subtask reports MAX once, and not at the further update intervals of the same idleness",
       "single", PUNCTUATED, [("assign", "a"), ("record", "a", 10), ("idle", "a"), ("report",), ("report",)])
class EW2S04(Good):
    class Source(Source):
        said = False

        def report(self):
            out = super().report()
            idle = self.status_idle and not self.ended and bool(out)
            repeated, self.said = idle and self.said, idle
            return [] if repeated else out


@entry("source", ["SOURCE-9"], "one request to the reader pauses at most 32 splits; the rest have to wait for the next step",
       "single", PUNCTUATED, [("assign", f"s{i}") for i in range(34)] + [("record", f"s{i}", 10) for i in range(33)] + [("announcement", 5), ("tick",)])
class EW2S06(Good):
    class Source(Source):
        def beyond(self):
            return super().beyond()[:32]


@entry("source", ["SOURCE-15", "IDLE-1"], "the output that all splits share comes back with the activity clock and the idleness that it had before the last split went",
       "single", {"per_split_outputs": False, "idle_timeout": 5},
       [("assign", "a"), ("tick",), ("advance", 5), ("finish", "a"), ("assign", "b"), ("advance", 1), ("tick",)])
class EW2S08(Good):
    class Source(Source):
        kept = None

        def finish(self, split):
            old = self.parts.get(MAIN)
            out = super().finish(split)
            if MAIN not in self.parts and old:
                self.kept = old.clock, old.idleness
            return out

        def part(self, key):
            new = key not in self.parts
            p = super().part(key)
            if new and key is MAIN and self.kept:
                p.clock, p.idleness = self.kept
            return p


@entry("source", ["SOURCE-12"], "a step that is rejected because the reader cannot pause leaves what it had changed",
       "single", {**PUNCTUATED, "can_pause": False},
       [("assign", "a"), ("assign", "b"), ("announcement", 5), ("record", "a", 7), ("announcement", 10), ("record", "b", 9)])
class EW2S10(Good):
    class Source(Source):
        def step(self, action):
            self.out = []
            action()
            self.align()
            return self.out


@entry("source", ["SOURCE-4", "SOURCE-14", "IDLE-1"], "a source without alignment reports MAX at its end; a split is idle when its clock has reached the timeout (>= for >)",
       "double", {"aligned": False, "idle_timeout": 5}, [("assign", "a"), ("tick",), ("advance", 5), ("tick",), ("end_of_input",)])
class EW2S12(Good):
    class Source(Source):
        def new_part(self):
            p = super().new_part()
            p.idleness = Eager(self.idle_timeout)
            return p

        def end_of_input(self):
            out = super().end_of_input()
            return out + [("report", MAX)] if self.ended and not self.aligned else out


class Eager(Idleness):
    def probe(self, now):
        return super().probe(now if self.since is None or self.seen else now + 1)


@entry("source", ["SPLIT-8"], "Flink FLINK-22926: a split that is assigned to an idle subtask does not make it active at the next tick, as no watermark rises",
       "report", {}, [("tick",), ("assign", "a"), ("tick",), ("record", "a", 5), ("tick",)])
class EW2S14(Good):
    class Source(Source):
        ticking = False

        def on_tick(self):
            self.ticking = True
            super().on_tick()
            self.ticking = False

        def send(self, watermark, idle):
            if not (self.ticking and self.status_idle and not idle and watermark <= self.wm):
                super().send(watermark, idle)


@entry("source", ["SOURCE-1", "SOURCE-9"], "watermarks and bounds are compared as doubles: a watermark beyond 2^53 that is 1 ms ahead is not beyond the bound",
       "single", PUNCTUATED, [("assign", "a"), ("announcement", 2**53), ("record", "a", 2**53 + 1)])
class EW2S16(Good):
    class Source(Source):
        def exceeds(self, watermark):
            return float(watermark) > float(self.bound)
