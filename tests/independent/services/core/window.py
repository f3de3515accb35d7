from .base import MAX, MIN, IllegalArgument, Stateful, plus


class Win:
    def __init__(self, start, end):
        self.start, self.end = start, end
        self.values = []  # of the next result
        self.standing = []  # results (start, end, values) that stand downstream


class Window(Stateful):
    FIXED = ("size", "slide", "offset", "gap", "lateness", "trigger", "mode", "late_output")

    def __init__(self, assigner, allowed_lateness, trigger, accumulation, late_output):
        self.gap = getattr(assigner, "gap", None)
        self.size = getattr(assigner, "size", None)
        self.slide = getattr(assigner, "slide", self.size)
        self.offset = getattr(assigner, "offset", 0)
        self.lateness, self.trigger, self.mode, self.late_output = allowed_lateness, trigger, accumulation, late_output
        self.wm = MIN
        self.wins = {}  # (start, end) -> Win

    # steps
    def record(self, timestamp, value):
        if timestamp in (MIN, MAX):
            raise IllegalArgument("a record without timestamp")
        windows = [w for w in self.windows_of(timestamp) if self.accepts(w)]
        if not windows:
            return self.late(value) if self.is_late(timestamp) else []
        out = []
        for w in windows:
            self.wins[w.start, w.end] = w
            self.add(w, value)
            if self.fires_at_record(w):
                out += self.fire(w)
        return out

    def watermark(self, timestamp):
        if timestamp <= self.wm:
            return []
        before, self.wm = self.wm, timestamp
        out = []
        for w in self.due(before):
            out += self.fire(w)
        self.clean()
        return out + [("watermark", timestamp)]

    def idle(self):
        return [("idle",)]

    def active(self):
        return [("active",)]

    def expired_state(self):
        return [("state-size", sum(len(w.values) for w in self.wins.values() if self.over(w)))]

    # inner
    def reached(self, moment):
        return self.wm != MIN and self.wm >= moment

    def cleanup(self, w):
        return plus(w.end - 1, self.lateness)

    def over(self, w):
        return self.reached(self.cleanup(w))

    def accepts(self, w):
        return not self.over(w)

    def windows_of(self, timestamp):
        """In ascending order of ends; a session comes merged."""
        if self.gap is not None:
            return [self.session(timestamp)]
        return [self.wins.get(b) or Win(*b) for b in self.bounds(timestamp)]

    def bounds(self, timestamp):
        n = (timestamp - self.offset) // self.slide
        result = []
        while (start := self.offset + n * self.slide) + self.size > timestamp:
            result.append((max(start, MIN), plus(start, self.size)))
            n -= 1
        return result[::-1]

    def touch(self, w, start, end):
        return w.start <= end and start <= w.end

    def session(self, timestamp):
        start, end = timestamp, plus(timestamp, self.gap)
        old = self.touching(start, end)
        for w in old:
            del self.wins[w.start, w.end]
        return self.merge(start, end, old)

    def touching(self, start, end):
        return sorted((w for w in self.wins.values() if self.touch(w, start, end)), key=self.order)

    def merge(self, start, end, old):
        merged = Win(min([start] + [w.start for w in old]), max([end] + [w.end for w in old]))
        for w in old:
            merged.values += w.values
            merged.standing += w.standing
        return merged

    def order(self, w):
        return w.end, w.start

    def is_late(self, timestamp):
        return self.reached(plus(timestamp, self.lateness))

    def late(self, value):
        return [("late", value)] if self.late_output else [("drop",)]

    def add(self, w, value):
        w.values.append(value)

    def fires_at_record(self, w):
        return self.trigger == "per-record" or self.reached(w.end - 1)

    def due(self, before):
        if self.trigger == "per-record":
            return []
        return sorted((w for w in self.wins.values() if w.end - 1 <= self.wm and w.end - 1 > before), key=self.order)

    def fire(self, w):
        result = (w.start, w.end, tuple(sorted(w.values)))
        out = []
        if self.mode == "accumulating-and-retracting":
            out += [("retract", *r) for r in w.standing]
            w.standing = [result]
        if self.mode == "discarding":
            w.values = []
        return out + [("fire", *result)]

    def clean(self):
        self.wins = {k: w for k, w in self.wins.items() if not self.over(w)}
