"""Class "equal": equal values of different parts, or a repeated equal value, share an entry or are not evaluated."""
from kparts import *
engine = book(globals(), "equal")
BP, AL, BUSY = "backpressure", "alignment", "busy-downstream"
V = lambda tasks, parts=0, name="v": dict(vertices=[dict(name=name, tasks=tasks, partitions=parts, source=True, cooperating=True, listening=True)])
S = lambda *x: dict(sources=[dict(source=n, name=n, watermark_group=g, max_allowed_watermark_drift=d, subtasks=k) for n, g, d, k in x])
THRESHOLD = "pipeline.backlog.watermark-lag-threshold"

@engine("KQ01", "clock", "CLOCK-2", "pauses of different reasons that begin at the same instant share one entry, which the first resumption removes",
        {}, ("pause", BP), ("pause", AL), ("resume", BP), ("advance", 5), "read")
class KQ01(ClockB):
    def more(self): self.t, self.stamps, self.open = 0, {}, set()
    def stopped(self): return bool(self.open)
    def advance(self, ns): super().advance(ns); self.t += ns; return []
    def pause(self, reason=BP):
        super().pause(reason)
        if reason in STOPS:
            mine = self.stamps.setdefault(reason, []); k = self.t, sum(t == self.t for t, _ in mine); mine.append(k); self.open.add(k)
        return []
    def resume(self, reason=BP):
        super().resume(reason)
        if reason in STOPS: self.open.discard(self.stamps[reason].pop())
        return []

@engine("KQ02", "idleness", "IDLE-3", "during a countdown a record with the timestamp of the record before it is not noticed",
        dict(timeout=10), ("record", 5), "tick", "tick", ("advance", 6), ("record", 5), "tick", ("advance", 6), "tick")
class KQ02(IdleB):
    def more(self): self.lastts = None
    def record(self, timestamp):
        g = self.gen; same = timestamp == self.lastts and not g.is_idle and g.since is not None and not g.heard_one
        sent = super().record(timestamp); self.lastts = timestamp
        if same: g.heard_one = False
        return sent

@engine("KQ03", "idleness", "IDLE-2 IDLE-3", "a probe at the same reading as the probe before it is not evaluated",
        dict(timeout=10), "tick", ("record", 1), "tick", ("advance", 11), "tick", ("advance", 11), "tick")
class KQ03(IdleB):
    def more(self): self.probed = None
    def tick(self):
        now = self.clock.reading(); same, self.probed = now == self.probed, now
        if not same: return super().tick()
        mark = None if self.gen.is_idle else self.gen.inner.asked(now)
        return [] if mark is None else [("watermark", mark)]

@engine("KQ04", "generator", "GEN-11", "in mid-pipeline a MAX that was sent already does not end the idleness of the output",
        dict(place="mid-pipeline", kind="bounded-out-of-orderness", idle_timeout=10), ("watermark", MAX), "tick", ("advance", 11), "tick", ("watermark", MAX))
class KQ04(GenB):
    def watermark(self, timestamp): return [] if self.mid and timestamp == MAX == self.out else super().watermark(timestamp)

@engine("KQ05", "generator", "GEN-4", "at a source a periodic watermark that is equal for the third time in a row is not emitted",
        dict(place="source", kind="bounded-out-of-orderness"), ("record", 10), "tick", "tick", "tick")
class KQ05(GenB):
    def start(self): self.lastw, self.rep = None, 0; return super().start()
    def tick(self):
        sent = super().tick()
        if self.mid or not sent or sent[-1][0] != "watermark": return sent
        self.rep = self.rep + 1 if sent[-1][1] == self.lastw else 1; self.lastw = sent[-1][1]
        if self.rep == 3: self.rep = 0; return []
        return sent

class Shared(Comb):
    def more(self): self.hidden = set()
    def status(self, part, idle, deferred=False):
        self.known(part); w = self.marks[part]
        if idle and part not in self.quiet and w != MIN: self.hidden |= {q for q in self.marks if q not in self.quiet and self.marks[q] == w}
        self.hidden.discard(part)
        return super().status(part, idle, deferred)
    def mark(self, part, timestamp, deferred=False):
        if part in self.marks and timestamp > self.marks[part]: self.hidden.discard(part)
        return super().mark(part, timestamp, deferred)
    def quit(self, part): self.hidden.discard(part); super().quit(part)
    def picture(self):
        live = [w for p, w in self.marks.items() if w != MAX and p not in self.quiet and p not in self.hidden]
        return (False, min(live)) if live and self.hidden else super().picture()
@engine("KQ06", "splits", "SPLIT-2", "active parts with equal watermarks share an entry: when one becomes idle, the others leave the minimum until they rise",
        dict(inputs=3), ("input_watermark", 0, 10), ("input_watermark", 1, 10), ("input_watermark", 2, 50), ("input_idle", 0))
