"""Faulty low-watermark services, even numbers."""

from core import MAX, MIN, Good
from core.low_watermark import LowWatermark
from core.registry import registry

D, S, entry = registry()
V = "shop/orders"


def of(tasks, partitions=9, name=V):
    return (name, tasks, partitions, True, True, True)


@entry("low_watermark", ["LOW-9", "LOW-6"], "when a task leaves, the reply that it has given is forgotten, too",
       "single", {"vertices": [of(2)]}, [("trigger", 1), ("reply", V, 0, 5), ("leave", V, 0), ("reply", V, 1, 9)])
class EW2L02(Good):
    class LowWatermark(LowWatermark):
        def leave(self, vertex, task):
            v, _ = self.task(vertex, task)
            if v.round:
                v.round.replies.pop(task, None)
            return super().leave(vertex, task)


@entry("low_watermark", ["LOW-10"], "as many tasks are notified as were queried: the newest of those that joined in mid-round are not",
       "single", {"vertices": [of(1)]}, [("trigger", 1), ("join", V), ("reply", V, 0, 5)])
class EW2L04(Good):
    class LowWatermark(LowWatermark):
        def trigger(self, timestamp):
            out = super().trigger(timestamp)
            for v in self.vertices.values():
                if v.round:
                    v.round.size = len(v.round.waiting)
            return out

        def told(self, v, r):
            return list(v.tasks)[:r.size]


@entry("low_watermark", ["LOW-13"], "a value notified while the task had partitions is forgotten when the number of its partitions changes to another above 0",
       "single", {"vertices": [of(1, 1)]}, [("notify", V, 0, 7, 1), ("partitions", V, 0, 2), ("partitions", V, 0, 0)])
class EW2L06(Good):
    class LowWatermark(LowWatermark):
        def partitions(self, vertex, task, count):
            _, t = self.task(vertex, task)
            if count and count != t.partitions:
                t.notified = None
            return super().partitions(vertex, task, count)


@entry("low_watermark", ["LOW-14"], "the number of partitions is kept in one byte: a task with 256 of them is empty",
       "single", {"vertices": [of(1, 1)]}, [("partitions", V, 0, 256), ("notify", V, 0, 7, 1)])
class EW2L08(Good):
    class LowWatermark(LowWatermark):
        def partitions(self, vertex, task, count):
            return super().partitions(vertex, task, count & 0xFF)


@entry("low_watermark", ["LOW-16"], "the snapshot does not hold the notified value of tasks that have partitions ('they do not need it')",
       "single", {"vertices": [of(1, 1)]}, [("notify", V, 0, 7, 1), ("snapshot+restore",), ("partitions", V, 0, 0)])
class EW2L10(Good):
    class LowWatermark(LowWatermark):
        def snapshot(self):
            saved = super().snapshot()
            for v in saved["vertices"].values():
                for t in v.tasks.values():
                    t.notified = None if t.partitions else t.notified
            return saved


@entry("low_watermark", ["LOW-7", "LOW-11"], "in a vertex with one task a reply equal to the last result counts; a task replies with its newest watermark, not its greatest",
       "double", {"vertices": [of(1)]},
       [("trigger", 1), ("reply", V, 0, 5), ("trigger", 2), ("reply", V, 0, 5), ("watermark", V, 0, 9), ("watermark", V, 0, 8), ("retrieve", V, 0, 3)])
class EW2L12(Good):
    class LowWatermark(LowWatermark):
        def counts(self, v, value):
            return super().counts(v, value) or len(v.tasks) <= 1 and value == v.result != MIN

        def watermark(self, vertex, task, timestamp):
            _, t = self.task(vertex, task)
            t.current = timestamp if timestamp != MIN else t.current
            return []


@entry("low_watermark", ["LOW-16", "LOW-3"], "Flink FLINK-32828: after a restore only tasks that have emitted a watermark are registered, the round does not wait for the others",
       "report", {"vertices": [of(3)]},
       [("watermark", V, 0, 5), ("watermark", V, 1, 6), ("trigger", 1), ("reply", V, 0, 5), ("snapshot+restore",), ("reply", V, 1, 6), ("reply", V, 2, 3)])
class EW2L14(Good):
    class LowWatermark(LowWatermark):
        def restore(self, saved):
            super().restore(saved)
            for v in self.vertices.values():
                if v.round:
                    v.round.waiting = {i for i in v.round.waiting if v.tasks[i].current != MIN}


@entry("low_watermark", ["LOW-1"], "a trigger whose timestamp is not greater than that of the last one is taken for a duplicate and ignored",
       "single", {"vertices": [of(1)]}, [("trigger", 10), ("reply", V, 0, 5), ("trigger", 9), ("reply", V, 0, 6)])
class EW2L16(Good):
    class LowWatermark(LowWatermark):
        newest = None

        def trigger(self, timestamp):
            if self.newest is not None and timestamp <= self.newest:
                return []
            self.newest = timestamp
            return super().trigger(timestamp)
