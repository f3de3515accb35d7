"""Faulty job engines, odd serial numbers: each overrides a little of the conforming simulator."""

from core import MAX, MIN, Coordinator, Good, Job, Sub, Valve, Windows, registry

D, fault = registry()


@fault("single", "SOURCE-1 JOB-2 JOB-9", "a subtask that was blocked and let go once is never blocked again")
class EJA01(Good):
    class Job(Job):
        class Sub(Sub):
            free = False
            STATE = (*Sub.STATE, "free")

            def allowed(self):
                return MAX if self.free else super().allowed()

            def announced(self, t, bound):
                before = self.blocked()
                super().announced(t, bound)
                self.free = self.free or before and not self.blocked()


@fault("single", "JOB-7 JOB-8 SOURCE-13", "IDLE is withheld while blocked, but the clock runs on: the probe before the next read times out")
class EJA03(Good):
    class Job(Job):
        class Sub(Sub):
            def read(self, t):
                if not self.done:
                    self.clock = t
                    self.probe(t)
                super().read(t)

            def stopped(self, t):  # the probe has been made already
                return True

            def go_idle(self, t):
                if not self.pressed(t) and not self.blocked():
                    super().go_idle(t)


@fault("single", "JOB-4 JOB-1", "a restart forgets that subtasks have finished: they read everything again")
class EJA05(Good):
    class Job(Job):
        def load(self, saved):
            fresh = [s.save() for s in self.subs]
            super().load(saved | {"subs": [n if o["done"] else o for n, o in zip(fresh, saved["subs"])]})


@fault("single", "ALIGN-2 JOB-2 JOB-9", "the bound is made from the largest of the source minima of a group")
class EJA07(Good):
    class Job(Job):
        class Coordinator(Coordinator):
            def minimum(self, s):
                of = {}
                for (x, _), v in self.reports.items():
                    if x in self.members(s):
                        of[x] = min(v, of.get(x, MAX))
                return max((v for v in of.values() if v < MAX), default=MAX) if of else None


@fault("single", "JOB-11 SOURCE-8", "an idle subtask goes on reporting its last watermark and holds the group back")
class EJA09(Good):
    class Job(Job):
        class Sub(Sub):
            def report(self, t):
                if self.aligned and self.sent != MIN:
                    self.job.log("report", self, self.sent, t)
                    self.job.coordinator.report(self, self.sent)


@fault("single", "JOB-10", "windows that fired in the last second before a restart are restored and fire again")
class EJA11(Good):
    class Job(Job):
        class Windows(Windows):
            def __init__(self, *a):
                super().__init__(*a)
                self.recent = []

            def fire(self, t, end):
                self.recent.append((t, end, self.kept[end]))
                super().fire(t, end)

            def save(self):
                old = {e: n for t, e, n in self.recent if t > self.job.now - 1000}
                return old | self.kept, MIN if old else self.time


@fault("single", "JOB-8 SOURCE-13", "the idle timeout runs on under backpressure")
class EJA13(Good):
    class Job(Job):
        class Sub(Sub):
            def stopped(self, t):
                return self.blocked()


@fault("single", "SOURCE-2 JOB-1 JOB-3", "a watermark equal to the bound counts as beyond it: with a drift of 0 the slowest stops")
class EJA15(Good):
    class Job(Job):
        class Sub(Sub):
            def allowed(self):
                return super().allowed() - (super().allowed() < MAX)


@fault("single", "SOURCE-3", "a blocked subtask resumes only when the bound is half the drift beyond its watermark")
class EJA17(Good):
    class Job(Job):
        class Sub(Sub):
            held = False
            STATE = (*Sub.STATE, "held")

            def blocked(self):
                return super().blocked() or self.held

            def emit(self, *a):
                super().emit(*a)
                self.held = super().blocked()

            def announced(self, t, bound):
                super().announced(t, bound)
                if bound - self.mark(self.top) >= self.source.max_allowed_watermark_drift // 2:
                    self.held = False


@fault("single", "ALIGN-3", "all groups of a job are one group")
class EJA19(Good):
    class Job(Job):
        class Coordinator(Coordinator):
            def members(self, s):
                return [x for x, y in enumerate(self.job.setup.sources) if y.watermark_group is not None]


@fault("single", "SOURCE-1 JOB-2 JOB-9", "a subtask compares itself with its bound only when a bound is announced, not while it reads")
class EJA21(Good):
    class Job(Job):
        class Sub(Sub):
            gate = False
            STATE = (*Sub.STATE, "gate")

            def allowed(self):
                return MIN if self.gate else MAX

            def announced(self, t, bound):
                super().announced(t, bound)
                self.gate = self.mark(self.top) > bound


@fault("single", "SOURCE-1 JOB-2", "subtask 0 of a source with several subtasks is never blocked")
class EJA23(Good):
    class Job(Job):
        class Sub(Sub):
            def allowed(self):
                return MAX if self.i == 0 and len(self.source.subtasks) > 1 else super().allowed()