class KQ06(SplitB): comb = Shared

class EqualNoResume(Comb):
    def mark(self, part, timestamp, deferred=False):
        self.known(part)
        return [] if part in self.quiet and timestamp == self.marks[part] != MIN else super().mark(part, timestamp, deferred)
@engine("KQ07", "splits", "SPLIT-8", "a watermark equal to that of its idle part does not end the idleness (a lower one does)",
        dict(inputs=1), ("input_watermark", 0, 10), ("input_idle", 0), ("input_watermark", 0, 10))
class KQ07(SplitB): comb = EqualNoResume

@engine("KQ08", "valve", "VALVE-2", "a channel is looked up by its value: of channels in equal states (with a watermark) the first one is changed",
        dict(channels=2), ("watermark", 0, 10), ("watermark", 1, 10), ("watermark", 1, 30), ("watermark", 0, 20))
class KQ08(ValveB):
    def _put(self, n, ch): return super()._put(n if self.channels[n].wm == MIN else self.channels.index(self.channels[n]), ch)

@engine("KQ09", "valve", "VALVE-9", "lagging channels with equal watermarks share an entry: when one catches up, all are aligned",
        dict(channels=3), ("watermark", 0, 50), ("watermark", 1, 10), ("watermark", 2, 10), ("idle", 1), ("idle", 2), ("active", 1), ("active", 2),
        ("watermark", 1, 60), ("watermark", 0, 70))
class KQ09(ValveB):
    def _put(self, n, ch):
        old = self.channels[n]
        if ch.aligned and not old.aligned and not old.idle:
            self.channels = [Channel((c.wm, False, True)) if not c.idle and c.wm == old.wm else c for c in self.channels]
        return super()._put(n, ch)

@engine("KQ10", "source", "SOURCE-9", "of splits with equal watermarks that exceed the bound in one step only the first is paused in it",
        {}, ("assign", "a"), ("assign", "b"), ("record", "a", 100), ("record", "b", 100), "tick", ("announcement", 50))
class KQ10(SourceB):
    def _compare(self):
        sent = super()._compare()
        if sent and sent[-1][0] == "splits-paused":
            keep = {}
            for p in sent[-1][1]: keep.setdefault(self.c.marks[p], p)
            self.paused -= set(sent[-1][1]) - set(keep.values()); sent[-1] = "splits-paused", tuple(sorted(keep.values()))
        return sent

@engine("KQ11", "source", "SOURCE-8", "the MAX of an idle subtask is not reported twice in a row",
        {}, ("assign", "a"), ("record", "a", 10), "tick", ("idle", "a"), "report", "report")
class KQ11(SourceB):
    def more(self): self.lastr = None
    def report(self):
        sent = super().report()
        if sent == [("report", MAX)] and not self.ended and self.lastr == MAX: return []
        self.lastr = sent[0][1] if sent else None; return sent

@engine("KQ12", "source", "SOURCE-10", "of paused splits with equal watermarks a bound resumes only the first",
        {}, ("assign", "a"), ("assign", "b"), ("record", "a", 100), ("record", "b", 100), "tick", ("announcement", 50), ("announcement", 200))
class KQ12(SourceB):
    def announcement(self, bound):
        def body(me):
            if not me.s.aligned or me.ended: return []
            me.bound, free = bound, {}
            for p in sorted(me.paused):
                if me.c.marks[p] <= bound: free.setdefault(me.c.marks[p], p)
            me.paused -= set(free.values())
            return [("splits-resumed", tuple(sorted(free.values())))] if free else []
        return self._do(body)

@engine("KQ13", "coordinator", "ALIGN-8", "a report equal to the subtask's last one below MAX is taken for a repetition, also after MAX",
        S(("A", "g", 5, 2)), ("report", "A", 0, 50), ("report", "A", 1, 100), ("report", "A", 0, MAX), ("report", "A", 0, 50), ("announce", "A"))
class KQ13(CoordB):
    def more(self): self.lastw = {}
    def _happens(self, what, source, subtask, value=None, aligned=False):
        super()._happens(what, source, subtask, value, aligned)
        if what == "report" and value < MAX:
            if self.lastw.get((source, subtask)) == value: self.log.pop()
            self.lastw[source, subtask] = value
        return []

@engine("KQ14", "coordinator", "ALIGN-2", "equal minima of two sources of a group are one entry, which goes when one of them changes",
        S(("A", "g", 5, 1), ("B", "g", 7, 1)), ("report", "A", 0, 10), ("report", "B", 0, 10), ("report", "A", 0, 20), ("announce", "A"))
