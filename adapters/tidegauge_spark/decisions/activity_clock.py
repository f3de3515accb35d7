"""The input activity clock, in plain Python: relative time that stands still while an input is blocked.

Readings and durations are in nanoseconds. Nothing here looks at a clock of the machine: time is told.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tidegauge_spark.decisions.errors import IllegalArgumentError, IllegalStateError
from tidegauge_spark.decisions.timestamps import MAX

NO_DATA: Final = "no-data"
"""The reason of a pause in which the input is polled and has nothing. Idleness is about just that, so time
passes (CLOCK-3)."""

REASONS: Final = ("backpressure", "alignment", "busy-downstream", NO_DATA)
"""Why an input is not polled. In all cases but the last it could have records all the same."""


class ClockState(NamedTuple):
    """All that a clock has to remember (CLOCK-6).

    nanoseconds: the reading. pauses: how many have not ended, for each of `REASONS` in their order.
    """

    nanoseconds: int
    pauses: list[int]


class InputActivityClock:
    """A clock that goes while its input is polled, and stands still while the input is blocked.

    Whoever waits for records measures the wait on this clock: it shows how long the input had the chance to
    deliver one. Only differences between readings mean something. A reading fits 64 bits: after 292 years of
    activity the clock stays at the end.
    """

    def __init__(self, nanoseconds: int = 0) -> None:
        """Start at this reading, without a pause. The origin is arbitrary, less than 0 is legal."""
        self._nanoseconds = nanoseconds
        self._pauses = dict.fromkeys(REASONS, 0)

    @classmethod
    def restored(cls, state: ClockState) -> InputActivityClock:
        """Return a clock that goes on where the one with this state stood (CLOCK-6)."""
        clock = cls(state.nanoseconds)
        clock._pauses = dict(zip(REASONS, state.pauses, strict=True))
        return clock

    def state(self) -> ClockState:
        """Return a copy of the state; later steps do not change it."""
        return ClockState(self._nanoseconds, list(self._pauses.values()))

    def read(self) -> int:
        """Return the reading (ns)."""
        return self._nanoseconds

    def advance(self, nanoseconds: int) -> None:
        """So much time passes (ns): the clock shows it unless the input is blocked (CLOCK-1).

        Raises `IllegalArgumentError`, having changed nothing, for less than 0 (CLOCK-5).
        """
        if nanoseconds < 0:
            raise IllegalArgumentError(f"time does not go back: {nanoseconds} ns")
        if not self._is_blocked():
            self._nanoseconds = min(MAX, self._nanoseconds + nanoseconds)

    def pause(self, reason: str = REASONS[0]) -> None:
        """The input is not polled from now on, for one of `REASONS`; the same one may begin again (CLOCK-2).

        Raises `IllegalArgumentError`, having changed nothing, for another reason.
        """
        self._check(reason)
        self._pauses[reason] += 1

    def resume(self, reason: str = REASONS[0]) -> None:
        """One pause for this reason ends; the others stay as they are (CLOCK-2).

        Raises `IllegalStateError`, having changed nothing, if there is none (CLOCK-4), and
        `IllegalArgumentError` for something that is not one of `REASONS`.
        """
        self._check(reason)
        if self._pauses[reason] == 0:
            raise IllegalStateError(f"no pause for {reason} to resume from")
        self._pauses[reason] -= 1

    def _is_blocked(self) -> bool:
        return any(count > 0 for reason, count in self._pauses.items() if reason != NO_DATA)

    def _check(self, reason: str) -> None:
        if reason not in self._pauses:
            raise IllegalArgumentError(f"unknown reason {reason!r}; known are {', '.join(REASONS)}")
