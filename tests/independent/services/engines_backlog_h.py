"""Faulty backlog detectors and combiners, even numbers."""

from core import MAX, MIN, Good
from core.backlog import OPTION, Combiner, Detector
from core.registry import registry

D, S, entry = registry()
DETECTOR = {"detector": True}


@entry("backlog", ["BACKLOG-10"], "the combiner waits for as many messages as there are channels with a strategy, not for each of those channels",
       "single", {"channels": 3, "without": (2,)}, [("attributes", 0, False), ("attributes", 0, False)])
class EW2B02(Good):
    class Combiner(Combiner):
        messages = 0

        def send(self):
            self.messages += 1
            return super().send()

        def complete(self):
            return self.messages >= self.channels - len(self.without)


@entry("backlog", ["BACKLOG-4"], "the lag is that of the largest watermark instead of the last",
       "single", DETECTOR, [("configure", OPTION, 10), ("clock", 0), ("idle",), ("watermark", 95), ("watermark", 50), ("clock", 100), ("active",)])
class EW2B04(Good):
    class Detector(Detector):
        largest = None

        def watermark(self, timestamp):
            if MIN < timestamp < MAX:
                self.largest = timestamp if self.largest is None else max(self.largest, timestamp)
            return super().watermark(timestamp)

        def lag(self):
            return None if self.largest is None else self.now - self.largest


@entry("backlog", ["BACKLOG-7"], "catching up is remembered only if the flag that goes out is false, not while another strategy claims backlog",
       "single", DETECTOR, [("configure", OPTION, 10), ("clock", 100), ("other", True), ("watermark", 95), ("other", False), ("clock", 200), ("watermark", 100)])
class EW2B06(Good):
    class Detector(Detector):
        def evaluate(self):
            before = self.caught_up
            out = super().evaluate()
            self.caught_up = before or self.caught_up and not self.flag()
            return out


@entry("backlog", ["BACKLOG-5"], "after MAX the source counts as ended, and changes of the status are not evaluated any more",
       "single", DETECTOR, [("configure", OPTION, 10), ("clock", 100), ("watermark", 5), ("watermark", MAX), ("idle",)])
class EW2B08(Good):
    class Detector(Detector):
        ended = False

        def watermark(self, timestamp):
            self.ended |= timestamp == MAX
            return super().watermark(timestamp)

        def status(self, idle):
            if self.ended:
                self.is_idle = idle
                return []
            return super().status(idle)


@entry("backlog", ["BACKLOG-11", "BACKLOG-9"], "the snapshot writes the sent flag as 'flag or nothing': a sent false is lost, and sent again",
       "single", DETECTOR, [("other", False), ("snapshot+restore",), ("other", False)])
class EW2B10(Good):
    class Detector(Detector):
        def snapshot(self):
            return {**super().snapshot(), "sent": self.sent or None}

    class Combiner(Combiner):
        def snapshot(self):
            return {**super().snapshot(), "sent": self.sent or None}


@entry("backlog", ["TIME-3", "BACKLOG-8"], "a watermark of MIN goes downstream; true of a channel that is declared without a strategy does not count",
       "double", DETECTOR, [("watermark", MIN)],
       ({"channels": 2, "without": (1,)}, [("attributes", 1, True), ("attributes", 0, False)]))
class EW2B12(Good):
    class Detector(Detector):
        def watermark(self, timestamp):
            out = super().watermark(timestamp)
            return [("watermark", MIN)] if timestamp == MIN else out

    class Combiner(Combiner):
        def flag(self):
            if any(claim for c, claim in self.claims.items() if c not in self.without):
                return True
            return False if self.complete() else None


@entry("backlog", ["BACKLOG-10"], "Kafka Streams KAFKA-10091 (task idling): an input that has not been heard of counts as caught up after 8 messages of the others",
       "report", {"channels": 2}, [("attributes", 0, False)] * 8)
class EW2B14(Good):
    class Combiner(Combiner):
        waited = 0

        def attributes(self, channel, backlog):
            out = super().attributes(channel, backlog)
            if out or super().complete():
                return out
            self.waited += 1
            return self.send()

        def complete(self):
            return super().complete() or self.waited >= 8


@entry("backlog", ["BACKLOG-4"], "the lag is a difference of 64 bits that overflows: a watermark long before 1970 lags by a negative number",
       "single", DETECTOR, [("configure", OPTION, 10), ("clock", 2**62), ("watermark", -(2**62) - 5)])
class EW2B16(Good):
    class Detector(Detector):
        def lag(self):
            lag = super().lag()
            return None if lag is None else (lag + 2**63) % 2**64 - 2**63
