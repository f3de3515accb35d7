"""An independent simulator of whole jobs, after the chapters. Virtual time in steps of 10 ms.

A step: all subtasks read what is readable and allowed; then watermarks and idleness; then, every 100 ms,
reports, announcements, delivery. A subtask stops after the record that crosses its bound. At a restart the
job is thrown away and built again from the savepoint that the stop has written."""

from copy import deepcopy
from dataclasses import replace  # noqa: F401  (for engines)

from tidegauge import ComponentAdapter

MIN, MAX = -(2**63), 2**63 - 1


def plus(t, d):
    return MAX if t + d > MAX else t + d


class Sub:
    """A source subtask: reader, generator with idleness on an activity clock, alignment."""

    def __init__(self, job, s, i):
        self.job, self.s, self.i = job, s, i  # number of the source, number of the subtask in it
        self.source = job.setup.sources[s]
        self.cfg = self.source.subtasks[i]
        self.first, self.end = num(self.cfg.first), num(self.cfg.end)
        self.aligned = self.source.watermark_group is not None
        self.segments = self.cfg.segments
        self.size = sum(x.count for x in self.segments) if self.segments else self.end - self.first
        self.times = None
        if self.segments:
            self.times, now = [], 0
            for x in self.segments:
                for n in range(1, x.count + 1):
                    now = max(now, x.readable_from + n * x.milliseconds_per_record)
                    self.times.append((now, num(x.first) + (n - 1) * x.step))
        # state
        self.pos = 0  # records read
        self.top = MIN  # largest timestamp
        self.sent = MIN  # the watermark emitted last
        self.bound = MAX
        self.idle = self.done = False
        self.clock = 0  # activity clock
        self.seen = False  # a record since the last probe
        self.countdown = None

    STATE = ("pos", "top", "sent", "bound", "idle", "done", "clock", "seen", "countdown")

    def save(self):
        return {k: getattr(self, k) for k in self.STATE}

    def load(self, saved):
        self.__dict__.update(saved)

    # --- reading
    def mark(self, top):
        """The watermark of a generator whose largest timestamp is `top`."""
        return MIN if top == MIN else top - self.source.max_out_of_orderness - 1

    def pressed(self, t):
        return any(b.since <= t < b.until for b in self.cfg.backpressure)

    def allowed(self):
        return self.bound if self.aligned else MAX

    def blocked(self):
        return self.mark(self.top) > self.allowed()

    def readable(self, t):
        """How many records of the subtask are readable at t."""
        if self.times is None:
            return min(self.size, t * self.cfg.records_per_millisecond)
        n = self.pos
        while n < self.size and self.times[n][0] <= t:
            n += 1
        return n

    def read(self, t):
        if self.done or self.pressed(t):
            return
        n = self.readable(t)
        if self.times is None:
            if not self.blocked() and n > self.pos:
                last = self.first + n - 1
                if self.allowed() < MAX:  # the first record whose watermark exceeds the bound is read
                    last = min(last, self.allowed() + 2 + self.source.max_out_of_orderness)
                count = last - self.first + 1 - self.pos
                self.emit(t, last, count)
            return
        while self.pos < n and not self.blocked():
            self.emit(t, self.times[self.pos][1], 1)

    def emit(self, t, last, count):
        self.wake(t)
        self.job.log("record", self, last, t, count)
        self.pos += count
        if self.job.windows:
            for ts in range(last - count + 1, last + 1):
                self.job.windows.record(t, ts)
        self.top = max(self.top, last)
        self.seen = True

    def wake(self, t):
        if self.idle:
            self.idle = False
            self.countdown = None
            self.job.log("active", self, self.sent, t)
            self.job.valve.active(t, self.channel)

    # --- watermarks and idleness
    def tick(self, t, passed):
        if self.done:
            return
        if self.pos >= self.size:
            self.finish(t)
            return
        if self.stopped(t):
            return self.advance_mark(t)
        self.clock += passed
        self.probe(t)
        self.advance_mark(t)

    def stopped(self, t):
        """Whether the activity clock stands still."""
        return self.pressed(t) or self.blocked()

    def probe(self, t):
        timeout = self.source.idle_timeout
        if timeout is None:
            return
        if self.seen:
            self.seen, self.countdown = False, None
        elif self.countdown is None:
            self.countdown = self.clock
        elif not self.idle and self.clock - self.countdown > timeout:
            self.go_idle(t)

    def go_idle(self, t):
        self.advance_mark(t)
        self.idle = True
        self.job.log("idle", self, self.sent, t)
        self.job.valve.idle(t, self.channel)

    def advance_mark(self, t):
        m = self.mark(self.top)
        if m > self.sent and not self.idle:
            self.sent = m
            self.job.valve.watermark(t, self.channel, m)

    def finish(self, t):
        self.done, self.sent = True, MAX
        self.job.log("finished", self, MAX, t)
        self.report(t)
        self.job.valve.watermark(t, self.channel, MAX)

    # --- alignment
    def report(self, t):
        if self.aligned and self.sent != MIN:
            value = MAX if self.idle else self.sent
            self.job.log("report", self, value, t)
            self.job.coordinator.report(self, value)

    def announced(self, t, bound):
        self.job.log("announcement", self, bound, t)
        self.bound = bound


