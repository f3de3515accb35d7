"""The source coordinators of tidegauge_spark as an engine in this process."""

from __future__ import annotations

from typing import Any

from tidegauge.wire.steps.coordinator import CoordinatorSetup
from tidegauge_spark.decisions.sources.coordinator import SourceCoordinators, SourceState


class CoordinatorDecisions:
    """The library's coordinators; what they announce is told as the kit writes it.

    The other steps are the library's own. `coordinators` is its class, or one derived from it.
    """

    def __init__(
        self, setup: CoordinatorSetup, coordinators: type[SourceCoordinators] = SourceCoordinators
    ) -> None:
        self._class = coordinators
        self._coordinators = coordinators()
        for source in setup.sources:
            drift, subtasks = source.max_allowed_watermark_drift, source.subtasks
            self._coordinators.start(source.source, source.name, source.watermark_group, drift, subtasks)
            for subtask in range(subtasks):
                self._coordinators.ready(source.source, subtask)

    def __getattr__(self, step: str) -> Any:
        return getattr(self._coordinators, step)

    def announce(self, source: str) -> list[tuple[str, int, str]]:
        """An update interval of a source is over."""
        announced = self._coordinators.announce(source)
        return [("announcement", each.bound, f"{each.source}/{each.subtask}") for each in announced]

    def snapshot(self) -> dict[str, SourceState]:
        """All that the coordinators know."""
        return self._coordinators.state()

    def restore(self, saved: dict[str, SourceState]) -> None:
        """Go on from a snapshot."""
        self._coordinators = self._class.restored(saved)
