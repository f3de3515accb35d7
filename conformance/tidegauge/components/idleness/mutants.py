"""Wrong idleness: on the wrong clock, and as in the alternatives that the FLIP rejected."""

from ...mutants.mutant import MutantsOfComponent, at_scale
from .mutants_of_scale import IDLENESS_MUTANTS_OF_SCALE

_idleness = MutantsOfComponent("idleness")

_IMPORTED_CLOCK = "from .clock import PausableClock\n"

_SYSTEM_CLOCK = """
from .clock import PausableClock as ClockThatPauses


class PausableClock(ClockThatPauses):
    def advance(self, nanoseconds):
        pauses, self.pauses = self.pauses, ()
        try:
            super().advance(nanoseconds)
        finally:
            self.pauses = pauses


"""
"""Counts its pauses, so that one can know whether the input is blocked, and runs on."""

_LISTENER = """
from .clock import PausableClock as ClockThatCounts


class PausableClock(ClockThatCounts):
    stopped = False

    def pause(self, reason):
        super().pause(reason)
        self.stopped = self.stopped or self._blocks(reason)

    def resume(self, reason):
        super().resume(reason)
        self.stopped = False

    def advance(self, nanoseconds):
        pauses, self.pauses = self.pauses, self.pauses if self.stopped else ()
        try:
            super().advance(nanoseconds)
        finally:
            self.pauses = pauses


"""
"""Keeps in mind whether it was told to stop or to go on last."""

_PROBED = "[IDLE] if self.idle else self.generator.on_periodic_emit()"

_IDLE_IS_DROPPED = """self._dropped_if_blocked() if self.idle else self.generator.on_periodic_emit()

    def _dropped_if_blocked(self):
        self.idle = not self.clock.pauses or {idle_afterwards}
        return [] if self.clock.pauses else [IDLE]"""

_USERS_CLOCK = "self.silence, self.clock, self.heard = max_out_of_orderness * 10**6, clock, clock.read()"

_ON_SYSTEM_CLOCK = """self.silence, self.heard = max_out_of_orderness * 10**6, clock.read()
        self.clock, advance = PausableClock(self.heard), clock.advance

        def both(nanoseconds):
            advance(nanoseconds)
            self.clock.advance(nanoseconds)

        clock.advance = both"""

_RECORD = '"""A record of `timestamp` (ms). ACTIVE comes first and goes out before the record itself."""'
_TICK = '"""A tick: idleness is probed before the wrapped generator has its turn."""'

_SILENT = """
class PausableClock:
    def __init__(self, nanoseconds, policies):
        self.read = lambda: nanoseconds
        self.advance = self.pause = self.resume = self.restore = lambda argument: []
        self.state = lambda: nanoseconds


"""

