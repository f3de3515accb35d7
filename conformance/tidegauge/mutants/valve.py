"""Wrong valves."""

from .mutant import Mutant


def _valve(
    name: str, rules: tuple[str, ...], bug: str, summary: str, *replacements: tuple[str, str]
) -> Mutant:
    return Mutant(f"valve-{name}", "valve", "valve", rules, bug, summary, replacements)


VALVE_MUTANTS = (
    _valve(
        "max-from-nothing",
        ("VALVE-11",),
        "FLINK-7721",
        "The minimum over no aligned channel is MAX.",
        (
            'if cite("VALVE-11", not aligned):\n            return []',
            "if not aligned:\n            aligned = [MAX]",
        ),
    ),
    _valve(
        "no-flush",
        ("VALVE-15",),
        "FLINK-7728",
        "When all channels are idle only IDLE is sent, without the largest watermark.",
        ('flushed = self._advance("VALVE-15", largest)', "flushed: list[Output] = []"),
    ),
    _valve(
        "guarded-flush",
        ("VALVE-15",),
        "FLINK-40475",
        "All idle: flushes only if the last channel to go stood at the output watermark.",
        (
            'if self.policies.valve_flush_when_all_idle == "last-channel-at-output" and not at_output:',
            "if not at_output:",
        ),
    ),
    _valve(
        "stalled-reactivation",
        ("VALVE-12",),
        "FLINK-40475",
        "A channel that comes back releases no watermark before the next one arrives.",
        ('return outputs + self._minimum("VALVE-12")', "return outputs"),
    ),
    _valve(
        "lagging-channel-counts",
        ("VALVE-9", "VALVE-4"),
        "E47",
        "A channel that comes back behind takes part in the minimum at once and drags the output back.",
        ('if cite("VALVE-9", source.watermark < self.output_watermark):', "if False:"),
        ("timestamp <= self.output_watermark", "timestamp == self.output_watermark or timestamp == MIN"),
    ),
    _valve(
        "strictly-caught-up",
        ("VALVE-10",),
        "E50",
        "A lagging channel rejoins only when it is past the output watermark, not when it equals it.",
        ("timestamp >= self.output_watermark", "timestamp > self.output_watermark"),
    ),
    _valve(
        "heard-while-idle",
        ("VALVE-5",),
        "FLINK-5017",
        "A watermark that arrives on an idle channel is stored and counts when the channel comes back.",
        (
            'if cite("VALVE-5", source.idle):\n',
            "if source.idle:\n            source.watermark = max(source.watermark, timestamp)\n",
        ),
    ),
    _valve(
        "lower-watermark-accepted",
        ("VALVE-3",),
        "E28",
        "A channel's watermark is the newest, not the largest.",
        ("timestamp <= source.watermark", "timestamp == source.watermark or timestamp == MIN"),
    ),
    _valve(
        "does-nothing",
        (),
        "a valve nobody finished",
        "It accepts every step and never outputs anything.",
        (
            '"""The channel promises that everything up to `timestamp` (ms) has arrived; `MAX` ends it."""',
            "return []",
        ),
        ('"""The channel has no data for now and is not to be waited for."""', "return []"),
        ('"""The channel has data again."""', "return []"),
    ),
)
