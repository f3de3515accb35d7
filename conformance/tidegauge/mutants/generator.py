"""Wrong generators and strategies."""

from .mutant import Mutant


def _generator(
    name: str,
    module: str,
    rules: tuple[str, ...],
    bug: str,
    summary: str,
    *replacements: tuple[str, str],
) -> Mutant:
    return Mutant(f"generator-{name}", "generator", module, rules, bug, summary, replacements)


_RUNS_AS_BUILT = """
    @property
    def running(self):
        return self.strategy

    @running.setter
    def running(self, strategy):
        pass

    def start(self)"""

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
        "ICEBERG-15867, SPARK-PR-56043",
        "The watermark is the time itself, so that one more record of the same millisecond is late.",
        ("time - 1 if", "time if"),
    ),
    _generator(
        "last-timestamp",
        "generators",
        ("GEN-2",),
        "E18",
        "The watermark follows the last timestamp, not the largest.",
        ('if cite("GEN-2", timestamp > self.largest):', "if True:"),
    ),
    _generator(
        "bound-is-forgotten",
        "generators",
        ("GEN-3",),
        "E18",
        "Records are expected in order, whatever the bound.",
        (
            'earlier(largest, self.bound) if cite("GEN-3", self.bound > 0) else largest',
            "self.largest",
        ),
    ),
    _generator(
        "underflow",
        "timestamps",
        ("TIME-2",),
        "the example code of a book on Flink",
        "Before the first record the difference wraps round to a watermark near the end of time.",
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
        "KAFKA-8615",
        "The generator is told the time that the record carries, not the one that it gets.",
        ("        made = self.generator.on_event(timestamp)\n", ""),
        (
            "        assigner = self.running.assigner\n",
            "        made = self.generator.on_event(timestamp)\n        assigner = self.running.assigner\n",
        ),
    ),
    _generator(
        "punctuated-at-the-next-tick",
        "generators",
        ("GEN-4",),
        "SPARK-24157",
        "A watermark that a record makes does not go out with it.",
        ('[watermark(timestamp)] if cite("GEN-4", self.punctuated) else []', "[]"),
    ),
    _generator(
        "upstream-goes-through",
        "strategy",
        ("GEN-10",),
        "E37",
        "The watermarks of upstream go on beside those of the operator's own strategy.",
        ('cite("GEN-10", timestamp == MAX)', "True"),
    ),
    _generator(
        "no-end",
        "strategy",
        ("GEN-10",),
        "BYTEWAX-437",
        "The end of the input is no watermark, so that the last windows never close.",
        ('cite("GEN-10", timestamp == MAX)', "False"),
    ),
    _generator(
        "goes-back-in-mid-pipeline",
        "strategy",
        ("GEN-11",),
        "E48",
        "In mid-pipeline watermarks go out as the generator makes them.",
        ('sent if cite("GEN-11", sent != outputs) else outputs', "outputs"),
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
        "Every start is by the strategy of the first.",
        ("            self.running = self.strategy\n", "            pass\n"),
    ),
    _generator(
        "idleness-is-lost",
        "strategy",
        ("GEN-13", "IDLE-1"),
        "B20",
        "A strategy with idleness creates a generator without.",
        ('if cite("GEN-13", self.idle_timeout is None):', "if True:"),
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
        "A drift is not checked.",
        ('given("drift", drift, 0)', "drift"),
    ),
    _generator(
        "does-nothing",
        "strategy",
        (),
        "a generator nobody finished",
        "It accepts every step and never outputs anything.",
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
)
