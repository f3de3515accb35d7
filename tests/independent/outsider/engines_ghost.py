"""Class "ghost": what was removed, finished, left, failed, reset or refused leaves state that comes back."""
from kparts import *
engine = book(globals(), "ghost")
BP, AL, BUSY = "backpressure", "alignment", "busy-downstream"
V = lambda tasks, parts=0, name="v": dict(vertices=[dict(name=name, tasks=tasks, partitions=parts, source=True, cooperating=True, listening=True)])
S = lambda *x: dict(sources=[dict(source=n, name=n, watermark_group=g, max_allowed_watermark_drift=d, subtasks=k) for n, g, d, k in x])
THRESHOLD = "pipeline.backlog.watermark-lag-threshold"

@engine("KG01", "clock", "CLOCK-4", "two refused resumptions of a reason in a row leave a debt: its next pause does not stop the clock",
        {}, ("resume", AL), ("resume", AL), ("pause", AL), ("advance", 5), "read")
class KG01(ClockB):
    def more(self): self.miss, self.debt = {}, {}
    def stopped(self): return any(self.n.get(r, 0) - self.debt.get(r, 0) > 0 for r in STOPS)
    def pause(self, reason=BP): self.miss[reason] = 0; return super().pause(reason)
    def resume(self, reason=BP):
        try: super().resume(reason)
        except RuntimeError:
            self.miss[reason] = self.miss.get(reason, 0) + 1
            if self.miss[reason] == 2: self.debt[reason] = 1
            raise
        if not self.n[reason]: self.debt[reason] = 0
        return []

@engine("KG02", "idleness", "IDLE-3", "a countdown that a record ended comes back if the probe that ended it came while the clock was paused",
        dict(timeout=10), "tick", ("advance", 8), ("record", 1), ("pause", BP), "tick", ("resume", BP), "tick", ("advance", 3), "tick")
class KG02(IdleB):
    def more(self): self.old = None
    def tick(self):
        g = self.gen; had, since = g.heard_one, g.since; sent = super().tick()
        if had: self.old = since if self.clock.stopped() else None
        elif self.old is not None and since is None: g.since, self.old = self.old, None
        return sent

@engine("KG03", "generator", "GEN-12", "a start with the same idle timeout leaves the new generator as idle as the old one was",
        dict(place="source", kind="bounded-out-of-orderness", idle_timeout=10), "tick", ("advance", 11), "tick", "start", "tick")
class KG03(GenB):
    def start(self):
        old = getattr(self, "gen", None); super().start()
        self.gen.is_idle = bool(old and old.is_idle and old.timeout == self.gen.timeout); return []

@engine("KG04", "generator", "GEN-12", "the largest timestamp of a bounded generator comes back when its bound is used again after another strategy ran",
        dict(place="source", kind="bounded-out-of-orderness"), ("record", 100), ("for_bounded_out_of_orderness", 5), "start",
        ("for_bounded_out_of_orderness", 0), "start", "tick")
class KG04(GenB):
    def more(self): self.tops, self.key = {}, None
    def start(self):
        if self.key and isinstance(self.gen.inner, Bounded): self.tops[self.key] = self.gen.inner.top
        super().start(); old, self.key = self.key, (self.running.kind, self.running.bound)
        if old and old != self.key and isinstance(self.gen.inner, Bounded): self.gen.inner.top = self.tops.get(self.key, MIN)
        return []

@engine("KG05", "generator", "GEN-14", "a strategy that is created anew by for_monotonous_timestamps keeps the alignment of the one before",
        {}, ("with_watermark_alignment", "g", 10, None), "for_monotonous_timestamps", "alignment")
class KG05(GenB):
    def for_monotonous_timestamps(self):
        a = self.strategy.alignment; super().for_monotonous_timestamps(); self.strategy = self.strategy._replace(alignment=a); return []

class WasIdle(Comb):
    def more(self): self.was = set()
    def quit(self, part):
        if part in self.quiet: self.was.add(part)
        super().quit(part)
    def join(self, part):
        super().join(part)
        if part in self.was: self.was.discard(part); self.quiet.add(part)
@engine("KG06", "splits", "SPLIT-1", "a split that was removed while idle is idle when it is added again",
        {}, ("add_split", "a"), ("add_split", "b"), ("idle", "a", True), ("remove_split", "a"), ("add_split", "a"), ("watermark", "b", 10, False))
class KG06(SplitB): comb = WasIdle

