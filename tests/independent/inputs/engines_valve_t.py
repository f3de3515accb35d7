"""Faulty valves, odd numbers."""

from core import MAX, MIN, Valve
from faults import faulty

fault = faulty(globals(), "valve")
W, I, A = "watermark", "idle", "active"


@fault("VA01", ("VALVE-1", "VALVE-8", "VALVE-10"), "single",
       "The minimum is kept as counts by value; a channel that returns from idleness (or has caught up) with a value that "
       "another channel has does not raise the count, so it is gone when the other one moves on.",
       (2,), [(W, 0, 10), (W, 1, 10), (I, 0), (A, 0), (W, 1, 20)])
class VA01(Valve):
    def __init__(self, channels):
        super().__init__(channels)
        self.counts = {MIN: channels}

    def drop(self, value):
        self.counts[value] = self.counts.get(value, 1) - 1
        if not self.counts[value]:
            del self.counts[value]

    def store(self, channel, timestamp):
        was_aligned, old = self.aligned[channel], self.wm[channel]
        if was_aligned:
            self.drop(old)
            if timestamp != MAX:
                self.counts[timestamp] = self.counts.get(timestamp, 0) + 1
        super().store(channel, timestamp)

    def join(self, channel):
        super().join(channel)
        if self.wm[channel] != MAX:
            self.counts.setdefault(self.wm[channel], 1)  # += 1 is meant

    def leave(self, channel):
        if self.aligned[channel]:
            self.drop(self.wm[channel])
        super().leave(channel)

    def minimum(self):
        return min(self.counts, default=None)


@fault("VA03", ("VALVE-14", "VALVE-20"), "single",
       "The count of active channels is not lowered when a lagging channel finishes (its MAX takes the catch-up "
       "branch), so the valve never becomes idle afterwards.",
       (2,), [(I, 0), (W, 1, 20), (A, 0), (W, 0, MAX), (I, 1)])
class VA03(Valve):
    def __init__(self, channels):
        super().__init__(channels)
        self.active_count = channels

    def store(self, channel, timestamp):
        if self.aligned[channel] and timestamp == MAX:
            self.active_count -= 1
        super().store(channel, timestamp)

    def leave(self, channel):
        self.active_count -= 1
        super().leave(channel)

    def wake(self):
        self.active_count += 1
        return super().wake()

    def working(self):
        return self.active_count > 0


class Mask64:
    """Flags in a 64-bit word, as Java shifts: `1L << i` takes i modulo 64."""

    def __init__(self):
        self.word = 2**64 - 1

    def __getitem__(self, i):
        return bool(self.word >> (i & 63) & 1)

    def __setitem__(self, i, value):
        self.word = self.word | 1 << (i & 63) if value else self.word & ~(1 << (i & 63))


@fault("VA05", ("VALVE-1", "VALVE-2"), "single",
       "Alignment is a 64-bit mask: channel 64 shares its flag with channel 0, and is left out while that is idle.",
       (65,), [(W, c, 10) for c in range(64)] + [(I, 0)])
class VA05(Valve):
    def __init__(self, channels):
        super().__init__(channels)
        self.aligned = Mask64()


@fault("VA07", ("VALVE-23",), "single",
       "The snapshot has no alignment; it is derived from the status, so that a lagging channel counts after a restore.",
       (2,), [(W, 0, 5), (I, 0), (W, 1, 20), (A, 0), ("snap",), (W, 1, 30)])
class VA07(Valve):
    def state(self):
        return super().state() | {"aligned": [not idle for idle in self.idles]}


@fault("VA09", ("VALVE-5", "VALVE-6", "VALVE-14"), "double",
       "A channel that has not delivered a watermark cannot become idle; and a watermark on an idle channel is stored "
       "and counts when the channel returns.",
       (2,), [(W, 0, 10), (I, 1), (W, 1, 30), (I, 1), (W, 1, 50), (A, 1), (W, 0, 60)])
class VA09(Valve):
    def idle(self, channel):
        self.check(channel)
        return [] if self.wm[channel] == MIN else super().idle(channel)

    def watermark(self, channel, timestamp):
        self.check(channel)
        if self.idles[channel] and timestamp != MAX:
            self.wm[channel] = max(self.wm[channel], timestamp)
        return super().watermark(channel, timestamp)


@fault("VA11", ("VALVE-3",), "report",
       "KAFKA-3514 (Kafka Streams, stream time of partitions): a smaller timestamp replaces the larger one of its "
       "partition as long as stream time has not reached it, so that a channel ahead of the output goes back.",
       (2,), [(W, 0, 50), (W, 1, 10), (W, 0, 20), (W, 1, 40)])
class VA11(Valve):
    def watermark(self, channel, timestamp):
        self.check(channel)
        old = self.wm[channel]
        if self.aligned[channel] and old != MAX and self.out < timestamp < old:
            self.wm[channel] = timestamp
            return []
        return super().watermark(channel, timestamp)


@fault("VA13", ("VALVE-9",), "single",
       "A channel that returns without ever having delivered a watermark is taken for new and aligned, although the "
       "output has passed it: it holds back the others.",
       (2,), [(I, 1), (W, 0, 10), (A, 1), (W, 0, 20)])
class VA13(Valve):
    def returns_aligned(self, channel):
        return self.wm[channel] == MIN or super().returns_aligned(channel)
