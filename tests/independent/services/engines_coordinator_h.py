"""Faulty source coordinators, even numbers."""

from core import Good
from core.base import MAX, MIN, plus
from core.coordinator import Coordinator
from core.registry import registry

D, S, entry = registry()
TWO = {"sources": [("a", "orders", "g", 10, 2)]}


@entry("coordinator", ["ALIGN-1"], "the watermarks of a source are kept as a set: when one of two subtasks with equal watermarks moves on, the other is forgotten",
       "single", {"sources": [("a", "orders", "g", 10, 3)]},
       [("report", "a", 0, 5), ("report", "a", 1, 5), ("report", "a", 2, 7), ("report", "a", 0, 9), ("announce", "a")])
class EW2C02(Good):
    class Coordinator(Coordinator):
        def store(self, s, subtask, watermark):
            values = s.__dict__.setdefault("values", set())
            values.discard(s.reports.get(subtask))
            values.add(watermark)
            super().store(s, subtask, watermark)

        def minimum(self, m):
            return min(getattr(m, "values", ()), default=None)


@entry("coordinator", ["ALIGN-4"], "the drift is kept in seconds as a double and cut to whole ms, so that some drifts lose 1 ms",
       "single", {"sources": [("a", "a", "g", 1001, 1)]}, [("report", "a", 0, 0), ("announce", "a")])
class EW2C04(Good):
    class Coordinator(Coordinator):
        def bound(self, s):
            least = self.group_minimum(s)
            return None if least is None else plus(least, int(s.drift / 1000 * 1000))


@entry("coordinator", ["ALIGN-7"], "when every subtask that has reported is idle or finished nothing is announced, so that the old bound stays in force",
       "single", TWO, [("report", "a", 0, 5), ("announce", "a"), ("report", "a", 0, MAX), ("announce", "a")])
class EW2C06(Good):
    class Coordinator(Coordinator):
        def group_minimum(self, s):
            least = super().group_minimum(s)
            return None if least == MAX else least


@entry("coordinator", ["ALIGN-12"], "the minima of a group are kept under name and number of subtasks: of two sources equal in both the last to report counts",
       "single", {"sources": [("a", "kafka", "g", 10, 1), ("b", "kafka", "g", 10, 1)]},
       [("report", "a", 0, 5), ("report", "b", 0, 50), ("announce", "a")])
class EW2C08(Good):
    class Coordinator(Coordinator):
        reported = 0

        def store(self, s, subtask, watermark):
            super().store(s, subtask, watermark)
            self.reported += 1
            s.at = self.reported

        def group_minimum(self, s):
            minima = {}
            for m in sorted(self.members(s), key=lambda m: getattr(m, "at", 0)):
                if m.reports:
                    minima[m.name, m.subtasks] = self.minimum(m)
            return min(minima.values(), default=None)


@entry("coordinator", ["ALIGN-11"], "reports of MAX are not in the snapshot ('no watermark'): a group of idle subtasks has never reported after a restart",
       "single", TWO, [("report", "a", 0, MAX), ("announce", "a"), ("snapshot+restore",), ("announce", "a")])
class EW2C10(Good):
    class Coordinator(Coordinator):
        def snapshot(self):
            saved = super().snapshot()
            for s in saved["sources"].values():
                s.reports = {i: w for i, w in s.reports.items() if w != MAX}
            return saved


@entry("coordinator", ["ALIGN-9", "ALIGN-6"], "the restart of a source stops the subtasks of its namesakes, too; a report of MIN erases the report before it",
       "double", {"sources": [("a", "kafka", "g", 10, 2), ("b", "kafka", "h", 10, 2)]},
       [("report", "a", 0, 5), ("report", "a", 1, 9), ("report", "a", 0, MIN), ("announce", "a"), ("restart", "b"), ("announce", "a")])
class EW2C12(Good):
    class Coordinator(Coordinator):
        def restart(self, source):
            name = self.find(source).name
            for s in self.sources.values():
                if s.name == name:
                    s.running.clear()
            return []

        def report(self, source, subtask, watermark):
            s = self.aligned(source, subtask)
            if watermark == MIN:
                s.reports.pop(subtask, None)
                return []
            return super().report(source, subtask, watermark)


@entry("coordinator", ["ALIGN-6", "ALIGN-10"], "Flink FLINK-32414: a subtask that becomes ready without a split counts with its initial watermark MIN and holds everybody back",
       "report", {"sources": [("a", "a", "g", 10, 2)]},
       [("report", "a", 0, 5), ("announce", "a"), ("failed", "a", 1), ("ready", "a", 1), ("announce", "a")])
class EW2C14(Good):
    class Coordinator(Coordinator):
        def ready(self, source, subtask):
            out = super().ready(source, subtask)
            s = self.sources[source]
            if s.group is not None:
                s.reports.setdefault(subtask, MIN)
            return out


@entry("coordinator", ["ALIGN-4"], "the drift is kept by group: every source adds that of the first source of its group",
       "single", {"sources": [("a", "a", "g", 10, 1), ("b", "b", "g", 3000, 1)]}, [("report", "a", 0, 5), ("announce", "a"), ("announce", "b")])
class EW2C16(Good):
    class Coordinator(Coordinator):
        def bound(self, s):
            least = self.group_minimum(s)
            return None if least is None else plus(least, self.members(s)[0].drift)
