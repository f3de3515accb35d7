"""Wrong generators and strategies."""

from ...mutants.mutant import MutantsOfComponent, at_scale
from .mutants_of_scale import GENERATOR_MUTANTS_OF_SCALE

_generator = MutantsOfComponent("generator")

_RUNS_AS_BUILT = """
    @property
    def running(self):
        return self.strategy

    @running.setter
    def running(self, strategy):
        pass

    def start(self)"""

_STALLED = """
        for name, *fields in outputs:
            if name == "watermark":
                stalled, self.stalled = self.stalled, fields[0] < self.emitter.maximum
                outputs = [] if stalled else outputs
        sent = self.emitter.send(outputs)
"""
"""What was left unsent is not made up for."""

_ACCEPTING = """
class Accepting(WatermarkStrategy):
    def no_watermarks(self, *arguments):
        return self

    for_monotonous_timestamps = for_bounded_out_of_orderness = for_generator = no_watermarks
    with_timestamp_assigner = with_idleness = with_watermark_alignment = no_watermarks


class WatermarkedInput:"""
"""A strategy to which nothing is a bad argument."""

GENERATOR_MUTANTS = (
    _generator(
        "equal-timestamp-is-late",
        "generators",
        ("GEN-5",),
        "ICEBERG-15867",
        "The watermark is the time itself, so that one more record of the same millisecond is late.",
        ("time - 1 if", "time if"),
    ),
    _generator(
        "bound-one-short",
        "generators",
        ("GEN-8", "GEN-3"),
        "E18",
        "A record that is behind by exactly the bound is late.",
        ("earlier(super().time(), self.bound)", "earlier(super().time(), max(0, self.bound - 1))"),
    ),
    _generator(
        "a-millisecond-of-slack",
        "generators",
        ("GEN-9", "GEN-5"),
        "E20",
        "The watermark is 1 ms too low, and a record that just exceeds the bound is not late.",
        ("time - 1 if", "time - 2 if"),
    ),
    _generator(
        "a-tick-behind",
        "generators",
        ("GEN-9", "GEN-5"),
        "SPARK-24157",
        "The watermark of a tick is that of the tick before: records since then do not count.",
        (
            "        time = self.time()\n",
            '        time, self.before = getattr(self, "before", MIN), self.time()\n',
        ),
    ),
    _generator(
        "last-timestamp",
        "generators",
        ("GEN-2",),
        "FLINK-37025",
        "The watermark follows the last timestamp, not the largest.",
        ('if cite("GEN-2", timestamp > self.largest):', "if True:"),
    ),
    _generator(
        "bound-is-forgotten",
        "generators",
        ("GEN-3",),
        "E18",
        "Records are expected in order, whatever the bound.",
        ("earlier(super().time(), self.bound)", "super().time()"),
    ),
    _generator(
        "underflow",
        "timestamps",
        ("TIME-2",),
        "EX-UNDERFLOW",
        "Before the first record the difference underflows to a watermark near the end of time.",
        (
            "        return MIN\n    return timestamp - milliseconds",
            "        return timestamp - milliseconds + 2**64\n    return timestamp - milliseconds",
        ),
    ),
    _generator(
        "machine-clock",
        "strategy",
        ("GEN-6",),
        "PAIMON-2745",
        "The processing time is sent as the watermark of event time.",
        ("generator = BoundedOutOfOrderness(self.bound)", "generator = ProcessingTime(context)"),
    ),
    _generator(
        "watermark-before-its-time-is-assigned",
        "strategy",
        ("GEN-1",),
        "E17",
        "The generator receives the timestamp that the record carries, not the assigned one.",
        ("self.generator.on_event(assigned)", "self.generator.on_event(timestamp)"),
    ),
    _generator(
        "punctuated-at-the-next-tick",
        "generators",
        ("GEN-4",),
        "E33",
        "A punctuated watermark waits for the next tick.",
        ('[watermark(timestamp)] if cite("GEN-4", self.punctuated) else []', "[]"),
    ),
    _generator(
        "upstream-goes-through",
        "strategy",
        ("GEN-10",),
        "E37",
        "Upstream watermarks are forwarded beside those of the operator's own strategy.",
        ('cite("GEN-10", timestamp == MAX)', "True"),
    ),
    _generator(
        "no-end",
        "strategy",
        ("GEN-10",),
        "E37",
        "The end of the input emits no watermark, so that the last windows never fire.",
        ('cite("GEN-10", timestamp == MAX)', "False"),
    ),
    _generator(
        "ends-now",
        "strategy",
        ("GEN-10",),
        "BYTEWAX-437",
        "At the end of the input the watermark is the time of the clock, not the end of time.",
        ("return self._sent([watermark(timestamp)])", "return self._sent([watermark(self.now)])"),
    ),
    _generator(
        "no-last-say",
        "strategy",
        ("GEN-4",),
        "FLINK-39481",
        "The end of the input overtakes the watermark that was due at the next tick.",
        ("    finish = tick\n", "    def finish(self):\n        return []\n"),
    ),
    _generator(
        "restored-without-its-largest",
        "strategy",
        ("GEN-2", "GEN-12"),
        "KAFKA-7994",
        "A restored generator has lost its largest timestamp.",
        (
            "        self.generator.restore(generator)\n",
            "        self.generator.restore(generator)\n"
            '        getattr(self.generator, "generator", self.generator).largest = Generator.largest\n',
        ),
    ),
    _generator(
        "stalls-after-a-regression",
        "strategy",
        ("GEN-11", "SPLIT-2"),
        "NUMAFLOW-3424",
        "After a watermark that regressed, the next watermark is not sent either.",
        (
            "            return self.emitter.send(outputs)\n",
            (
                "            for name, *fields in outputs:\n"
                '                if name == "watermark":\n'
                "                    stalled, self.stalled = self.stalled, fields[0] < self.emitter.maximum\n"
                "                    outputs = [] if stalled else outputs\n"
                "            return self.emitter.send(outputs)\n"
            ),
        ),
        (
            "self.emitter = Emitter(self.policies)",
            "self.emitter, self.stalled = Emitter(self.policies), False",
        ),
    ),
    _generator(
        "goes-back-in-mid-pipeline",
        "strategy",
        ("GEN-11",),
        "E48",
        "In mid-pipeline the raw watermarks of the generator go out, also those that regress.",
        ("            return self.emitter.send(outputs)\n", "            self.emitter.send(outputs)\n"),
    ),
    _generator(
        "builder-changes-what-runs",
        "strategy",
        ("GEN-12", "GEN-1"),
        "B27",
        "A call of the strategy builder takes effect on the running input.",
        ("    def start(self)", _RUNS_AS_BUILT),
    ),
    _generator(
        "first-strategy-for-ever",
        "strategy",
        ("GEN-12",),
        "B27",
        "Every start uses the strategy of the first start.",
        ("        self.running = self.strategy\n", ""),
    ),
    _generator(
        "idleness-is-lost",
        "strategy",
        ("GEN-13", "IDLE-1"),
        "FLINK-20947",
        "A strategy with idleness creates a generator without.",
        ('if cite("GEN-13", self.idle_timeout is None):', "if True:"),
    ),
    _generator(
        "assigner-ends-idleness",
        "strategy",
        ("GEN-13", "IDLE-1"),
        "FLINK-20947",
        "A strategy that gets an assigner loses its idle timeout.",
        ("replace(self, assigner=", "replace(self, idle_timeout=None, assigner="),
    ),
    _generator(
        "idle-timeouts-nest",
        "strategy",
        ("GEN-13", "IDLE-1"),
        "flink-idle-timeouts-nest",
        "A second idle timeout does not replace the first: the shorter one counts.",
        ('policies.generator_idle_timeouts == "nest" and self.inner', "self.inner"),
    ),
    _generator(
        "alignment-is-lost",
        "strategy",
        ("GEN-14",),
        "A9",
        "A strategy that gets an idle timeout is no longer aligned.",
        ("return replace(self, idle_timeout=", "return replace(self, alignment=None, idle_timeout="),
    ),
    _generator(
        "negative-drift",
        "strategy",
        ("GEN-15",),
        "FLINK-35088",
        "The drift is not validated.",
        ('given("drift", drift, 0)', "drift"),
    ),
    _generator(
        "updates-without-end",
        "strategy",
        ("GEN-15",),
        "FLINK-35088",
        "An update interval of 0 is accepted.",
        ('given("interval", interval, 1)', 'given("interval", interval, 0)'),
    ),
    _generator(
        "does-nothing",
        "strategy",
        (),
        "an unfinished generator",
        "Every step is accepted and nothing is ever output.",
        ("class WatermarkedInput:", _ACCEPTING),
        ("self.strategy = self.running = strategy", "self.strategy = self.running = Accepting()"),
        (
            '"""The group, drift and update interval (ms) of the strategy; nothing if it has none."""',
            "return []",
        ),
        ('"""A record that carries `timestamp` (ms; `MIN`: none)."""', "return []"),
        ('"""The periodic tick; there is a last one when the input is finished."""', "return []"),
        ('"""So much processing time passes."""', "return []"),
        ('"""A watermark (ms) arrives; `MAX` is the end of the input."""', "return []"),
    ),
    at_scale(
        "with-a-bound-at-2-31",
        _generator(
            "bound-in-32-bits",
            "generators",
            ("GEN-3",),
            "a number of 32 bits",
            "The bound is kept in 31 bits.",
            (
                "return earlier(super().time(), self.bound)",
                "return earlier(super().time(), self.bound % 2**31)",
            ),
        ),
    ),
    at_scale(
        "with-a-bound-at-2-31",
        _generator(
            "largest-as-a-double",
            "generators",
            ("GEN-2",),
            "doubles for whole numbers",
            "The largest timestamp is kept as a double, which is exact up to 2^53.",
            ("            self.largest = timestamp\n", "            self.largest = int(float(timestamp))\n"),
        ),
    ),
    *GENERATOR_MUTANTS_OF_SCALE,
)
