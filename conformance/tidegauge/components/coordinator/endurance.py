"""Two sources of a group that report and are told bounds; subtasks fail and are ready again."""

from ...wire.steps.coordinator import (
    AnnounceStep,
    CoordinatorSetup,
    FailedStep,
    ReadyStep,
    ReportStep,
    ResetStep,
    StartedSource,
)
from ...wire.vocabulary import Step
from ..endurance import FIRST_MOMENT, Endurance

_SOURCES = ("orders", "payments")


def _reports_and_failures(number: int) -> tuple[Step, ...]:
    at = FIRST_MOMENT + 10 * number
    reports = tuple(ReportStep(source, subtask, at + subtask) for source in _SOURCES for subtask in range(2))
    announced = tuple(map(AnnounceStep, _SOURCES))
    failing = _SOURCES[number % 2], number // 2 % 2
    return *reports, *announced, FailedStep(*failing), ResetStep(*failing), ReadyStep(*failing)


ENDURANCE = (
    Endurance(
        "reports-and-failures",
        CoordinatorSetup(tuple(StartedSource(source, source, "group", 1_000, 2) for source in _SOURCES)),
        _reports_and_failures,
    ),
)
