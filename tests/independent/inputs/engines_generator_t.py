"""Faulty generators and strategies, odd numbers."""

from core import MAX, MIN, Generator, ProcessingTime
from core import duration, present
from faults import faulty

fault = faulty(globals(), "generator")
TICK, START = ("tick",), ("start",)
SOURCE, MID, BOUNDED, PUNCTUATED, PT, NONE = ("source", "mid-pipeline", "bounded-out-of-orderness", "punctuated",
                                              "processing-time", "no-watermarks")
REC, ING = "record-time", "ingestion-time"


@fault("GE01", ("GEN-1",), "single",
       "Ingestion time is given only to records that carry no timestamp; others keep their own.",
       (SOURCE, BOUNDED, 0, ING, None, 100), [("record", 5), TICK])
class GE01(Generator):
    def assign(self, timestamp):
        return super().assign(timestamp) if timestamp == MIN else timestamp


@fault("GE03", ("GEN-4",), "single",
       "A periodic watermark that has been the same for 100 ticks is not sent any more until it changes.",
       (SOURCE, BOUNDED, 0, REC, None, 0), [("record", 5)] + [TICK] * 101)
class GE03(Generator):
    last, repeats = None, 0

    def tick(self):
        made = super().tick()
        self.repeats = self.repeats + 1 if made and made == self.last else 0
        self.last = made or self.last
        return made if self.repeats < 100 else []

    def start(self):
        self.last, self.repeats = None, 0
        return super().start()


@fault("GE05", ("GEN-12",), "single",
       "A start with an unchanged strategy takes the generator of the start before out of a cache, with its largest "
       "timestamp and its countdown.",
       (SOURCE, BOUNDED, 0, REC, None, 0), [("record", 50), TICK, START, TICK])
class GE05(Generator):
    made_for = None

    def create(self, strategy):
        if self.made_for != strategy:
            self.made_for, self.cached = strategy, super().create(strategy)
        return self.cached


@fault("GE07", ("GEN-15",), "single",
       "with_watermark_alignment stores group and drift before it checks the interval: a rejected call has changed the "
       "strategy.",
       (SOURCE, NONE, 0, REC, None, 0), [("with_watermark_alignment", "a", 5, 10), ("with_watermark_alignment", "b", 7, 0),
                                         ("alignment",)])
class GE07(Generator):
    def with_watermark_alignment(self, watermark_group, max_allowed_watermark_drift, update_interval):
        old = self.strategy["alignment"]
        alignment = (present(watermark_group), duration(max_allowed_watermark_drift), old[2] if old else 1000)
        self.build(self.strategy | {"alignment": alignment})
        return super().with_watermark_alignment(watermark_group, max_allowed_watermark_drift, update_interval)


class TickBefore(ProcessingTime):
    read = None

    def on_tick(self, now):
        reading, self.read = now if self.read is None else self.read, now
        return super().on_tick(reading)


@fault("GE09", ("GEN-6", "GEN-10"), "double",
       "A processing-time generator emits the processing time of the tick before; and at a source a repeated MAX from "
       "upstream does not go out again.",
       (SOURCE, PT, 0, REC, None, 100), [TICK, ("advance", 10), TICK, ("watermark", MAX), ("watermark", MAX)])
class GE09(Generator):
    PROCESSING_TIME, ended = TickBefore, False

    def watermark(self, timestamp):
        repeated = self.ended and self.place == SOURCE
        self.ended = self.ended or timestamp == MAX
        return [] if repeated else super().watermark(timestamp)

    def start(self):
        self.ended = False
        return super().start()


@fault("GE11", ("GEN-4",), "report",
       "FLINK-19109 (periodic watermarks of a chained operator are eaten by the reader before it): while upstream is idle, "
       "ticks do not reach a strategy in mid-pipeline.",
       (MID, PT, 0, REC, None, 100), [TICK, ("idle",), ("advance", 10), TICK, ("active",), TICK])
class GE11(Generator):
    upstream_idle = False

    def idle(self):
        self.upstream_idle = self.place == MID
        return []

    def active(self):
        self.upstream_idle = False
        return []

    def tick(self):
        return [] if self.upstream_idle else super().tick()

    def start(self):
        self.upstream_idle = False
        return super().start()


@fault("GE13", ("GEN-12",), "single",
       "The snapshot has only the strategy as it is built: if a builder call was waiting for the next start, the restored "
       "input has a new generator by it.",
       (SOURCE, BOUNDED, 0, REC, None, 100), [("record", 50), ("with_timestamp_assigner", ING), ("snap",), ("record", 60), TICK])
class GE13(Generator):
    def state(self):
        if self.running == self.strategy:
            return super().state()
        return super().state() | {"running": self.strategy, "generator": self.create(self.strategy)}
