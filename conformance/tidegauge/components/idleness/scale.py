"""Scale of the idleness component: idle timeouts at their limits, clocks with large readings, and inputs that
are blocked many times at once."""

from ...wire.steps.clock import AdvanceStep
from ...wire.steps.idleness import IdlenessSetup, TickStep
from ...wire.vocabulary import Step
from ..clock.scale import FAR, resumed, too_far, with_many_pauses
from ..scale import DAY_MS, LARGEST, YEARS_MS, Scale, Widened
from ..shared.random_source import RandomSource

_SECOND_NS = 10**9


def _pauses(_: RandomSource, setup: IdlenessSetup, history: tuple[Step, ...], wanted: int) -> Widened | None:
    many = with_many_pauses(history, wanted, (AdvanceStep(setup.timeout), TickStep()))
    return None if many is None else (setup, many)


def _closing(setup: IdlenessSetup, _: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return ticks that start the countdown, if it has not started yet, and ticks at the timeout and after
    it."""
    return TickStep(), TickStep(), AdvanceStep(setup.timeout), TickStep(), AdvanceStep(1), TickStep()


SCALE = Scale(
    widen={"pauses": _pauses},
    setups={
        "a-timeout-of-1-ns": IdlenessSetup("punctuated", 1),
        "a-timeout-of-1-s": IdlenessSetup("bounded-out-of-orderness", _SECOND_NS, 10),
        "a-timeout-at-2-31": IdlenessSetup("punctuated", 2**31),
        "a-timeout-at-2-32": IdlenessSetup("punctuated", 2**32),
        "a-timeout-of-a-day": IdlenessSetup("punctuated", DAY_MS * 10**6),
        "a-timeout-of-months": IdlenessSetup("bounded-out-of-orderness", 2**52, DAY_MS),
        "the-largest-timeout": IdlenessSetup("punctuated", LARGEST),
        "a-reading-at-2-31": IdlenessSetup("after-silence", 5, 1, 2**31 - 2),
        "a-reading-of-months": IdlenessSetup("punctuated", 10, 0, 2**53 - 2**43),
        "a-reading-at-2-53": IdlenessSetup("after-silence", 10, 1, 2**53 - 2),
        "a-negative-reading": IdlenessSetup("punctuated", 10, 0, -1_000),
        "a-reading-at-minus-2-53": IdlenessSetup("after-silence", 10, 1, -(2**53) + 2),
        "the-largest-out-of-orderness": IdlenessSetup("bounded-out-of-orderness", 10, LARGEST),
        "years-of-silence": IdlenessSetup("after-silence", 10, YEARS_MS),
    },
    durations={
        "nanoseconds": (0, LARGEST),
        "timeout": (1, LARGEST),
        "max_out_of_orderness": (0, YEARS_MS),
    },
    far=FAR,
    far_setup=IdlenessSetup("bounded-out-of-orderness", LARGEST, 10),
    too_far=too_far,
    undone=resumed,
    closing=_closing,
)
