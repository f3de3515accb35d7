"""IDLE: idleness judged on the input activity clock, and a generator of a user that reads it too."""

from typing import Any

from .citation import cite
from .clock import PausableClock
from .errors import IllegalArgument
from .generators import Generator
from .outputs import ACTIVE, IDLE, Output, watermark
from .policies import CORE, Policies


class WatermarksWithIdleness(Generator):
    """A generator around another: IDLE when no record has come for longer than `timeout` ns on `clock`."""

    def __init__(self, generator: Generator, timeout: int, clock: PausableClock, policies: Policies = CORE):
        if timeout <= 0:
            raise IllegalArgument(f"timeout must be more than 0 ns, not {timeout} (IDLE-1)")
        self.generator, self.timeout, self.clock, self.policies = generator, timeout, clock, policies
        self.heard = self.idle = False
        self.countdown: int | None = None

    def on_event(self, timestamp: int) -> list[Output]:
        """A record of `timestamp` (ms). ACTIVE comes first and goes out before the record itself."""
        ends_idleness = cite("IDLE-5", self.idle)
        self.heard, self.idle = True, False
        outputs = self.generator.on_event(timestamp)
        if ends_idleness and self.policies.idleness_ends_with == "record":
            return [ACTIVE, *outputs]
        return outputs

    def on_periodic_emit(self) -> list[Output]:
        """A tick: idleness is probed before the wrapped generator has its turn."""
        if cite("IDLE-4", self.idle):
            return []
        self.idle = self._timed_out(self.clock.read())
        if self.idle:
            return [IDLE]
        return self.generator.on_periodic_emit()

    def _timed_out(self, now: int) -> bool:
        # A record ends the countdown; the first tick without one starts it anew.
        if cite("IDLE-3", self.heard):
            self.heard, self.countdown = False, None
            return False
        if cite("IDLE-2", self.countdown is None):
            if now != 0 or self.policies.idleness_reading_zero == "starts":
                self.countdown = now
            return False
        started = now if self.countdown is None else self.countdown
        return cite("IDLE-1", now - started > self.timeout)

    def state(self) -> tuple[Any, ...]:
        """All of the state, hashable, with that of the generator and of the clock."""
        return self.heard, self.idle, self.countdown, self.generator.state(), self.clock.state()

    snapshot = state

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Become the input that `saved` was taken from."""
        cite("IDLE-7")
        self.heard, self.idle, self.countdown, generator, clock = saved
        self.generator.restore(generator)
        self.clock.restore(clock)


class AfterSilence(Generator):
    """A user's own time-sensitive generator: records come at most `max_out_of_orderness` ms late, so when
    none has come for longer than that on the clock it was given, the largest timestamp is its watermark."""

    fields = ("largest", "heard")

    def __init__(self, max_out_of_orderness: int, clock: PausableClock) -> None:
        self.silence, self.clock, self.heard = max_out_of_orderness * 10**6, clock, clock.read()

    def on_event(self, timestamp: int) -> list[Output]:
        """A record of `timestamp` (ms)."""
        self.largest, self.heard = max(self.largest, timestamp), self.clock.read()
        return []

    def on_periodic_emit(self) -> list[Output]:
        """A periodic tick."""
        silent = cite("IDLE-6", self.clock.read() - self.heard > self.silence)
        return [watermark(self.largest)] if silent else []
