"""Class "first": the first occurrence of something is swallowed, delayed or doubled, under a condition."""
from kparts import *
engine = book(globals(), "first")
BP, AL, BUSY = "backpressure", "alignment", "busy-downstream"
V = lambda tasks, parts=0, name="v": dict(vertices=[dict(name=name, tasks=tasks, partitions=parts, source=True, cooperating=True, listening=True)])
S = lambda *x: dict(sources=[dict(source=n, name=n, watermark_group=g, max_allowed_watermark_drift=d, subtasks=k) for n, g, d, k in x])
T10 = lambda **k: dict(assigner=dict(size=10, offset=0), **k)

@engine("KF01", "clock", "CLOCK-1", "the first duration after a pause during which no time passed is not counted",
        {}, ("pause", BP), ("resume", BP), ("advance", 5), "read")
class KF01(ClockB):
    def more(self): self.quick = self.skip = False
    def pause(self, reason=BP):
        was = self.stopped(); super().pause(reason)
        if self.stopped() and not was: self.quick, self.skip = True, False
        return []
    def resume(self, reason=BP):
        was = self.stopped(); super().resume(reason)
        if was and not self.stopped(): self.skip = self.quick
        return []
    def advance(self, ns):
        if ns > 0:
            if self.stopped(): self.quick = False
            elif self.skip: self.skip = False; return []
        return super().advance(ns)

@engine("KF02", "idleness", "IDLE-2", "the very first quiet probe does not start the countdown if the clock is paused then",
        dict(timeout=10), ("pause", BP), "tick", ("resume", BP), ("advance", 11), "tick")
class KF02(IdleB):
    def more(self): self.begun = False
    def tick(self):
        g = self.gen; quiet = not g.heard_one and g.since is None and not g.is_idle; sent = super().tick()
        if quiet and not self.begun:
            self.begun = True
            if self.clock.stopped(): g.since = None
        return sent

@engine("KF03", "idleness", "IDLE-4", "the first IDLE of an input that never had a record is doubled by the next probe",
        dict(timeout=10), "tick", ("advance", 11), "tick", "tick")
class KF03(IdleB):
    def more(self): self.any, self.said = False, 0
    def record(self, timestamp): self.any = True; return super().record(timestamp)
    def tick(self):
        sent = super().tick()
        if ("idle",) in sent: self.said += 1
        elif self.gen.is_idle and not self.any and self.said == 1: self.said = 2; return [("idle",)]
        return sent

@engine("KF04", "generator", "GEN-11 GEN-4", "in mid-pipeline the first watermark is swallowed if the output was idle before it",
        dict(place="mid-pipeline", kind="bounded-out-of-orderness", idle_timeout=10), "tick", ("advance", 11), "tick", ("record", 50), "tick")
class KF04(GenB):
    def more(self): self.was = False
    def start(self): self.was = False; return super().start()
    def _status(self, idle):
        if idle and self.out == MIN: self.was = True
        return super()._status(idle)
    def _mark(self, t):
        if self.mid and self.was and t is not None and t > self.out == MIN:
            self.was = False; sent = self._status(False); self.out = t; return sent
        return super()._mark(t)

@engine("KF05", "generator", "GEN-3", "with a bound above 0, the first record after a start takes effect one tick late",
        dict(place="source", kind="bounded-out-of-orderness", max_out_of_orderness=5), ("record", 100), "tick")
class KF05(GenB):
    def start(self): self.seen = False; return super().start()
    def tick(self):
        g = self.gen.inner
        if self.seen or not isinstance(g, Bounded) or not g.bound or g.top == MIN: return super().tick()
        self.seen = True; top, g.top = g.top, MIN
        try: return super().tick()
        finally: g.top = top

class Fresh(Comb):
    def more(self): self.fresh = set()
    def join(self, part):
        super().join(part)
        if self.out_idle: self.fresh.add(part)
    def quit(self, part): self.fresh.discard(part); super().quit(part)
    def mark(self, part, timestamp, deferred=False):
        first = part in self.fresh; self.fresh.discard(part)
        return super().mark(part, timestamp, deferred or first)
@engine("KF06", "splits", "SPLIT-8 SPLIT-2 SPLIT-10", "the first watermark of a split that was added while the output was idle is no update",
        {}, "tick", ("add_split", "a"), ("watermark", "a", 10, False))
class KF06(SplitB): comb = Fresh

class FirstIdle(Comb):
    def more(self): self.once = False
    def news(self):
        sent = super().news()
        if sent == [("idle",)] and self.out == MIN and not self.once and 0 in self.marks:
            self.once = True; self.out_idle = False; return []
        return sent
