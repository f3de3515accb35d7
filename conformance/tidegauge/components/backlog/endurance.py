"""A detector whose backlog comes and goes, and a combiner of its attributes with others."""

from tidegauge_reference.backlog import OPTION

from ...wire.steps.backlog import (
    ActiveStep,
    AttributesStep,
    ClockStep,
    CombinerSetup,
    ConfigureStep,
    DetectorSetup,
    IdleStep,
    OtherStep,
    WatermarkStep,
)
from ...wire.vocabulary import Step
from ..endurance import FIRST_MOMENT, Endurance

_THRESHOLD_MS = 50


def _lag(number: int) -> tuple[Step, ...]:
    now = FIRST_MOMENT + 100 * number
    behind = ClockStep(now), WatermarkStep(now - 2 * _THRESHOLD_MS), OtherStep(True)
    return *behind, OtherStep(False), IdleStep(), ActiveStep(), WatermarkStep(now - 1)


def _attributes(number: int) -> tuple[Step, ...]:
    channel = number % 3
    return AttributesStep(channel, True), AttributesStep(channel, False)


ENDURANCE = (
    Endurance("lag", DetectorSetup(), _lag, opening=(ConfigureStep(OPTION, _THRESHOLD_MS),)),
    Endurance("attributes", CombinerSetup(3), _attributes),
)
