"""Idleness without any clock: what is waited for has a budget of time, and only time in which the input flows uses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

MIN, MAX = -(2**63), 2**63 - 1
NANOSECONDS = 1_000_000
"""In a ms."""


class Input(NamedTuple):
    """All that is known of an input. `phase` is one of the four below; `patience` is the time (ns) that may still pass
    in the phase WAITING before the input is idle, `silence` that which may still pass before an `after-silence`
    generator speaks; below 0 the budget is exceeded. `pauses` in ascending order."""

    phase: str
    patience: int
    silence: int
    largest: int
    pauses: tuple[str, ...]


HEARD, QUIET, WAITING, IDLE = "heard", "quiet", "waiting", "idle"
"""A record came since the last probe; none came, and no countdown has begun; a countdown runs; the input is idle."""

Said = tuple[tuple[Any, ...], ...]
Turn = tuple[Input, Said]


def bounded(state: Input, bound: int) -> int:
    """The periodic watermark (ms) of a bounded generator."""
    return max(state.largest - bound - 1, MIN)


def probed(state: Input, timeout: int) -> Turn:
    """The input after a probe, and whether it became idle."""
    match state.phase:
        case "heard":
            return state._replace(phase=QUIET), ()
        case "quiet":
            return state._replace(phase=WAITING, patience=timeout), ()
        case "waiting" if state.patience < 0:
            return state._replace(phase=IDLE), (("idle",),)
    return state, ()


def spent(state: Input, nanoseconds: int) -> Input:
    """The input after a duration, which counts unless a pause other than for lack of data is in force."""
    if any(reason != "no-data" for reason in state.pauses):
        return state
    return state._replace(patience=state.patience - nanoseconds, silence=state.silence - nanoseconds)


class BudgetedIdleness:
    """Holds an `Input`; each step replaces it."""

    def __init__(self, generator: str, timeout: int, max_out_of_orderness: int) -> None:
        self._timeout = timeout
        self._bound = max_out_of_orderness
        self._silence = max_out_of_orderness * NANOSECONDS
        self._input = Input(QUIET, timeout, self._silence, MIN, ())
        self._of_record, self._of_tick = self._sayings(generator)

    def _sayings(self, generator: str) -> tuple[Callable[[int], Said], Callable[[], Said]]:
        """What a generator says to a record, and to a tick."""
        match generator:
            case "punctuated":
                return (lambda timestamp: (("watermark", timestamp),)), tuple
            case "bounded-out-of-orderness":
                return (lambda _: ()), (lambda: (("watermark", bounded(self._input, self._bound)),))
            case "after-silence":
                return (lambda _: ()), self._after_silence
        return (lambda _: ()), tuple

    def _after_silence(self) -> Said:
        return (("watermark", self._input.largest),) if self._input.silence < 0 else ()

    def record(self, timestamp: int) -> Said:
        """A record (ms) arrives; it renews both budgets."""
        woken: Said = (("active",),) if self._input.phase == IDLE else ()
        self._input = self._input._replace(
            phase=HEARD, silence=self._silence, largest=max(self._input.largest, timestamp)
        )
        return woken + self._of_record(timestamp)

    def tick(self) -> Said:
        """A probe, then the generator unless the input is idle."""
        self._input, said = probed(self._input, self._timeout)
        return said if self._input.phase == IDLE else self._of_tick()

    def advance(self, nanoseconds: int) -> None:
        """A duration passes."""
        if nanoseconds < 0:
            raise ValueError(f"{nanoseconds} ns cannot pass")
        self._input = spent(self._input, nanoseconds)

    def pause(self, reason: str) -> None:
        """The input is not polled from now on."""
        self._input = self._input._replace(pauses=tuple(sorted((*self._input.pauses, reason))))

    def resume(self, reason: str) -> None:
        """One pause of the reason is over."""
        if reason not in self._input.pauses:
            raise RuntimeError(f"no pause for {reason} is in force")
        place = self._input.pauses.index(reason)
        self._input = self._input._replace(
            pauses=self._input.pauses[:place] + self._input.pauses[place + 1 :]
        )

    def snapshot(self) -> Any:
        """The input; the rest is fixed."""
        return self._input

    def restore(self, saved: Any) -> None:
        """Go on from there."""
        self._input = saved
