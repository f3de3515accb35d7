"""Class "ever": an aggregate over everything ever seen, or over members in a wrong state."""
from kparts import *
engine = book(globals(), "ever")
BP, AL, BUSY = "backpressure", "alignment", "busy-downstream"
V = lambda tasks, parts=0, name="v": dict(vertices=[dict(name=name, tasks=tasks, partitions=parts, source=True, cooperating=True, listening=True)])
S = lambda *x: dict(sources=[dict(source=n, name=n, watermark_group=g, max_allowed_watermark_drift=d, subtasks=k) for n, g, d, k in x])
THRESHOLD = "pipeline.backlog.watermark-lag-threshold"

@engine("KE01", "clock", "CLOCK-3", "a no-data pause that begins while another pause stops the clock stops it, too",
        {}, ("pause", BP), ("pause", "no-data"), ("resume", BP), ("advance", 5), "read")
class KE01(ClockB):
    def more(self): self.extra = 0
    def stopped(self): return super().stopped() or self.extra > 0
    def pause(self, reason=BP): self.extra += reason == "no-data" and self.stopped(); return super().pause(reason)
    def resume(self, reason=BP): super().resume(reason); self.extra = min(self.extra, self.n.get("no-data", 0)); return []

class AddsUp(Watched):
    acc, lastq, once = 0, None, False
    def asked(self, now):
        if self.heard_one:
            if self.once and self.since is not None and self.lastq is not None: self.acc += self.lastq - self.since
            self.lastq = None
        r = super().asked(now)
        if not r[0] and not self.is_idle and self.since is not None:
            self.lastq = now
            if self.once and now - self.since + self.acc > self.timeout: self.is_idle = True; r = True, None
        if r[0]: self.once, self.acc, self.since = True, 0, None
        return r
@engine("KE02", "idleness", "IDLE-3", "once an input has been idle, all quiet periods since its last IDLE add up",
        dict(timeout=10), "tick", ("advance", 11), "tick", ("record", 1), "tick", "tick", ("advance", 6), "tick", ("record", 2), "tick", "tick",
        ("advance", 6), "tick")
class KE02(IdleB): watched = AddsUp

@engine("KE03", "generator", "GEN-1", "on ingestion time a record counts for the generator by the larger of its two timestamps",
        dict(place="source", kind="bounded-out-of-orderness", assigner="ingestion-time", processing_time=100), ("record", 500), "tick")
class KE03(GenB):
    def record(self, timestamp):
        ts = self.pt if self.running.assigner == "ingestion-time" else timestamp
        woke, mark = self.gen.heard(max(ts, timestamp), self.pt)
        return (self._status(False) if woke else []) + [("record", ts)] + self._mark(mark)

@engine("KE04", "generator", "GEN-10", "watermarks from upstream count for the largest watermark that has gone out in mid-pipeline",
        dict(place="mid-pipeline", kind="punctuated"), ("watermark", 100), ("record", 50))
class KE04(GenB):
    def watermark(self, timestamp):
        if self.mid and timestamp < MAX: self.out = max(self.out, timestamp)
        return super().watermark(timestamp)

class MinOfNever(Comb):
    def picture(self):
        idle, mark = super().picture()
        if not idle and mark != MAX and any(self.marks[p] == MIN for p in self.quiet): return False, None
        return idle, mark
@engine("KE05", "splits", "SPLIT-4", "an idle part that never delivered a watermark takes part in the minimum",
        dict(inputs=2), ("input_idle", 1), ("input_watermark", 0, 10))
class KE05(SplitB): comb = MinOfNever

class FinishedEver(Comb):
    def more(self): self.fin = 0
    def mark(self, part, timestamp, deferred=False):
        self.known(part); self.fin += timestamp == MAX != self.marks[part]; return super().mark(part, timestamp, deferred)
    def picture(self): return (False, MAX) if self.marks and self.fin >= len(self.marks) else super().picture()
@engine("KE06", "splits", "SPLIT-11 SPLIT-2", "the combination is finished when as many splits have finished ever as are there now",
        {}, ("add_split", "a"), ("add_split", "b"), ("watermark", "a", MAX, False), ("remove_split", "a"), ("watermark", "b", 10, False))
class KE06(SplitB): comb = FinishedEver

