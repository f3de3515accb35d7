"""Faulty generators and strategies, even numbers."""

from core import MAX, MIN, Bounded, Generator
from core import clamp, present
from faults import faulty

fault = faulty(globals(), "generator")
TICK, START = ("tick",), ("start",)
SOURCE, MID, BOUNDED, PUNCTUATED, PT, NONE = ("source", "mid-pipeline", "bounded-out-of-orderness", "punctuated",
                                              "processing-time", "no-watermarks")
REC, ING = "record-time", "ingestion-time"


class PerInterval(Bounded):
    current = None

    def on_record(self, timestamp, now):
        self.current = timestamp if self.current is None else max(self.current, timestamp)
        return []

    def on_tick(self, now):
        if self.current is not None:
            self.top, self.current = self.current, None
        return super().on_tick(now)


@fault("GE02", ("GEN-2",), "single",
       "The bounded generator keeps the largest timestamp of the newest tick interval with records, not of all, and goes "
       "back after an interval of old records.",
       (SOURCE, BOUNDED, 0, REC, None, 0), [("record", 50), TICK, ("record", 20), TICK])
class GE02(Generator):
    BOUNDED = PerInterval


@fault("GE04", ("GEN-13",), "single",
       "with_timestamp_assigner copies a strategy that has an alignment without its idle timeout.",
       (SOURCE, NONE, 0, REC, 10, 0), [("with_watermark_alignment", "g", 5, None), ("with_timestamp_assigner", ING), START,
                                       TICK, ("advance", 11), TICK])
class GE04(Generator):
    def with_timestamp_assigner(self, assigner):
        outputs = super().with_timestamp_assigner(assigner)
        return outputs if not self.strategy["alignment"] else self.build(self.strategy | {"timeout": None})


@fault("GE06", ("GEN-11",), "single",
       "In mid-pipeline MAX closes the output: statuses that change afterwards do not go out.",
       (MID, NONE, 0, REC, 10, 0), [("watermark", MAX), TICK, ("advance", 11), TICK])
class GE06(Generator):
    def filtered(self, item):
        return [] if self.out == MAX else super().filtered(item)


class ClampedOnce(Bounded):
    def on_tick(self, now):
        if self.top == MIN:
            return [("watermark", MIN)]
        time = clamp(self.top - self.bound)
        return [("watermark", time - 1 if time > MIN else MAX)]  # MIN - 1 in 64 bits


@fault("GE08", ("TIME-2", "GEN-5"), "single",
       "The subtraction of the bound saturates, that of the 1 ms overflows: a largest timestamp within the bound above MIN "
       "makes the watermark MAX.",
       (SOURCE, BOUNDED, 100, REC, None, 0), [("record", MIN + 40), TICK])
class GE08(Generator):
    BOUNDED = ClampedOnce


@fault("GE10", ("GEN-11", "GEN-14"), "double",
       "In mid-pipeline only a watermark that rises ends the idleness of the output, a second MAX does not; and "
       "for_generator keeps the alignment of the strategy before.",
       (MID, NONE, 0, REC, 10, 0), [("watermark", MAX), TICK, ("advance", 11), TICK, ("watermark", MAX),
                                    ("with_watermark_alignment", "g", 5, 7), ("for_generator", PUNCTUATED), ("alignment",)])
class GE10(Generator):
    def filtered(self, item):
        return [] if item[0] == "watermark" and item[1] <= self.out else super().filtered(item)

    def for_generator(self, supplier):
        return self.build(self.fresh(present(supplier)) | {"alignment": self.strategy["alignment"]})


@fault("GE12", ("GEN-4", "GEN-5"), "report",
       "FLINK-21132 (a synchronous savepoint ends the input): after a snapshot, finish says MAX as if the input had come to "
       "its end.",
       (MID, BOUNDED, 0, REC, None, 0), [("record", 50), ("snap",), ("finish",)])
class GE12(Generator):
    savepoint = False

    def state(self):
        self.savepoint = True
        return super().state()

    def finish(self):
        return super().finish() + (self.emit([("watermark", MAX)]) if self.savepoint else [])

    def start(self):
        self.savepoint = False
        return super().start()


@fault("GE14", ("GEN-14",), "single",
       "with_watermark_alignment without an interval keeps the interval of the call before in place of 1000 ms.",
       (SOURCE, NONE, 0, REC, None, 0), [("with_watermark_alignment", "g", 5, 50), ("with_watermark_alignment", "h", 6, None),
                                         ("alignment",)])
class GE14(Generator):
    def with_watermark_alignment(self, watermark_group, max_allowed_watermark_drift, update_interval):
        if update_interval is None and self.strategy["alignment"]:
            update_interval = self.strategy["alignment"][2]
        return super().with_watermark_alignment(watermark_group, max_allowed_watermark_drift, update_interval)
