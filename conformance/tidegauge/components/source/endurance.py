"""A source subtask whose splits are assigned, read, paused, resumed and finished, one after the other."""

from ...wire.steps.source import (
    AdvanceStep,
    AnnouncementStep,
    AssignStep,
    BackpressureStep,
    FinishStep,
    RecordStep,
    ReportStep,
    SourceSetup,
    TickStep,
)
from ...wire.vocabulary import Step
from ..endurance import FIRST_MOMENT, Endurance

_STEADY = "steady"


def _finished_splits(number: int) -> tuple[Step, ...]:
    split, at = f"split-{number:08}", FIRST_MOMENT + 100 * number
    return (
        AssignStep(split),
        AnnouncementStep(at + 50),
        RecordStep(_STEADY, at),
        RecordStep(split, at + 60),
        TickStep(),
        ReportStep(),
        AnnouncementStep(at + 90),
        BackpressureStep(on=True),
        AdvanceStep(10),
        BackpressureStep(on=False),
        TickStep(),
        FinishStep(split),
    )


ENDURANCE = (
    Endurance(
        "finished-splits",
        SourceSetup(idle_timeout=1_000, start=FIRST_MOMENT),
        _finished_splits,
        opening=(AssignStep(_STEADY),),
    ),
)
