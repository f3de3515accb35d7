"""Faulty combinations of splits and inputs, odd numbers."""

from core import MAX, MIN, Combination
from faults import faulty

fault = faulty(globals(), "splits")
W, I, A, ADD, REM, TICK = "watermark", "idle", "active", "add_split", "remove_split", ("tick",)


@fault("SP01", ("SPLIT-3",), "single",
       "Deferred watermarks wait in a map by split in which the newest replaces the one before, so that a lower one "
       "before the tick replaces a higher one.",
       (), [(ADD, "a"), (W, "a", 20, True), (W, "a", 10, True), TICK])
class SP01(Combination):
    def __init__(self, *names):
        super().__init__(*names)
        self.waiting = {}

    def apply(self, name):
        if name in self.waiting:
            self.parts[name][0] = max(self.parts[name][0], self.waiting.pop(name))

    def on_watermark(self, name, timestamp, deferred):
        self.part(name)
        if not deferred:
            self.apply(name)
            return super().on_watermark(name, timestamp, False)
        self.parts[name][1] = False
        self.waiting[name] = timestamp
        return []

    def remove_split(self, split):
        self.waiting.pop(split, None)
        return super().remove_split(split)

    def update(self):
        for name in list(self.waiting):
            self.apply(name)
        return super().update()


def java_hash(name):
    number = 0
    units = name.encode("utf-16-be", "surrogatepass")
    for i in range(0, len(units), 2):
        number = (31 * number + int.from_bytes(units[i:i + 2], "big")) & 0xFFFFFFFF
    return number


@fault("SP03", ("SPLIT-12",), "single",
       "Splits are in a map keyed by the 32-bit hash of their names instead of the names: two names with the same hash "
       "('Aa' and 'BB') are one split.",
       (), [(ADD, "orders-Aa"), (ADD, "orders-BB"), (W, "orders-Aa", 10, False)])
class SP03(Combination):
    @staticmethod
    def key(name):
        return java_hash(name) if isinstance(name, str) else name

    def add_split(self, split):
        return super().add_split(self.key(split))

    def remove_split(self, split):
        return super().remove_split(self.key(split))

    def on_watermark(self, name, timestamp, deferred):
        return super().on_watermark(self.key(name), timestamp, deferred)

    def on_status(self, name, idle, deferred):
        return super().on_status(self.key(name), idle, deferred)


@fault("SP05", ("SPLIT-2", "SPLIT-6"), "single",
       "The count of active splits is lowered by the removal of any split, also of an idle one, and is too small from "
       "then on: IDLE although a split is active.",
       (), [(ADD, "a"), (ADD, "b"), (W, "a", 10, False), (I, "b", False), (REM, "b"), TICK, (W, "a", 20, False)])
class SP05(Combination):
    miscounted = 0

    def remove_split(self, split):
        part = self.parts.get(split)
        if part and part[1] and part[0] != MAX:
            self.miscounted += 1
        return super().remove_split(split)

    def update(self):
        counted = self.counted()
        active_count = sum(not idle for _, idle in counted) - self.miscounted
        if counted and active_count <= 0:
            return self.flush(counted) + self.say_idle()
        return super().update()


@fault("SP07", ("SPLIT-10",), "single",
       "A watermark that ends its split's idleness but does not rise is an update only if the whole subtask was idle, so "
       "that deferred changes of other splits wait for the next tick.",
       (), [(ADD, "a"), (ADD, "b"), (W, "b", 5, False), (W, "a", 50, False), (I, "a", False), (W, "b", 30, True),
            (W, "a", 40, False), TICK])
class SP07(Combination):
    def is_update(self, was_idle, rises, timestamp):
        return (was_idle and (rises or self.out_idle)) or (rises and timestamp > self.out)


@fault("SP09", ("SPLIT-1", "SPLIT-8", "SPLIT-10"), "double",
       "A split that is added while the subtask is idle starts idle; and an immediate watermark that only equals the "
       "output is an update.",
       (), [TICK, (ADD, "a"), TICK, (W, "a", 20, False), (I, "a", False), (A, "a", True), (ADD, "b"), (ADD, "c"),
            (W, "c", 20, False), (W, "a", 30, False), TICK])
class SP09(Combination):
    def add_split(self, split):
        outputs = super().add_split(split)
        self.parts[split][1] = self.out_idle
        return outputs

    def is_update(self, was_idle, rises, timestamp):
        return was_idle or (rises and timestamp >= self.out)


@fault("SP11", ("SPLIT-11",), "report",
       "FLINK-35157 (alignment is stuck once some subtasks have finished): the last watermark that a part delivered before "
       "its end stays in the minimum as long as others are not finished.",
       (2,), [("input_watermark", 0, 10), ("input_watermark", 1, 20), ("input_watermark", 0, MAX),
              ("input_watermark", 1, 30)])
class SP11(Combination):
    def __init__(self, *names):
        super().__init__(*names)
        self.last = {}

    def on_watermark(self, name, timestamp, deferred):
        part = self.part(name)
        if timestamp == MAX and part[0] != MAX:
            self.last[name] = part[0]
        return super().on_watermark(name, timestamp, deferred)

    def smallest(self, watermarks):
        ended = [self.last[name] for name, (w, idle) in self.parts.items() if w == MAX and not idle]
        return min(watermarks + ended)


@fault("SP13", ("SPLIT-13",), "single",
       "The snapshot holds the splits as they were at the last update: what was deferred since then is lost.",
       (), [(ADD, "a"), (W, "a", 10, False), (W, "a", 20, True), ("snap",), TICK])
class SP13(Combination):
    def __init__(self, *names):
        super().__init__(*names)
        self.committed = {}

    def update(self):
        self.committed = {name: list(part) for name, part in self.parts.items()}
        return super().update()

    def remove_split(self, split):
        self.committed.pop(split, None)
        return super().remove_split(split)

    def state(self):
        return super().state() | {"parts": {name: self.committed.get(name, [MIN, False]) for name in self.parts}}