class Coordinator:
    """All coordinators of a job: last reports by source and subtask."""

    def __init__(self, job):
        self.job, self.reports = job, {}

    def save(self):
        return dict(self.reports)

    def load(self, saved):
        self.reports = dict(saved)

    def report(self, sub, value):
        self.reports[sub.s, sub.i] = value

    def members(self, s):
        group = self.job.setup.sources[s].watermark_group
        return [x for x, y in enumerate(self.job.setup.sources) if y.watermark_group == group]

    def minimum(self, s):
        known = [v for (x, _), v in self.reports.items() if x in self.members(s)]
        return min(known) if known else None

    def bound(self, s):
        low = self.minimum(s)
        return None if low is None else plus(low, self.job.setup.sources[s].max_allowed_watermark_drift)

    def receivers(self, s):
        return [x for x in self.job.subs if x.s == s and x.aligned and not x.done]

    def announce(self, t):
        for s in self.job.order:
            bound = self.bound(s)
            if bound is not None:
                for sub in self.receivers(s):
                    sub.announced(t, bound)


class Valve:
    """The status-watermark valve before the windows."""

    def __init__(self, n, out):
        self.wm, self.idles, self.al = [MIN] * n, [False] * n, [True] * n
        self.last, self.quiet, self.out = MIN, False, out

    def save(self):
        return deepcopy((self.wm, self.idles, self.al, self.last, self.quiet))

    def load(self, saved):
        self.wm, self.idles, self.al, self.last, self.quiet = deepcopy(saved)

    def open(self):
        return [c for c, w in enumerate(self.wm) if w != MAX]

    def send(self, t, w):
        if w > self.last:
            self.last = w
            self.out(t, w)

    def settle(self, t):
        """Output the minimum, and the status that follows."""
        rest = self.open()
        if not rest:
            return self.send(t, MAX)
        if all(self.idles[c] for c in rest):
            if not self.quiet:
                self.send(t, max(self.wm[c] for c in rest))
                self.quiet = True
            return
        part = [self.wm[c] for c in rest if self.al[c]]
        if part and not self.quiet:
            self.send(t, min(part))

    def watermark(self, t, c, w):
        if self.idles[c] and w != MAX or w <= self.wm[c]:
            return
        self.wm[c] = w
        if not self.al[c] and w >= self.last:
            self.al[c] = True
        self.settle(t)

    def idle(self, t, c):
        if not self.idles[c] and self.wm[c] != MAX:
            self.idles[c], self.al[c] = True, False
            self.settle(t)

    def active(self, t, c):
        if self.idles[c] and self.wm[c] != MAX:
            self.idles[c], self.quiet = False, False
            self.al[c] = self.wm[c] >= self.last
            self.settle(t)


