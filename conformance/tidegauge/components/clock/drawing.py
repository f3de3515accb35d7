"""Random clocks, and steps that matter to them."""

from collections.abc import Sequence
from typing import Any, get_args

from ...wire.steps.clock import AdvanceStep, ClockSetup, PauseStep, ReadStep, Reason, ResumeStep
from ...wire.vocabulary import Step
from ..shared.random_source import RandomSource

REASONS: Sequence[Reason] = get_args(Reason)

_ORIGINS = (0, 0, 1, -3, 1_000_000_000)
_DURATIONS = (0, 1, 2, 3, 999_999, 1_000_000, 29_900_000_000)


def draw_setup(random: RandomSource) -> ClockSetup:
    """A clock that reads something at the start."""
    return ClockSetup(random.pick(_ORIGINS))


def draw_step(random: RandomSource, clock: Any) -> Step:
    """A step for the clock as it stands: `clock` is the reference's."""
    kind = random.below(100)
    if kind < 20:
        return ReadStep()
    if kind < 50 if not clock.pauses else kind < 70:
        return AdvanceStep(-1 if random.chance(3) else random.pick(_DURATIONS))
    return draw_pause(random, clock)


def draw_pause(random: RandomSource, clock: Any) -> Step:
    """A pause or a resumption; now and then one that has no pause to end."""
    step = ResumeStep if random.chance(55 if clock.pauses else 10) else PauseStep
    return step(random.pick(REASONS))
