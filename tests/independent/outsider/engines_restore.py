"""Class "restore": a snapshot or restore loses, resets or doubles one piece of state in one situation."""
from kparts import *
engine = book(globals(), "restore")
BP, AL, BUSY = "backpressure", "alignment", "busy-downstream"
V = lambda tasks, parts=0, name="v": dict(vertices=[dict(name=name, tasks=tasks, partitions=parts, source=True, cooperating=True, listening=True)])
S = lambda *x: dict(sources=[dict(source=n, name=n, watermark_group=g, max_allowed_watermark_drift=d, subtasks=k) for n, g, d, k in x])
T10 = lambda **k: dict(assigner=dict(size=10, offset=0), **k)
THRESHOLD = "pipeline.backlog.watermark-lag-threshold"

@engine("KR01", "clock", "CLOCK-6", "alignment pauses are lost if there is backpressure, too",
        {}, ("pause", BP), ("pause", AL), "restore", ("resume", BP), ("advance", 5), "read")
class KR01(ClockB):
    def lose(self):
        if self.n.get(BP): self.n.pop(AL, None)

@engine("KR02", "clock", "CLOCK-6", "of three or more pauses of a reason two are restored",
        {}, *[("pause", AL)] * 3, "restore", *[("resume", AL)] * 2, ("advance", 5), "read")
class KR02(ClockB):
    def lose(self): self.n = {r: min(k, 2) for r, k in self.n.items()}

@engine("KR03", "idleness", "IDLE-7", "the countdown is lost if the clock is paused at the snapshot",
        dict(timeout=10), "tick", ("advance", 8), ("pause", BP), "restore", ("resume", BP), ("advance", 3), "tick")
class KR03(IdleB):
    def lose(self):
        if self.clock.stopped() and not self.gen.is_idle: self.gen.since = None

@engine("KR04", "idleness", "IDLE-7", "that a record arrived since the last probe is lost if that record ended idleness",
        dict(timeout=10), "tick", ("advance", 11), "tick", ("record", 1), "restore", "tick")
class KR04(IdleB):
    def more(self): self.woke = False
    def record(self, timestamp):
        sent = super().record(timestamp); self.woke |= ("active",) in sent; return sent
    def tick(self): self.woke = False; return super().tick()
    def lose(self): self.gen.heard_one &= not self.woke

@engine("KR05", "idleness", "IDLE-7", "an after-silence generator that has received nothing counts its silence from the restore",
        dict(timeout=10**9, generator="after-silence", max_out_of_orderness=1), ("advance", 800_000), "restore", ("advance", 300_000), "tick")
class KR05(IdleB):
    def lose(self):
        g = self.gen.inner
        if isinstance(g, AfterSilence) and g.top == MIN: g.since = self.clock.reading()

@engine("KR06", "generator", "GEN-11", "in mid-pipeline the output watermark is lost while the output is idle",
        dict(place="mid-pipeline", kind="punctuated", idle_timeout=10), ("record", 100), "tick", "tick", ("advance", 11), "tick", "restore", ("record", 50))
class KR06(GenB):
    def lose(self):
        if self.mid and self.out_idle: self.out = MIN

@engine("KR07", "generator", "GEN-12", "the running strategy is restored with the assigner of the strategy as it is built",
        dict(place="source", kind="punctuated", processing_time=7), ("with_timestamp_assigner", "ingestion-time"), "restore", ("record", 50))
class KR07(GenB):
    def lose(self): self.running = self.running._replace(assigner=self.strategy.assigner)

@engine("KR08", "generator", "GEN-2", "the largest timestamp of a bounded generator is lost if no tick has come since the record that brought it",
        dict(place="source", kind="bounded-out-of-orderness"), ("record", 10), "tick", ("record", 100), "restore", "tick")
class KR08(GenB):
    def start(self): self.ticked = MIN; return super().start()
    def tick(self):
        sent = super().tick()
        if isinstance(self.gen.inner, Bounded): self.ticked = self.gen.inner.top
        return sent
    def lose(self):
        if isinstance(self.gen.inner, Bounded): self.gen.inner.top = self.ticked

