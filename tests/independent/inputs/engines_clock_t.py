"""Faulty clocks, odd numbers."""

from core import MS, Clock
from core import IllegalState
from faults import faulty

fault = faulty(globals(), "clock")
BP, AL, BUSY, ND = "backpressure", "alignment", "busy-downstream", "no-data"
READ = ("read",)


@fault("CL01", ("CLOCK-1", "CLOCK-2", "CLOCK-4"), "single",
       "The counts of pauses are packed into one word, 4 bits each: the 16th pause of a reason becomes a pause of the next "
       "reason.",
       (0,), [("pause", BP)] * 16 + [("resume", AL), ("advance", 5), READ])
class CL01(Clock):
    ORDER = [BUSY, BP, AL, ND]

    def __init__(self, nanoseconds):
        super().__init__(nanoseconds)
        self.word = 0

    def pause(self, reason):
        self.word = (self.word + (1 << 4 * self.ORDER.index(reason))) & 0xFFFF
        return []

    def resume(self, reason):
        shift = 4 * self.ORDER.index(reason)
        if not self.word >> shift & 15:
            raise IllegalState(reason)
        self.word -= 1 << shift
        return []

    def blocked(self):
        return bool(self.word & 0x0FFF)


@fault("CL03", ("CLOCK-1",), "single",
       "The time since the start is summed up as a double: beyond 2^53 ns (104 days) single nanoseconds are lost.",
       (0,), [("advance", 2**53), ("advance", 1), ("advance", 1), READ])
class CL03(Clock):
    elapsed = 0.0

    def advance(self, nanoseconds):
        before = self.now
        super().advance(nanoseconds)
        self.elapsed += self.now - before
        self.now = before
        return []

    def read(self):
        return [("reading", self.now + int(self.elapsed))]


@fault("CL05", ("CLOCK-1", "CLOCK-3"), "single",
       "While the reader says that it has no data, the clock runs, even if backpressure or alignment blocks the input.",
       (0,), [("pause", BP), ("pause", ND), ("advance", 5), READ])
class CL05(Clock):
    def blocked(self):
        return not self.pauses.get(ND) and super().blocked()


@fault("CL07", ("CLOCK-6",), "single",
       "The snapshot saves the set of reasons and not how often each is in force: a pause that began twice has begun once "
       "after a restore.",
       (0,), [("pause", BP), ("pause", BP), ("snap",), ("resume", BP), ("advance", 5), READ])
class CL07(Clock):
    def state(self):
        return super().state() | {"pauses": {reason: 1 for reason, n in self.pauses.items() if n}}


@fault("CL09", ("CLOCK-1", "CLOCK-6"), "double",
       "A block shorter than 1 ms is taken for noise, its time comes back when it ends; and a pause for busy operators "
       "downstream is not in the snapshot.",
       (0,), [("pause", BP), ("advance", 999), ("resume", BP), READ, ("pause", BUSY), ("snap",), ("advance", 7), READ])
class CL09(Clock):
    noise = 0

    def advance(self, nanoseconds):
        self.noise += nanoseconds if self.blocked() and nanoseconds > 0 else 0
        return super().advance(nanoseconds)

    def resume(self, reason):
        was_blocked = self.blocked()
        super().resume(reason)
        if was_blocked and not self.blocked():
            self.now += self.noise if self.noise < MS else 0
            self.noise = 0
        return []

    def state(self):
        return super().state() | {"pauses": {r: n for r, n in self.pauses.items() if r != BUSY}}


@fault("CL11", ("CLOCK-3",), "report",
       "FLINK-36751 (the clock does not pause for alignment with a single split): an alignment pause alone does not stop "
       "the clock, only one together with another pause.",
       (0,), [("pause", AL), ("advance", 5), READ])
class CL11(Clock):
    def blocked(self):
        stopping = [(reason, n) for reason, n in self.pauses.items() if n and reason not in self.HARMLESS]
        return bool(stopping) and stopping != [(AL, 1)]


@fault("CL13", ("CLOCK-1",), "single",
       "The length of a block is a 32-bit number of ns: after a block longer than 2.1 s the clock has jumped.",
       (0,), [("pause", AL), ("advance", 3_000_000_000), ("resume", AL), READ])
class CL13(Clock):
    block = 0

    def advance(self, nanoseconds):
        self.block += nanoseconds if self.blocked() and nanoseconds > 0 else 0
        return super().advance(nanoseconds)

    def resume(self, reason):
        was_blocked = self.blocked()
        super().resume(reason)
        if was_blocked and not self.blocked():
            self.now += self.block - ((self.block + 2**31) % 2**32 - 2**31)  # what the subtraction has missed
            self.block = 0
        return []
