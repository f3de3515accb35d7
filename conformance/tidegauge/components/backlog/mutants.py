"""Wrong detectors and combiners of backlog."""

from ...mutants.mutant import MutantsOfModule, at_scale
from .mutants_of_scale import BACKLOG_MUTANTS_OF_SCALE

_backlog = MutantsOfModule("backlog", "backlog")

BACKLOG_MUTANTS = (
    _backlog(
        "at-the-threshold",
        ("BACKLOG-4",),
        "FLIP-328-idle",
        "A lag that equals the threshold is backlog.",
        ("self.now - self.lag_from > self.threshold", "self.now - self.lag_from >= self.threshold"),
    ),
    _backlog(
        "start-value-lags",
        ("BACKLOG-4", "TIME-3"),
        "D12",
        "Before the first watermark the initial value counts as a watermark, which lags enormously.",
        ('cite("BACKLOG-4", not no_watermark(self.lag_from))', "True"),
    ),
    _backlog(
        "while-idle",
        ("BACKLOG-4",),
        "FLIP-328-idle",
        "A subtask that becomes idle keeps the claim of its lag.",
        (' and cite("BACKLOG-4", not self.is_idle)', ""),
    ),
    _backlog(
        "not-on-return",
        ("BACKLOG-5",),
        "FLIP-328-idle",
        "The lag of a subtask that becomes active is not evaluated before its next watermark.",
        ('cite("BACKLOG-5", was_idle)', "False"),
    ),
    _backlog(
        "by-time",
        ("BACKLOG-5",),
        "D20",
        "A timer evaluates the lag.",
        (('        cite("BACKLOG-5")\n        return []\n'), "        return self._evaluated()\n"),
    ),
    _backlog(
        "before-the-watermark",
        ("BACKLOG-6",),
        "D20",
        "The attributes go out before the watermark that they were derived from.",
        (
            'before("BACKLOG-6", [watermark(timestamp)], self._evaluated())',
            "[*self._evaluated(), watermark(timestamp)]",
        ),
    ),
    _backlog(
        "end-of-input-lags",
        ("BACKLOG-5", "TIME-4"),
        "D20",
        "MAX is a watermark like any other, which ends the backlog.",
        (("        if end_of_input(timestamp):\n            return [watermark(timestamp)]\n"), ""),
    ),
    _backlog(
        "and-of-strategies",
        ("BACKLOG-8",),
        "FLIP-328-idle",
        "The flag is true only when all strategies claim backlog.",
        ('cite("BACKLOG-8", True in claims)', "all(claims)"),
    ),
    _backlog(
        "idle-ends-it-all",
        ("BACKLOG-8",),
        "D24",
        "While a subtask is idle, false is sent whatever the other strategies claim.",
        (
            'cite("BACKLOG-8", True in claims)',
            'True in claims and not getattr(self, "is_idle", False)',
        ),
    ),
    _backlog(
        "back-to-true",
        ("BACKLOG-7",),
        "D14",
        "A source that has caught up may fall into backlog again.",
        ('policies.backlog_false_to_true == "after-idleness"', "False"),
    ),
    _backlog(
        "idleness-is-final",
        ("BACKLOG-7", "BACKLOG-4"),
        "D25",
        "The false of an idle subtask is final too.",
        ("self.started = self.is_idle = True", "self.started = self.is_idle = self.final = True"),
    ),
    _backlog(
        "misspelled-option",
        ("BACKLOG-1",),
        "D3",
        "The option has the misspelled name that the page's diff shows.",
        ('OPTION = "pipeline.', 'OPTION = "piplinepipeline.'),
    ),
    _backlog(
        "threshold-of-each-source",
        ("BACKLOG-1",),
        "D29",
        "The threshold is an option of each source; the option of the job is ignored.",
        ('OPTION = "pipeline.', 'OPTION = "source.'),
    ),
    _backlog(
        "zero-threshold",
        ("BACKLOG-2",),
        "D9",
        "A threshold of 0 is accepted.",
        ('cite("BACKLOG-2", milliseconds <= 0)', "milliseconds < 0"),
    ),
    _backlog(
        "reports-without-threshold",
        ("BACKLOG-3",),
        "D26",
        "Without a threshold false is sent as if the lag were always within it.",
        (
            ('        if cite("BACKLOG-3", self.threshold == 0):\n            return []\n'),
            ("        if self.threshold == 0:\n            return self._send(self.others)\n"),
        ),
    ),
    _backlog(
        "repeats",
        ("BACKLOG-9",),
        "D21",
        "The flag is sent with every watermark, changed or not.",
        ('[] if cite("BACKLOG-9", self.sent == before) else ', ""),
    ),
    _backlog(
        "first-false-unsent",
        ("BACKLOG-9",),
        "D23",
        "The first flag is not sent if it is false.",
        (
            "self.sent, self.threshold, self.now, self.lag_from = None,",
            "self.sent, self.threshold, self.now, self.lag_from = False,",
        ),
        ("self.sent, self.channels = None,", "self.sent, self.channels = False,"),
    ),
    _backlog(
        "fast-subtask-decides",
        ("BACKLOG-10",),
        "RECATTR-VALVE",
        "A false is combined from the channels that have sent attributes, without the others.",
        ('cite("BACKLOG-10", None in self.channels)', "False"),
    ),
    _backlog(
        "first-channel-not-awaited",
        ("BACKLOG-10",),
        "RECATTR-VALVE",
        "The count of channels without attributes is one too small: the combiner does not wait for the "
        "first channel.",
        ("False if n in silent else None", "False if n in (0, *silent) else None"),
    ),
    _backlog(
        "awaits-the-silent",
        ("BACKLOG-10",),
        "D16",
        "The combiner waits for channels without any strategy, so that backlog never ends.",
        ('without_strategy if policies.backlog_channels_without_strategy == "not-awaited" else ()', "()"),
    ),
    _backlog(
        "all-channels",
        ("BACKLOG-8",),
        "RECATTR-VALVE",
        "The combined flag is true only when all channels claim true.",
        (
            "[] if incomplete else self._send(*self.channels)",
            "[] if incomplete else self._send(set(self.channels) == {True})",
        ),
    ),
    _backlog(
        "forgets-what-was-sent",
        ("BACKLOG-11",),
        "D26",
        "The flag that was sent last is not in the snapshot, and is sent again after a restart.",
        (
            "vars(self).update(saved)",
            "vars(self).update(saved)\n        self.sent = None",
        ),
    ),
    _backlog(
        "does-nothing",
        (),
        "an unfinished detector",
        "Every step is accepted and nothing is ever output.",
        (
            '"""The job sets an option; a threshold not above 0 raises `IllegalArgument` (BACKLOG-2)."""',
            "return []",
        ),
        ('"""The processing time is `now`."""', "return []"),
        ('"""The subtask emits a watermark; `MAX` ends its input."""', "return []"),
        ('"""The status of the subtask is idle."""', "return []"),
        ('"""The status of the subtask is active."""', "return []"),
        ('"""Whether another strategy claims backlog."""', "return []"),
        (
            '"""Record attributes arrive; an unknown channel raises `IllegalArgument` (BACKLOG-2)."""',
            "return []",
        ),
    ),
    at_scale(
        "65-channels",
        _backlog(
            "of-32-channels",
            ("BACKLOG-10",),
            "a mask of 32 bits",
            "A combined false does not wait for the channels from the 33rd on.",
            ('cite("BACKLOG-10", None in self.channels)', 'cite("BACKLOG-10", None in self.channels[:32])'),
        ),
    ),
    at_scale(
        "at-MIN",
        _backlog(
            "lag-wraps",
            ("BACKLOG-4",),
            "a difference of 64 bits",
            "The lag of a watermark near MIN goes round and is none.",
            (
                "self.now - self.lag_from > self.threshold",
                "(self.now - self.lag_from + 2**63) % 2**64 - 2**63 > self.threshold",
            ),
        ),
    ),
    *BACKLOG_MUTANTS_OF_SCALE,
)
