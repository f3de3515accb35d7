"""Wrong valves."""

from ...mutants.mutant import MutantsOfModule, at_scale
from .mutants_of_scale import VALVE_MUTANTS_OF_SCALE

_valve = MutantsOfModule("valve", "valve")

_IDLE_COMES_FIRST = """        if cite("VALVE-21", self._finished(source)):
            return []
        if cite("VALVE-7", source.idle):
"""

VALVE_MUTANTS = (
    _valve(
        "joins-with-its-first-watermark",
        ("VALVE-1",),
        "FLINK-26018",
        "A channel takes part in the minimum from its first watermark on.",
        ("if c.aligned and not cite(", "if c.aligned and c.watermark > MIN and not cite("),
    ),
    _valve(
        "stale-heap",
        ("VALVE-2",),
        "FLINK-30544",
        "The minimum is read from the root of a heap that is not put in order when a watermark rises.",
        ('smallest("VALVE-2", delivered)', "delivered[0]"),
    ),
    _valve(
        "shared-slot",
        ("VALVE-2", "VALVE-6", "VALVE-14"),
        "FLINK-6116",
        "The two edges of a union with itself share the state of one channel, and the other channel never "
        "delivers a watermark.",
        ("return self.channels[channel]", "return self.channels[0 if channel == 1 else channel]"),
    ),
    _valve(
        "fastest-channel-counts",
        ("VALVE-2",),
        "E29",
        "The output is the largest watermark of all channels.",
        ('smallest("VALVE-2", delivered)', "max(delivered)"),
    ),
    _valve(
        "max-from-nothing",
        ("VALVE-11",),
        "FLINK-7721",
        "The minimum over no aligned channel is MAX.",
        (
            ('if cite("VALVE-11", not waited_for):\n            return []'),
            ("if not waited_for:\n            return self._advance(rule, MAX)"),
        ),
    ),
    _valve(
        "no-flush",
        ("VALVE-15",),
        "FLINK-7728",
        "When all channels are idle only IDLE is sent, without the largest watermark.",
        (
            'flushed = self._advance("VALVE-15", max(largest, self.largest_before_end))',
            "flushed: list[Output] = []",
        ),
    ),
    _valve(
        "guarded-flush",
        ("VALVE-15",),
        "FLINK-40475a",
        "The valve flushes only if the channel that became idle last stood at the output watermark.",
        (
            'if at_output or self.policies.valve_flush_when_all_idle != "last-channel-at-output":',
            "if at_output:",
        ),
    ),
    _valve(
        "stalled-reactivation",
        ("VALVE-12",),
        "FLINK-40475b",
        "A returning channel releases no watermark before the next one arrives.",
        ('return outputs + self._output_minimum("VALVE-12")', "return outputs"),
    ),
    _valve(
        "lagging-channel-counts",
        ("VALVE-9", "VALVE-4"),
        "E47",
        "A channel that returns behind the output takes part in the minimum at once and moves the output "
        "back.",
        ('elif cite("VALVE-9", source.watermark < self.output_watermark):', "elif False:"),
        ("timestamp <= self.output_watermark", "timestamp == self.output_watermark or timestamp == MIN"),
    ),
    _valve(
        "strictly-caught-up",
        ("VALVE-10",),
        "E50",
        "A lagging channel is aligned only when it passes the output watermark, not when it equals it.",
        ("timestamp >= self.output_watermark", "timestamp > self.output_watermark"),
    ),
    _valve(
        "caught-up-in-silence",
        ("VALVE-10",),
        "E50",
        "A lagging channel that catches up releases nothing before the next watermark of a channel.",
        (
            'cite("VALVE-10", timestamp >= self.output_watermark)\n',
            'cite("VALVE-10", timestamp >= self.output_watermark)\n'
            "            if source.aligned and timestamp < MAX:\n                return []\n",
        ),
    ),
    _valve(
        "heard-while-idle",
        ("VALVE-5",),
        "FLINK-5017",
        "A watermark on an idle channel is stored and counts when the channel returns.",
        (
            'if cite("VALVE-5", source.idle):\n',
            "if source.idle:\n            source.watermark = max(source.watermark, timestamp)\n",
        ),
    ),
    _valve(
        "minimum-at-watermarks-only",
        ("VALVE-6",),
        "BEAM-11481",
        "The minimum that a channel releases by becoming idle is output only with the next watermark of "
        "another channel.",
        ('return self._output_minimum("VALVE-6")', "return []"),
    ),
    _valve(
        "repeated-active-aligns",
        ("VALVE-7", "VALVE-9"),
        "E44",
        "A repeated ACTIVE aligns a lagging channel, which holds the output back.",
        (
            'if cite("VALVE-7", not source.idle):\n',
            "if not source.idle:\n            source.aligned = True\n",
        ),
    ),
    _valve(
        "repeats-idle",
        ("VALVE-7",),
        "E44",
        "IDLE is output again when a channel of an idle valve repeats it.",
        ('if cite("VALVE-7", source.idle):', "if source.idle and not self.output_idle:"),
    ),
    _valve(
        "aligned-with-its-next-watermark",
        ("VALVE-8", "VALVE-12"),
        "E50",
        "A channel that returns without lag is excluded until its next watermark.",
        ('source.aligned = cite("VALVE-8", True)', "pass"),
    ),
    _valve(
        "silent-return",
        ("VALVE-13",),
        "E46",
        "No ACTIVE is sent when the first channel returns.",
        ("            outputs.append(ACTIVE)\n", ""),
    ),
    _valve(
        "active-when-all-are-back",
        ("VALVE-13", "VALVE-16"),
        "E46",
        "ACTIVE is sent when the last idle channel has returned instead of the first.",
        (
            'if cite("VALVE-13", self.output_idle):',
            "if self.output_idle and not any(c.idle for c in self.channels):",
        ),
    ),
    _valve(
        "never-idle",
        ("VALVE-14",),
        "E44",
        "IDLE is not sent when all channels are idle.",
        ('before("VALVE-16", flushed, [IDLE])', "flushed"),
    ),
    _valve(
        "idle-with-the-first",
        ("VALVE-14",),
        "E44",
        "The first channel to become idle makes the valve idle.",
        ("all(channel.idle for channel in unfinished)", "any(channel.idle for channel in unfinished)"),
    ),
    _valve(
        "one-status-for-all",
        ("VALVE-14", "VALVE-5"),
        "NUMAFLOW-762",
        "One status is kept for all channels, so that an active channel makes the others active too.",
        (
            "        source.idle = False\n",
            "        for each in self.channels:\n            each.idle = False\n",
        ),
    ),
    _valve(
        "flush-under-idle",
        ("VALVE-16",),
        "FLINK-5017",
        "IDLE goes out before the largest watermark, which is lost downstream.",
        ('before("VALVE-16", flushed, [IDLE])', "[IDLE, *flushed]"),
    ),
    _valve(
        "finished-counts",
        ("VALVE-17",),
        "FLINK-38477",
        "A finished channel counts: when the others are idle or lagging, event time ends.",
        (' and not cite("VALVE-17", self._finished(c))', ""),
    ),
    _valve(
        "finished-is-flushed",
        ("VALVE-18",),
        "FLINK-38477",
        "A finished channel is flushed: when the others are idle, event time ends.",
        (' if not cite("VALVE-18", self._finished(channel))', ""),
    ),
    _valve(
        "finished-keeps-it-active",
        ("VALVE-20", "VALVE-14"),
        "HZ-22440",
        "A finished channel counts as active, so that the valve does not become idle with the others.",
        (' if not cite("VALVE-20", self._finished(channel))', ""),
    ),
    _valve(
        "end-without-idle",
        ("VALVE-20", "VALVE-14"),
        "a status that only messages change",
        "When the last active channel ends and the others are idle, IDLE is not sent.",
        (
            "if timestamp == MAX and self._all_idle():\n            return self._become_idle()",
            "if timestamp == MAX and self._all_idle():\n"
            "            flushed = self._become_idle()[:-1]\n"
            "            self.output_idle = False\n"
            "            return flushed",
        ),
    ),
    _valve(
        "end-unsaid",
        ("VALVE-19",),
        "FLINK-3554",
        "When every channel is finished, the minimum is over no channels and MAX is not sent.",
        ('if cite("VALVE-19", all(channel.watermark == MAX for channel in self.channels)):', "if False:"),
    ),
    _valve(
        "late-status-heard",
        ("VALVE-21",),
        "E5",
        "A finished channel whose idleness timer fires makes the valve idle.",
        (_IDLE_COMES_FIRST, '        if cite("VALVE-7", source.idle):\n'),
    ),
    _valve(
        "minus-one-is-the-last",
        ("VALVE-22",),
        "E29",
        "The channel -1 is treated as the last one.",
        ("not 0 <= channel < len(self.channels)", "channel >= len(self.channels)"),
    ),
    _valve(
        "restored-aligned",
        ("VALVE-23",),
        "E49",
        "After a restart a lagging channel counts as if it had caught up.",
        ("[Channel(*channel) for channel in channels]", "[Channel(*channel[:2]) for channel in channels]"),
    ),
    _valve(
        "finished-before-the-restart",
        ("VALVE-23",),
        "FLINK-23708",
        "A channel that was finished before a restart holds the output back after it.",
        (
            "[Channel(*channel) for channel in channels]",
            "[Channel(*channel) if channel[0] < MAX else Channel() for channel in channels]",
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
        "restored-without-channels",
        ("VALVE-23",),
        "a checkpoint that holds one watermark for all inputs",
        "A restart keeps the output watermark and resets the state of all channels.",
        ("[Channel(*channel) for channel in channels]", "[Channel() for _ in channels]"),
    ),
    _valve(
        "no-statuses",
        (
            *("VALVE-14", "VALVE-15", "VALVE-6", "VALVE-5", "VALVE-7", "VALVE-8", "VALVE-9", "VALVE-10"),
            *("VALVE-12", "VALVE-13", "VALVE-16"),
        ),
        "an engine without idleness",
        "Statuses are ignored and none is sent: a channel without data holds the output back like any other.",
        (
            '"""The channel has no data for now and is not to be waited for."""',
            "self._channel(channel)\n        return []",
        ),
        ('"""The channel has data again."""', "self._channel(channel)\n        return []"),
    ),
    _valve(
        "never-finished",
        ("VALVE-17", "VALVE-18", "VALVE-19", "VALVE-20", "VALVE-21"),
        "an engine whose inputs have no end",
        "The end of an input is ignored, and its last watermark holds the others back forever.",
        (
            '"""The channel promises that everything up to `timestamp` (ms) has arrived; `MAX` ends it."""',
            "if timestamp == MAX:\n            return []",
        ),
    ),
    _valve(
        "does-nothing",
        (),
        "an unfinished valve",
        "Every step is accepted and nothing is ever output.",
        (
            '"""The channel promises that everything up to `timestamp` (ms) has arrived; `MAX` ends it."""',
            "return []",
        ),
        ('"""The channel has no data for now and is not to be waited for."""', "return []"),
        ('"""The channel has data again."""', "return []"),
    ),
    at_scale(
        "6-channels",
        _valve(
            "of-five-channels",
            ("VALVE-2",),
            "an array of fixed length",
            "Only the first five channels take part in the minimum.",
            ("waited_for = [c for c in self.channels if", "waited_for = [c for c in self.channels[:5] if"),
        ),
    ),
    at_scale(
        "257-channels",
        _valve(
            "idle-bits-of-one-word",
            ("VALVE-14",),
            "a bit set of 64 bits",
            "The channels from the 65th on are not asked whether they are idle.",
            (
                "all(channel.idle for channel in unfinished)",
                "all(channel.idle for channel in unfinished[:64])",
            ),
        ),
    ),
    at_scale(
        "257-channels",
        _valve(
            "channel-numbers-in-a-byte",
            ("VALVE-3",),
            "a number of 8 bits",
            "Channel 256 is taken for channel 0.",
            ("return self.channels[channel]", "return self.channels[channel % 256]"),
        ),
    ),
    at_scale(
        "at-2-31",
        _valve(
            "largest-int-ends",
            ("VALVE-2",),
            "a sentinel of 32 bits",
            "The watermark 2^31 - 1 is taken for none.",
            (
                'if cite("VALVE-3", timestamp <= source.watermark):',
                'if cite("VALVE-3", timestamp <= source.watermark or timestamp == 2**31 - 1):',
            ),
        ),
    ),
    at_scale(
        "at-2-53",
        _valve(
            "watermark-as-a-double",
            ("VALVE-2",),
            "doubles for whole numbers",
            "The minimum is computed with doubles, which are exact up to 2^53.",
            (
                'self._advance(rule, smallest("VALVE-2", delivered))',
                'self._advance(rule, int(float(smallest("VALVE-2", delivered))))',
            ),
        ),
    ),
    at_scale(
        "10000-steps",
        _valve(
            "thousand-outputs",
            ("VALVE-2",),
            "a buffer of fixed length",
            "After a thousand watermarks nothing is output any more.",
            (
                "        self.output_watermark = timestamp\n        return [watermark(timestamp)]",
                "        self.output_watermark = timestamp\n"
                '        self.sent = getattr(self, "sent", 0) + 1\n'
                "        return [watermark(timestamp)] if self.sent <= 1000 else []",
            ),
        ),
    ),
    at_scale(
        "restarts",
        _valve(
            "second-restart",
            ("VALVE-23",),
            "state that is read once",
            "A snapshot restores the idle channels only the first time.",
            (
                "        return channels, self.output_watermark, self.output_idle, self.largest_before_end\n",
                "        return channels, self.output_watermark, self.output_idle, self.largest_before_end, "
                'vars(self).get("used", 0)\n',
            ),
            (
                "        channels, self.output_watermark, self.output_idle, self.largest_before_end = saved\n"
                "        self.channels = [Channel(*channel) for channel in channels]",
                "        *state, used = saved\n"
                "        channels, self.output_watermark, self.output_idle, self.largest_before_end = state\n"
                "        self.used = used + 1\n"
                "        self.channels = [Channel(w, idle and not used, a) for w, idle, a in channels]",
            ),
        ),
    ),
    *VALVE_MUTANTS_OF_SCALE,
)
