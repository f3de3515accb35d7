"""The conforming engines bound to the kit: `tidegauge run --adapter right_engines.adapters:CLASS` in `tests/`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from tidegauge import (
    ComponentAdapter,
    IllegalArgument,
    IllegalState,
    Implementation,
    Scenario,
    Transcript,
    Unsupported,
)
from tidegauge.engine.errors import Refusals
from tidegauge.wire.steps.backlog import CombinerSetup, DetectorSetup
from tidegauge.wire.steps.clock import ClockSetup
from tidegauge.wire.steps.coordinator import CoordinatorSetup
from tidegauge.wire.steps.generator import GeneratorSetup
from tidegauge.wire.steps.idleness import IdlenessSetup
from tidegauge.wire.steps.low_watermark import LowWatermarkSetup
from tidegauge.wire.steps.source import SourceSetup
from tidegauge.wire.steps.splits import OperatorInputsSetup, SplitOutputsSetup
from tidegauge.wire.steps.valve import ValveSetup
from tidegauge.wire.steps.window import Session, Tumbling, WindowSetup
from tidegauge.wire.transcript import joined, spans

from .backlog_by_ballot import BallotCombiner, BallotDetector
from .clock_of_lines import LineClock
from .coordinator_from_log import LogCoordinators
from .coordinator_with_sorted_reports import SortedCoordinators
from .coordinator_with_tournaments import TournamentCoordinators
from .generator_as_pipeline import PipelinedGenerator, Strategy
from .idleness_by_budgets import BudgetedIdleness
from .low_watermark_in_sql import LowWatermarkTables
from .source_by_reconciling import ReconcilingSource
from .splits_in_piles import PiledSplits
from .valve_by_tables import TableValve
from .valve_from_history import HistoryValve
from .valve_with_heaps import HeapValve
from .windows_from_records import Sessions as SessionsOfRecords
from .windows_from_records import Sliding as SlidingOverRecords
from .windows_from_records import WindowsFromRecords
from .windows_of_slices import Sessions as SessionsByEnd
from .windows_of_slices import Slices, WindowsOfSlices
from .windows_with_timers import WindowsWithTimers

REFUSALS: Refusals = {
    ValueError: IllegalArgument,
    RuntimeError: IllegalState,
    NotImplementedError: Unsupported,
}
"""They are written without the kit, and refuse a step as Python does."""


class RightEngine(ComponentAdapter):
    """What all of them are."""

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


class LowWatermarkInSql(RightEngine):
    """Tables of a database, and queries that decide."""

    def low_watermark(self, setup: LowWatermarkSetup) -> LowWatermarkTables:
        """The engine."""
        tables = LowWatermarkTables()
        for one in setup.vertices:
            tables.add(one.name, one.source, one.cooperating, one.listening, one.tasks, one.partitions)
        return tables


class SplitsInPiles(RightEngine):
    """Three sorted piles of parts: active, idle and finished."""

    def splits(self, setup: SplitOutputsSetup | OperatorInputsSetup) -> PiledSplits:
        """The engine."""
        return PiledSplits(setup.inputs if isinstance(setup, OperatorInputsSetup) else 0)


class ClockOfLines(RightEngine):
    """A piecewise linear function of the time that has passed."""

    def clock(self, setup: ClockSetup) -> LineClock:
        """The engine."""
        return LineClock(setup.nanoseconds)


class IdlenessByBudgets(RightEngine):
    """Budgets of time in place of a clock."""

    def idleness(self, setup: IdlenessSetup) -> BudgetedIdleness:
        """The engine; budgets have no origin, so that the first reading means nothing to it."""
        return BudgetedIdleness(setup.generator, setup.timeout, setup.max_out_of_orderness)


class GeneratorAsPipeline(RightEngine):
    """A pipeline of stages through which signals pass."""

    def generator(self, setup: GeneratorSetup) -> PipelinedGenerator:
        """The engine."""
        strategy = Strategy(setup.kind, setup.max_out_of_orderness, setup.assigner, setup.idle_timeout)
        return PipelinedGenerator(setup.place, strategy, setup.processing_time)


class SourceByReconciling(RightEngine):
    """Immutable worlds, and the differences between two of them."""

    def source(self, setup: SourceSetup) -> ReconcilingSource:
        """The engine."""
        return ReconcilingSource(
            setup.generator,
            setup.max_out_of_orderness,
            setup.idle_timeout,
            aligned=setup.aligned,
            can_pause=setup.can_pause,
            allow_unaligned_splits=setup.allow_unaligned_splits,
            per_split_outputs=setup.per_split_outputs,
        )


class BacklogByBallot(RightEngine):
    """Votes that are counted as they are cast."""

    extras = (*RightEngine.extras, "watermark-lag")

    def backlog(self, setup: DetectorSetup | CombinerSetup) -> BallotDetector | BallotCombiner:
        """The engine."""
        if isinstance(setup, DetectorSetup):
            return BallotDetector()
        return BallotCombiner(setup.channels, setup.without_strategy)
