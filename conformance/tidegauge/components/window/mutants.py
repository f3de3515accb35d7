"""Wrong windows."""

from ...mutants.mutant import MutantsOfModule, at_scale
from .mutants_of_choices import WINDOW_MUTANTS_OF_CHOICES
from .mutants_of_scale import WINDOW_MUTANTS_OF_SCALE

_window = MutantsOfModule("window", "windows")

WINDOW_MUTANTS = (
    _window(
        "fires-at-its-end",
        ("WIN-3",),
        "E5",
        "A window fires when the watermark is at its end, a millisecond late.",
        ("previous < self._complete_at(w) <= timestamp", "previous < self._complete_at(w) + 1 <= timestamp"),
    ),
    _window(
        "fires-with-the-next-watermark",
        ("WIN-3", "WIN-13"),
        "SPARK-24157",
        "Windows that a watermark completes are output and dropped only on the next watermark.",
        (
            "        due = [",
            '        earlier, self.before = getattr(self, "before", MIN), previous\n        due = [',
        ),
        ("previous < self._complete_at(w) <= timestamp", "earlier < self._complete_at(w) <= previous"),
        ("self._over(window)", "self._cleanup_time(window) <= previous"),
    ),
    _window(
        "starts-with-the-record",
        ("WIN-1",),
        "BYTEWAX-b4cbe977",
        "Windows start at the record's timestamp instead of a multiple of the slide.",
        ("timestamp - (timestamp - self.offset) % self.slide", "timestamp"),
    ),
    _window(
        "purge-forgets-the-session",
        ("WIN-2", "WIN-8"),
        "FLINK-4994",
        "In the discarding mode firing removes a session with its bounds.",
        ("kept.values = ()", "del self.windows[window]"),
    ),
    _window(
        "expires-a-millisecond-early",
        ("WIN-10",),
        "KAFKA-8289",
        "A window rejects records 1 ms before its cleanup time.",
        (
            'cite("WIN-10", self._is_past(self._cleanup_time(judged)))',
            "self._is_past(self._cleanup_time(judged) - 1)",
        ),
    ),
    _window(
        "session-without-its-gap",
        ("WIN-10",),
        "KAFKA-12718",
        "A session ends with its last record, although another may arrive within the gap.",
        (
            'cite("WIN-10", self._is_past(self._cleanup_time(judged)))',
            'self._is_past(self._cleanup_time(judged) - getattr(self.assigner, "gap", 0))',
        ),
    ),
    _window(
        "late-is-accepted",
        ("WIN-10",),
        "FLINK-39719",
        "A record is accepted after the state of its window has been dropped, and gives a result of its own.",
        ('if cite("WIN-10", self._is_past(self._cleanup_time(judged))):', "if False:"),
    ),
    _window(
        "late-by-the-largest-timestamp",
        ("WIN-10", "WIN-11"),
        "KAFKA-7895",
        "Lateness is decided by the largest timestamp that the task has seen.",
        (
            "        is_behind = ",
            '        self.seen = max(timestamp - 1, getattr(self, "seen", MIN))\n        is_behind = ',
        ),
        (
            'cite("WIN-10", self._is_past(self._cleanup_time(judged)))',
            "self._is_past(self._cleanup_time(judged)) or self._cleanup_time(judged) <= self.seen",
        ),
        (
            "self._is_past(self._allowed_until(timestamp))",
            "self._is_past(self._allowed_until(timestamp)) or self._allowed_until(timestamp) <= self.seen",
        ),
    ),
    _window(
        "late-for-one-is-late-for-all",
        ("WIN-10",),
        "FLINK-21305",
        "A record that is late for one of its windows is added to none.",
        (
            "        taken = [window for own",
            "        if isinstance(self.assigner, Sliding):\n"
            "            late = [w for w in own_windows if self._is_past(self._cleanup_time(w))]\n"
            "            own_windows = [] if late else own_windows\n"
            "        taken = [window for own",
        ),
    ),
    _window(
        "skipped-is-late",
        ("WIN-11",),
        "FLINK-7611",
        "A record that lies between windows is treated as late.",
        (
            'if not cite("WIN-11", is_behind):',
            "if False:",
        ),
    ),
    _window(
        "without-time-is-old",
        ("WIN-15",),
        "E8",
        "A record without a timestamp is treated as a very old one.",
        ('if cite("WIN-15", timestamp in self._no_moments()):', "if timestamp == MAX:"),
    ),
    _window(
        "both-triggers",
        ("WIN-5",),
        "E4",
        "The event-time trigger is still active beside the per-record trigger.",
        ('by_time = not cite("WIN-5", self.trigger == "per-record")', "by_time = True"),
    ),
    _window(
        "late-record-waits",
        ("WIN-4",),
        "E22",
        "A record within the allowed lateness does not fire its window.",
        (
            'return per_record or cite("WIN-4", self._complete_at(window) <= self.current_watermark)',
            "return per_record",
        ),
    ),
    _window(
        "watermark-before-results",
        ("WIN-6",),
        "FLINK-36875",
        "The watermark goes downstream before the results that it releases.",
        ('before("WIN-6", outputs, [watermark(timestamp)])', "[watermark(timestamp), *outputs]"),
    ),
    _window(
        "time-goes-back",
        ("WIN-7",),
        "E48",
        "The operator's watermark is the newest, not the largest.",
        (
            "timestamp <= self.current_watermark):\n            return []\n        previous",
            "False):\n            return []\n        previous",
        ),
    ),
    _window(
        "discarding-keeps",
        ("WIN-8",),
        "E3",
        "In the discarding mode results hold records that have fired before.",
        ('if cite("WIN-8", self.accumulation == "discarding"):', "if False:"),
    ),
    _window(
        "merging-forgets-results",
        ("WIN-9",),
        "E23",
        "When sessions merge, their results are not retracted.",
        ("result for part in parts for", "result for part in parts if len(parts) == 1 for"),
    ),
    _window(
        "retracts-the-last-only",
        ("WIN-9",),
        "E23",
        "Of the results that stand in merged sessions only the last is retracted.",
        (
            "standing = sorted(result for part in parts for result in part.results)",
            "standing = sorted(result for part in parts for result in part.results)[-1:]",
        ),
    ),
    _window(
        "state-per-record-kept-for-ever",
        ("WIN-13",),
        "E24",
        "With the per-record trigger records are never dropped.",
        ("if w[1] - 1 <= timestamp]:", "if w[1] - 1 <= timestamp and by_time]:"),
    ),
    _window(
        "state-kept-for-ever",
        ("WIN-13",),
        "E24",
        "Records are never dropped.",
        ('if cite("WIN-13", self._over(window)):', "if False:"),
    ),
    _window(
        "state-dropped-at-firing",
        ("WIN-13",),
        "E21",
        "State is dropped at the end of a window, although late records are still accepted.",
        ("cleanup_time = self._cleanup_time(window)\n", "cleanup_time = self._complete_at(window)\n"),
    ),
    _window(
        "future-record-drops-state",
        ("WIN-13", "WIN-3"),
        "KAFKA-7072",
        "A record far ahead drops the state of the windows that are over at its own time.",
        (
            "        taken = [window for own",
            "        for old in [w for w in self.windows if self._cleanup_time(w) <= timestamp - 1]:\n"
            "            del self.windows[old]\n"
            "        taken = [window for own",
        ),
    ),
    _window(
        "resumed-channel-is-let-in",
        ("WIN-14", "WIN-10", "WIN-7"),
        "E53",
        "After ACTIVE the watermark counts from the start, so that a lagging channel's records are not late.",
        ("        return [ACTIVE]\n", ("        self.current_watermark = MIN\n        return [ACTIVE]\n")),
    ),
    _window(
        "restore-forgets-the-watermark",
        ("WIN-16",),
        "FLINK-36663",
        "A restored operator has no watermark, so that windows fire again.",
        ("self.current_watermark, windows = saved", "_, windows = saved"),
    ),
    _window(
        "restored-with-one-result",
        ("WIN-16",),
        "a state of one result a window",
        "Of the results that stand in a merged session only the last is restored.",
        ("Window(values, results, closed) for w", "Window(values, results[-1:], closed) for w"),
    ),
    _window(
        "no-statuses",
        ("WIN-14",),
        "an engine without idleness",
        "Statuses are not forwarded.",
        ("        return [IDLE]\n", "        return []\n"),
        ("        return [ACTIVE]\n", "        return []\n"),
    ),
    _window(
        "without-time-is-passed-over",
        ("WIN-15",),
        "a filter that drops null timestamps",
        "A record without a timestamp is skipped without an error.",
        (
            'raise IllegalArgument("timestamp must be a moment of event time, not MIN or MAX (WIN-15)")',
            "return []",
        ),
    ),
    _window(
        "no-late-output",
        ("WIN-12",),
        "an engine without a late output",
        "Late records are only counted, even if there is a late output.",
        ('return [("late", value)]', 'return [("drop",)]'),
    ),
    _window(
        "no-late-output-per-record",
        ("WIN-12",),
        "an engine without a late output",
        "With the per-record trigger late records are only counted, even if there is a late output.",
        ('cite("WIN-12", self.late_output)', 'self.late_output and self.trigger != "per-record"'),
    ),
    _window(
        "does-nothing",
        (),
        "unfinished windows",
        "Every step is accepted and nothing is ever output.",
        ('"""A record arrives, on whatever channel."""', "return []"),
        ('"""Everything up to `timestamp` (ms) has arrived."""', "return []"),
        ('"""Upstream has no data for now."""', "return []"),
        ('"""Upstream has data again."""', "return []"),
        (
            '"""How many records are kept of windows that nothing can be added to any more (WIN-13)."""',
            "return []",
        ),
    ),
    at_scale(
        "65-windows",
        _window(
            "of-32-at-a-time",
            ("WIN-3",),
            "a queue of fixed length",
            "No more than 32 windows fire on one watermark; the others never do.",
            (
                "outputs = self._results(self._closing_order(due))",
                "outputs = self._results(self._closing_order(due)[:32])",
            ),
        ),
    ),
    at_scale(
        "with-the-largest-window",
        _window(
            "size-in-32-bits",
            ("WIN-1",),
            "a number of 32 bits",
            "The slide of windows is kept in 32 bits.",
            (
                "latest = timestamp - (timestamp - self.offset) % self.slide",
                "latest = timestamp - (timestamp - self.offset) % (self.slide % 2**32 or 1)",
            ),
        ),
    ),
    at_scale(
        "with-a-lateness-at-2-31",
        _window(
            "lateness-in-32-bits",
            ("WIN-10",),
            "a number of 32 bits",
            "The allowed lateness is kept in 32 bits.",
            (
                "return later(self._complete_at(window), self.allowed_lateness)",
                "return later(self._complete_at(window), self.allowed_lateness % 2**31)",
            ),
        ),
    ),
    at_scale(
        "at-2-62",
        _window(
            "start-as-a-double",
            ("WIN-1",),
            "doubles for whole numbers",
            "The start of a window is computed with doubles, which are exact up to 2^53.",
            (
                "starts = [latest - self.slide * number for",
                "starts = [int(float(latest)) - self.slide * number for",
            ),
        ),
    ),
    *WINDOW_MUTANTS_OF_CHOICES,
    *WINDOW_MUTANTS_OF_SCALE,
)
