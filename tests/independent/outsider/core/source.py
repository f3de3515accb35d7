"""Source subtask. Every step is done on a copy and committed at the end, so that a refusal changes nothing."""
import copy

from base import MAX, MIN, Saved, bad, misuse
from making import Bounded, Nothing, Punctuated, Watched
from splits import Combination

MAIN = ("main",)  # a part that no split can be named like


class Writer:
    """One output: generator, activity clock (ms)."""

    def __init__(self, setup):
        self.setup, self.clock = setup, setup.start
        self.fresh()

    def fresh(self):
        s = self.setup
        inner = {
            "bounded-out-of-orderness": lambda: Bounded(s.max_out_of_orderness),
            "punctuated": Punctuated,
            "none": Nothing,
        }[s.generator]()
        self.gen = Watched(inner, s.idle_timeout)


class Subtask(Saved):
    def __init__(self, setup):
        self.s = setup
        self.c = Combination()
        self.splits = []      # assigned
        self.writers = {}     # part -> Writer; MAIN stays when it leaves
        self.paused = set()
        self.bound, self.is_blocked = MAX, False
        self.pressed, self.ended = False, False

    # ---- one step
    def _do(self, body):
        work = copy.copy(self)
        work.__dict__ = copy.deepcopy(self.__dict__)
        sent = body(work) or []
        sent = sent + work._compare()
        self.__dict__ = work.__dict__
        return sent

    def _compare(self):
        if not self.s.aligned:
            return []
        sent = []
        over = not self.ended and self.c.out > self.bound
        if over != self.is_blocked:
            self.is_blocked = over
            sent.append(("blocked",) if over else ("unblocked",))
        if self.s.per_split_outputs and not self.ended:
            ahead = {p for p in self.splits if self.c.marks[p] > self.bound and p not in self.c.quiet} - self.paused
            if ahead and not self.s.can_pause:
                if not self.s.allow_unaligned_splits:
                    raise NotImplementedError("cannot pause")
                ahead = set()
            if ahead:
                self.paused |= ahead
                sent.append(("splits-paused", tuple(sorted(ahead))))
        return sent

    def _part(self, split):
        """Check, and which output is written to."""
        if self.ended:
            raise misuse("ended")
        if split is not None and split not in self.splits:
            raise bad("split")
        return split if split is not None and self.s.per_split_outputs else MAIN

    def _there(self, part):
        """The part takes part from its first use."""
        if part not in self.c.marks:
            self.c.join(part)
            self.writers[part] = Writer(self.s)
        return self.writers[part]

    # ---- splits
    def assign(self, split):
        def body(me):
            if me.ended:
                raise misuse("ended")
            if split in me.splits:
                raise bad("assigned already")
            me.splits.append(split)
            me._there(split if me.s.per_split_outputs else MAIN)
        return self._do(body)

    def finish(self, split):
        def body(me):
            if me.ended:
                raise misuse("ended")
            if split not in me.splits:
                raise bad("split")
            me.splits.remove(split)
            me.paused.discard(split)
            if me.s.per_split_outputs:
                me.c.quit(split)
                del me.writers[split]
            elif not me.splits:
                me.c.quit(MAIN)
        return self._do(body)

    # ---- the reader
    def record(self, split, timestamp):
        def body(me):
            part = me._part(split)
            if me.is_blocked or split in me.paused:
                return []
            w = me._there(part)
            woke, mark = w.gen.heard(timestamp, w.clock)
            sent = []
            if part in me.c.quiet or me.c.out_idle:
                sent += me.c.status(part, False)
                if me.c.out_idle:
                    me.c.out_idle = False
                    sent.append(("active",))
            sent.append(("record", timestamp))
            if mark is not None:
                sent += me.c.mark(part, mark)
            return sent
        return self._do(body)

    def _written(self, split, write):
        def body(me):
            part = me._part(split)
            if me.is_blocked:
                return []
            me._there(part)
            return write(me.c, part)
        return self._do(body)

    def watermark(self, split, timestamp):
        return self._written(split, lambda c, part: c.mark(part, timestamp))

    def idle(self, split):
        return self._written(split, lambda c, part: c.status(part, True))

    def active(self, split):
        return self._written(split, lambda c, part: c.status(part, False))

    def end_of_input(self):
        def body(me):
            if me.ended:
                raise misuse("ended")
            if me.is_blocked:
                return []
            me.ended = True
            sent = []
            if me.c.out_idle:
                me.c.out_idle = False
                sent.append(("active",))
            if me.c.out < MAX:
                me.c.out = MAX
                sent.append(("watermark", MAX))
            if me.s.aligned:
                sent.append(("report", MAX))
            return sent
        return self._do(body)

    # ---- the runtime
    def tick(self):
        def body(me):
            if me.ended:
                return []
            for part in list(me.c.marks):
                w = me.writers[part]
                slept, mark = w.gen.asked(w.clock)
                if slept:
                    me.c.status(part, True, deferred=True)
                elif mark is not None:
                    me.c.mark(part, mark, deferred=True)
            return me.c.news()
        return self._do(body)

    def report(self):
        if not self.s.aligned:
            return []
        if self.ended:
            return [("report", MAX)]
        if self.c.out == MIN:
            return []
        return [("report", MAX if self.c.out_idle else self.c.out)]

    def announcement(self, bound):
        def body(me):
            if not me.s.aligned or me.ended:
                return []
            me.bound = bound
            free = {p for p in me.paused if me.c.marks[p] <= bound}
            me.paused -= free
            return [("splits-resumed", tuple(sorted(free)))] if free else []
        return self._do(body)

    def backpressure(self, on):
        self.pressed = on
        return []

    def advance(self, milliseconds):
        if milliseconds < 0:
            raise bad("time goes back")
        if not self.pressed and not self.is_blocked:
            for part, w in self.writers.items():
                if part not in self.paused:
                    w.clock += milliseconds
        return []
