"""The aligned source over a log, as Spark calls it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from pyspark.sql.datasource import InputPartition

from tidegauge_spark.decisions.sources.bounds import GroupMinimum
from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.source.files.planner import PlannedSplit, SplitsPlanning, assigned
from tidegauge_spark.source.logs.offset import LogOffset
from tidegauge_spark.source.logs.position import LogPosition
from tidegauge_spark.source.logs.reading import KnownTimes, LogReading
from tidegauge_spark.source.logs.rows import LogPartition, log_rows
from tidegauge_spark.source.logs.split_log import LostRecordsError, SplitLog, SplitRange
from tidegauge_spark.source.options.source import SourceOptions
from tidegauge_spark.source.planning.reader import AlignedReader, SourceStanding
from tidegauge_spark.source.planning.recorded_rows import RecordedSource
from tidegauge_spark.source.planning.recorded_splits import recorded
from tidegauge_spark.source.planning.standing import SplitStanding

LogPlanning = SplitsPlanning[LogOffset, LogReading]


class AlignedLogReader(AlignedReader[LogOffset]):
    """The reader of a log: the driver plans, by the event times; the executors read the records."""

    def __init__(
        self,
        options: SourceOptions,
        log: SplitLog,
        wall_clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """options: those of the source, with some of a log."""
        super().__init__(options, wall_clock, sleep)
        assert options.log is not None
        self._log_options, self._log = options.log, log
        self._known = KnownTimes(log)
        self._last: Mapping[str, SplitRange] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Executors need only what it takes to read."""
        return AlignedLogReader, (self._options, self._log)

    def prepareForTriggerAvailableNow(self) -> None:
        """Read what is there now: the query ends when that is read, and, with an idle timeout, when no split
        is waited for that has nothing more."""
        super().prepareForTriggerAvailableNow()
        self._last = self._log.splits()

    def _initial(self, identity: str, started_at: int) -> LogOffset:
        offset = LogOffset.initial(self._log.identity, self._log_options.subtasks, identity, started_at)
        starts = self._log.starts()
        return replace(
            offset, splits=assigned(offset, starts, lambda split, to: LogPosition(to, starts[split]))
        )

    def _parsed(self, stored: dict[str, Any]) -> LogOffset:
        in_band = self._options.signals is not None and self._options.signals.in_band
        offset = LogOffset.from_json(stored)
        return offset.continued(self._log.identity, self._log_options.subtasks, in_band)

    def _recorded(self, stored: dict[str, Any]) -> RecordedSource:
        offset = LogOffset.from_json(stored)
        return recorded(offset, self._moment(offset, offset.now), self._log_options.max_out_of_orderness)

    def _planned(self, offset: LogOffset, now: int, most_rows: int | None) -> LogOffset:
        planning = self._planning(offset)
        alignment = self._options.alignment
        standing = SourceStanding.of(offset.source, () if alignment is None else planning.reports)
        group = self._announcement(standing, now)
        if alignment is not None and (group is None or not group.complete):
            return offset.at(now)
        planned = planning.planned(now, group, most_rows)
        self._run_out = planning.run_out
        if self._options.signals is None:
            return planned
        splits = planning.moments(offset)
        ended = self._log.ended() and bool(splits) and all(split.finished for split in splits.values())
        signals = self._signals(offset.signals, self._moment(offset, now), now, splits, ended)
        assert signals.state is not None
        return replace(planned, signals=signals, watermarks=tuple(signals.state["emitted"]))

    def _reach(self, offset: LogOffset, now: int, most_rows: int | None) -> int | None:
        planning = self._planning(offset)
        planning.planned(now, GroupMinimum(complete=True, watermark=None, reach=MAX), most_rows)
        return planning.minimum

    def _progressed(self, offset: LogOffset, planned: LogOffset) -> bool:
        first_look = planned.signals.state is not None and offset.signals.state is None
        return (
            first_look or planned.splits != offset.splits or self._signalled(offset.signals, planned.signals)
        )

    def _standings(self, offset: LogOffset) -> Iterator[SplitStanding]:
        idle = offset.signals.idle_splits
        for name, position in offset.splits.items():
            if not position.finished and name not in idle:
                yield SplitStanding(name, position.watermark(self._log_options.max_out_of_orderness))

    def _finished(self, offset: LogOffset) -> bool:
        if offset.ended:
            return self._told(SourceStanding(offset.source, None))
        if self._last is None:
            return False
        planning = self._planning(offset)
        if not planning.exhausted or self._progressed(offset, planning.planned(offset.now, None, 0)):
            return False
        if self._options.idle_timeout is not None and not planning.settled:
            return False
        return self._told(SourceStanding(offset.source, None))  # the others need to know (ALIGN-5)

    def _planning(self, offset: LogOffset) -> LogPlanning:
        """Return a planning of the splits that there are; under AvailableNow, of those at its beginning."""
        found = self._log.splits()
        ranges = found if self._last is None else self._last
        idle = offset.signals.idle_splits
        positions = assigned(offset, ranges, lambda split, subtask: LogPosition(subtask, ranges[split].begin))
        splits = {}
        for split, position in positions.items():
            present = found.get(split)
            if present is None and position.finished:
                continue
            here = self._checked(split, position, present)
            nothing = SplitRange(here.next, here.next)
            range_ = nothing if present is None else ranges.get(split, nothing)
            grown = present is not None and range_.end < present.end
            reading = LogReading(split, here, range_, self._known)
            splits[split] = PlannedSplit(
                reading, present is None or range_.complete, idle=split in idle, grown=grown
            )
        return SplitsPlanning(
            self._log_options, self._options.alignment, offset, splits, self._last is not None
        )

    def _checked(self, split: str, position: LogPosition, range_: SplitRange | None) -> LogPosition:
        """Return where a split stands among the records that are there now.

        Raises `LostRecordsError` if records are gone that were not read, unless that may be.
        """
        fails = self._log_options.fail_on_data_loss
        remedy = "bring them back, or set failOnDataLoss to false to go on without them"
        if range_ is None:
            if fails:
                raise LostRecordsError(f"the split {split!r} of {self._log.identity} has vanished; {remedy}")
            return position
        if range_.end < position.next:
            raise LostRecordsError(
                f"the split {split!r} of {self._log.identity} ends at {range_.end}, and is read up to "
                f"{position.next}: it is another one than before; start with a new checkpoint folder"
            )
        if position.next >= range_.begin:
            return position
        if fails:
            raise LostRecordsError(
                f"the records {position.next} to {range_.begin - 1} of the split {split!r} of "
                f"{self._log.identity} have vanished before they were read; {remedy}"
            )
        return position._replace(next=range_.begin)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[LogPartition]:
        """Return the records that the end lists: nothing else counts, so a replay is exact (JOB-4)."""
        if start == end:
            return []
        before, after = self._restored(start), self._restored(end)
        after.check_follows(before)
        self._record(start, end)
        self._unlogged = None
        self._promise()
        name = self._options.name or after.source
        partitions = {
            subtask: LogPartition(
                name,
                subtask,
                after.now,
                said=self._in_band(after.signals, subtask),
                backlog=before.signals.backlog(subtask),
            )
            for subtask in range(self._log_options.subtasks)
        }
        for split, slices in after.slices.items():
            partitions[after.splits[split].subtask].slices += [(split, each) for each in slices]
        return [each for each in partitions.values() if each.slices or each.said]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the rows of a partition: see `log_rows`."""
        assert isinstance(partition, LogPartition)
        column, fails = self._log_options.progress_column, self._log_options.fail_on_data_loss
        return log_rows(self._log, partition, column, fails)

    def stop(self) -> None:
        """Leave the group, and let go of the log."""
        super().stop()
        self._log.close()
