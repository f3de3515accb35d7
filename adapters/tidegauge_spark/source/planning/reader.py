"""The source coordinator of a query: when it plans, what it asks the group, and how Spark calls it.

Spark keeps one reader of a source in a process of the driver for as long as the query runs. That reader is
the source coordinator of chapter ALIGN: it plans how far each split is read in the next batch, and all it
has to remember is in the offset that it returns.
"""

from __future__ import annotations

import contextlib
import time
import uuid
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, Protocol, Self, TypeVar

from pyspark.sql.datasource import DataSourceStreamReader
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from tidegauge_spark.decisions.backlog import BacklogOutput
from tidegauge_spark.decisions.sources.bounds import GroupMinimum
from tidegauge_spark.decisions.sources.signals import SourceSignals, SplitMoment
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.group_coordination.client import CoordinatorError, GroupReport, leave_group
from tidegauge_spark.group_coordination.member import GroupMember
from tidegauge_spark.source.options.source import SourceOptions
from tidegauge_spark.source.planning.pace import Pace
from tidegauge_spark.source.planning.progress_rows import PlannedPartition
from tidegauge_spark.source.planning.recorded_rows import RecordedSource
from tidegauge_spark.source.planning.recorder import SourceRecorder, paused
from tidegauge_spark.source.planning.said_watermark import SaidWatermark
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError
from tidegauge_spark.source.planning.signals import PlannedSignals
from tidegauge_spark.source.planning.standing import SplitStanding, shown

WAIT: Final = 100
"""How long a planning under AvailableNow waits for something to read (ms), before it lets go of Spark."""

LOOK_AGAIN: Final = 10
"""How often it looks meanwhile (ms)."""


class SourceStanding(NamedTuple):
    """A source as its group sees it: its identity, and its smallest watermark (ms), None if nobody has to
    wait for it. reports: that of each subtask, from which the smallest is taken."""

    source: str
    minimum: int | None
    reports: tuple[int | None, ...] = ()

    @classmethod
    def of(cls, source: str, reports: Iterable[int | None]) -> SourceStanding:
        """Return the standing of a source whose subtasks report these."""
        each = tuple(reports)
        return cls(source, min((one for one in each if one is not None), default=None), each)


class Offset(Protocol):
    """How far a source is planned; see `SourceOffset` and `FilesOffset`."""

    @property
    def source(self) -> str:
        """The identity of the source."""

    @property
    def started_at(self) -> int:
        """When the source started for the first time (ms since 1970)."""

    @property
    def now(self) -> int:
        """The processing time of the last planning (ms since it started)."""

    @property
    def signals(self) -> PlannedSignals:
        """What goes in band."""

    @property
    def ended(self) -> bool:
        """Whether the input is finished for good, and all of it is planned."""

    def at(self, now: int) -> Self:
        """Return this offset at another processing time, with nothing to read."""

    def to_json(self) -> dict[str, Any]:
        """Return the offset as Spark stores it."""


AnyOffset = TypeVar("AnyOffset", bound=Offset)


