"""Faulty backlog detectors and combiners, odd numbers."""

from core import MIN, Good
from core.backlog import OPTION, Combiner, Detector
from core.base import IllegalArgument
from core.registry import registry

D, S, entry = registry()
DETECTOR = {"detector": True}


@entry("backlog", ["BACKLOG-8"], "the combiner counts claims: a channel that repeats true is counted twice, and one false of it does not end its claim",
       "single", {"channels": 1}, [("attributes", 0, True), ("attributes", 0, True), ("attributes", 0, False)])
class EW2B01(Good):
    class Combiner(Combiner):
        count = 0

        def attributes(self, channel, backlog):
            if backlog and 0 <= channel < self.channels:
                self.count += 1
            elif self.claims.get(channel):
                self.count -= 1
            return super().attributes(channel, backlog)

        def flag(self):
            return True if self.count else super().flag()


@entry("backlog", ["BACKLOG-4"], "from a threshold of 1 s on, lag and threshold are compared in whole seconds",
       "single", DETECTOR, [("configure", OPTION, 1500), ("clock", 10_000), ("watermark", 8_300)])
class EW2B03(Good):
    class Detector(Detector):
        def behind(self, lag):
            return lag // 1000 > self.threshold // 1000 if self.threshold >= 1000 else lag > self.threshold


@entry("backlog", ["BACKLOG-7", "BACKLOG-4"], "a lag within the threshold that is evaluated while idle is final, too",
       "single", DETECTOR, [("configure", OPTION, 10), ("clock", 100), ("idle",), ("watermark", 95), ("clock", 200), ("active",)])
class EW2B05(Good):
    class Detector(Detector):
        def evaluate(self):
            lag = self.lag()
            if self.threshold is not None and self.is_idle and lag is not None and not self.behind(lag):
                self.caught_up = True
            return super().evaluate()


@entry("backlog", ["BACKLOG-5"], "becoming active evaluates the lag only if a watermark has come since the last evaluation",
       "single", DETECTOR, [("configure", OPTION, 10), ("clock", 100), ("watermark", 5), ("idle",), ("active",)])
class EW2B07(Good):
    class Detector(Detector):
        fresh = False

        def watermark(self, timestamp):
            self.fresh = True
            return super().watermark(timestamp)

        def evaluate(self):
            fresh, self.fresh = self.fresh, False
            return super().evaluate() if fresh or self.is_idle else []


@entry("backlog", ["BACKLOG-1"], "the name of the option is compared without regard to case and with _ for -",
       "single", DETECTOR, [("configure", OPTION.replace("-", "_"), 10), ("clock", 100), ("watermark", 5)])
class EW2B09(Good):
    class Detector(Detector):
        def configure(self, option, milliseconds):
            return super().configure(option.lower().replace("_", "-"), milliseconds)


@entry("backlog", ["BACKLOG-1", "BACKLOG-2"], "the first clock step does not start the subtask; negative numbers of channels count from the end",
       "double", DETECTOR, [("clock", 100), ("configure", OPTION, 10), ("watermark", 5)],
       ({"channels": 2}, [("attributes", 0, False), ("attributes", -1, True)]))
class EW2B11(Good):
    class Detector(Detector):
        def clock(self, now):
            self.now = now
            return []

    class Combiner(Combiner):
        def attributes(self, channel, backlog):
            if not -self.channels <= channel < self.channels:
                raise IllegalArgument("no such channel")
            return super().attributes(channel % self.channels, backlog)


@entry("backlog", ["BACKLOG-4", "TIME-3"], "as in Flink FLINK-32414, the initial watermark MIN is taken for a watermark: before the first one the lag is enormous",
       "report", DETECTOR, [("configure", OPTION, 10), ("clock", 100), ("idle",), ("active",)])
class EW2B13(Good):
    class Detector(Detector):
        def lag(self):
            return self.now - (MIN if self.last is None else self.last)


@entry("backlog", ["BACKLOG-8", "BACKLOG-10"], "the channels are bits of a 64-bit word: channel 64 shares the bit of channel 0",
       "single", {"channels": 65}, [("attributes", 64, True), ("attributes", 0, False)] + [("attributes", i, False) for i in range(1, 64)])
class EW2B15(Good):
    class Combiner(Combiner):
        def attributes(self, channel, backlog):
            if 0 <= channel < self.channels:
                channel %= 64
            return super().attributes(channel, backlog)

        def complete(self):
            return all(c % 64 in self.claims or c in self.without for c in range(self.channels))