class Pending(Comb):
    def more(self): self.pend = set()
    def status(self, part, idle, deferred=False):
        if idle and deferred and part in self.marks and part not in self.quiet: self.pend.add(part)
        return super().status(part, idle, deferred)
    def mark(self, part, timestamp, deferred=False): self.pend.discard(part); return super().mark(part, timestamp, deferred)
    def quit(self, part): self.pend.discard(part); super().quit(part)
    def news(self): self.pend.clear(); return super().news()
@engine("KR09", "splits", "SPLIT-13", "a deferred idle that no update has shown yet is lost",
        {}, ("add_split", "a"), ("add_split", "b"), ("watermark", "a", 10, False), ("watermark", "b", 20, False), ("idle", "a", True), "restore", "tick")
class KR09(SplitB):
    comb = Pending
    def lose(self): self.c.quiet -= self.c.pend

@engine("KR10", "splits", "SPLIT-13", "that IDLE was sent is lost if there is no split",
        {}, "tick", "restore", "tick")
class KR10(SplitB):
    def lose(self): self.c.out_idle &= bool(self.c.marks)

@engine("KR11", "splits", "SPLIT-13 SPLIT-2", "the output watermark is restored as the minimum of the active parts, one behind the output included",
        dict(inputs=2), ("input_watermark", 0, 50), ("input_watermark", 1, 10), ("input_idle", 1), ("input_active", 1), "restore", ("input_watermark", 1, 20))
class KR11(SplitB):
    def lose(self):
        live = [w for p, w in self.c.marks.items() if w != MAX and p not in self.c.quiet]
        self.c.out = min([self.c.out, *live]) if self.c.out != MAX else MAX

@engine("KR12", "valve", "VALVE-23", "lagging channels that have no watermark yet are restored as aligned",
        dict(channels=2), ("idle", 1), ("watermark", 0, 50), ("active", 1), "restore", ("watermark", 0, 60))
class KR12(ValveB):
    def lose(self): self.channels = [Channel((c.wm, c.idle, c.aligned or (not c.idle and c.wm == MIN))) for c in self.channels]

@engine("KR13", "valve", "VALVE-23", "finished channels are restored as channels at the output watermark if the valve is idle",
        dict(channels=2), ("watermark", 0, MAX), ("watermark", 1, 10), ("idle", 1), "restore", ("active", 1), ("watermark", 1, 20))
class KR13(ValveB):
    def lose(self):
        if self.out_idle: self.channels = [Channel((self.out, False, True)) if c.done else c for c in self.channels]

@engine("KR14", "source", "SOURCE-17", "that a split is paused is lost if the split is idle",
        {}, ("assign", "a"), ("assign", "b"), ("record", "a", 100), "tick", ("announcement", 50), ("idle", "a"), "restore", ("announcement", 200))
class KR14(SourceB):
    def lose(self): self.paused -= self.c.quiet

@engine("KR15", "source", "SOURCE-17", "backpressure is lost if the subtask is blocked as well",
        dict(idle_timeout=10), ("assign", "a"), ("record", "a", 10), "tick", "tick", ("announcement", 5), ("backpressure", True), "restore",
        ("announcement", 100), ("advance", 20), "tick")
class KR15(SourceB):
    def lose(self): self.pressed &= not self.is_blocked

@engine("KR16", "source", "SOURCE-17", "the bound is lost if nothing is blocked or paused by it",
        {}, ("assign", "a"), ("announcement", 50), "restore", ("record", "a", 100), "tick")
class KR16(SourceB):
    def lose(self):
        if not self.is_blocked and not self.paused: self.bound = MAX

@engine("KR17", "coordinator", "ALIGN-11", "a MAX that a subtask reported is lost if the subtask does not run",
        S(("A", "g", 5, 1), ("B", "g", 7, 1)), ("finish", "A", 0), ("failed", "A", 0), "restore", ("announce", "B"))
