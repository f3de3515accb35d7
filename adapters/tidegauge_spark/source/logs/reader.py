"""The aligned source over a log, as Spark calls it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from tidegauge_spark.source.logs.offset import LogOffset
from tidegauge_spark.source.logs.position import LogPosition
from tidegauge_spark.source.logs.reading import KnownTimes, LogReading
from tidegauge_spark.source.logs.rows import log_rows
from tidegauge_spark.source.logs.split_log import LostRecordsError, SplitLog, SplitRange
from tidegauge_spark.source.options.logs import LogOptions
from tidegauge_spark.source.options.source import SourceOptions
from tidegauge_spark.source.planning.future_guard import FutureGuard
from tidegauge_spark.source.planning.progress_rows import SplitsPartition
from tidegauge_spark.source.planning.splits_planning import PlannedSplit, SplitsPlanning, assigned
from tidegauge_spark.source.planning.splits_reader import SplitsReader

LogPlanning = SplitsPlanning[LogOffset, LogReading]


class AlignedLogReader(SplitsReader[LogOffset, LogReading]):
    """The reader of a log: the driver plans by event times, the executors read the records."""

    def __init__(
        self,
        options: SourceOptions,
        log: SplitLog,
        wall_clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """options: the options of the source, including those of a log."""
        super().__init__(options, wall_clock, sleep)
        assert options.log is not None
        self._log_options, self._log = options.log, log
        self._known = KnownTimes(log, FutureGuard(options.log.future, wall_clock))
        self._last: Mapping[str, SplitRange] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only what executors need to read."""
        return AlignedLogReader, (self._options, self._log)

    def prepareForTriggerAvailableNow(self) -> None:
        """Read the records that exist now: the query ends when they are read and, with an idle timeout, when
        every split without further records is idle."""
        super().prepareForTriggerAvailableNow()
        self._last = self._log.splits()

    def _initial(self, identity: str, started_at: int) -> LogOffset:
        offset = LogOffset.initial(self._log.identity, self._log_options.subtasks, identity, started_at)
        offset = offset.of_generations(self._log.generations())
        starts = self._log.starts()
        return replace(
            offset, splits=assigned(offset, starts, lambda split, to: LogPosition(to, starts[split]))
        )

    def _parsed(self, stored: dict[str, Any]) -> LogOffset:
        in_band = self._options.signals is not None and self._options.signals.in_band
        offset = LogOffset.from_json(stored)
        return offset.continued(self._log.identity, self._log_options.subtasks, in_band)

    @property
    def _reads(self) -> LogOptions:
        return self._log_options

    def _from_json(self, stored: dict[str, Any]) -> LogOffset:
        return LogOffset.from_json(stored)

    def _planned(self, offset: LogOffset, now: int, most_rows: int | None) -> LogOffset:
        offset = offset.of_generations(self._log.generations())
        planning = self._planning(offset, now)
        group = self._announcement(self._standing(offset, planning), now)
        if not self._may_read(group):
            return offset.at(now)
        ended = self._log.ended() and planning.has_splits
        return self._planned_by(planning, offset, now, group, most_rows, looked_at=now, ended=ended)

    def _progressed(self, offset: LogOffset, planned: LogOffset) -> bool:
        first_look = planned.signals.state is not None and offset.signals.state is None
        return (
            first_look or planned.splits != offset.splits or self._signalled(offset.signals, planned.signals)
        )

    def _may_be_over(self, offset: LogOffset) -> bool:
        return self._last is not None

    def _planning(self, offset: LogOffset, now: int) -> LogPlanning:
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
        """Return the position of a split among the present records.

        Raises `LostRecordsError` if unread records have vanished, unless data loss is allowed.
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

    def _rows_of(self, partition: SplitsPartition[Any]) -> Iterator[Any]:
        options = self._log_options
        return log_rows(self._log, partition, options.added, options.fail_on_data_loss)

    def stop(self) -> None:
        """Leave the group, and close the log."""
        super().stop()
        self._log.close()