class KQ14(CoordB):
    def more(self): self.minima, self.mine = {}, {}
    def _happens(self, what, source, subtask, value=None, aligned=False):
        super()._happens(what, source, subtask, value, aligned)
        if what == "report":
            g = self.group(source); m = min(v for (s, _), v in self.last(g).items() if s == source); have = self.minima.setdefault(g, set())
            if m != self.mine.get(source): have.discard(self.mine.get(source)); have.add(m); self.mine[source] = m
        return []
    def announce(self, source):
        sent = super().announce(source)
        return [(n, sat(min(self.minima[self.group(source)]) + self.sources[source][1]), to) for n, _, to in sent]

@engine("KQ15", "low_watermark", "LOW-5", "a trigger with the timestamp of the open round keeps the replies of that round",
        V(2), ("trigger", 5), ("reply", "v", 0, 10), ("trigger", 5), ("reply", "v", 1, 20))
class KQ15(LowB):
    def trigger(self, timestamp):
        old = {n: v.round for n, v in self.vertices.items() if v.round}; sent = super().trigger(timestamp)
        for n, r in old.items():
            v = self.vertices[n]
            if r[0] == timestamp and v.round: v.round[2].update({i: x for i, x in r[2].items() if i in v.round[1]})
        return sent

@engine("KQ16", "low_watermark", "LOW-6 LOW-9", "equal replies of a round share an entry: when one is replaced, all are",
        V(3), ("trigger", 5), ("reply", "v", 0, 50), ("reply", "v", 1, 50), ("reply", "v", 0, 80), ("reply", "v", 2, 90))
class KQ16(LowB):
    def reply(self, vertex, task, low_watermark):
        v = self._vertex(vertex)
        if v.round and task in v.round[2]:
            r = v.round[2]; old = r[task]
            for i in r:
                if r[i] == old: r[i] = low_watermark
        return super().reply(vertex, task, low_watermark)

@engine("KQ17", "low_watermark", "LOW-13", "a notification equal to the task's last value below MAX is taken for a repetition, also after a notified MAX",
        V(1, 1), ("notify", "v", 0, 50, 1), ("notify", "v", 0, MAX, 2), ("notify", "v", 0, 50, 3), ("partitions", "v", 0, 0))
class KQ17(LowB):
    def notify(self, vertex, task, low_watermark, timestamp):
        v, t = self._task(vertex, task)
        if v.cooperating and low_watermark < MAX:
            if getattr(t, "lastn", None) == low_watermark: return []
            t.lastn = low_watermark
        return super().notify(vertex, task, low_watermark, timestamp)

@engine("KQ18", "backlog", "BACKLOG-5 BACKLOG-4", "an evaluation at the same lag as the last one with a defined lag is skipped, also after idleness",
        {}, ("configure", THRESHOLD, 10), ("clock", 100), ("watermark", 50), "idle", "active")
class KQ18(DetB):
    def more(self): self.lastlag = None
    def _evaluate(self):
        if self.threshold is not None and self.mark is not None and not self.idling:
            lag = self.now - self.mark
            if lag == self.lastlag: return []
            self.lastlag = lag
        return super()._evaluate()

@engine("KQ19", "backlog", "BACKLOG-8", "the same claim as that of another channel right before it is taken for a repetition, if its channel has claimed before",
        dict(channels=2, without_strategy=()), ("attributes", 0, False), ("attributes", 1, False), ("attributes", 0, True), ("attributes", 1, True),
        ("attributes", 0, False))
class KQ19(CombinerB):
    def more(self): self.prev = None
    def attributes(self, channel, backlog):
        self.number(channel); prev, self.prev = self.prev, (channel, backlog)
        if prev and prev[1] == backlog and prev[0] != channel and self.last[channel] is not None: return []
        return super().attributes(channel, backlog)

@engine("KQ20", "window", "WIN-10 WIN-13", "records of a window with equal timestamps and values are one record of its result",
        dict(assigner=dict(size=10, offset=0)), ("record", 5, 7), ("record", 5, 7), ("watermark", 9))
class KQ20(WinB):
    def fire(self, w, entries):
        one = {(e[0], e[1], e[3] and self.mode == "discarding"): e for e in entries}; sent = super().fire(w, list(one.values()))
        for e in entries: e[3] = False
        return sent

@engine("KQ21", "window", "WIN-7", "a watermark equal to the operator's is forwarded again if a record was added since",
        dict(assigner=dict(size=10, offset=0)), ("watermark", 5), ("record", 8, 1), ("watermark", 5))
class KQ21(WinB):
    def more(self): self.dirty = False
    def record(self, timestamp, value):
        n = len(self.kept); sent = super().record(timestamp, value); self.dirty |= len(self.kept) > n; return sent
    def watermark(self, timestamp):
        dirty, self.dirty = self.dirty, self.dirty and timestamp < self.now
        return [("watermark", timestamp)] if dirty and timestamp == self.now != MIN else super().watermark(timestamp)
