"""Faulty job engines, even serial numbers: each overrides a little of the conforming simulator."""

from core import MAX, MIN, Coordinator, Good, Job, Sub, Valve, Windows, registry

D, fault = registry()


@fault("single", "ALIGN-2 JOB-2", "the group minimum leaves out the sources of other queries")
class EJA02(Good):
    class Job(Job):
        class Coordinator(Coordinator):
            def members(self, s):
                of = self.job.setup.sources
                return [x for x in super().members(s) if of[x].query == of[s].query]


@fault("single", "JOB-4 JOB-1", "a restart takes the positions of the last checkpoint (each second), though the records since are out")
class EJA04(Good):
    class Job(Job):
        cut = None

        def step(self, t, passed):
            super().step(t, passed)
            if t % 1000 == 0:
                self.cut = [s.pos for s in self.subs]

        def load(self, saved):
            super().load(saved)
            for sub, pos in zip(self.subs, self.cut or []):
                sub.pos = sub.pos if sub.done else pos


@fault("single", "JOB-4 JOB-2 SOURCE-1", "the bound of a subtask is not in its state: after a restart it reads without one")
class EJA06(Good):
    class Job(Job):
        class Sub(Sub):
            STATE = tuple(k for k in Sub.STATE if k != "bound")


@fault("single", "ALIGN-4", "each source adds the drift of the first source of its group in place of its own")
class EJA08(Good):
    class Job(Job):
        class Coordinator(Coordinator):
            def bound(self, s):
                low = self.minimum(s)
                drift = self.job.setup.sources[self.members(s)[0]].max_allowed_watermark_drift
                return None if low is None else min(MAX, low + drift)


@fault("single", "JOB-11 VALVE-23", "the valve forgets at a restart which channels are idle; the idle source does not say it again")
class EJA10(Good):
    class Job(Job):
        class Valve(Valve):
            def load(self, saved):
                super().load(saved)
                self.idles, self.al, self.quiet = [False] * len(self.wm), [True] * len(self.wm), False


@fault("single", "JOB-1 JOB-3", "the record that crossed the bound is put back, and read again after the block")
class EJA12(Good):
    class Job(Job):
        class Sub(Sub):
            def announced(self, t, bound):
                before = self.blocked()
                super().announced(t, bound)
                if before and not self.blocked():
                    self.pos -= 1


@fault("single", "ALIGN-9 JOB-2 JOB-5 JOB-6", "the last subtask of a source with several gets no announcements")
class EJA14(Good):
    class Job(Job):
        class Coordinator(Coordinator):
            def receivers(self, s):
                return [x for x in super().receivers(s) if x.i < max(1, len(x.source.subtasks) - 1)]


@fault("single", "JOB-11 SOURCE-5", "a subtask that has data again does not tell the operators downstream: ACTIVE is not sent")
class EJA16(Good):
    class Job(Job):
        class Sub(Sub):
            def wake(self, t):
                if self.idle:
                    self.idle, self.countdown = False, None
                    self.job.log("active", self, self.sent, t)


@fault("single", "SOURCE-2 JOB-1 JOB-3", "the subtasks of a source share a fetcher: one that is blocked stops them all, the slowest included")
class EJA18(Good):
    class Job(Job):
        class Sub(Sub):
            def read(self, t):
                if not any(x.s == self.s and not x.done and x.blocked() for x in self.job.subs):
                    super().read(t)


@fault("single", "JOB-9 WIN-13", "windows keep their records for an hour of event time after they have fired")
class EJA20(Good):
    class Job(Job):
        class Windows(Windows):
            def __init__(self, *a):
                super().__init__(*a)
                self.old = {}

            def save(self):
                return *super().save(), dict(self.old)

            def load(self, saved):
                super().load(saved)
                self.old = saved[2]

            def fire(self, t, end):
                self.old[end] = self.kept[end]
                super().fire(t, end)

            def watermark(self, t, w):
                if w <= self.time:
                    return
                super().watermark(t, w)
                self.old = {e: n for e, n in self.old.items() if e - 1 + 3_600_000 > w}
                *rest, count = self.job.events.pop()
                self.job.events.append((*rest, count + sum(self.old.values())))


@fault("single", "JOB-11 IDLE-1", "the activity clock of a subtask that was blocked once never starts again: it does not become idle any more")
class EJA22(Good):
    class Job(Job):
        class Sub(Sub):
            stuck = False
            STATE = (*Sub.STATE, "stuck")

            def stopped(self, t):
                self.stuck = self.stuck or self.blocked()
                return self.stuck or super().stopped(t)


