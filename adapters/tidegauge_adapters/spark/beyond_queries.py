"""What no query of `tidegauge_spark` does: such scenarios are left out, as they test what no job runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tidegauge import Scenario
from tidegauge.wire.steps.coordinator import (
    CoordinatorScenario,
    FailedStep,
    ReadyStep,
    ResetStep,
    RestartStep,
)
from tidegauge.wire.steps.low_watermark import JoinStep, LeaveStep
from tidegauge.wire.steps.source import ActiveStep, IdleStep, SourceScenario, WatermarkStep
from tidegauge.wire.vocabulary import Restore, Snapshot

_OF_SUBTASKS: Final = "subtasks that fail, are reset or get ready one by one: a planning is for all"
_OF_SERVICES: Final = "a coordination service with a snapshot: sources report again to one that was restarted"
_OF_READERS: Final = "a watermark or a status that the reader writes between its records"
_OF_TASKS: Final = "tasks that join or leave: the subtasks of a source that speaks in band are fixed"

STEPS: Final[Mapping[type[Any], str]] = {
    **dict.fromkeys((ReadyStep, FailedStep, ResetStep, RestartStep), _OF_SUBTASKS),
    **dict.fromkeys((WatermarkStep, IdleStep, ActiveStep), _OF_READERS),
    **dict.fromkeys((JoinStep, LeaveStep), _OF_TASKS),
}
"""Steps of the chapters ALIGN, SOURCE and LOW that no query takes."""


def beyond_queries(scenario: Scenario) -> str | None:
    """Return what a scenario holds that no query does, None if there is nothing of that kind."""
    for step in scenario.history:
        if (reason := STEPS.get(type(step))) is not None:
            return reason
        if isinstance(scenario, CoordinatorScenario) and isinstance(step, Snapshot | Restore):
            return _OF_SERVICES
    return _of_source(scenario) if isinstance(scenario, SourceScenario) else None


def _of_source(scenario: SourceScenario) -> str | None:
    if not scenario.setup.per_split_outputs or any(
        getattr(step, "split", "") is None for step in scenario.history
    ):
        return "records of no split in particular"
    if scenario.setup.aligned and not scenario.setup.can_pause:
        return "a reader that cannot pause splits"
    return None
