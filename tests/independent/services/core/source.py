"""A source subtask: outputs (generator, idleness, clock) -> combination -> downstream, under a bound."""
import copy

from .base import MAX, MIN, IllegalArgument, IllegalState, Stateful, Unsupported, plus


class Generator:
    def __init__(self, kind, bound):
        self.kind, self.bound, self.largest = kind, bound, MIN

    def on_record(self, timestamp):
        """The watermark to emit at once, or None."""
        self.largest = max(self.largest, timestamp)
        return timestamp if self.kind == "punctuated" else None

    def on_tick(self):
        if self.kind != "bounded-out-of-orderness":
            return None
        return MIN if self.largest == MIN else plus(self.largest, -self.bound - 1)


class Idleness:
    """Watches one output on its activity clock."""

    def __init__(self, timeout):
        self.timeout = timeout
        self.seen = False  # a record since the last probe
        self.since = None  # start of the countdown
        self.idle = False

    def on_record(self):
        self.seen, self.idle = True, False

    def probe(self, now):
        """True: the input has become idle at this probe."""
        if self.timeout is None or self.idle:
            return False
        if self.seen:
            self.seen, self.since = False, None
        elif self.since is None:
            self.since = now
        elif now - self.since > self.timeout:
            self.idle = True
            return True
        return False


class Part:
    """An output: its place in the combination and what writes to it."""

    def __init__(self, s):
        self.wm, self.idle = MIN, False
        self.generator = Generator(s.kind, s.out_of_orderness)
        self.idleness = Idleness(s.idle_timeout)
        self.clock = s.start


MAIN = None


