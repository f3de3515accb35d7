"""Faulty valves, even numbers."""

from core import MAX, MIN, Valve
from faults import faulty

fault = faulty(globals(), "valve")
W, I, A = "watermark", "idle", "active"


@fault("VA02", ("VALVE-15",), "single",
       "If the last channel to become idle is a lagging one, the valve sends IDLE without the flush ('it has nothing to "
       "flush'), although a channel that became idle before is ahead.",
       (3,), [(W, 0, 10), (W, 1, 50), (W, 2, 30), (I, 0), (A, 0), (I, 1), (I, 2), (I, 0)])
class VA02(Valve):
    lagging_last = False

    def idle(self, channel):
        self.check(channel)
        self.lagging_last = not self.aligned[channel]
        return super().idle(channel)

    def watermark(self, channel, timestamp):
        self.lagging_last = False
        return super().watermark(channel, timestamp)

    def largest(self):
        return None if self.lagging_last else super().largest()


@fault("VA04", ("VALVE-2", "VALVE-19"), "single",
       "The output is compared as a double: a minimum that is larger by less than the spacing of doubles (beyond 2^53) "
       "is not sent, nor MAX after a watermark just below it.",
       (1,), [(W, 0, 2**53), (W, 0, 2**53 + 1)])
class VA04(Valve):
    def send(self, timestamp):
        if timestamp is None or float(timestamp) <= float(self.out):
            return []
        return super().send(timestamp)


@fault("VA06", ("VALVE-13",), "single",
       "ACTIVE waits until a channel is aligned: a channel that returns behind the output does not wake the valve before "
       "it has caught up.",
       (2,), [(W, 0, 10), (W, 1, 20), (I, 0), (I, 1), (A, 0), (W, 0, 15), (W, 0, 25)])
class VA06(Valve):
    owed = False  # an ACTIVE that has not gone out

    def settle(self, outputs):
        if ("active",) in outputs:
            self.owed, outputs = True, outputs[1:]
        if self.owed and ("idle",) in outputs:
            self.owed, outputs = False, [o for o in outputs if o != ("idle",)]
        if self.owed and (outputs or any(self.aligned[c] for c in self.working())):
            self.owed, outputs = False, [("active",), *outputs]
        return outputs

    def watermark(self, channel, timestamp):
        return self.settle(super().watermark(channel, timestamp))

    def idle(self, channel):
        return self.settle(super().idle(channel))

    def active(self, channel):
        return self.settle(super().active(channel))


@fault("VA08", ("VALVE-10",), "single",
       "Boxed longs compared by identity: a lagging channel that reaches exactly the output is aligned for -128 to 127 "
       "only, which the runtime caches.",
       (2,), [(W, 0, 5), (I, 0), (W, 1, 1000), (A, 0), (W, 0, 1000), (W, 1, 2000)])
class VA08(Valve):
    def caught_up(self, channel):
        mine = self.wm[channel]
        return mine > self.out or (mine == self.out and -128 <= mine <= 127)


@fault("VA10", ("VALVE-7", "VALVE-15"), "double",
       "IDLE is counted: two in a row need two ACTIVE; and when the last active channel finishes while the rest are idle, "
       "IDLE goes out without the flush.",
       (3,), [(W, 0, 10), (W, 1, 50), (W, 2, 20), (I, 1), (I, 0), (W, 2, MAX), (I, 0), (A, 0), (W, 0, 60)])
class VA10(Valve):
    def __init__(self, channels):
        super().__init__(channels)
        self.depth, self.ending = [0] * channels, False

    def idle(self, channel):
        self.check(channel)
        self.ending = False
        self.depth[channel] += not self.finished(channel)
        return super().idle(channel)

    def active(self, channel):
        self.check(channel)
        self.depth[channel] = max(0, self.depth[channel] - 1)
        return super().active(channel) if not self.depth[channel] else []

    def watermark(self, channel, timestamp):
        self.ending = timestamp == MAX
        return super().watermark(channel, timestamp)

    def largest(self):
        return None if self.ending else super().largest()


@fault("VA12", ("VALVE-23",), "report",
       "SPARK-24699 (watermark of the last batch lost at a restart): the snapshot has the output watermark as it was "
       "before the newest step, so that a restored valve sends a watermark again.",
       (2,), [(W, 0, 10), (W, 1, 10), ("snap",), (W, 0, 20)])
class VA12(Valve):
    before = MIN

    def watermark(self, channel, timestamp):
        self.before = self.out
        return super().watermark(channel, timestamp)

    def idle(self, channel):
        self.before = self.out
        return super().idle(channel)

    def active(self, channel):
        self.before = self.out
        return super().active(channel)

    def state(self):
        return super().state() | {"out": self.before}


@fault("VA14", ("VALVE-18",), "single",
       "The watermark to flush is a running maximum over all channels; what a channel delivered before it finished "
       "stays in it.",
       (2,), [(W, 0, 90), (W, 1, 10), (W, 0, MAX), (I, 1)])
class VA14(Valve):
    top = MIN

    def store(self, channel, timestamp):
        if timestamp != MAX:
            self.top = max(self.top, timestamp)
        super().store(channel, timestamp)

    def largest(self):
        return self.top
