"""Class "count": a counter, multiset or queue that saturates, is capped, drifts, or is kept as a flag."""
from kparts import *
engine = book(globals(), "count")
BP, AL, BUSY = "backpressure", "alignment", "busy-downstream"
V = lambda tasks, parts=0, name="v": dict(vertices=[dict(name=name, tasks=tasks, partitions=parts, source=True, cooperating=True, listening=True)])
S = lambda *x: dict(sources=[dict(source=n, name=n, watermark_group=g, max_allowed_watermark_drift=d, subtasks=k) for n, g, d, k in x])

@engine("KC01", "clock", "CLOCK-1 CLOCK-2", "the depth of all stopping pauses together is counted to 8 at most (refusals are right)",
        {}, *[("pause", BP)] * 5, *[("pause", AL)] * 4, *[("resume", BP)] * 5, *[("resume", AL)] * 3, ("advance", 7), "read")
class KC01(ClockB):
    def more(self): self.depth = 0
    def stopped(self): return self.depth > 0
    def pause(self, reason=BP):
        super().pause(reason)
        if reason in STOPS: self.depth = min(self.depth + 1, 8)
        return []
    def resume(self, reason=BP):
        super().resume(reason)
        if reason in STOPS: self.depth = max(self.depth - 1, 0)
        return []

@engine("KC02", "clock", "CLOCK-1 CLOCK-2", "busy-downstream pauses that begin under backpressure are a flag, not a count",
        {}, ("pause", BP), ("pause", BUSY), ("pause", BUSY), ("resume", BP), ("resume", BUSY), ("advance", 5), "read")
class KC02(ClockB):
    def more(self): self.m = {}
    def stopped(self): return any(self.m.get(r) for r in STOPS)
    def pause(self, reason=BP):
        super().pause(reason); k = self.m.get(reason, 0)
        self.m[reason] = max(k, 1) if reason == BUSY and self.n.get(BP) else k + 1
        return []
    def resume(self, reason=BP):
        super().resume(reason); self.m[reason] = max(self.m.get(reason, 0) - 1, 0); return []

@engine("KC03", "idleness", "IDLE-1", "pauses that begin while no countdown runs are a set of reasons",
        dict(timeout=10), ("pause", BP), ("pause", BP), ("resume", BP), "tick", ("advance", 20), "tick")
class KC03(IdleB):
    def more(self): self.lost = {}
    def pause(self, reason=BP):
        if self.gen.since is None and self.clock.n.get(reason): self.lost[reason] = self.lost.get(reason, 0) + 1; return []
        return super().pause(reason)
    def resume(self, reason=BP):
        if not self.clock.n.get(reason) and self.lost.get(reason): self.lost[reason] -= 1; return []
        return super().resume(reason)

class Counting(Watched):
    n = 0
    def heard(self, ts, now): self.n = min(self.n + 1, 3); return super().heard(ts, now)
    def asked(self, now):
        r = super().asked(now); self.n = max(self.n - 1, 0); self.heard_one = self.n > 0; return r
@engine("KC04", "idleness", "IDLE-2", "records since the last probe are counted (to 3), and each probe takes one away",
        dict(timeout=10), ("record", 1), ("record", 2), "tick", "tick", ("advance", 11), "tick")
class KC04(IdleB): watched = Counting

@engine("KC05", "source", "SOURCE-13", "the causes that stop an output's clock (backpressure, blocked, paused) are counted to 2 at most",
        dict(idle_timeout=10), ("assign", "a"), ("record", "a", 10), "tick", "tick", ("announcement", 5), ("backpressure", True),
        ("announcement", 100), ("advance", 20), "tick")
class KC05(SourceB):
    def more(self): self.n, self.seen = {}, {}
    def settle(self):
        n, seen = {}, {}
        for p in self.writers:
            now = {x for x, y in (("press", self.pressed), ("block", self.is_blocked), ("pause", p in self.paused)) if y}
            old = self.seen.get(p, set())
            n[p] = min(2, max(0, self.n.get(p, 0) - len(old - now)) + len(now - old)); seen[p] = now
        self.n, self.seen = n, seen
    def _do(self, body): sent = super()._do(body); self.settle(); return sent
    def backpressure(self, on): super().backpressure(on); self.settle(); return []
    def advance(self, milliseconds):
        if milliseconds < 0: raise bad("back")
        for p, w in self.writers.items():
            if not self.n.get(p): w.clock += milliseconds
        return []

ABC = "abcde"
@engine("KC06", "source", "SOURCE-10", "only four paused splits are remembered for resumption; a fifth stays paused for ever",
        {}, *[("assign", x) for x in ABC], *[("record", x, 100) for x in ABC], "tick", ("announcement", 50), ("announcement", 200))