@engine("KF07", "splits", "SPLIT-6", "the first IDLE of an operator with inputs waits for one more update if no watermark has gone out",
        dict(inputs=2), ("input_idle", 0), ("input_idle", 1))
class KF07(SplitB): comb = FirstIdle

@engine("KF08", "valve", "VALVE-13", "the first ACTIVE of a valve is not sent if the channel that returns has no watermark",
        dict(channels=1), ("idle", 0), ("active", 0))
class KF08(ValveB):
    def more(self): self.once = False
    def _put(self, n, ch):
        sent = super()._put(n, ch)
        if ("active",) in sent and not self.once:
            self.once = True
            if ch.wm == MIN: sent.remove(("active",))
        return sent

@engine("KF09", "valve", "VALVE-2", "the first watermark of a channel that returned aligned is stored, but the minimum is not computed",
        dict(channels=1), ("watermark", 0, 10), ("idle", 0), ("active", 0), ("watermark", 0, 20))
class KF09(ValveB):
    def more(self): self.back = set()
    def idle(self, channel): sent = super().idle(channel); self.back.discard(channel); return sent
    def active(self, channel):
        was = self._at(channel).idle; sent = super().active(channel); c = self.channels[channel]
        if was and not c.idle and c.aligned: self.back.add(channel)
        return sent
    def watermark(self, channel, timestamp):
        c = self._at(channel)
        if channel in self.back and c.wm < timestamp:
            self.back.discard(channel)
            if timestamp != MAX: self.channels[channel] = Channel((timestamp, False, True)); return []
        return super().watermark(channel, timestamp)

@engine("KF10", "source", "SOURCE-1 SOURCE-9", "the first announcement is compared only in the step after it",
        {}, ("assign", "a"), ("record", "a", 100), "tick", ("announcement", 50))
class KF10(SourceB):
    def more(self): self.first, self.skip = True, False
    def announcement(self, bound):
        if self.first and self.s.aligned: self.first, self.skip = False, True
        return super().announcement(bound)
    def _compare(self):
        if self.skip: self.skip = False; return []
        return super()._compare()

@engine("KF11", "source", "SOURCE-6", "the first report after idleness is MAX once more",
        {}, ("assign", "a"), ("record", "a", 10), "tick", ("idle", "a"), "report", ("active", "a"), "report")
class KF11(SourceB):
    def more(self): self.idled = False
    def report(self):
        sent = super().report()
        if not sent or self.ended: return sent
        was, self.idled = self.idled, self.c.out_idle
        return [("report", MAX)] if was else sent

@engine("KF12", "source", "SOURCE-5 SOURCE-10", "the first record after a split was resumed is taken for a stale one and dropped, if the split was idle meanwhile",
        {}, ("assign", "a"), ("assign", "b"), ("record", "a", 100), "tick", ("announcement", 50), ("idle", "a"), ("announcement", 200), ("record", "a", 101))
class KF12(SourceB):
    def more(self): self.stale = set()
    def announcement(self, bound):
        before = set(self.paused); sent = super().announcement(bound)
        self.stale |= {p for p in before - self.paused if p in self.c.quiet}; return sent
    def record(self, split, timestamp):
        self._part(split)
        if split in self.stale and not self.is_blocked and split not in self.paused: self.stale.discard(split); return []
        return super().record(split, timestamp)
    def finish(self, split): sent = super().finish(split); self.stale.discard(split); return sent

@engine("KF13", "coordinator", "ALIGN-8", "the first report of a subtask after the restart of its coordinator is ignored if it is lower than the last one",
        S(("A", "g", 5, 1)), ("report", "A", 0, 50), ("restart", "A"), ("ready", "A", 0), ("report", "A", 0, 30), ("announce", "A"))
class KF13(CoordB):
    def more(self): self.fresh = set()
    def restart(self, source):
        super().restart(source); self.fresh |= {(source, i) for i in range(self.sources[source][2])}; return []
    def _happens(self, what, source, subtask, value=None, aligned=False):
        k = source, subtask; last = self.last(self.group(source)).get(k) if source in self.sources else None
        super()._happens(what, source, subtask, value, aligned)
        if what == "report" and k in self.fresh:
            self.fresh.discard(k)
            if last is not None and value < last: self.log.pop()
        return []

@engine("KF14", "coordinator", "ALIGN-2 ALIGN-1", "the first report of a subtask of a source that started later is swallowed if its group has reports already",
        S(("A", "g", 5, 1)), ("report", "A", 0, 100), ("start", "B", "B", "g", 5, 1), ("ready", "B", 0), ("report", "B", 0, 10), ("announce", "A"))