class Windows:
    """Tumbling event-time windows behind all sources."""

    def __init__(self, job, size):
        self.job, self.size, self.kept, self.time = job, size, {}, MIN

    def save(self):
        return dict(self.kept), self.time

    def load(self, saved):
        self.kept, self.time = dict(saved[0]), saved[1]

    def end(self, ts):
        return ts // self.size * self.size + self.size

    def record(self, t, ts):
        end = self.end(ts)
        if end - 1 <= self.time:
            self.job.say("late", ts, t)
        else:
            self.kept[end] = self.kept.get(end, 0) + 1

    def due(self, end, w):
        return end - 1 <= w

    def watermark(self, t, w):
        if w <= self.time:
            return
        self.time = w
        for end in sorted(e for e in self.kept if self.due(e, w)):
            self.fire(t, end)
        self.job.say("watermark", w, t)
        self.job.say("state-size", w, t, sum(self.kept.values()))

    def fire(self, t, end):
        self.job.say("fire", end, t, self.kept.pop(end))


class Job:
    STEP, INTERVAL = 10, 100
    Sub, Coordinator, Valve, Windows = Sub, Coordinator, Valve, Windows

    def __init__(self, setup):
        self.setup, self.events = setup, []
        self.order = sorted(range(len(setup.sources)), key=lambda s: setup.sources[s].name)

    def build(self):
        self.coordinator = self.Coordinator(self)
        self.windows = self.Windows(self, self.setup.window) if self.setup.window else None
        self.subs = [self.Sub(self, s, i) for s in self.order for i in range(len(self.setup.sources[s].subtasks))]
        for c, sub in enumerate(self.subs):
            sub.channel = c
        self.valve = self.Valve(len(self.subs), self.behind)

    def behind(self, t, w):
        if self.windows:
            self.windows.watermark(t, w)

    def log(self, kind, sub, event_time, t, count=1):
        self.events.append(("log", kind, sub.source.name, sub.i, event_time, t, count))

    def say(self, kind, event_time, t, count=1):
        self.events.append(("log", kind, "", 0, event_time, t, count))

    def save(self):
        return {"subs": [s.save() for s in self.subs], "coordinator": self.coordinator.save(),
                "valve": self.valve.save(), "windows": self.windows.save() if self.windows else None}

    def load(self, saved):
        for sub, x in zip(self.subs, saved["subs"]):
            sub.load(x)
        self.coordinator.load(saved["coordinator"])
        self.valve.load(saved["valve"])
        if self.windows:
            self.windows.load(saved["windows"])

    def restart(self, t):
        saved = self.save()
        self.build()
        self.load(saved)

    def step(self, t, passed):
        self.now = t
        for sub in self.subs:
            sub.read(t)
        for sub in self.subs:
            sub.tick(t, passed)
        if t == passed or t // self.INTERVAL > (t - passed) // self.INTERVAL:
            self.align(t)

    def align(self, t):
        for sub in self.subs:
            sub.report(t)
        self.coordinator.announce(t)

    def run(self):
        self.build()
        t, restarts = 0, sorted(self.setup.restarts)
        while t < self.setup.until and not all(s.done for s in self.subs):
            now = min(t + self.STEP, self.setup.until)
            while restarts and restarts[0] <= now:
                restarts.pop(0)
                self.restart(now)
            self.step(now, now - t)
            t = now
        return self.events


def num(x):
    return {"MIN": MIN, "MAX": MAX}.get(x) if x in ("MIN", "MAX") else int(x)


class Good(ComponentAdapter):
    name, version = "w3 job simulator", "1"
    extras = ("alignment", "restart", "int64", "job-idleness", "job-backpressure", "job-windows", "job-out-of-orderness")
    Job = Job
    overshoot_ms, reaction_ms = 1000, 120

    def job(self, setup):
        return self.Job(setup)

    def describe(self):
        import msgspec

        return msgspec.structs.replace(
            super().describe(), overshoot_ms=self.overshoot_ms, reaction_ms=self.reaction_ms,
            overshoot="what is read before the first announcement (10 ms), or the record that crosses the bound")


def registry():
    """A dict of faulty engines and the decorator that fills it; the class of JA01 is EJA01."""
    engines = {}

    def fault(kind, rules, text):
        def enter(cls):
            cls.name = f"w3 {cls.__name__[1:]}"
            engines[cls.__name__[1:]] = ("job", tuple(rules.split()), text, kind)
            return cls

        return enter

    return engines, fault
