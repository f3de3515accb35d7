"""A clock that is paused and resumed again and again."""

from typing import get_args

from ...wire.steps.clock import AdvanceStep, ClockSetup, PauseStep, ReadStep, Reason, ResumeStep
from ...wire.vocabulary import Step
from ..endurance import Endurance

_REASONS: tuple[Reason, ...] = get_args(Reason)
_NANOSECONDS = 1_000_000


def _pauses(number: int) -> tuple[Step, ...]:
    reason = _REASONS[number % len(_REASONS)]
    moves = AdvanceStep(_NANOSECONDS)
    return PauseStep(reason), moves, ResumeStep(reason), moves, ReadStep()


ENDURANCE = (Endurance("pauses", ClockSetup(2**50), _pauses),)
