"""Faulty idleness, odd numbers."""

from core import MS, MIN, Clock, Idleness, Probe
from faults import faulty

fault = faulty(globals(), "idleness")
BP, AL = "backpressure", "alignment"
TICK = ("tick",)
BOUNDED, SILENT = "bounded-out-of-orderness", "none"


class NewestOnly(Probe):
    top = MIN

    def on_record(self, timestamp, now):
        seen, rises = self.seen, timestamp > self.top
        self.top = max(self.top, timestamp)
        outputs = super().on_record(timestamp, now)
        self.seen = seen or rises
        return outputs


@fault("ID01", ("IDLE-2", "IDLE-3"), "single",
       "Only a record with a new largest timestamp is seen by the probe: records with equal or older timestamps do not end "
       "the countdown.",
       (SILENT, 10, 0, 0), [("record", 5), TICK, TICK, ("advance", 8), ("record", 5), TICK, ("advance", 8), TICK])
class ID01(Idleness):
    PROBE = NewestOnly


class KeepsStart(Probe):
    def on_record(self, timestamp, now):
        if not self.is_idle:
            return super().on_record(timestamp, now)
        self.is_idle = False
        return [("active",)] + self.inner.on_record(timestamp, now)


@fault("ID03", ("IDLE-3",), "single",
       "A record that ends idleness is not noted for the probe, so the old countdown goes on and the next tick says IDLE "
       "again.",
       (SILENT, 10, 0, 0), [TICK, ("advance", 11), TICK, ("record", 5), TICK])
class ID03(Idleness):
    PROBE = KeepsStart


class SignedStart(Probe):
    def __init__(self, inner, timeout):
        super().__init__(inner, timeout)
        self.start = -1

    def probe(self, now):
        if self.seen:
            self.seen, self.start = False, -1
        elif self.start < 0:
            self.start = now
        else:
            return self.over(now)
        return False


@fault("ID05", ("IDLE-1", "IDLE-2"), "single",
       "A negative start stands for 'no countdown', but the readings of a relative clock may be negative.",
       (SILENT, 10, 0, -1000), [TICK, ("advance", 11), TICK])
class ID05(Idleness):
    PROBE = SignedStart


@fault("ID07", ("IDLE-6",), "single",
       "A user's generator is told when a block ends, and starts to measure its silence again.",
       ("after-silence", 10**12, 10, 0),
       [("record", 5), ("advance", 8 * MS), ("pause", AL), ("resume", AL), ("advance", 3 * MS), TICK])
class ID07(Idleness):
    def resume(self, reason):
        was_blocked = self.clock.blocked()
        outputs = super().resume(reason)
        if was_blocked and not self.clock.blocked() and hasattr(self.probe.inner, "last"):
            self.probe.inner.last = self.clock.now
        return outputs


class LastWord(Probe):
    def on_tick(self, now):
        was_idle, outputs = self.is_idle, super().on_tick(now)
        return outputs + self.inner.on_tick(now) if self.is_idle and not was_idle else outputs


@fault("ID09", ("IDLE-1", "IDLE-4"), "double",
       "The tick that says IDLE emits the generator's watermark after it; and an IDLE that falls into an alignment pause is "
       "dropped and never said.",
       (BOUNDED, 10, 0, 0), [TICK, ("advance", 11), TICK, ("record", 5), TICK, TICK, ("advance", 11), ("pause", AL), TICK])
class ID09(Idleness):
    PROBE = LastWord

    def tick(self):
        outputs = super().tick()
        return [o for o in outputs if o != ("idle",)] if self.clock.pauses.get(AL) else outputs


class SettlesLater(Clock):
    """A clock from which the time of a block is taken off when the block ends."""

    def __init__(self, nanoseconds):
        self.wall, self.lost, self.since, self.pauses = nanoseconds, 0, 0, {}

    @property
    def now(self):
        return self.wall - self.lost

    @now.setter
    def now(self, reading):
        self.wall += reading - self.now

    def advance(self, nanoseconds):
        outputs = super().advance(nanoseconds)
        self.wall += nanoseconds if self.blocked() else 0
        return outputs

    def pause(self, reason):
        was_blocked = self.blocked()
        super().pause(reason)
        if self.blocked() and not was_blocked:
            self.since = self.wall
        return []

    def resume(self, reason):
        was_blocked = self.blocked()
        super().resume(reason)
        if was_blocked and not self.blocked():
            self.lost += self.wall - self.since
        return []


@fault("ID11", ("IDLE-1", "IDLE-6"), "report",
       "FLINK-35886 (idle timeout counts while the subtask is blocked), half repaired: the time of a block is taken off "
       "only when the block ends, and a probe in its midst still sees it.",
       (SILENT, 10, 0, 0), [TICK, ("pause", BP), ("advance", 50), TICK, ("resume", BP)])
class ID11(Idleness):
    CLOCK = SettlesLater


class Deadline(Probe):
    def over(self, now):
        return now > (self.start + self.timeout + 2**63) % 2**64 - 2**63


@fault("ID13", ("IDLE-1",), "single",
       "The countdown is a deadline, start plus timeout in 64 bits: with a reading or a timeout near 2^63 it overflows, and "
       "the input is idle at once.",
       (SILENT, 2**63 - 1, 0, 100), [TICK, ("advance", 1), TICK])
class ID13(Idleness):
    PROBE = Deadline
