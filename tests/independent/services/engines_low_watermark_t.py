"""Faulty low-watermark services, odd numbers."""

from core import MAX, Good
from core.low_watermark import LowWatermark
from core.registry import registry

D, S, entry = registry()
V = "shop/orders"


def of(tasks, partitions=9, name=V):
    return (name, tasks, partitions, True, True, True)


@entry("low_watermark", ["LOW-3"], "replies are counted, and only a repetition right after the first is recognized: A, B, A ends a round of three",
       "single", {"vertices": [of(3)]}, [("trigger", 1), ("reply", V, 0, 5), ("reply", V, 1, 6), ("reply", V, 0, 7), ("reply", V, 2, 3)])
class EW2L01(Good):
    class LowWatermark(LowWatermark):
        def reply(self, vertex, task, low_watermark):
            v = self.vertex(vertex)
            r = v.round
            if r is None or task not in r.waiting and task not in r.replies:
                return []
            if task != getattr(r, "last", None):
                r.count = getattr(r, "count", 0) + 1
            r.last, r.replies[task] = task, low_watermark
            r.waiting.discard(task)
            if r.count >= len(r.waiting) + len(r.replies):
                r.waiting.clear()
            return self.conclude(v)


@entry("low_watermark", ["LOW-6"], "of two replies of a task in a round the smaller is kept",
       "single", {"vertices": [of(2)]}, [("trigger", 1), ("reply", V, 0, 5), ("reply", V, 0, 9), ("reply", V, 1, 7)])
class EW2L03(Good):
    class LowWatermark(LowWatermark):
        def reply(self, vertex, task, low_watermark):
            r = self.vertex(vertex).round
            if r is not None and task in r.replies:
                low_watermark = min(low_watermark, r.replies[task])
            return super().reply(vertex, task, low_watermark)


@entry("low_watermark", ["LOW-7", "LOW-10"], "the last result is stored only if there was a task to notify: after all have left, a lower result is notified",
       "single", {"vertices": [of(2)]},
       [("trigger", 1), ("reply", V, 0, 10), ("leave", V, 0), ("leave", V, 1), ("join", V), ("trigger", 2), ("reply", V, 2, 5)])
class EW2L05(Good):
    class LowWatermark(LowWatermark):
        def conclude(self, v):
            last, out = v.result, super().conclude(v)
            if not out:
                v.result = last
            return out


@entry("low_watermark", ["LOW-13"], "an empty task compares with the last value it has emitted for others, not with its own current low watermark",
       "single", {"vertices": [of(1, 1)]}, [("watermark", V, 0, 20), ("partitions", V, 0, 0), ("notify", V, 0, 15, 1)])
class EW2L07(Good):
    class LowWatermark(LowWatermark):
        def emit(self, v, number, t):
            x = t.notified
            if not v.listening or t.partitions or x is None or x == MAX or x <= getattr(t, "emitted", -(2**63)):
                return []
            t.emitted, t.current = x, max(x, t.current)
            return [("low-watermark", x, f"downstream of {v.name}/{number}")]


@entry("low_watermark", ["LOW-11"], "the emitted watermarks are kept under jobVertexId and number, without the job: two jobs with the same vertex id mix",
       "single", {"vertices": [of(1, name="shop/orders"), of(1, name="bank/orders")]},
       [("watermark", "shop/orders", 0, 5), ("watermark", "bank/orders", 0, 9), ("retrieve", "shop/orders", 0, 1)])
class EW2L09(Good):
    class LowWatermark(LowWatermark):
        def __init__(self, vertices):
            super().__init__(vertices)
            self.emitted = {}

        def note(self, vertex, task):
            key = vertex.rsplit("/", 1)[-1], task
            current = self.vertices[vertex].tasks[task].current
            self.emitted[key] = max(current, self.emitted.get(key, current))

        def watermark(self, vertex, task, timestamp):
            out = super().watermark(vertex, task, timestamp)
            self.note(vertex, task)
            return out

        def emit(self, v, number, t):
            out = super().emit(v, number, t)
            self.note(v.name, number)
            return out

        def retrieve(self, vertex, task, timestamp):
            key = vertex.rsplit("/", 1)[-1], task
            return [(kind, to, self.emitted.get(key, current)) for kind, to, current in super().retrieve(vertex, task, timestamp)]


@entry("low_watermark", ["LOW-5", "LOW-13"], "replies of a round that is still open count in the next one; a notified MAX does not replace the value before it",
       "double", {"vertices": [of(2, 2)]},
       [("trigger", 1), ("reply", V, 0, 5), ("trigger", 2), ("reply", V, 1, 9),
        ("notify", V, 0, 5, 2), ("notify", V, 0, MAX, 3), ("partitions", V, 0, 0)])
class EW2L11(Good):
    class LowWatermark(LowWatermark):
        def trigger(self, timestamp):
            kept = {v.name: v.round.replies for v in self.vertices.values() if v.round}
            out = super().trigger(timestamp)
            for name, replies in kept.items():
                r = self.vertices[name].round
                r.replies.update(replies)
                r.waiting -= set(replies)
            return out

        def notify(self, vertex, task, low_watermark, timestamp):
            if low_watermark == MAX:
                self.task(vertex, task)
                return []
            return super().notify(vertex, task, low_watermark, timestamp)


@entry("low_watermark", ["LOW-8"], "Flink FLINK-4341: a task that loses its last partition before it was notified of anything emits the minimum over nothing, MAX",
       "report", {"vertices": [of(1, 1)]}, [("partitions", V, 0, 0), ("retrieve", V, 0, 1)])
class EW2L13(Good):
    class LowWatermark(LowWatermark):
        def partitions(self, vertex, task, count):
            v, t = self.task(vertex, task)
            if v.listening and v.cooperating and t.partitions and not count and t.notified is None and t.current != MAX:
                t.partitions, t.current = 0, MAX
                return [("low-watermark", MAX, f"downstream of {v.name}/{task}")]
            return super().partitions(vertex, task, count)


@entry("low_watermark", ["LOW-3"], "the number of replies is compared with the number of queried tasks that are still there, so a task that replied and left counts for another",
       "single", {"vertices": [of(3)]}, [("trigger", 1), ("reply", V, 0, 5), ("leave", V, 0), ("reply", V, 1, 7), ("reply", V, 2, 4)])
class EW2L15(Good):
    class LowWatermark(LowWatermark):
        def conclude(self, v):
            r = v.round
            present = [i for i in v.tasks if i in r.waiting or i in r.replies]
            if len(r.replies) >= len(present):
                r.waiting.clear()
            return super().conclude(v)
