"""Channels that deliver watermarks, fall idle and are active again."""

from ...wire.steps.valve import ActiveStep, IdleStep, ValveSetup, WatermarkStep
from ...wire.vocabulary import Step
from ..endurance import FIRST_MOMENT, Endurance


def _watermarks_and_statuses(number: int) -> tuple[Step, ...]:
    at, idle = FIRST_MOMENT + 10 * number, number % 3
    watermarks = tuple(WatermarkStep(channel, at + channel) for channel in range(3))
    return *watermarks, IdleStep(idle), ActiveStep(idle)


ENDURANCE = (Endurance("watermarks-and-statuses", ValveSetup(3), _watermarks_and_statuses),)
