"""The nine right engines bound to the kit: `tidegauge run --adapter right_engines.adapters:CLASS` in `tests/`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from tidegauge import ComponentAdapter, IllegalArgument, Implementation, Scenario, Transcript
from tidegauge.engine.errors import Refusals
from tidegauge.wire.steps.coordinator import CoordinatorSetup
from tidegauge.wire.steps.valve import ValveSetup
from tidegauge.wire.steps.window import Session, Tumbling, WindowSetup
from tidegauge.wire.transcript import joined, spans

from .coordinator_from_log import LogCoordinators
from .coordinator_with_sorted_reports import SortedCoordinators
from .coordinator_with_tournaments import TournamentCoordinators
from .valve_by_tables import TableValve
from .valve_from_history import HistoryValve
from .valve_with_heaps import HeapValve
from .windows_from_records import Sessions as SessionsOfRecords
from .windows_from_records import Sliding as SlidingOverRecords
from .windows_from_records import WindowsFromRecords
from .windows_of_slices import Sessions as SessionsByEnd
from .windows_of_slices import Slices, WindowsOfSlices
from .windows_with_timers import WindowsWithTimers

REFUSALS: Refusals = {ValueError: IllegalArgument}
"""They are written without the kit, and refuse a step as Python does."""


class RightEngine(ComponentAdapter):
    """What all nine are."""

    version = "1"
    extras = ("snapshot", "int64")
    errors = REFUSALS


class ValveFromHistory(RightEngine):
    """Derives everything from the history of each channel."""

    def valve(self, setup: ValveSetup) -> HistoryValve:
        """The engine."""
        return HistoryValve(setup.channels)


class ValveWithHeaps(RightEngine):
    """Sets, and two heaps with stale entries."""

    def valve(self, setup: ValveSetup) -> HeapValve:
        """The engine."""
        return HeapValve(setup.channels)


class ValveByTables(RightEngine):
    """Decision tables over immutable states."""

    def valve(self, setup: ValveSetup) -> TableValve:
        """The engine."""
        return TableValve(setup.channels)


def _with_sources(coordinators: Any, setup: CoordinatorSetup) -> Any:
    """Starts the sources of the setup; all of their subtasks run."""
    for one in setup.sources:
        coordinators.start(
            one.source, one.name, one.watermark_group, one.max_allowed_watermark_drift, one.subtasks
        )
        for subtask in range(one.subtasks):
            coordinators.ready(one.source, subtask)
    return coordinators


class CoordinatorFromLog(RightEngine):
    """Asks the log of the job at each announcement."""

    def coordinator(self, setup: CoordinatorSetup) -> Any:
        """The engine."""
        return _with_sources(LogCoordinators(), setup)


class CoordinatorWithSortedReports(RightEngine):
    """The reports of a group in a sorted list."""

    def coordinator(self, setup: CoordinatorSetup) -> Any:
        """The engine."""
        return _with_sources(SortedCoordinators(), setup)


class CoordinatorWithTournaments(RightEngine):
    """A tournament tree a source; the subtasks are told in an order that changes."""

    def coordinator(self, setup: CoordinatorSetup) -> Any:
        """The engine."""
        return _with_sources(TournamentCoordinators(), setup)


def _sliding(setup: WindowSetup) -> tuple[int, int, int]:
    """Size, slide and offset in ms of windows that are no sessions."""
    assigner = setup.assigner
    assert not isinstance(assigner, Session)
    slide = assigner.size if isinstance(assigner, Tumbling) else assigner.slide
    return assigner.size, slide, assigner.offset


def _rest(setup: WindowSetup) -> tuple[int, str, str, bool]:
    return setup.allowed_lateness, setup.trigger, setup.accumulation, setup.late_output


class WindowFromRecords(RightEngine):
    """Finds out again at each step which windows the kept records make."""

    def window(self, setup: WindowSetup) -> WindowsFromRecords:
        """The engine."""
        of_sessions = isinstance(setup.assigner, Session)
        assigner = (
            SessionsOfRecords(setup.assigner.gap) if of_sessions else SlidingOverRecords(*_sliding(setup))
        )
        return WindowsFromRecords(assigner, *_rest(setup))


class WindowWithTimers(RightEngine):
    """Panes updated record by record, and sorted lists of timers."""

    def window(self, setup: WindowSetup) -> WindowsWithTimers:
        """The engine."""
        of_sessions = isinstance(setup.assigner, Session)
        return WindowsWithTimers((setup.assigner.gap,) if of_sessions else _sliding(setup), *_rest(setup))


class WindowOfSlices(RightEngine):
    """Slices, each record kept once; in micro-batches, whose late records and drops come out before results."""

    def describe(self) -> Implementation:
        """An engine that is seen when a micro-batch ends."""
        return replace(super().describe(), observes="group")

    def window(self, setup: WindowSetup) -> WindowsOfSlices:
        """The engine."""
        of_sessions = isinstance(setup.assigner, Session)
        store = SessionsByEnd(setup.assigner.gap) if of_sessions else Slices(*_sliding(setup))
        return WindowsOfSlices(store, *_rest(setup))

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        """Each group of steps is a micro-batch; what goes downstream is written last."""
        for scenario in scenarios:
            (transcript,) = super().run([scenario])
            batches = joined(list(transcript.outputs), spans(scenario, "group"))
            written = tuple(
                tuple(sorted(outputs, key=lambda output: output.to == "downstream")) for outputs in batches
            )
            yield replace(transcript, outputs=written)