class Source(Stateful):
    FIXED = ("kind", "out_of_orderness", "idle_timeout", "aligned", "can_pause", "allow_unaligned", "per_split", "start")

    def __init__(self, generator, max_out_of_orderness, idle_timeout, aligned, can_pause, allow_unaligned_splits,
                 per_split_outputs, buffer_size, start):
        self.kind, self.out_of_orderness, self.idle_timeout = generator, max_out_of_orderness, idle_timeout
        self.aligned, self.can_pause, self.allow_unaligned = aligned, can_pause, allow_unaligned_splits
        self.per_split, self.start = per_split_outputs, start
        self.splits = {}  # assigned splits; insertion order
        self.parts = {}  # split or MAIN -> Part
        self.wm, self.status_idle = MIN, False  # what the subtask sent last
        self.bound, self.blocked, self.paused = MAX, False, set()
        self.backpressured, self.ended = False, False
        self.out = []

    # steps
    def assign(self, split):
        self.not_ended()
        if split in self.splits:
            raise IllegalArgument(f"{split} is assigned")
        first = not self.splits
        self.splits[split] = True
        if self.per_split:
            self.parts[split] = self.new_part()
        elif first:
            self.part(MAIN)  # it may be there already: written to before there was a split
        return []

    def finish(self, split):
        self.not_ended()
        self.known(split)
        del self.splits[split]
        if self.per_split:
            self.parts.pop(split, None)
            self.paused.discard(split)
        elif not self.splits:
            self.parts.pop(MAIN, None)
        return []

    def record(self, split, timestamp):
        return self.write(split, lambda p: self.on_record(p, timestamp), needs_reading=True)

    def watermark(self, split, timestamp):
        return self.write(split, lambda p: self.put_watermark(p, timestamp))

    def idle(self, split):
        return self.write(split, lambda p: self.put_status(p, True))

    def active(self, split):
        return self.write(split, lambda p: self.put_status(p, False))

    def tick(self):
        if self.ended:
            return []
        return self.step(self.on_tick)

    def report(self):
        if not self.aligned:
            return []
        if self.ended:
            return [("report", MAX)]
        if self.wm == MIN:
            return []
        return [("report", MAX if self.status_idle else self.wm)]

    def announcement(self, bound):
        if not self.aligned or self.ended:
            return []
        return self.step(lambda: self.on_bound(bound))

    def backpressure(self, on):
        self.backpressured = on
        return []

    def advance(self, milliseconds):
        if milliseconds < 0:
            raise IllegalArgument("time goes backwards")
        for key, part in self.parts.items():
            if not self.stopped(key):
                part.clock += milliseconds
        return []

    def end_of_input(self):
        self.not_ended()
        if self.blocked:
            return []
        self.ended = True
        self.out = []
        self.send(MAX, idle=False)
        if self.aligned:
            self.out.append(("report", MAX))
        return self.out

    # checks
    def not_ended(self):
        if self.ended:
            raise IllegalState("the input has ended")

    def known(self, split):
        if split not in self.splits:
            raise IllegalArgument(f"{split} is not assigned")

    def stopped(self, key):
        return self.backpressured or self.blocked or key in self.paused

    # what writes
    def new_part(self):
        return Part(self)

    def write(self, split, action, needs_reading=False):
        self.not_ended()
        if split is not None:
            self.known(split)
        if self.blocked or needs_reading and split in self.paused:
            return []
        key = split if self.per_split else MAIN
        return self.step(lambda: action(self.part(key)))

    def part(self, key):
        if key not in self.parts:
            self.parts[key] = self.new_part()
        return self.parts[key]

    def step(self, action):
        """Runs the action, then obeys the bound; a step that fails changes nothing."""
        undo = self.may_refuse() and copy.deepcopy(vars(self))
        self.out = []
        try:
            action()
            self.align()
        except Unsupported:
            vars(self).update(undo)
            raise
        return self.out

    def may_refuse(self):
        return self.aligned and self.per_split and not self.can_pause and not self.allow_unaligned

    def on_record(self, p, timestamp):
        p.idleness.on_record()
        if p.idle or self.status_idle:
            self.put_status(p, False)
        if self.status_idle:  # a finished part, which the combination leaves out
            self.send(MIN, idle=False)
        self.out.append(("record", timestamp))
        watermark = p.generator.on_record(timestamp)
        if watermark is not None:
            self.put_watermark(p, watermark)

    def on_tick(self):
        self.emit_periodic()
        self.update()

    def emit_periodic(self):
        for p in self.parts.values():
            if p.idleness.probe(p.clock):
                p.idle = True
            elif not p.idleness.idle:
                watermark = p.generator.on_tick()
                if watermark is not None:
                    p.idle, p.wm = False, max(p.wm, watermark)

    def put_watermark(self, p, watermark):
        rises, woke = watermark > p.wm and watermark > self.wm, p.idle
        p.idle, p.wm = False, max(p.wm, watermark)
        if rises or woke:
            self.update()

    def put_status(self, p, idle):
        p.idle = idle
        self.update()

    # combination
    def update(self):
        parts = list(self.parts.values())
        live = [p for p in parts if p.wm != MAX]
        awake = [p.wm for p in live if not p.idle]
        if awake:
            self.send(min(awake), idle=False)
        elif parts and not live:
            self.send(MAX, idle=False)
        else:
            self.send(max((p.wm for p in live), default=MIN), idle=True)

    def send(self, watermark, idle):
        rises = watermark > self.wm
        if self.status_idle and (rises or not idle):
            self.status_idle = False
            self.out.append(("active",))
        if rises:
            self.wm = watermark
            self.out.append(("watermark", watermark))
        if idle and not self.status_idle:
            self.status_idle = True
            self.out.append(("idle",))

    # alignment
    def exceeds(self, watermark):
        return watermark > self.bound

    def beyond(self):
        return [s for s in self.splits if s in self.parts and s not in self.paused
                and not self.parts[s].idle and self.exceeds(self.parts[s].wm)]

    def on_bound(self, bound):
        self.bound = bound
        resumed = {s for s in self.paused if not self.exceeds(self.parts[s].wm)}
        if resumed:
            self.paused -= resumed
            self.out.append(("splits-resumed", tuple(sorted(resumed))))

    def align(self):
        if not self.aligned:
            return
        beyond = self.beyond()
        if beyond and (self.can_pause or not self.allow_unaligned):
            if not self.can_pause:
                raise Unsupported("the reader cannot pause splits")
            self.paused |= set(beyond)
            self.out.append(("splits-paused", tuple(sorted(beyond))))
        blocked = self.exceeds(self.wm)
        if blocked != self.blocked:
            self.blocked = blocked
            self.out.append(("blocked",) if blocked else ("unblocked",))
