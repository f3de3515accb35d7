"""Faulty idleness, even numbers."""

import copy

from core import MIN, MS, Bounded, Idleness, Probe
from faults import faulty

fault = faulty(globals(), "idleness")
BP, AL = "backpressure", "alignment"
TICK = ("tick",)
BOUNDED, SILENT = "bounded-out-of-orderness", "none"


class Milliseconds(Probe):
    def over(self, now):
        return now // MS - self.start // MS > self.timeout // MS


@fault("ID02", ("IDLE-1",), "single",
       "Readings and the timeout are rounded down to ms before they are compared, so IDLE is up to 1 ms early or late.",
       (SILENT, 2_000_000, 0, 900_000), [TICK, ("advance", 2_000_001), TICK, ("advance", 100_000), TICK])
class ID02(Idleness):
    PROBE = Milliseconds


@fault("ID04", ("IDLE-2",), "single",
       "Before the first record the countdown runs from the creation of the input and not from the first probe.",
       (SILENT, 10, 0, 0), [("advance", 11), TICK])
class ID04(Idleness):
    def __init__(self, generator, timeout, max_out_of_orderness, nanoseconds):
        super().__init__(generator, timeout, max_out_of_orderness, nanoseconds)
        self.probe.start = nanoseconds


class TimedOnly(Probe):
    def on_record(self, timestamp, now):
        return self.inner.on_record(timestamp, now) if timestamp == MIN else super().on_record(timestamp, now)


@fault("ID06", ("IDLE-3", "IDLE-5"), "single",
       "A record without a timestamp reaches the generator but is no sign of life: it does not end idleness or a countdown.",
       (SILENT, 10, 0, 0), [TICK, ("advance", 11), TICK, ("record", MIN)])
class ID06(Idleness):
    PROBE = TimedOnly


@fault("ID08", ("IDLE-7",), "single",
       "The snapshot does not say that a record has come since the last probe: the restored countdown goes on.",
       (SILENT, 10, 0, 0), [TICK, ("record", 5), ("snap",), ("advance", 11), TICK])
class ID08(Idleness):
    def state(self):
        probe = copy.copy(self.probe)
        probe.seen = False
        return super().state() | {"probe": probe}


class Wrapping(Bounded):
    def on_tick(self, now):
        if self.top == MIN:
            return [("watermark", MIN)]
        return [("watermark", (self.top - self.bound - 1 + 2**63) % 2**64 - 2**63)]


@fault("ID10", ("TIME-2", "IDLE-1", "IDLE-2"), "double",
       "The bounded generator's watermark overflows for timestamps close to MIN; and the end of a block starts the "
       "countdown again.",
       (BOUNDED, 10, 100, 0), [("record", MIN + 50), TICK, TICK, ("advance", 8), ("pause", BP), ("resume", BP),
                               ("advance", 3), TICK])
class ID10(Idleness):
    BOUNDED = Wrapping

    def resume(self, reason):
        was_blocked = self.clock.blocked()
        outputs = super().resume(reason)
        if was_blocked and not self.clock.blocked():
            self.probe.start = None
        return outputs


class OtherOutput(Probe):
    def on_record(self, timestamp, now):
        seen, was_idle = self.seen, self.is_idle
        outputs = super().on_record(timestamp, now)
        self.seen = seen or len(outputs) == was_idle  # no watermark of the generator
        return outputs


@fault("ID12", ("IDLE-2", "IDLE-3"), "report",
       "FLINK-28975 (idleness marks streams idle whose records go through other outputs): a record from which the generator "
       "makes a watermark at once does not reset the timer of the main output.",
       ("punctuated", 10, 0, 0), [TICK, ("advance", 8), ("record", 5), TICK, ("advance", 8), ("record", 6), TICK])
class ID12(Idleness):
    PROBE = OtherOutput


class ClearsWhenEmitting(Probe):
    def on_tick(self, now):
        if not self.seen:
            return super().on_tick(now)
        outputs = self.inner.on_tick(now)
        self.start, self.seen = None, not outputs
        return outputs


@fault("ID14", ("IDLE-2",), "single",
       "That a record has come is forgotten only at a tick at which the generator emits, so with generators that emit "
       "nothing at ticks the input is never idle again after its first record.",
       (SILENT, 10, 0, 0), [("record", 5), TICK, TICK, ("advance", 11), TICK])
class ID14(Idleness):
    PROBE = ClearsWhenEmitting
