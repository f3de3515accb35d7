"""Rounds that are completed. Tasks neither join nor leave: their numbers are never used again, so that each
task that ever joined may count as live."""

from ...wire.steps.low_watermark import (
    JobVertex,
    LowWatermarkSetup,
    NotifyStep,
    PartitionsStep,
    ReplyStep,
    RetrieveStep,
    TriggerStep,
    WatermarkStep,
)
from ...wire.vocabulary import Step
from ..endurance import FIRST_MOMENT, Endurance

_VERTEX = "job/source"
_TASKS = 2


def _completed_rounds(number: int) -> tuple[Step, ...]:
    at, tasks = FIRST_MOMENT + 10 * number, range(_TASKS)
    return (
        *(WatermarkStep(_VERTEX, task, at) for task in tasks),
        TriggerStep(at + 5),
        *(RetrieveStep(_VERTEX, task, at + 5) for task in tasks),
        *(ReplyStep(_VERTEX, task, at) for task in tasks),
        PartitionsStep(_VERTEX, 0, 0),
        *(NotifyStep(_VERTEX, task, at, at + 5) for task in tasks),
        PartitionsStep(_VERTEX, 0, 1),
    )


ENDURANCE = (
    Endurance(
        "completed-rounds", LowWatermarkSetup((JobVertex(_VERTEX, _TASKS, _TASKS),)), _completed_rounds
    ),
)