class Undelivered(Comb):
    def more(self): self.pend, self.ghost = {}, {}
    def mark(self, part, timestamp, deferred=False):
        if deferred and part in self.marks and timestamp > self.marks[part]: self.pend[part] = timestamp
        return super().mark(part, timestamp, deferred)
    def news(self): self.pend.clear(); return super().news()
    def quit(self, part):
        if part in self.pend: self.ghost[part] = self.pend.pop(part)
        super().quit(part)
    def join(self, part):
        super().join(part)
        if part in self.ghost: self.marks[part] = self.ghost.pop(part)
@engine("KG07", "splits", "SPLIT-1", "a deferred watermark whose split was removed before the update comes back with the split",
        {}, ("add_split", "a"), ("add_split", "b"), ("watermark", "b", 50, False), ("watermark", "a", 20, True),
        ("remove_split", "a"), ("add_split", "a"), "tick")
class KG07(SplitB): comb = Undelivered

@engine("KG08", "valve", "VALVE-8", "a channel that lagged once is lagging again when it returns with a watermark equal to the output",
        dict(channels=2), ("watermark", 0, 50), ("watermark", 1, 10), ("idle", 1), ("active", 1), ("watermark", 1, 50), ("idle", 1), ("active", 1),
        ("watermark", 0, 60))
class KG08(ValveB):
    def more(self): self.lagged = set()
    def _put(self, n, ch):
        if not ch.idle and not ch.aligned: self.lagged.add(n)
        return super()._put(n, ch)
    def active(self, channel):
        c = self._at(channel)
        if c.idle and not c.done and channel in self.lagged and c.wm == self.out: return self._put(channel, Channel((c.wm, False, False)))
        return super().active(channel)

@engine("KG09", "source", "SOURCE-9", "a split that finished while it was paused and idle is paused when it is assigned again",
        {}, ("assign", "a"), ("assign", "b"), ("record", "a", 100), "tick", ("announcement", 50), ("idle", "a"), ("finish", "a"),
        ("assign", "a"), ("record", "a", 10))
class KG09(SourceB):
    def more(self): self.kept = set()
    def finish(self, split):
        keep = split in self.paused and split in self.c.quiet; sent = super().finish(split)
        if keep: self.kept.add(split)
        return sent
    def assign(self, split):
        sent = super().assign(split)
        if split in self.kept: self.kept.discard(split); self.paused.add(split)
        return sent

@engine("KG10", "source", "SOURCE-9", "a split that is assigned again is compared with the bound by its watermark of the first time",
        {}, ("assign", "a"), ("assign", "b"), ("record", "a", 100), "tick", ("finish", "a"), ("assign", "a"), ("announcement", 50))
class KG10(SourceB):
    def more(self): self.old = {}
    def ghosts(self): return {p: max(w, self.old.get(p, MIN)) for p, w in self.c.marks.items()}
    def _compare(self):
        real, self.c.marks = self.c.marks, self.ghosts(); sent = super()._compare(); self.c.marks = real; return sent
    def finish(self, split):
        w = self.c.marks.get(split, MIN); sent = super().finish(split); self.old[split] = max(w, self.old.get(split, MIN)); return sent
    def announcement(self, bound):
        def body(me):
            if not me.s.aligned or me.ended: return []
            me.bound, g = bound, me.ghosts(); free = {p for p in me.paused if g[p] <= bound}; me.paused -= free
            return [("splits-resumed", tuple(sorted(free)))] if free else []
        return self._do(body)

@engine("KG11", "source", "SOURCE-13 IDLE-2", "a split that is assigned again continues the countdown of its former generator, if that was counting",
        dict(idle_timeout=10), ("assign", "a"), "tick", ("advance", 8), ("finish", "a"), ("assign", "a"), "tick", ("advance", 3), "tick")
class KG11(SourceB):
    def more(self): self.spent = {}
    def finish(self, split):
        w = self.writers.get(split); sent = super().finish(split)
        if w and w.gen.since is not None and not w.gen.is_idle and not w.gen.heard_one: self.spent[split] = w.clock - w.gen.since
        return sent
    def assign(self, split):
        sent = super().assign(split); w = self.writers.get(split)
        if w and split in self.spent: w.gen.since = w.clock - self.spent.pop(split)
        return sent

@engine("KG12", "coordinator", "ALIGN-11", "a subtask that once finished and has reported again is finished again as soon as it fails or is reset",
        S(("A", "g", 5, 2)), ("report", "A", 0, 100), ("finish", "A", 1), ("report", "A", 1, 20), ("failed", "A", 1), ("announce", "A"))
class KG12(CoordB):
    def more(self): self.fin = set()
    def finish(self, source, subtask): super().finish(source, subtask); self.fin.add((source, subtask)); return []
    def _happens(self, what, source, subtask, value=None, aligned=False):
        super()._happens(what, source, subtask, value, aligned)
        if what == "down" and (source, subtask) in self.fin: self.log.append(("report", source, subtask, MAX))
        return []

