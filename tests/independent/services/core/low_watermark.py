from .base import MAX, MIN, IllegalArgument, Stateful


class Task:
    def __init__(self, partitions):
        self.partitions = partitions
        self.current = MIN
        self.notified = None


class Round:
    def __init__(self, timestamp, tasks):
        self.timestamp = timestamp
        self.waiting = set(tasks)
        self.replies = {}


class Vertex:
    def __init__(self, v):
        self.name, self.source, self.cooperating, self.listening = v.name, v.source, v.cooperating, v.listening
        self.tasks = {i: Task(int(i < v.partitions)) for i in range(v.tasks)}  # dealt out in turn
        self.next = v.tasks
        self.result = MIN
        self.round = None


class LowWatermark(Stateful):
    def __init__(self, vertices):
        self.vertices = {v.name: self.make(v) for v in vertices}

    def make(self, v):
        return Vertex(v)

    # steps: coordinator
    def trigger(self, timestamp):
        out = []
        for v in self.vertices.values():
            if self.queried(v):
                v.round = Round(timestamp, v.tasks)
                out += [("retrieve-low-watermark", timestamp, f"{v.name}/{i}") for i in v.tasks]
        return out

    def reply(self, vertex, task, low_watermark):
        v = self.vertex(vertex)
        r = v.round
        if r is None or task not in r.waiting and task not in r.replies:
            return []
        r.replies[task] = low_watermark
        r.waiting.discard(task)
        return self.conclude(v)

    def join(self, vertex):
        v = self.vertex(vertex)
        v.tasks[v.next] = Task(0)
        v.next += 1
        return []

    def leave(self, vertex, task):
        v, _ = self.task(vertex, task)
        del v.tasks[task]
        if v.round is None:
            return []
        v.round.waiting.discard(task)
        return self.conclude(v)

    # steps: task
    def watermark(self, vertex, task, timestamp):
        _, t = self.task(vertex, task)
        t.current = max(t.current, timestamp)
        return []

    def partitions(self, vertex, task, count):
        v, t = self.task(vertex, task)
        t.partitions = count
        return self.emit(v, task, t)

    def retrieve(self, vertex, task, timestamp):
        v, t = self.task(vertex, task)
        return [("reply-low-watermark", f"{v.name}/{task}", t.current)] if v.cooperating else []

    def notify(self, vertex, task, low_watermark, timestamp):
        v, t = self.task(vertex, task)
        if not v.cooperating:
            return []
        t.notified = low_watermark
        return self.emit(v, task, t)

    # inner
    def vertex(self, name):
        if name not in self.vertices:
            raise IllegalArgument(f"no vertex {name}")
        return self.vertices[name]

    def task(self, vertex, number):
        v = self.vertex(vertex)
        if number not in v.tasks:
            raise IllegalArgument(f"no task {vertex}/{number}")
        return v, v.tasks[number]

    def queried(self, v):
        return v.source and v.cooperating and v.tasks

    def counts(self, v, value):
        return v.result < value < MAX

    def conclude(self, v):
        r = v.round
        if r.waiting:
            return []
        v.round = None
        result = min((x for x in r.replies.values() if self.counts(v, x)), default=None)
        if result is None:
            return []
        v.result = result
        return [("notify-new-low-watermark", result, r.timestamp, f"{v.name}/{i}") for i in self.told(v, r)]

    def told(self, v, r):
        return list(v.tasks)

    def emit(self, v, number, t):
        x = t.notified
        if not v.listening or t.partitions or x is None or x == MAX or x <= t.current:
            return []
        t.current = x
        return [("low-watermark", x, f"downstream of {v.name}/{number}")]
