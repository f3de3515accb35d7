"""CLOCK: relative time that leaves out the periods in which an input was blocked."""

from typing import Literal

from .citation import cite
from .errors import IllegalArgument, IllegalState
from .policies import CORE, Policies

Reason = Literal["backpressure", "alignment", "busy-downstream", "no-data"]
"""Why an input is not polled."""


class PausableClock:
    """The activity clock of one input: relative time in ns, from an arbitrary origin, which stands still
    while the input is blocked. Its owner says how time passes, and why the input is not polled."""

    def __init__(self, nanoseconds: int = 0, policies: Policies = CORE) -> None:
        self.nanoseconds, self.policies = nanoseconds, policies
        self.pauses: tuple[Reason, ...] = ()

    def read(self) -> int:
        """The relative time in ns; only differences between readings mean something."""
        return self.nanoseconds

    def advance(self, nanoseconds: int) -> None:
        """So much time passes. Raises `IllegalArgument` for less than 0 ns (CLOCK-5)."""
        if nanoseconds < 0 and self.policies.clock_backwards == "clamped":
            return
        if cite("CLOCK-5", nanoseconds < 0):
            raise IllegalArgument(f"time cannot go back: nanoseconds is {nanoseconds} (CLOCK-5)")
        if cite("CLOCK-1", not any(self._blocks(reason) for reason in self.pauses)):
            self.nanoseconds += nanoseconds

    def pause(self, reason: Reason = "backpressure") -> None:
        """From now on the input is not polled, for `reason`, as well as for those given before."""
        self.pauses = tuple(sorted((*self.pauses, reason)))

    def resume(self, reason: Reason = "backpressure") -> None:
        """The end of a pause for `reason`. Raises `IllegalState` if there is none (CLOCK-4)."""
        if cite("CLOCK-4", reason not in self.pauses):
            raise IllegalState(f"resume without a pause for {reason} (CLOCK-4)")
        # One pause ends. The others stay, those for the same reason too.
        cite("CLOCK-2")
        left = list(self.pauses)
        left.remove(reason)
        self.pauses = tuple(left)

    def _blocks(self, reason: Reason) -> bool:
        counted = reason == "busy-downstream" and self.policies.clock_busy_downstream == "counted"
        return cite("CLOCK-3", reason != "no-data" and not counted)

    def state(self) -> tuple[int, tuple[Reason, ...]]:
        """All of the state, hashable: the reading in ns, the pauses that have not ended."""
        return self.nanoseconds, self.pauses

    snapshot = state

    def restore(self, saved: tuple[int, tuple[Reason, ...]]) -> None:
        """Become the clock that `saved` was taken from."""
        cite("CLOCK-6")
        self.nanoseconds, self.pauses = saved