@fault("single", "JOB-10 GEN-3", "the generator does not subtract the out-of-orderness that the source expects")
class EJA24(Good):
    class Job(Job):
        class Sub(Sub):
            def mark(self, top):
                return MIN if top == MIN else top - 1


@fault("single", "JOB-11 GEN-13", "a source with alignment loses its idle timeout")
class EJA26(Good):
    class Job(Job):
        class Sub(Sub):
            def probe(self, t):
                if not self.aligned:
                    super().probe(t)


@fault("single", "JOB-4 JOB-1 JOB-3 SOURCE-3", "after a restart the timer of the announcements does not run: bounds stay what they were")
class EJA28(Good):
    class Job(Job):
        again = False

        def restart(self, t):
            super().restart(t)
            self.again = True

        def align(self, t):
            if not self.again:
                super().align(t)


@fault("single", "JOB-11 IDLE-7", "a source forgets at a restart that it is idle, and sends no ACTIVE with its next record")
class EJA30(Good):
    class Job(Job):
        class Sub(Sub):
            STATE = tuple(k for k in Sub.STATE if k not in ("idle", "countdown"))


@fault("single", "ALIGN-8 JOB-2", "bounds never fall, also when a source that was idle comes back with older records")
class EJA32(Good):
    class Job(Job):
        class Coordinator(Coordinator):
            def __init__(self, *a):
                super().__init__(*a)
                self.high = {}

            def bound(self, s):
                new = super().bound(s)
                if new is not None:
                    self.high[s] = max(new, self.high.get(s, MIN))
                return self.high.get(s)


@fault("double", "ALIGN-1 ALIGN-2 JOB-2 JOB-4 JOB-1",
       "a source leaves its own subtasks out of its minimum where the group has others; the last record is read again after a restart")
class EJA34(Good):
    class Job(Job):
        class Coordinator(Coordinator):
            def minimum(self, s):
                known = [v for (x, _), v in self.reports.items() if x in self.members(s) and x != s]
                return min(known) if known else super().minimum(s)

        class Sub(Sub):
            def load(self, saved):
                super().load(saved)
                self.pos -= self.pos > 0 and not self.done


@fault("double", "ALIGN-4 JOB-10 WIN-3", "the drift is halved where a group has several sources; windows fire 500 ms of event time too early")
class EJA36(Good):
    class Job(Job):
        class Coordinator(Coordinator):
            def bound(self, s):
                bound = super().bound(s)
                if bound in (None, MAX) or len(self.members(s)) < 2:
                    return bound
                return bound - self.job.setup.sources[s].max_allowed_watermark_drift // 2

        class Windows(Windows):
            def due(self, end, w):
                return end - 501 <= w

            def record(self, t, ts):
                if self.due(self.end(ts), self.time):
                    self.job.say("late", ts, t)
                else:
                    super().record(t, ts)


@fault("report", "ALIGN-9 JOB-1 JOB-3",
       "FLINK-32362: an announcement to a subtask that runs no more raises, and the periodic announcements of that source end")
class EJA38(Good):
    class Job(Job):
        class Coordinator(Coordinator):
            dead = frozenset()

            def receivers(self, s):
                if any(x.s == s and x.done for x in self.job.subs):
                    self.dead |= {s}
                return [] if s in self.dead else super().receivers(s)


@fault("report", "JOB-11 SOURCE-3",
       "FLINK-32496 (github.com/apache/flink/pull/22925): idleness sets the watermark that is compared with the bound to MAX; an idle source stays blocked")
class EJA40(Good):
    class Job(Job):
        class Sub(Sub):
            def blocked(self):
                return super().blocked() or self.aligned and self.idle and self.bound < MAX


@fault("report", "JOB-11 VALVE-17 VALVE-18",
       "FLINK-38477 (github.com/apache/flink/pull/27083): a finished input counts as MAX; event time ends when the others are idle")
class EJA42(Good):
    class Job(Job):
        class Valve(Valve):
            def settle(self, t):
                if all(self.idles):
                    return super().settle(t)
                part = [w for w, a in zip(self.wm, self.al) if a]
                if part:
                    self.quiet = False
                    self.send(t, min(part))


@fault("report", "JOB-11 IDLE-2",
       "Beam (github.com/apache/beam/pull/40176): an input that has delivered no record yet never becomes idle, and holds back all others")
class EJA44(Good):
    class Job(Job):
        class Sub(Sub):
            def probe(self, t):
                if self.top != MIN:
                    super().probe(t)
