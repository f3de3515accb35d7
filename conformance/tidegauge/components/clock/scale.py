"""Scale of the clock component: clocks with many simultaneous pauses, and clocks with readings at the limits
of number types."""

from ...wire.steps.clock import AdvanceStep, ClockSetup, PauseStep, ReadStep, ResumeStep
from ...wire.vocabulary import Step
from ..scale import LARGEST, Scale, Widened
from ..shared.random_source import RandomSource


def with_many_pauses(
    history: tuple[Step, ...], wanted: int, then: tuple[Step, ...]
) -> tuple[Step, ...] | None:
    """Return the steps with every pause and every resumption repeated; None if no pause stops the clock.

    Args:
        history: steps on a clock.
        wanted: the number of repetitions of each pause and of each resumption.
        then: the steps to insert after each pause; they show that the pause stops the clock.
    """
    if not any(isinstance(step, PauseStep) and step.reason != "no-data" for step in history):
        return None
    many: list[Step] = []
    for step in history:
        many += [step] * wanted if isinstance(step, PauseStep | ResumeStep) else [step]
        many += then if isinstance(step, PauseStep) else ()
    return tuple(many)


def _pauses(_: RandomSource, setup: ClockSetup, history: tuple[Step, ...], wanted: int) -> Widened | None:
    many = with_many_pauses(history, wanted, (AdvanceStep(3), ReadStep()))
    return None if many is None else (setup, many)


def resumed(step: Step) -> Step | None:
    """Return the step that ends a pause; None for other steps."""
    return ResumeStep(step.reason) if isinstance(step, PauseStep) else None


FAR = (*(AdvanceStep(LARGEST),) * 1_023, AdvanceStep(2**53 - 2**40))
"""Steps that advance the reading to about 2^40 ns before 2^63, which is the reading of a clock after 292
years."""


def too_far(step: Step) -> bool:
    """Return whether a few of these steps would advance the reading from there to 2^63."""
    return isinstance(step, AdvanceStep) and step.nanoseconds > 2**35


SCALE = Scale(
    widen={"pauses": _pauses},
    setups={
        "a-reading-at-2-31": ClockSetup(2**31 - 2),
        "a-reading-at-2-32": ClockSetup(2**32 - 2),
        "a-reading-at-minus-2-31": ClockSetup(-(2**31) - 2),
        "a-reading-in-1970": ClockSetup(-(2**52)),
        "a-reading-of-months": ClockSetup(2**53 - 2**43),
        "a-reading-at-2-53": ClockSetup(2**53 - 2),
        "a-reading-at-minus-2-53": ClockSetup(-(2**53) + 2),
    },
    durations={"nanoseconds": (0, LARGEST)},
    edges={},
    far=FAR,
    too_far=too_far,
    undone=resumed,
    closing=lambda setup, history: (ReadStep(),),
)