@engine("KG13", "coordinator", "ALIGN-4", "a subtask that failed and is ready again is first told the bound that it was told last before",
        S(("A", "g", 5, 2)), ("report", "A", 0, 10), ("announce", "A"), ("failed", "A", 1), ("ready", "A", 1), ("report", "A", 0, 30), ("announce", "A"))
class KG13(CoordB):
    def more(self): self.told, self.down, self.again = {}, set(), set()
    def _happens(self, what, source, subtask, value=None, aligned=False):
        super()._happens(what, source, subtask, value, aligned); k = f"{source}/{subtask}"
        if what == "down": self.down.add(k)
        if what == "ready" and k in self.down: self.down.discard(k); self.again.add(k)
        return []
    def announce(self, source):
        sent = [(n, self.told.get(to, b) if to in self.again else b, to) for n, b, to in super().announce(source)]
        for _, b, to in sent: self.again.discard(to); self.told[to] = b
        return sent

@engine("KG14", "low_watermark", "LOW-13", "the value that a leaving task with partitions was notified of is left to the next task that joins",
        V(1, 1), ("notify", "v", 0, 50, 1), ("leave", "v", 0), ("join", "v"), ("partitions", "v", 1, 0))
class KG14(LowB):
    def leave(self, vertex, task):
        v, t = self._task(vertex, task); v.ghost = t.told if t.count else MIN; return super().leave(vertex, task)
    def join(self, vertex):
        super().join(vertex); v = self.vertices[vertex]; v.tasks[v.next - 1].told = getattr(v, "ghost", MIN); v.ghost = MIN; return []

@engine("KG15", "low_watermark", "LOW-4", "the reply of a task that left without one still counts if it arrives in the open round",
        V(2), ("trigger", 1), ("leave", "v", 1), ("reply", "v", 1, 5), ("reply", "v", 0, 10))
class KG15(LowB):
    def reply(self, vertex, task, low_watermark):
        v = self._vertex(vertex)
        if v.round and task in v.round[1] and task not in v.tasks: v.round[2][task] = low_watermark; return self._settle(vertex, v)
        return super().reply(vertex, task, low_watermark)

@engine("KG16", "backlog", "BACKLOG-2", "a threshold that is refused removes the one before it",
        {}, ("configure", THRESHOLD, 10), ("configure", THRESHOLD, 0), ("clock", 100), ("watermark", 50))
class KG16(DetB):
    def configure(self, option, milliseconds):
        try: return super().configure(option, milliseconds)
        except ValueError: self.threshold = None; raise

@engine("KG17", "backlog", "BACKLOG-8", "a claim of another strategy that ended while the subtask was idle comes back at ACTIVE",
        {}, ("configure", THRESHOLD, 10), ("other", True), "idle", ("other", False), "active")
class KG17(DetB):
    def more(self): self.kept = False
    def _turn(self, idle):
        if idle and not self.idling: self.kept = self.other_claims
        if self.idling and not idle: self.other_claims = self.other_claims or self.kept
        return super()._turn(idle)

@engine("KG18", "window", "WIN-2 WIN-13", "a session that was cleaned up leaves its bounds: one that begins where it ended is merged with it",
        dict(assigner=dict(gap=10)), ("record", 10, 1), ("watermark", 19), ("record", 20, 2), ("watermark", 29))
class KG18(WinB):
    def more(self): self.gone = {}
    def clusters(self, extra=()):
        out = super().clusters(extra)
        for s in out: s[0] = self.gone.get(s[0], s[0])
        return out
    def watermark(self, timestamp):
        before = self.clusters() if self.gap is not None else []; sent = super().watermark(timestamp)
        self.gone.update({e: s for s, e, _ in before if self.reached(self.cleanup((s, e)))}); return sent

@engine("KG19", "window", "WIN-8", "in discarding, fired records come back when a record merges two sessions",
        dict(assigner=dict(gap=10), allowed_lateness=100, accumulation="discarding"), ("record", 0, 1), ("record", 15, 2), ("watermark", 30), ("record", 8, 3))
class KG19(WinB):
    def record(self, timestamp, value):
        if self.gap is not None and timestamp not in (MIN, MAX):
            hit = [c for c in self.clusters() if c[0] <= sat(timestamp + self.gap) and timestamp <= c[1]]
            if len(hit) > 1:
                for c in hit:
                    for e in c[2]: e[3] = True
        return super().record(timestamp, value)