class KF14(CoordB):
    def more(self): self.heard = set()
    def _happens(self, what, source, subtask, value=None, aligned=False):
        k = source, subtask; known = bool(self.last(self.group(source))) if source in self.sources else False
        super()._happens(what, source, subtask, value, aligned)
        if what == "report" and source not in self.initial and k not in self.heard:
            self.heard.add(k)
            if known: self.log.pop()
        return []

@engine("KF15", "low_watermark", "LOW-13", "the first value that an empty task is notified of after it joined is only remembered",
        V(1), ("join", "v"), ("notify", "v", 1, 50, 1))
class KF15(LowB):
    def join(self, vertex):
        super().join(vertex); v = self.vertices[vertex]; v.tasks[v.next - 1].fresh = True; return []
    def notify(self, vertex, task, low_watermark, timestamp):
        v, t = self._task(vertex, task)
        if getattr(t, "fresh", False) and v.cooperating:
            t.fresh = False
            if t.count == 0: t.told = low_watermark; return []
        return super().notify(vertex, task, low_watermark, timestamp)

@engine("KF16", "low_watermark", "LOW-10 LOW-6", "after a round without a result, the first reply of a task that owed one is taken for the old round's",
        V(1), ("trigger", 1), ("trigger", 2), ("reply", "v", 0, 10))
class KF16(LowB):
    def trigger(self, timestamp):
        old = {n: v.round[1] - set(v.round[2]) if v.round else set() for n, v in self.vertices.items()}
        sent = super().trigger(timestamp)
        for n, v in self.vertices.items(): v.stale = old[n] & set(v.tasks)
        return sent
    def reply(self, vertex, task, low_watermark):
        v = self._vertex(vertex)
        if v.round and task in v.stale: v.stale.discard(task); return []
        return super().reply(vertex, task, low_watermark)

@engine("KF17", "backlog", "BACKLOG-4", "the first watermark of an active subtask never claims backlog, however large its lag",
        {}, ("configure", "pipeline.backlog.watermark-lag-threshold", 10), ("clock", 100), ("watermark", 50))
class KF17(DetB):
    def watermark(self, timestamp):
        if self.mark is None and MIN < timestamp < MAX and self.threshold is not None and not self.idling and self.now - timestamp > self.threshold:
            self.started, self.mark = True, timestamp; return [("watermark", timestamp)] + self._say()
        return super().watermark(timestamp)

@engine("KF18", "backlog", "BACKLOG-8 BACKLOG-9", "the first flag waits for every channel with a strategy, also if it is true",
        dict(channels=2, without_strategy=()), ("attributes", 0, True))
class KF18(CombinerB):
    def attributes(self, channel, backlog):
        self.number(channel)
        if self.flag.sent is None and any(self.last[c] is None for c in self.awaited - {channel}): self.last[channel] = backlog; return []
        return super().attributes(channel, backlog)

@engine("KF19", "window", "WIN-3", "the first watermark fires one window only, the others that it reaches are passed over",
        T10(), ("record", 5, 1), ("record", 15, 2), ("watermark", 19))
class KF19(WinB):
    def watermark(self, timestamp):
        self.only, self.fired = self.now == MIN, 0
        try: return super().watermark(timestamp)
        finally: self.only = False
    only = False
    def fire(self, w, entries):
        if self.only:
            self.fired += 1
            if self.fired > 1: return []
        return super().fire(w, entries)

@engine("KF20", "window", "WIN-4", "a record within the allowed lateness that is the first of its window does not fire it",
        T10(allowed_lateness=20), ("watermark", 15), ("record", 5, 1))
class KF20(WinB):
    new = ()
    def record(self, timestamp, value):
        if self.gap is None and not self.by_record and timestamp not in (MIN, MAX):
            self.new = set(self.covering(timestamp)) - {w for w, _ in self.all_windows()}
        try: return super().record(timestamp, value)
        finally: self.new = ()
    def fire(self, w, entries): return [] if w in self.new else super().fire(w, entries)

@engine("KF21", "window", "WIN-9", "with the per-record trigger the first result that is replaced is not retracted",
        T10(trigger="per-record", accumulation="accumulating-and-retracting"), ("record", 1, 1), ("record", 2, 2))
class KF21(WinB):
    def more(self): self.once = False
    def fire(self, w, entries):
        sent = super().fire(w, entries)
        if self.by_record and not self.once and len(sent) > 1: self.once = True; return sent[-1:]
        return sent
