"""Faulty combinations of splits and inputs, even numbers."""

from core import MAX, MIN, Combination
from faults import faulty

fault = faulty(globals(), "splits")
W, I, A, ADD, REM, TICK = "watermark", "idle", "active", "add_split", "remove_split", ("tick",)
IW, II = "input_watermark", "input_idle"


@fault("SP02", ("SPLIT-2", "SPLIT-10"), "single",
       "A dirty flag saves work at ticks; the removal of an idle split does not set it, so that MAX is not sent when only "
       "finished splits remain.",
       (), [(ADD, "a"), (ADD, "b"), (W, "a", MAX, False), (I, "b", False), TICK, (REM, "b"), TICK])
class SP02(Combination):
    dirty = True

    def add_split(self, split):
        self.dirty = True
        return super().add_split(split)

    def remove_split(self, split):
        self.dirty = self.dirty or (split in self.parts and not self.parts[split][1])
        return super().remove_split(split)

    def on_watermark(self, name, timestamp, deferred):
        self.dirty = True
        return super().on_watermark(name, timestamp, deferred)

    def on_status(self, name, idle, deferred):
        self.dirty = True
        return super().on_status(name, idle, deferred)

    def update(self):
        if not self.dirty:
            return []
        self.dirty = False
        return super().update()


@fault("SP04", ("SPLIT-6", "SPLIT-7"), "single",
       "After MAX nothing is output any more: no IDLE when the finished splits are removed, and none of splits that are "
       "assigned later.",
       (), [(ADD, "a"), (W, "a", MAX, False), (REM, "a"), TICK, (ADD, "b"), TICK])
class SP04(Combination):
    def update(self):
        return [] if self.out == MAX else super().update()


@fault("SP06", ("SPLIT-2", "SPLIT-9"), "single",
       "The index for the minimum is compacted after every 64 watermarks that rise, and then loses the idle parts; one "
       "that returns without a higher watermark is missing in the minimum.",
       (2,), [(IW, 0, 1), (IW, 1, 1), (II, 0), *[(IW, 1, t) for t in range(2, 70)], ("input_active", 0), (IW, 1, 100)])
class SP06(Combination):
    def __init__(self, *names):
        super().__init__(*names)
        self.index, self.rises = set(self.parts), 0

    def add_split(self, split):
        outputs = super().add_split(split)
        self.index.add(split)
        return outputs

    def on_watermark(self, name, timestamp, deferred):
        if timestamp > self.part(name)[0]:
            self.index.add(name)
            self.rises += 1
            if self.rises % 64 == 0:
                self.index = {n for n, (_, idle) in self.parts.items() if n == name or not idle}
        return super().on_watermark(name, timestamp, deferred)

    def smallest(self, watermarks):
        found = [w for name, (w, idle) in self.parts.items() if not idle and w != MAX and name in self.index]
        return min(found, default=self.out)


@fault("SP08", ("SPLIT-11",), "single",
       "A finished part that has become idle, too, takes part in the flush: MAX ends event time while the other parts are "
       "only idle.",
       (2,), [(IW, 0, 10), (IW, 1, MAX), (II, 1), (II, 0)])
class SP08(Combination):
    def flush(self, counted):
        return super().flush([part for part in self.parts.values() if part[1]])


@fault("SP10", ("SPLIT-8", "SPLIT-12"), "double",
       "Names of splits are compared without case; and a flush while the subtask is idle already goes out without ACTIVE "
       "before and IDLE after it.",
       (), [(ADD, "Part-A"), (ADD, "part-a"), (W, "Part-A", 10, False), (I, "Part-A", False), (I, "part-a", False),
            (W, "Part-A", 30, True), (I, "Part-A", True), TICK])
class SP10(Combination):
    @staticmethod
    def key(name):
        return name.casefold() if isinstance(name, str) else name

    def add_split(self, split):
        return super().add_split(self.key(split))

    def remove_split(self, split):
        return super().remove_split(self.key(split))

    def part(self, name):
        return super().part(self.key(name))

    def flush(self, counted):
        return self.send(max(w for w, _ in counted))


@fault("SP12", ("SPLIT-13",), "report",
       "KAFKA-7994 (stream time after rebalances and restarts): the time of a partition that has no data at the moment is "
       "not saved; a restored idle part starts without a watermark.",
       (2,), [(IW, 0, 10), (IW, 1, 20), (II, 1), ("snap",), (II, 0)])
class SP12(Combination):
    def state(self):
        parts = {n: [MIN if idle and w != MAX else w, idle] for n, (w, idle) in self.parts.items()}
        return super().state() | {"parts": parts}


@fault("SP14", ("SPLIT-2", "SPLIT-6", "SPLIT-9"), "single",
       "A watermark at or below the output does not end the idleness of its part while other parts are active (the valve's "
       "rule, half applied), so that the part does not hold the output back.",
       (2,), [(IW, 0, 10), (IW, 1, 20), (II, 0), (IW, 0, 15), (IW, 1, 30)])
class SP14(Combination):
    def on_watermark(self, name, timestamp, deferred):
        part = self.part(name)
        if part[1] and timestamp <= self.out and not self.out_idle:
            part[0] = max(part[0], timestamp)
            return []
        return super().on_watermark(name, timestamp, deferred)