class AlignedReader(DataSourceStreamReader, SupportsTriggerAvailableNow, Generic[AnyOffset]):
    """The source coordinator in the driver; in the executors it only reads what was planned.

    `wall_clock` returns ms since 1970, `sleep` waits for seconds.
    """

    def __init__(
        self,
        options: SourceOptions,
        wall_clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._options = options
        self._wall_clock = wall_clock
        self._sleep = sleep
        self._available_now = False
        self._unlogged: str | None = None
        self._announced: tuple[int, GroupMinimum] | None = None
        self._member: GroupMember | None = None
        self._limit: ReadLimit | None = None
        self._pace = None if options.alignment is None else Pace(options.alignment.drift)
        self._recorder = self._new_recorder()
        self._exchanged: tuple[int | None, ...] = ()
        self._run_out: frozenset[int] = frozenset()
        self._said_watermark = SaidWatermark(options)
        self._recent: deque[tuple[dict[str, Any], AnyOffset]] = deque(maxlen=3)

    @abstractmethod
    def _initial(self, identity: str, started_at: int) -> AnyOffset:
        """Return where a new source stands: nothing is planned and no time has passed."""

    @abstractmethod
    def _parsed(self, stored: dict[str, Any]) -> AnyOffset:
        """Return a stored offset. Raises `IllegalOffsetError` if it is not one of this source."""

    @abstractmethod
    def _recorded(self, stored: dict[str, Any]) -> RecordedSource:
        """Return what a stored offset says for the event log, whatever the options are now."""

    @abstractmethod
    def _planned(self, offset: AnyOffset, now: int, most_rows: int | None) -> AnyOffset:
        """Return how far to read, at a processing time (ms since the source started)."""

    @abstractmethod
    def _reach(self, offset: AnyOffset, now: int, most_rows: int | None) -> int | None:
        """Return which minimum (ms) the batch after this offset comes to at a processing time, if no other
        source holds it back; None: nobody has to wait for this one."""

    @abstractmethod
    def _progressed(self, offset: AnyOffset, planned: AnyOffset) -> bool:
        """Return whether a planning brought something to read, or to remember."""

    @abstractmethod
    def _standings(self, offset: AnyOffset) -> Iterator[SplitStanding]:
        """Yield how the splits stand that are neither finished nor idle."""

    @abstractmethod
    def _finished(self, offset: AnyOffset) -> bool:
        """Return whether everything is planned, and tell the group if so."""

    @abstractmethod
    def _partitions(self, name: str, before: AnyOffset, after: AnyOffset) -> Sequence[PlannedPartition]:
        """Return what lies between two offsets; name: what the rows call the source.

        Raises `IllegalOffsetError` for offsets that do not follow one another.
        """

    @abstractmethod
    def _without_records(self, name: str, after: AnyOffset) -> PlannedPartition:
        """Return a partition that has no records."""

    def initialOffset(self) -> dict[str, Any]:
        """Return where a new source stands, with a new identity."""
        identity = str(uuid.uuid4())
        self._unlogged = identity
        return self._initial(identity, self._wall_clock()).to_json()

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the option maxRowsPerTrigger."""
        return ReadMaxRows(self._options.rows_per_batch)

    def prepareForTriggerAvailableNow(self) -> None:
        """Spark is going to end the query as soon as nothing new is planned: see `latestOffset`."""
        self._available_now = True

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Plan the next batch: report the minimum, learn the group's, return how far to read.

        Where nothing can be read, the answer is `start`, unless that would end the query with records unread
        (AvailableNow), or the virtual clock has to go on: then only the time in the offset is another one.

        If the group cannot be asked there is no bound, and nothing is read until it answers again. Raises
        `CoordinatorError` after coordinatorTimeout, and at once if the service refuses. What is reported
        here is in the checkpoint already, since Spark has logged `start`.
        """
        self._said_watermark.check()
        offset = self._restored(start)
        most_rows = self._most_rows(offset, limit)
        self._limit = limit
        self._exchanged = ()
        looks_again = self._said_watermark.looks_again(offset)
        if self._finished(offset) and not looks_again:
            return self._said_again(start, offset)
        if self._options.clock_step is not None:
            return self._stored(
                start, self._planned(offset, offset.now + self._options.clock_step, most_rows)
            )
        patience = WAIT if self._available_now else 0
        while True:
            planned = self._planned(offset, self._now(offset), most_rows)
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

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[PlannedPartition]:
        """Return what lies between two offsets: nothing else counts, so a replay is exact (JOB-4)."""
        if start == end:
            return []
        before, after = self._restored(start), self._restored(end)
        name = self._options.name or after.source
        partitions = self._said_watermark.put_into(
            self._partitions(name, before, after), after, lambda: self._without_records(name, after)
        )
        if self._recorder is not None:
            self._recorder.write(start, end)
        self._unlogged = None
        self._promise()
        return partitions

    def reportLatestOffset(self) -> dict[str, Any] | None:
        """Return what the progress of the query shows as `latestOffset`: how the source stands.

        That is what `standing.shown` says of its splits, and `GroupMember.status` of its group, if there is a
        coordination service. None before the first planning.
        """
        if not self._recent:
            return None
        offset = self._recent[-1][1]
        standing = shown(self._standings(offset), self._moment(offset, offset.now))
        standing.update(self._said_watermark.shown(offset))
        return standing if self._member is None else {**standing, **self._member.status()}

    def commit(self, end: dict[str, Any]) -> None:
        """Nothing is kept for batches that were read; but a batch was, so the identity is in the log.

        All sources of the query have planned the batch after that one.
        """
        self._unlogged = None
        self._promise()

    def stop(self) -> None:
        """Leave the group if the identity dies here, before it was logged; nobody should wait for it.

        Otherwise the last report stays: a restart goes on from there.
        """
        alignment = self._options.alignment
        if self._unlogged is not None and alignment is not None and alignment.coordinator is not None:
            with contextlib.suppress(CoordinatorError):
                leave_group(str(alignment.coordinator), alignment.group, self._unlogged)

    def _said_again(self, start: dict[str, Any], offset: AnyOffset) -> dict[str, Any]:
        """Return `start`, or an offset of which the batch says nothing but the watermark."""
        if not self._said_watermark.due(offset):
            return start
        return self._stored(start, offset.at(max(self._now(offset), offset.now + 1)))

    def _restored(self, stored: dict[str, Any]) -> AnyOffset:
        """Return a stored offset; the latest are known. Raises `IllegalOffsetError` as `_parsed` does."""
        for known, offset in self._recent:
            if known == stored:
                return offset
        offset = self._parsed(stored)
        self._recent.append((stored, offset))
        return offset

    def _stored(self, start: dict[str, Any], offset: AnyOffset) -> dict[str, Any]:
        stored = offset.to_json()
        if self._recorder is None:
            stored = paused(start, stored)
        else:
            stored = self._recorder.extended(start, stored, self._exchanged, self._run_out)
        self._recent.append((stored, offset))
        return stored

    def _new_recorder(self) -> SourceRecorder | None:
        options = self._options
        if options.event_log is None:
            return None
        group = None if options.alignment is None else options.alignment.group
        job = options.event_log_job or group
        return SourceRecorder(options.event_log, job, options.name, self._recorded)

    def _now(self, offset: AnyOffset) -> int:
        """Return the processing time by the clock on the wall (ms); it stands still if that is put back."""
        return max(offset.now, self._wall_clock() - offset.started_at)

    def _most_rows(self, offset: AnyOffset, limit: ReadLimit) -> int | None:
        """Return the most rows of the next batch: those of the read limit, None if it is no limit, or more
        while there is a backlog."""
        most_rows = _most_rows(limit)
        signals = self._options.signals
        if most_rows is None or signals is None or not offset.signals.in_backlog:
            return most_rows
        return signals.rows_per_batch_in_backlog or most_rows

    def _moment(self, offset: AnyOffset, now: int) -> int:
        """Return the processing time (ms) that event times are compared with: the virtual clock as it is, the
        one on the wall since 1970."""
        return now if self._options.clock_step is not None else offset.started_at + now

    def _signals(
        self,
        before: PlannedSignals,
        moment: int,
        looked_at: int,
        splits: Mapping[str, SplitMoment],
        ended: bool,
    ) -> PlannedSignals:
        """Return what a planning says in band: see `SourceSignals.planned`.

        Raises `IllegalOffsetError` if the checkpoint has another form of what was said before.
        """
        options = self._options.signals
        assert options is not None
        settings = (options.idle_timeout, options.watermark_lag_threshold)
        if before.state is None:
            signals = SourceSignals(self._options.subtasks, *settings)
        else:
            try:
                signals = SourceSignals.restored(before.state, *settings)
            except ValueError as error:
                raise IllegalOffsetError(
                    f"the checkpoint has an offset with {error}: start with a new checkpoint folder, or with "
                    "the tidegauge_spark that wrote it"
                ) from error
        said = signals.planned(moment, looked_at, splits, ended)
        others = self._minimum_in_query()
        if others is not None:
            signals.follow(others)
        return PlannedSignals(said, signals.state())

    def _signalled(self, before: PlannedSignals, after: PlannedSignals) -> bool:
        """Return whether something is said, or a clock was stopped or goes on."""
        said = bool(after.said) or self._said_watermark.rises(before, after)
        return said or after.blocked_splits != before.blocked_splits

    def _minimum_in_query(self) -> int | None:
        """Return how far the sources of this query are that do not wait (ms), None if nobody knows.

        Sources of other queries that are in the group can only make it less.
        """
        alignment = self._options.alignment
        if self._options.idle_timeout is None or alignment is None or alignment.sources_in_query == 1:
            return None
        known = None if self._member is None else self._member.known
        if known is None or known.minimum in (MIN, MAX):
            return None
        return known.minimum

    def _in_band(self, signals: PlannedSignals, subtask: int) -> list[BacklogOutput]:
        """Return what a subtask says in rows."""
        options = self._options.signals
        return signals.said.get(subtask, []) if options is not None and options.in_band else []

    def _announcement(self, standing: SourceStanding, now: int) -> GroupMinimum | None:
        """Return what the group was found to be, at most an update interval ago; None without alignment."""
        alignment = self._options.alignment
        if self._announced is not None and alignment is not None:
            at, announced = self._announced
            if now - at < alignment.update_interval:
                return announced
        group = self._group_minimum(standing)
        self._announced = None if group is None or not group.complete else (now, group)
        return group

    @property
    def _together(self) -> bool:
        """Whether the bound rises while a batch is planned: no interval was set for which it stands."""
        return self._options.alignment is not None and self._options.alignment.update_interval == 0

    @property
    def _has_companions(self) -> bool:
        """Whether other sources of the group are in this query, and plan their batches with it."""
        alignment = self._options.alignment
        return self._together and alignment is not None and alignment.sources_in_query > 1

    def _promise(self) -> None:
        """Tell the others how far the next batch will bring this source, if nobody holds it back.

        Spark asks the sources of a query one after the other how far to read, so none of them knows what the
        others are about to read. It is time for this when all have answered: what each says then is about
        the same batch. What a source in another query says would be about another batch, which may come
        much later.
        """
        if self._member is None or not self._has_companions or self._limit is None or not self._recent:
            return
        offset, limit = self._recent[-1][1], self._limit
        self._limit = None
        self._member.promise(self._reach(offset, offset.now, self._most_rows(offset, limit)))

    def _told(self, standing: SourceStanding) -> bool:
        """Tell the group how the source stands; return whether it has heard it, if there is a service."""
        self._group_minimum(standing)
        return self._member is None or self._member.gone_for == 0

    def _group_minimum(self, standing: SourceStanding) -> GroupMinimum | None:
        """Report the minimum of this source; return the group's (ALIGN-2), None if there is no alignment."""
        alignment = self._options.alignment
        if alignment is None:
            return None
        if alignment.coordinator is None:
            self._exchanged = standing.reports
            return GroupMinimum(True, standing.minimum, MAX if self._together else None)
        if self._member is None:
            self._member = GroupMember(
                alignment.coordinator, alignment.group, standing.source, alignment.patience
            )
        answer = self._member.report(standing.minimum)
        if answer is None:
            return GroupMinimum(complete=False, watermark=None)
        nobody = answer.minimum in (MIN, MAX)
        complete = answer.joined >= alignment.sources_in_group
        self._exchanged = standing.reports if complete else ()
        return GroupMinimum(complete, None if nobody else answer.minimum, self._reach_of_others(answer))

    def _reach_of_others(self, answer: GroupReport) -> int | None:
        """Return how far all others of the group are when this batch is read (ms), `MAX` if there are none,
        None: nobody knows, as of sources in other queries, whose batches come at other times."""
        alignment = self._options.alignment
        if alignment is None or not self._together:
            return None
        if answer.joined == 1:
            return MAX
        return answer.reach if answer.joined <= alignment.sources_in_query else None


def _most_rows(limit: ReadLimit) -> int | None:
    """Return the most rows that a read limit allows, None if it is no limit."""
    if isinstance(limit, ReadAllAvailable):
        return None
    if isinstance(limit, ReadMaxRows):
        return limit.max_rows
    raise ValueError(
        f"this source counts rows, it cannot follow the read limit {limit}; use maxRowsPerTrigger"
    )