class KR17(CoordB):
    def lose(self):
        runs = {}
        for what, s, i, _ in self.log:
            if what in ("ready", "down"): runs[s, i] = what == "ready"
        for g in {x[0] for x in self.sources.values()} - {None}:
            for k, v in self.last(g).items():
                if v == MAX and not runs.get(k): self.log = [e for e in self.log if e[0] != "report" or e[1:3] != k]

@engine("KR18", "coordinator", "ALIGN-11 ALIGN-9", "the subtasks of the setup's sources run again, also those that have failed or were reset",
        S(("A", "g", 5, 2)), ("report", "A", 0, 10), ("failed", "A", 1), "restore", ("announce", "A"))
class KR18(CoordB):
    def lose(self): self.log += [("ready", s, i, None) for s in sorted(self.initial) for i in range(self.sources[s][2])]

@engine("KR19", "low_watermark", "LOW-16", "tasks that joined in mid-round are awaited after a restore",
        V(1), ("trigger", 1), ("join", "v"), "restore", ("reply", "v", 0, 10))
class KR19(LowB):
    def lose(self):
        for v in self.vertices.values():
            if v.round: v.round = v.round[0], v.round[1] | set(v.tasks), v.round[2]

@engine("KR20", "low_watermark", "LOW-16", "the next task number is one more than the largest present: the number of a task that left is used again",
        V(1), ("join", "v"), ("leave", "v", 1), "restore", ("join", "v"), ("trigger", 1))
class KR20(LowB):
    def lose(self):
        for v in self.vertices.values(): v.next = max(v.tasks, default=-1) + 1

@engine("KR21", "low_watermark", "LOW-16", "the value that a task with partitions was notified of is lost",
        V(1, 1), ("notify", "v", 0, 50, 1), "restore", ("partitions", "v", 0, 0))
class KR21(LowB):
    def lose(self):
        for v in self.vertices.values():
            for t in v.tasks.values():
                if t.count: t.told = MIN

@engine("KR22", "backlog", "BACKLOG-11 BACKLOG-7", "that the source has caught up is lost if the subtask is idle",
        {}, ("configure", THRESHOLD, 10), ("clock", 55), ("watermark", 50), "idle", "restore", ("clock", 100), "active")
class KR22(DetB):
    def lose(self): self.caught_up &= not self.idling

@engine("KR23", "backlog", "BACKLOG-11 BACKLOG-9", "a combined false that was sent is restored as never sent",
        dict(channels=1, without_strategy=()), ("attributes", 0, False), "restore", ("attributes", 0, False))
class KR23(CombinerB):
    def lose(self): self.flag.sent = self.flag.sent or None

@engine("KR24", "backlog", "BACKLOG-11 BACKLOG-1", "whether the subtask has started is not saved while no watermark has been emitted: an option can still be set",
        {}, ("clock", 100), "restore", ("configure", THRESHOLD, 10), ("watermark", 50))
class KR24(DetB):
    def lose(self): self.started &= self.mark is not None

@engine("KR25", "window", "WIN-16", "in discarding, the records of a window that has fired and is kept belong to its next result again",
        T10(allowed_lateness=20, accumulation="discarding"), ("record", 5, 1), ("watermark", 9), "restore", ("record", 6, 2))
class KR25(WinB):
    def lose(self):
        for w, entries in self.all_windows():
            if self.reached(w[1] - 1):
                for e in entries: e[3] = True

@engine("KR26", "window", "WIN-16", "of several results that stand only the newest is restored",
        T10(allowed_lateness=100, accumulation="accumulating-and-retracting"), ("record", 5, 1), ("record", 15, 2), ("watermark", 19), "restore", ("record", 6, 3))
class KR26(WinB):
    def lose(self): self.standing = self.standing[-1:]

@engine("KR27", "window", "WIN-16", "the snapshot shares its records with the running operator: what fires after it has fired in it",
        T10(accumulation="discarding"), ("record", 5, 1), "snap", ("watermark", 9), "back", ("watermark", 9))
class KR27(WinB):
    def snapshot(self): return {**super().snapshot(), "kept": list(self.kept)}
    def restore(self, saved): Windows.restore(self, {**saved, "kept": list(saved["kept"])})
