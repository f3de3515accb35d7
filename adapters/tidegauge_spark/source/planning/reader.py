"""The source coordinator of a query: when it plans, and how Spark calls it.

Spark keeps one reader of a source in a process of the driver for as long as the query runs. That reader is
the source coordinator of chapter ALIGN: it plans how far each split is read in the next batch. All its state
is in the offset that it returns.
"""

from __future__ import annotations

import time
import uuid
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tidegauge_spark.decisions.backlog import BacklogOutput
from tidegauge_spark.decisions.sources.signals import SplitMoment
from tidegauge_spark.source.options.source import SourceOptions
from tidegauge_spark.source.planning.alignment.pace import Pace
from tidegauge_spark.source.planning.offset import AnyOffset
from tidegauge_spark.source.planning.progress import ProgressReader
from tidegauge_spark.source.planning.progress_rows import PlannedPartition
from tidegauge_spark.source.planning.recording.recorded_rows import RecordedSource
from tidegauge_spark.source.planning.run_offsets import RunOffsets
from tidegauge_spark.source.planning.said_watermark import SaidWatermark
from tidegauge_spark.source.planning.signals import PlannedSignals
from tidegauge_spark.spark_version import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

WAIT: Final = 100
"""How long a planning under AvailableNow waits for records (ms), before it returns to Spark."""

LOOK_AGAIN: Final = 10
"""How often it checks meanwhile (ms)."""


