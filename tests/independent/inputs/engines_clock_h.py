"""Faulty clocks, even numbers."""

from core import Clock
from core import IllegalArgument, IllegalState
from faults import faulty

fault = faulty(globals(), "clock")
BP, AL, BUSY, ND = "backpressure", "alignment", "busy-downstream", "no-data"
READ = ("read",)


@fault("CL02", ("CLOCK-1",), "single",
       "A pause that begins during another overwrites the moment at which the block began, so that the time between the "
       "two counts.",
       (0,), [("pause", BP), ("advance", 10), ("pause", AL), ("advance", 5), ("resume", AL), ("resume", BP), READ])
class CL02(Clock):
    in_block = 0

    def advance(self, nanoseconds):
        self.in_block += nanoseconds if self.blocked() and nanoseconds > 0 else 0
        return super().advance(nanoseconds)

    def pause(self, reason):
        if reason not in self.HARMLESS:
            self.now += self.in_block if self.blocked() else 0  # the block begins here
            self.in_block = 0
        return super().pause(reason)


@fault("CL04", ("CLOCK-5",), "single",
       "A negative duration is refused only while the clock runs; in a block it is accepted in silence.",
       (0,), [("pause", BP), ("advance", -1)])
class CL04(Clock):
    def advance(self, nanoseconds):
        return [] if self.blocked() else super().advance(nanoseconds)


@fault("CL06", ("CLOCK-2", "CLOCK-4"), "single",
       "Pauses are a stack: a resumption ends the newest pause, whatever its reason is.",
       (0,), [("pause", BP), ("pause", ND), ("resume", BP), ("advance", 5), READ])
class CL06(Clock):
    def __init__(self, nanoseconds):
        super().__init__(nanoseconds)
        self.stack = []

    def pause(self, reason):
        self.stack.append(reason)
        return []

    def resume(self, reason):
        if reason not in self.stack:
            raise IllegalState(reason)
        self.stack.pop()
        return []

    def blocked(self):
        return any(reason not in self.HARMLESS for reason in self.stack)


@fault("CL08", ("CLOCK-4",), "single",
       "A resumption without a pause is rejected, but for a reason that was in force before the count has been lowered by "
       "then, and the next pause for it is lost.",
       (0,), [("pause", BP), ("resume", BP), ("resume", BP), ("pause", BP), ("advance", 5), READ])
class CL08(Clock):
    def resume(self, reason):
        if reason not in self.pauses:
            raise IllegalState(reason)
        self.pauses[reason] -= 1
        if self.pauses[reason] < 0:
            raise IllegalState(reason)
        return []

    def blocked(self):
        return any(n > 0 for reason, n in self.pauses.items() if reason not in self.HARMLESS)


@fault("CL10", ("CLOCK-1", "CLOCK-5"), "double",
       "Whether the clock stands is cached, and a second pause for a reason that ended before does not renew it; and time "
       "may go back as long as the start is not passed.",
       (100,), [("advance", 9), ("advance", -4), ("pause", BP), ("resume", BP), ("pause", BP), ("advance", 5), READ])
class CL10(Clock):
    def __init__(self, nanoseconds):
        super().__init__(nanoseconds)
        self.origin, self.stands = nanoseconds, False

    def pause(self, reason):
        is_new = reason not in self.pauses
        super().pause(reason)
        if is_new:
            self.stands = self.blocked()
        return []

    def resume(self, reason):
        super().resume(reason)
        self.stands = self.blocked()
        return []

    def advance(self, nanoseconds):
        if nanoseconds < 0 and self.now + nanoseconds < self.origin:
            raise IllegalArgument("before the start")
        self.now += 0 if self.stands else nanoseconds
        return []


@fault("CL12", ("CLOCK-1", "CLOCK-5"), "report",
       "Bytewax issue 518 (system time that goes back): the step is accepted, the reading stays where it is, and then until "
       "the time of the machine has caught up.",
       (0,), [("advance", 10), ("advance", -6), ("advance", 8), READ])
class CL12(Clock):
    behind = 0

    def advance(self, nanoseconds):
        if nanoseconds < 0:
            self.behind -= nanoseconds
            return []
        made_up = min(self.behind, nanoseconds)
        self.behind -= made_up
        return super().advance(nanoseconds - made_up)


@fault("CL14", ("CLOCK-6",), "single",
       "Only the pauses that stop the clock are in the snapshot: after a restore the end of no-data is rejected.",
       (0,), [("pause", ND), ("snap",), ("resume", ND)])
class CL14(Clock):
    def state(self):
        return super().state() | {"pauses": {r: n for r, n in self.pauses.items() if r not in self.HARMLESS}}