@engine("KE07", "valve", "VALVE-18", "the flush includes the last watermark that a finished channel had before MAX",
        dict(channels=2), ("watermark", 0, 100), ("watermark", 1, 10), ("watermark", 0, MAX), ("idle", 1))
class KE07(ValveB):
    def more(self): self.before = MIN
    def watermark(self, channel, timestamp):
        c = self._at(channel)
        if timestamp == MAX and not c.idle and not c.done: self.before = max(self.before, c.wm)
        return super().watermark(channel, timestamp)
    def _put(self, n, ch):
        was = self.out_idle; sent = super()._put(n, ch)
        if self.out_idle and not was and self.before > self.out:
            self.out = self.before; sent = [s for s in sent if s[0] != "watermark"]; sent.insert(-1, ("watermark", self.out))
        return sent

@engine("KE08", "valve", "VALVE-11", "the flush happens when no channel is aligned, lagging channels that are active or not",
        dict(channels=3), ("watermark", 0, 100), ("watermark", 1, 50), ("watermark", 2, 10), ("idle", 0), ("idle", 2), ("active", 2), ("idle", 1))
class KE08(ValveB):
    def _put(self, n, ch):
        sent = super()._put(n, ch); rest = [c for c in self.channels if not c.done]
        if rest and not self.out_idle and not any(c.aligned for c in rest):
            top = max(c.wm for c in rest)
            if top > self.out: self.out = top; sent.append(("watermark", top))
        return sent

@engine("KE09", "source", "SOURCE-2 SOURCE-3", "the watermark of a split that finished beyond the bound still takes part when the subtask is compared",
        {}, ("assign", "a"), ("assign", "b"), ("record", "a", 100), ("record", "b", 10), "tick", ("announcement", 50), ("finish", "a"))
class KE09(SourceB):
    def more(self): self.top = MIN
    def finish(self, split):
        old, w = self.top, self.c.marks.get(split, MIN)
        if self.s.per_split_outputs and w > self.bound: self.top = max(old, w)
        try: return super().finish(split)
        except Exception: self.top = old; raise
    def _compare(self):
        out, self.c.out = self.c.out, max(self.c.out, self.top); sent = super()._compare(); self.c.out = out; return sent

@engine("KE10", "source", "SOURCE-6", "a subtask reports MAX when all splits that are not paused are idle",
        {}, ("assign", "a"), ("assign", "b"), ("record", "a", 100), ("record", "b", 10), "tick", ("announcement", 50), ("idle", "b"), "report")
class KE10(SourceB):
    def report(self):
        sent = super().report(); live = [p for p in self.c.marks if p not in self.c.quiet]
        return [("report", MAX)] if sent and live and self.c.quiet and all(p in self.paused for p in live) else sent

@engine("KE11", "coordinator", "ALIGN-8", "of several reports of a subtask between two announcements of its source the smallest counts",
        S(("A", "g", 5, 1)), ("report", "A", 0, 10), ("report", "A", 0, 20), ("announce", "A"))
class KE11(CoordB):
    def more(self): self.span = {}
    def _happens(self, what, source, subtask, value=None, aligned=False):
        k = source, subtask
        low = min(value, self.span.get(k, MAX)) if what == "report" and value != MAX else value
        super()._happens(what, source, subtask, low, aligned)
        if what == "report" and value != MAX: self.span[k] = low
        return []
    def announce(self, source):
        sent = super().announce(source); self.span = {k: v for k, v in self.span.items() if k[0] != source}; return sent

@engine("KE12", "coordinator", "ALIGN-7 ALIGN-2", "a source whose subtasks are all at MAX keeps its last lower minimum while other sources of the group have one",
        S(("A", "g", 5, 1), ("B", "g", 7, 1)), ("report", "A", 0, 10), ("report", "B", 0, 100), ("report", "A", 0, MAX), ("announce", "B"))
class KE12(CoordB):
    def more(self): self.low = {}
    def minima(self, group):
        m = {}
        for (s, _), v in self.last(group).items(): m[s] = min(v, m.get(s, MAX))
        return m
    def _happens(self, what, source, subtask, value=None, aligned=False):
        super()._happens(what, source, subtask, value, aligned)
        if what == "report":
            m = self.minima(self.group(source))[source]
            if m < MAX: self.low[source] = m
        return []
    def announce(self, source):
        sent = super().announce(source); m = self.minima(self.group(source)) if sent else {}
        if not sent or min(m.values()) == MAX: return sent
        bound = sat(min(self.low.get(s, MAX) if v == MAX else v for s, v in m.items()) + self.sources[source][1])
        return [(n, bound, to) for n, _, to in sent]