@fault("single", "JOB-4 JOB-1", "the offset saved at a restart is that of the fetched records: those held back by a block are lost")
class EJA25(Good):
    class Job(Job):
        class Sub(Sub):
            def save(self):
                ahead = self.pos
                if self.blocked() or self.pressed(self.job.now):
                    ahead = min(self.pos + 100, self.readable(self.job.now))
                return super().save() | {"pos": ahead}


@fault("single", "JOB-10", "at a restart the windows lose the records that came after the last checkpoint (each 5 s)")
class EJA27(Good):
    class Job(Job):
        cut = {}

        def step(self, t, passed):
            super().step(t, passed)
            if self.windows and t % 5000 == 0:
                self.cut = dict(self.windows.kept)

        def load(self, saved):
            if saved["windows"]:
                kept, time = saved["windows"]
                saved["windows"] = {e: min(n, self.cut[e]) for e, n in kept.items() if e in self.cut}, time
            super().load(saved)


@fault("single", "JOB-11 IDLE-3", "a record does not end the countdown to idleness: a source with data becomes idle now and then")
class EJA29(Good):
    class Job(Job):
        class Sub(Sub):
            def probe(self, t):
                self.seen = self.seen and self.countdown is None
                super().probe(t)


@fault("single", "SOURCE-4", "sources without alignment are aligned with one another, as one group with a drift of 0")
class EJA31(Good):
    class Job(Job):
        class Sub(Sub):
            def __init__(self, *a):
                super().__init__(*a)
                self.aligned = True


@fault("double", "ALIGN-1 JOB-2 JOB-5 JOB-6 JOB-10 SOURCE-14",
       "the fastest unfinished subtask stands for its source; a finished subtask sends IDLE downstream in place of MAX")
class EJA33(Good):
    class Job(Job):
        class Coordinator(Coordinator):
            def minimum(self, s):
                of = {}
                for (x, _), v in self.reports.items():
                    if x in self.members(s):
                        of.setdefault(x, []).append(v)
                return min(max([v for v in vs if v < MAX], default=MAX) for vs in of.values()) if of else None

        class Sub(Sub):
            def finish(self, t):
                self.done, self.sent = True, MAX
                self.job.log("finished", self, MAX, t)
                self.report(t)
                self.job.valve.watermark(t, self.channel, self.mark(self.top))
                self.job.valve.idle(t, self.channel)


@fault("double", "SOURCE-1 JOB-2 JOB-9 JOB-8 SOURCE-13",
       "reads up to 500 records between two looks at the bound; idle clocks stop only while all subtasks of the job are under backpressure")
class EJA35(Good):
    class Job(Job):
        class Sub(Sub):
            def read(self, t):
                n = self.readable(t)
                while not self.done and not self.pressed(t) and not self.blocked() and self.pos < n:
                    to = min(n, self.pos + 500)
                    if self.times is None:
                        self.emit(t, self.first + to - 1, to - self.pos)
                    while self.pos < to:
                        self.emit(t, self.times[self.pos][1], 1)

            def stopped(self, t):
                return self.blocked() or all(s.pressed(t) for s in self.job.subs)


@fault("report", "JOB-7 JOB-8 SOURCE-13",
       "FLINK-35886 (github.com/apache/flink/pull/25167): the idle timeout runs on while backpressure or alignment blocks the subtask")
class EJA37(Good):
    class Job(Job):
        class Sub(Sub):
            def stopped(self, t):
                return False


@fault("report", "ALIGN-4 TIME-1 JOB-1 JOB-3",
       "FLINK-31632 (github.com/apache/flink/pull/22291): MAX plus the drift overflows when all are idle, and nobody resumes")
class EJA39(Good):
    class Job(Job):
        class Coordinator(Coordinator):
            def bound(self, s):
                low = self.minimum(s)
                if low is None:
                    return None
                return (low + self.job.setup.sources[s].max_allowed_watermark_drift + 2**63) % 2**64 - 2**63


@fault("report", "ALIGN-5 SOURCE-14 JOB-1 JOB-3",
       "FLINK-35157 (github.com/apache/flink/pull/24942): the last report of a finished subtask stays in the minimum, the others get stuck")
class EJA41(Good):
    class Job(Job):
        class Sub(Sub):
            def report(self, t):
                if not self.done:
                    super().report(t)


@fault("report", "JOB-8 SOURCE-13",
       "numaflow #3399: a source that is stalled by what is behind it publishes idle watermarks, which pass its own pending records")
class EJA43(Good):
    class Job(Job):
        class Sub(Sub):
            since = None

            def tick(self, t, passed):
                super().tick(t, passed)
                if not self.pressed(t) or self.source.idle_timeout is None or self.sent in (MIN, MAX):
                    self.since = None
                elif self.since is None:
                    self.since = t
                elif t - self.since > self.source.idle_timeout:
                    self.sent += passed
                    self.job.valve.watermark(t, self.channel, self.sent)
