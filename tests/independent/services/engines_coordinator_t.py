"""Faulty source coordinators, odd numbers."""

from core import Good
from core.base import MAX, IllegalArgument
from core.coordinator import Coordinator
from core.registry import registry

D, S, entry = registry()
TWO = {"sources": [("a", "orders", "g", 10, 2)]}


@entry("coordinator", ["ALIGN-5"], "the minimum of a source is cached, and the end of a subtask does not mark the cache as stale",
       "single", TWO, [("report", "a", 0, 5), ("report", "a", 1, 9), ("announce", "a"), ("finish", "a", 0), ("announce", "a")])
class EW2C01(Good):
    class Coordinator(Coordinator):
        def finish(self, source, subtask):
            self.aligned(source, subtask).reports[subtask] = MAX
            return []

        def store(self, s, subtask, watermark):
            super().store(s, subtask, watermark)
            s.stale = True

        def minimum(self, m):
            if getattr(m, "stale", True):
                m.cached, m.stale = super().minimum(m), False
            return m.cached


@entry("coordinator", ["ALIGN-3"], "names of groups are compared without regard to case",
       "single", {"sources": [("a", "a", "Orders", 10, 1), ("b", "b", "orders", 10, 1)]},
       [("report", "a", 0, 100), ("report", "b", 0, 5), ("announce", "a")])
class EW2C03(Good):
    class Coordinator(Coordinator):
        def members(self, s):
            return [m for m in self.sources.values() if None not in (s.group, m.group) and m.group.lower() == s.group.lower()]


@entry("coordinator", ["ALIGN-11"], "a subtask that is ready again after a reset starts without its last report",
       "single", TWO, [("report", "a", 0, 5), ("report", "a", 1, 9), ("reset", "a", 0), ("announce", "a"), ("ready", "a", 0), ("announce", "a")])
class EW2C05(Good):
    class Coordinator(Coordinator):
        def __init__(self, sources):
            self.was_reset = set()
            super().__init__(sources)

        def reset(self, source, subtask):
            out = super().reset(source, subtask)
            self.was_reset.add((source, subtask))
            return out

        def ready(self, source, subtask):
            out = super().ready(source, subtask)
            if (source, subtask) in self.was_reset:
                self.was_reset.discard((source, subtask))
                self.sources[source].reports.pop(subtask, None)
            return out


@entry("coordinator", ["ALIGN-9"], "the running subtasks are bits of one 64-bit word: subtask 64 shares the bit of subtask 0",
       "single", {"sources": [("a", "a", "g", 10, 66)]}, [("report", "a", 1, 5), ("failed", "a", 64), ("announce", "a")])
class EW2C07(Good):
    class Coordinator(Coordinator):
        def failed(self, source, subtask):
            s = self.find(source, subtask)
            s.running -= set(range(subtask % 64, s.subtasks, 64))
            return []

        reset = failed

        def ready(self, source, subtask):
            s = self.find(source, subtask)
            s.running |= set(range(subtask % 64, s.subtasks, 64))
            return []


@entry("coordinator", ["ALIGN-8", "ALIGN-4"], "hysteresis: a bound that falls by no more than the drift is not passed on, the last one is repeated",
       "single", TWO, [("report", "a", 0, 20), ("announce", "a"), ("report", "a", 0, 12), ("announce", "a"), ("report", "a", 0, 2), ("announce", "a")])
class EW2C09(Good):
    class Coordinator(Coordinator):
        def bound(self, s):
            new, last = super().bound(s), getattr(s, "last", None)
            if new is not None and last is not None and 0 < last - new <= s.drift:
                return last
            s.last = new
            return new


@entry("coordinator", ["ALIGN-5", "ALIGN-13"], "the end of a subtask that does not run at the moment is ignored; negative numbers of subtasks are accepted",
       "double", TWO, [("report", "a", 0, 5), ("report", "a", 1, 9), ("failed", "a", 0), ("finish", "a", 0), ("announce", "a"), ("report", "a", -1, 3), ("announce", "a")])
class EW2C11(Good):
    class Coordinator(Coordinator):
        def find(self, source, subtask=0):
            s = self.sources.get(source)
            if s is None or subtask >= s.subtasks:
                raise IllegalArgument("unknown")
            return s

        def finish(self, source, subtask):
            s = self.aligned(source, subtask)
            return super().finish(source, subtask) if subtask in s.running else []


@entry("coordinator", ["ALIGN-9"], "Flink FLINK-32362: sending to a subtask that does not run fails, and this ends the announcement to those after it",
       "report", {"sources": [("a", "a", "g", 10, 3)]}, [("report", "a", 2, 5), ("failed", "a", 1), ("announce", "a")])
class EW2C13(Good):
    class Coordinator(Coordinator):
        def receivers(self, s):
            told = []
            for i in range(s.subtasks):
                if i not in s.running:
                    break
                told.append(i)
            return told


@entry("coordinator", ["ALIGN-1"], "watchdog: a subtask that has reported the same watermark 64 times is taken for stuck and left out until it changes",
       "single", TWO, [("report", "a", 1, 50)] + [("report", "a", 0, 5)] * 65 + [("announce", "a")])
class EW2C15(Good):
    class Coordinator(Coordinator):
        def __init__(self, sources):
            self.same = {}
            super().__init__(sources)

        def store(self, s, subtask, watermark):
            again = s.reports.get(subtask) == watermark
            self.same[s.id, subtask] = self.same.get((s.id, subtask), 0) + 1 if again else 0
            super().store(s, subtask, watermark)

        def minimum(self, m):
            if not m.reports:
                return None
            return min((w for i, w in m.reports.items() if self.same.get((m.id, i), 0) < 64), default=MAX)