class KC06(SourceB):
    def more(self): self.queue = []
    def _compare(self):
        before = set(self.paused); sent = super()._compare()
        self.queue = ([p for p in self.queue if p in self.paused] + sorted(self.paused - before))[:4]; return sent
    def announcement(self, bound):
        def body(me):
            if not me.s.aligned or me.ended: return []
            me.bound = bound; free = {p for p in me.queue if p in me.paused and me.c.marks[p] <= bound}; me.paused -= free
            return [("splits-resumed", tuple(sorted(free)))] if free else []
        return self._do(body)

class Queue4(Comb):
    def more(self): self.pending = set()
    def mark(self, part, timestamp, deferred=False):
        if deferred and part in self.marks and part not in self.pending:
            if len(self.pending) >= 4: return []
            self.pending.add(part)
        return super().mark(part, timestamp, deferred)
    def news(self): self.pending.clear(); return super().news()
@engine("KC07", "splits", "SPLIT-10 SPLIT-2", "the queue of deferred watermarks has places for four splits; a fifth is dropped before the next update",
        {}, *[("add_split", x) for x in ABC], *[("watermark", x, 10, True) for x in ABC], "tick")
class KC07(SplitB): comb = Queue4

class Twice(Comb):
    def more(self): self.twice, self.pend = 0, set()
    def status(self, part, idle, deferred=False):
        self.known(part)
        if idle and deferred:
            self.twice += part in self.pend and part in self.quiet; self.pend.add(part)
        return super().status(part, idle, deferred)
    def news(self): self.pend.clear(); return super().news()
    def picture(self):
        idle, mark = super().picture()
        rest = {p: w for p, w in self.marks.items() if w != MAX}
        if not idle and rest and len([p for p in rest if p not in self.quiet]) <= self.twice: return True, max(rest.values())
        return idle, mark
@engine("KC08", "splits", "SPLIT-6 SPLIT-2", "idle splits are counted; a deferred idle that is repeated before the update counts twice",
        {}, ("add_split", "a"), ("add_split", "b"), ("watermark", "a", 10, False), ("watermark", "b", 20, False),
        ("idle", "a", True), ("idle", "a", True), "tick")
class KC08(SplitB): comb = Twice

@engine("KC09", "valve", "VALVE-9", "lagging is one flag of the valve: the first channel that catches up clears it for all active channels",
        dict(channels=3), ("watermark", 0, 50), ("watermark", 1, 10), ("watermark", 2, 10), ("idle", 1), ("idle", 2), ("active", 1), ("active", 2),
        ("watermark", 1, 60), ("watermark", 0, 70))
class KC09(ValveB):
    def _put(self, n, ch):
        old = self.channels[n]
        if ch.aligned and not ch.idle and not old.idle and not old.aligned:
            self.channels = [c if c.idle else Channel((c.wm, False, True)) for c in self.channels]
        return super()._put(n, ch)

@engine("KC10", "valve", "VALVE-14", "returning channels raise the count of active channels to 4 at most",
        dict(channels=6), ("idle", 0), ("active", 0), ("idle", 1), ("active", 1), ("idle", 0), ("idle", 1), ("idle", 2), ("idle", 3))
class KC10(ValveB):
    def more(self): self.na = len(self.channels)
    def _put(self, n, ch):
        was, now = (not c.idle and not c.done for c in (self.channels[n], ch))
        if was and not now: self.na = max(self.na - 1, 0)
        if now and not was and self.na < 4: self.na += 1
        rest = [c for i, c in enumerate(self.channels) if i != n and not c.done] + ([] if ch.done else [ch])
        if not rest or self.na or all(c.idle for c in rest): return super()._put(n, ch)
        self.channels[n] = ch; top = max(c.wm for c in rest); sent = []
        if top > self.out and not self.out_idle: sent.append(("watermark", top)); self.out = top
        if not self.out_idle: sent.append(("idle",)); self.out_idle = True
        return sent

@engine("KC11", "coordinator", "ALIGN-9", "a subtask that failed and was then reset has been taken down twice, and needs two readies",
        S(("A", "g", 5, 2)), ("report", "A", 0, 10), ("failed", "A", 1), ("reset", "A", 1), ("ready", "A", 1), ("announce", "A"))
class KC11(CoordB):
    def more(self): self.down = {}
    def _happens(self, what, source, subtask, value=None, aligned=False):
        super()._happens(what, source, subtask, value, aligned); k = source, subtask
        if what == "down": self.down[k] = min(self.down.get(k, 0) + 1, 2)
        if what == "ready":
            if self.down.get(k, 0) > 1: self.log.pop()
            self.down[k] = max(self.down.get(k, 0) - 1, 0)
        return []