@engine("KE13", "low_watermark", "LOW-6", "the result is the smallest of all replies of the round, replaced ones included",
        V(2), ("trigger", 1), ("reply", "v", 0, 10), ("reply", "v", 0, 30), ("reply", "v", 1, 40))
class KE13(LowB):
    def reply(self, vertex, task, low_watermark):
        v = self._vertex(vertex); old = v.round[2].get(task, MIN) if v.round else MIN
        return super().reply(vertex, task, min(old, low_watermark) if old > v.last else low_watermark)

@engine("KE14", "low_watermark", "LOW-10", "tasks that left after their reply are notified with those that are present",
        V(2), ("trigger", 7), ("reply", "v", 0, 10), ("leave", "v", 0), ("reply", "v", 1, 20))
class KE14(LowB):
    def _settle(self, name, v):
        r = v.round; sent = super()._settle(name, v)
        if not sent: return sent
        return [("notify-new-low-watermark", v.last, r[0], f"{name}/{i}") for i in sorted(set(v.tasks) | set(r[2]))]

@engine("KE15", "low_watermark", "LOW-11", "a task with partitions replies with the larger of what it emitted and what it was notified of",
        V(1, 1), ("notify", "v", 0, 50, 1), ("retrieve", "v", 0, 2))
class KE15(LowB):
    def retrieve(self, vertex, task, timestamp):
        sent = super().retrieve(vertex, task, timestamp); t = self.vertices[vertex].tasks[task]
        return [(n, who, max(w, t.told)) for n, who, w in sent] if t.count and t.told < MAX else sent

@engine("KE16", "backlog", "BACKLOG-4", "the lag is that of the largest watermark so far, not of the last one",
        {}, ("configure", THRESHOLD, 10), ("clock", 100), "idle", ("watermark", 95), ("watermark", 50), "active")
class KE16(DetB):
    def watermark(self, timestamp):
        if not MIN < timestamp < MAX: return super().watermark(timestamp)
        self.started, self.mark = True, timestamp if self.mark is None else max(timestamp, self.mark)
        return [("watermark", timestamp)] + self._evaluate()

@engine("KE17", "backlog", "BACKLOG-8", "channels that are declared without a strategy do not count when they claim backlog all the same",
        dict(channels=2, without_strategy=(1,)), ("attributes", 1, True))
class KE17(CombinerB):
    def attributes(self, channel, backlog):
        self.number(channel); self.last[channel] = backlog; mine = [self.last[c] for c in self.awaited]
        return self.flag.say(True if any(mine) else None if None in mine else False)

@engine("KE18", "window", "WIN-10", "a record is added only if all of its windows accept it",
        dict(assigner=dict(size=20, slide=10, offset=0)), ("watermark", 9), ("record", 5, 1), ("watermark", 19))
class KE18(WinB):
    def record(self, timestamp, value):
        if self.gap is None and timestamp not in (MIN, MAX):
            if any(self.reached(self.cleanup(w)) for w in self.covering(timestamp)):
                return ([("late", value)] if self.late_output else [("drop",)]) if self.reached(sat(timestamp + self.lateness)) else []
        return super().record(timestamp, value)

@engine("KE19", "window", "WIN-9", "a session that merges two results retracts all results that its span ever had, retracted ones included",
        dict(assigner=dict(gap=10), allowed_lateness=100, accumulation="accumulating-and-retracting"),
        ("record", 0, 1), ("watermark", 9), ("record", 1, 2), ("record", 20, 3), ("watermark", 29), ("record", 10, 4))
class KE19(WinB):
    def more(self): self.ever = []
    def fire(self, w, entries):
        sent = super().fire(w, entries)
        if self.gap is None: return sent
        now = [s[1:] for s in sent if s[0] == "retract"]
        old = [r for r in self.ever if w[0] <= r[0] and r[1] <= w[1]] if len(now) > 1 else []
        self.ever += now
        return [("retract", *r) for r in sorted(old + now, key=lambda r: (r[1], r[0]))] + sent[-1:]