class AlignedReader(ProgressReader[AnyOffset], SupportsTriggerAvailableNow):
    """The source coordinator in the driver; in the executors the reader only reads what was planned.

    `wall_clock` returns ms since 1970; `sleep` waits for a number of seconds.
    """

    def __init__(
        self,
        options: SourceOptions,
        wall_clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(options, wall_clock)
        self._sleep = sleep
        self._available_now = False
        self._unlogged: str | None = None
        self._limit: ReadLimit | None = None
        self._pace = None if options.alignment is None else Pace(options.alignment.drift)
        self._run_out: frozenset[int] = frozenset()
        self._said_watermark = SaidWatermark(options)
        self._offsets: RunOffsets[AnyOffset] = RunOffsets(options, self._parsed, self._recorded)

    @abstractmethod
    def _initial(self, identity: str, started_at: int) -> AnyOffset:
        """Return the offset of a new source: nothing is planned and no time has passed."""

    @abstractmethod
    def _parsed(self, stored: dict[str, Any]) -> AnyOffset:
        """Return a stored offset. Raises `IllegalOffsetError` if it does not belong to this source."""

    @abstractmethod
    def _recorded(self, stored: dict[str, Any]) -> RecordedSource:
        """Return the state for the event log from a stored offset, whatever the options are now."""

    @abstractmethod
    def _planned(self, offset: AnyOffset, now: int, most_rows: int | None) -> AnyOffset:
        """Return how far to read, at a processing time (ms since the source started)."""

    @abstractmethod
    def _reach(self, offset: AnyOffset, now: int, most_rows: int | None) -> int | None:
        """Return the minimum (ms) that the batch after this offset reaches at a processing time, if no other
        source holds it back; None: the others do not wait for this source."""

    @abstractmethod
    def _progressed(self, offset: AnyOffset, planned: AnyOffset) -> bool:
        """Return whether a planning brought records, or state to store."""

    @abstractmethod
    def _finished(self, offset: AnyOffset) -> bool:
        """Return whether everything is planned; if so, report it to the group."""

    @abstractmethod
    def _partitions(self, name: str, before: AnyOffset, after: AnyOffset) -> Sequence[PlannedPartition]:
        """Return the partitions between two offsets; name: the name of the source in the rows.

        Raises `IllegalOffsetError` for offsets that do not follow one another.
        """

    @abstractmethod
    def _without_records(self, name: str, after: AnyOffset) -> PlannedPartition:
        """Return a partition that has no records."""

    def initialOffset(self) -> dict[str, Any]:
        """Return the offset of a new source, with a new identity."""
        identity = str(uuid.uuid4())
        self._unlogged = identity
        return self._initial(identity, self._wall_clock()).to_json()

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the option maxRowsPerTrigger."""
        return ReadMaxRows(self._options.rows_per_batch)

    def prepareForTriggerAvailableNow(self) -> None:
        """Spark will end the query as soon as nothing new is planned: see `latestOffset`."""
        self._available_now = True

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Plan the next batch: report the minimum, receive the group's, return how far to read.

        If nothing can be read, the result is `start`, with two exceptions: under AvailableNow that would end
        the query with records unread, and a virtual clock has to advance. Then only the time in the offset
        changes.

        If the group does not answer there is no bound, and nothing is read until it answers again. Raises
        `CoordinatorError` after coordinatorTimeout, and at once if the service refuses. The reported minimum
        is in the checkpoint already, because Spark has logged `start`.
        """
        self._said_watermark.check()
        offset = self._offsets.restored(start)
        most_rows = self._most_rows(offset, limit)
        self._limit = limit
        self._exchanged = ()
        looks_again = self._said_watermark.looks_again(offset)
        if self._finished(offset) and not looks_again:
            return self._said_again(start, offset)
        if self._options.clock_step is not None:
            planned = self._planned(offset, offset.now + self._options.clock_step, most_rows)
            self._watched(offset, planned)
            return self._stored(start, planned)
        patience = WAIT if self._available_now else 0
        while True:
            planned = self._planned(offset, self._now(offset), most_rows)
            self._watched(offset, planned)
            if self._progressed(offset, planned):
                if self._pace is not None:
                    self._pace.planned(self._options.name or offset.source, planned.now)
                return self._stored(start, planned)
            if patience <= 0:
                break
            self._sleep(LOOK_AGAIN / 1000)
            patience -= LOOK_AGAIN
        if self._available_now:
            self._exchanged = ()
            return self._stored(start, offset.at(max(planned.now, offset.now + 1)))
        return self._said_again(start, offset)

    def has_read_all(self, end: dict[str, Any]) -> bool:
        """Return whether a query under AvailableNow ends at an offset."""
        return self._finished(self._offsets.restored(end))

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[PlannedPartition]:
        """Return the partitions between two offsets. They depend on nothing else, so a replay is exact
        (JOB-4)."""
        if start == end:
            return []
        before, after = self._offsets.restored(start), self._offsets.restored(end)
        name = self._options.name or after.source
        partitions = self._said_watermark.put_into(
            self._partitions(name, before, after), after, lambda: self._without_records(name, after)
        )
        for partition in partitions:
            partition.late_until = before.signals.late_until
        self._offsets.write(start, end)
        self._unlogged = None
        self._promise()
        return partitions

    def reportLatestOffset(self) -> dict[str, Any] | None:
        """Return the `latestOffset` that the progress of the query shows: the standing of the source.

        It combines `standing.shown` for the splits, `shown_blocked` for the blocked splits, and
        `GroupMember.status` for the group, if there is a coordination service. None before the first
        planning.
        """
        offset = self._offsets.newest
        if offset is None:
            return None
        return {**self._shown(offset), **self._said_watermark.shown(offset)}

    def commit(self, end: dict[str, Any]) -> None:
        """Note that a batch was read, so the identity of the source is in Spark's log.

        All sources of the query have planned the batch after that one.
        """
        self._unlogged = None
        self._promise()

    def stop(self) -> None:
        """Leave the group if the identity was not logged: it is lost, and the others should not wait for it.

        Otherwise the last report stays for the restart timeout, and a restart continues from there. Spark
        often ends the process without this call.
        """
        self._end_heartbeat()
        if self._unlogged is not None:
            self._leave(self._unlogged)

    def _started_at(self) -> int:
        newest = self._offsets.newest
        return self._wall_clock() if newest is None else newest.started_at

    def _said_again(self, start: dict[str, Any], offset: AnyOffset) -> dict[str, Any]:
        """Return `start`, or an offset whose batch has only the row of the watermark."""
        if not self._said_watermark.due(offset):
            return start
        return self._stored(start, offset.at(max(self._now(offset), offset.now + 1)))

    def _stored(self, start: dict[str, Any], offset: AnyOffset) -> dict[str, Any]:
        return self._offsets.stored(start, offset, self._exchanged, self._run_out)

    def _now(self, offset: AnyOffset) -> int:
        """Return the processing time by the wall clock (ms); it does not advance while that clock is set
        back."""
        return max(offset.now, self._wall_clock() - offset.started_at)

    def _most_rows(self, offset: AnyOffset, limit: ReadLimit) -> int | None:
        """Return the maximum number of rows of the next batch: that of the read limit, None if there is no
        limit, or another one in backlog."""
        most_rows = _most_rows(limit)
        signals = self._options.signals
        if most_rows is None or signals is None or not offset.signals.in_backlog:
            return most_rows
        return signals.rows_per_batch_in_backlog or most_rows

    def _signals(
        self,
        before: PlannedSignals,
        moment: int,
        looked_at: int,
        splits: Mapping[str, SplitMoment],
        ended: bool,
    ) -> PlannedSignals:
        """Return the signals of a planning: see `SourceSignals.planned`.

        Raises `IllegalOffsetError` if the checkpoint has another form of the signals before.
        """
        options = self._options.signals
        assert options is not None
        settings = (options.idle_timeout, options.watermark_lag_threshold)
        signals = before.restored(self._options.subtasks, *settings)
        said = signals.planned(moment, looked_at, splits, ended)
        others = self._minimum_in_query()
        if others is not None:
            signals.follow(others)
        return before._replace(said=said, state=signals.state())

    def _signalled(self, before: PlannedSignals, after: PlannedSignals) -> bool:
        """Return whether there is a signal, or the clock of a split was stopped or continues."""
        said = bool(after.said) or self._said_watermark.rises(before, after)
        return said or after.blocked_splits != before.blocked_splits

    def _in_band(self, signals: PlannedSignals, subtask: int) -> list[BacklogOutput]:
        """Return the in-band signals of a subtask."""
        options = self._options.signals
        return signals.said.get(subtask, []) if options is not None and options.in_band else []

    def _promise(self) -> None:
        """Report how far the next batch will bring this source, if no other source holds it back.

        Spark queries the sources of a query one after the other for their offsets, so none of them knows what
        the others are about to read. This report is sent when all of them have answered, so that all reports
        are about the same batch. A report of a source in another query would be about another batch, which
        may come much later.
        """
        offset, limit = self._offsets.newest, self._limit
        if self._member is None or not self._has_companions or limit is None or offset is None:
            return
        self._limit = None
        self._member.promise(self._reach(offset, offset.now, self._most_rows(offset, limit)))


def _most_rows(limit: ReadLimit) -> int | None:
    """Return the maximum number of rows of a read limit, None if it is not a limit."""
    if isinstance(limit, ReadAllAvailable):
        return None
    if isinstance(limit, ReadMaxRows):
        return limit.max_rows
    raise ValueError(
        f"this source counts rows, it cannot follow the read limit {limit}; use maxRowsPerTrigger"
    )