@engine("KC12", "coordinator", "ALIGN-1", "the last reports of 8 subtasks are kept, those that reported longest ago are evicted",
        S(("A", "g", 5, 9)), ("report", "A", 0, 5), *[("report", "A", i, 100) for i in range(1, 9)], ("announce", "A"))
class KC12(CoordB):
    def more(self): self.order = []
    def _happens(self, what, source, subtask, value=None, aligned=False):
        super()._happens(what, source, subtask, value, aligned); k = source, subtask
        if what == "report":
            self.order = [x for x in self.order if x != k] + [k]
            if len(self.order) > 8:
                old = self.order.pop(0); self.log = [e for e in self.log if e[0] != "report" or e[1:3] != old]
        return []

class Outstanding(LowB):
    """`extra`: tasks that are not awaited although they have not replied."""
    def trigger(self, timestamp):
        for v in self.vertices.values(): v.extra = 0
        return super().trigger(timestamp)
    def _settle(self, name, v):
        if v.round:
            t, asked, replies = v.round; wait = [i for i in asked if i in v.tasks and i not in replies]
            if wait and len(wait) <= v.extra: v.round = t, set(replies), replies
        return super()._settle(name, v)
@engine("KC13", "low_watermark", "LOW-3", "outstanding replies are a number; a reply of 0 does not mark its task, whose next reply is counted again",
        V(2), ("trigger", 1), ("reply", "v", 0, 0), ("reply", "v", 0, 7))
class KC13(Outstanding):
    def reply(self, vertex, task, low_watermark):
        v = self._vertex(vertex)
        if v.round and v.round[2].get(task) == 0: v.extra += 1
        return super().reply(vertex, task, low_watermark)

@engine("KC14", "low_watermark", "LOW-3", "a task that leaves after its reply lowers the number of outstanding replies once more",
        V(3), ("trigger", 1), ("reply", "v", 0, 10), ("leave", "v", 0), ("reply", "v", 1, 20))
class KC14(Outstanding):
    def leave(self, vertex, task):
        v, _ = self._task(vertex, task)
        if v.round and task in v.round[2]: v.extra += 1
        return super().leave(vertex, task)

@engine("KC15", "backlog", "BACKLOG-10", "the channels heard are counted by changes of attributes: one channel that changes counts for two",
        dict(channels=2, without_strategy=()), ("attributes", 0, True), ("attributes", 0, False))
class KC15(CombinerB):
    def more(self): self.heard = 0
    def attributes(self, channel, backlog):
        self.number(channel)
        self.heard += channel in self.awaited and self.last[channel] != backlog; self.last[channel] = backlog
        return self.flag.say(True if any(self.last) else None if self.heard < len(self.awaited) else False)

@engine("KC16", "backlog", "BACKLOG-8", "channels that claim true are counted to 3 at most",
        dict(channels=4, without_strategy=()), *[("attributes", i, True) for i in range(4)], *[("attributes", i, False) for i in range(3)])
class KC16(CombinerB):
    def more(self): self.n = 0
    def attributes(self, channel, backlog):
        self.number(channel)
        if backlog and not self.last[channel]: self.n = min(self.n + 1, 3)
        if self.last[channel] and not backlog: self.n = max(self.n - 1, 0)
        self.last[channel] = backlog
        return self.flag.say(True if self.n else None if any(self.last[c] is None for c in self.awaited) else False)

T10 = lambda **k: dict(assigner=dict(size=10, offset=0), **k)
@engine("KC17", "window", "WIN-8 WIN-13", "of a window that has fired, at most 4 records are kept for its next result (not in discarding)",
        T10(allowed_lateness=20), *[("record", 1, v) for v in range(1, 6)], ("watermark", 9), ("record", 2, 6))
class KC17(WinB):
    def fire(self, w, entries):
        live = [e for e in entries if len(e) < 5]; sent = super().fire(w, live)
        if self.mode != "discarding":
            for e in live[:-4]: e.append("gone")
        return sent

@engine("KC18", "window", "WIN-9", "three results that stand are remembered in all; older ones are never retracted",
        T10(allowed_lateness=100, accumulation="accumulating-and-retracting"),
        *[("record", t, t) for t in (5, 15, 25, 35)], ("watermark", 39), ("record", 6, 6))
class KC18(WinB):
    def fire(self, w, entries): sent = super().fire(w, entries); self.standing = self.standing[-3:]; return sent

@engine("KC19", "generator", "GEN-12", "two generators are pooled: from the third start on, the same strategy gets a used one with its state",
        dict(place="source", kind="bounded-out-of-orderness"), ("record", 100), "start", "start", "tick")
class KC19(GenB):
    def more(self): self.pool = []
    def start(self):
        super().start()
        if len(self.pool) >= 2:
            strategy, gen = self.pool.pop(0)
            if strategy == self.strategy: self.gen = gen
        self.pool.append((self.strategy, self.gen)); return []