IDLENESS_MUTANTS = (
    _idleness(
        "system-clock",
        "clock",
        ("CLOCK-1", "IDLE-1", "IDLE-6"),
        "FLINK-35886",
        "The timeout runs while the input is blocked.",
        ('if cite("CLOCK-1", not any(self._blocks(reason) for reason in self.pauses)):', "if True:"),
    ),
    _idleness(
        "dropped-call-not-repeated",
        "idleness",
        ("IDLE-1", "CLOCK-1", "IDLE-6"),
        "B39",
        "The timeout runs on the system clock and IDLE is dropped while the input is blocked: the input "
        "never becomes idle afterwards.",
        (_IMPORTED_CLOCK, _SYSTEM_CLOCK),
        (
            ("        if self.idle:\n            return [IDLE]\n"),
            ("        if self.idle:\n            return [] if self.clock.pauses else [IDLE]\n"),
        ),
    ),
    _idleness(
        "idle-as-soon-as-unblocked",
        "idleness",
        ("IDLE-1", "CLOCK-1", "IDLE-6"),
        "B40",
        "The timeout runs on the system clock and IDLE is dropped while the input is blocked: the input "
        "becomes idle right afterwards.",
        (_IMPORTED_CLOCK, _SYSTEM_CLOCK),
        (
            ("        if self.idle:\n            return [IDLE]\n"),
            (
                "        if self.idle and self.clock.pauses:\n"
                "            self.idle = False\n"
                "            return []\n"
                "        if self.idle:\n"
                "            return [IDLE]\n"
            ),
        ),
    ),
    _idleness(
        "told-when-to-stop",
        "idleness",
        ("CLOCK-2", "CLOCK-1", "IDLE-1"),
        "B42",
        "Generators are notified of pauses and resumptions; the first resumption counts, although another "
        "reason still blocks the input.",
        (_IMPORTED_CLOCK, _LISTENER),
    ),
    _idleness(
        "users-generator-on-system-clock",
        "idleness",
        ("IDLE-6",),
        "B34",
        "A user's own time-sensitive generator still measures time on the system clock.",
        (_USERS_CLOCK, _ON_SYSTEM_CLOCK),
    ),
    _idleness(
        "no-data-is-blocked",
        "clock",
        ("CLOCK-3", "IDLE-1"),
        "B29",
        "The clock is paused while there is nothing to poll: an input without data never becomes idle.",
        ('reason != "no-data" and not counted', "not counted"),
    ),
    _idleness(
        "timeout-reached-is-enough",
        "idleness",
        ("IDLE-1",),
        "B21",
        "The input is idle when the timeout has passed exactly.",
        ("now - started > self.timeout", "now - started >= self.timeout"),
    ),
    _idleness(
        "empty-is-idle",
        "idleness",
        ("IDLE-1",),
        "NUMAFLOW-2943",
        "The input is idle at the first quiet probe.",
        ("now - started > self.timeout", "True"),
    ),
    _idleness(
        "zero-is-no-countdown",
        "idleness",
        ("IDLE-2", "IDLE-1"),
        "B21",
        "A start of 0 stands for no countdown.",
        ('if now != 0 or self.policies.idleness_reading_zero == "starts":', "if now != 0:"),
    ),
    _idleness(
        "countdown-a-probe-early",
        "idleness",
        ("IDLE-2", "IDLE-3"),
        "B21",
        "The countdown starts at the probe that sees the record, not at the first quiet one.",
        ("self.heard, self.countdown = False, None", "self.heard, self.countdown = False, now"),
    ),
    _idleness(
        "silences-add-up",
        "idleness",
        ("IDLE-3",),
        "B21",
        "A record does not end the countdown.",
        ("self.heard, self.countdown = False, None", "self.heard = False"),
    ),
    _idleness(
        "repeats-idle",
        "idleness",
        ("IDLE-4",),
        "FLINK-28975",
        "IDLE is output at every probe of an idle input.",
        ("            return []\n        self.idle", "            return [IDLE]\n        self.idle"),
    ),
    _idleness(
        "generator-goes-on-while-idle",
        "idleness",
        ("IDLE-4",),
        "E44",
        "The wrapped generator emits its periodic watermarks while the input is idle.",
        (
            "            return []\n        self.idle",
            "            return self.generator.on_periodic_emit()\n        self.idle",
        ),
    ),
    _idleness(
        "active-with-the-watermark",
        "idleness",
        ("IDLE-5",),
        "FLINK-40504",
        "A record does not make the input active.",
        (' and self.policies.idleness_ends_with == "record"', " and False"),
    ),
    _idleness(
        "active-after-the-watermark",
        "idleness",
        ("IDLE-5",),
        "FLINK-23767",
        "ACTIVE comes after the watermark of the record that ends idleness.",
        ("[ACTIVE, *outputs]", "[*outputs, ACTIVE]"),
    ),
    _idleness(
        "records-do-not-end-it",
        "idleness",
        ("IDLE-5", "IDLE-4"),
        "HZ-22440",
        "An input that was idle once stays idle, although records arrive.",
        (
            (
                '        ends_idleness = cite("IDLE-5", self.idle)\n'
                "        self.heard, self.idle = True, False\n"
            ),
            ("        ends_idleness = False\n        self.heard = True\n"),
        ),
    ),
    _idleness(
        "restored-active",
        "idleness",
        ("IDLE-7",),
        "B38",
        "A restored input has lost its idle status and its countdown.",
        ("self.heard, self.idle, self.countdown, generator, clock = saved", "generator, clock = saved[3:]"),
    ),
    _idleness(
        "does-nothing",
        "idleness",
        (),
        "an unfinished engine",
        "Every step is accepted and nothing is ever output.",
        (_IMPORTED_CLOCK, _SILENT),
        (_RECORD, "return []"),
        (_TICK, "return []"),
    ),
    at_scale(
        "with-a-timeout-of-months",
        _idleness(
            "timeout-of-months",
            "idleness",
            ("IDLE-1",),
            "milliseconds in 32 bits",
            "A timeout of more than 2^31 ms is over at once.",
            (
                'return cite("IDLE-1", now - started > self.timeout)',
                'return cite("IDLE-1", now - started > self.timeout * (self.timeout < 2**31 * 10**6))',
            ),
        ),
    ),
    *IDLENESS_MUTANTS_OF_SCALE,
)
