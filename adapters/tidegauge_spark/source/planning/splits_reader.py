"""The coordinator of a source over splits of records: the common part of sources over files and other
logs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Generic

from pyspark.sql.datasource import InputPartition

from tidegauge_spark.decisions.sources.bounds import GroupMinimum
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.planning.alignment.watch import Extent
from tidegauge_spark.source.planning.group import SourceStanding
from tidegauge_spark.source.planning.progress_rows import SplitsPartition
from tidegauge_spark.source.planning.reader import AlignedReader
from tidegauge_spark.source.planning.recording.recorded_rows import RecordedSource
from tidegauge_spark.source.planning.recording.recorded_splits import recorded
from tidegauge_spark.source.planning.splits_planning import (
    AnyOffset,
    AnyReading,
    PlanningOptions,
    SplitsPlanning,
)
from tidegauge_spark.source.planning.standing import SplitStanding
from tidegauge_spark.worker_process import spare_collections


class SplitsReader(AlignedReader[AnyOffset], Generic[AnyOffset, AnyReading]):
    """The source coordinator of splits; a derived class knows the records to read."""

    @property
    @abstractmethod
    def _reads(self) -> PlanningOptions:
        """The options that a planning requires."""

    @abstractmethod
    def _from_json(self, stored: dict[str, Any]) -> AnyOffset:
        """Return a stored offset, whatever the options are now. Raises `IllegalOffsetError`."""

    @abstractmethod
    def _planning(self, offset: AnyOffset, now: int) -> SplitsPlanning[AnyOffset, AnyReading]:
        """Return a planning of the splits that exist at a processing time (ms since the source started);
        under AvailableNow, of those at the beginning of the run."""

    @abstractmethod
    def _may_be_over(self, offset: AnyOffset) -> bool:
        """Return whether a run under AvailableNow may have read all records that existed at its beginning."""

    @abstractmethod
    def _rows_of(self, partition: SplitsPartition[Any]) -> Iterator[Any]:
        """Yield the rows of a partition as Arrow record batches, in an executor."""

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the rows of a partition: see `FilesRows.read` and `log_rows`."""
        assert isinstance(partition, SplitsPartition)
        spare_collections()
        return self._rows_of(partition)

    def _recorded(self, stored: dict[str, Any]) -> RecordedSource:
        offset = self._from_json(stored)
        return recorded(offset, self._moment(offset, offset.now), self._reads.max_out_of_orderness)

    def _standing(self, offset: AnyOffset, planning: SplitsPlanning[AnyOffset, AnyReading]) -> SourceStanding:
        """Return the standing of the source before a planning reads anything."""
        return SourceStanding.of(offset.source, () if self._options.alignment is None else planning.reports)

    def _may_read(self, group: GroupMinimum | None) -> bool:
        """Return whether the group is complete, if there is one."""
        return self._options.alignment is None or (group is not None and group.complete)

    def _planned_by(
        self,
        planning: SplitsPlanning[AnyOffset, AnyReading],
        offset: AnyOffset,
        now: int,
        group: GroupMinimum | None,
        most_rows: int | None,
        *,
        looked_at: int,
        ended: bool,
    ) -> AnyOffset:
        """Return how far a planning reads, with its signals.

        looked_at: the processing time at which the splits were last listed (ms). ended: no other splits will
        come.
        """
        planned = planning.planned(now, group, most_rows)
        self._run_out = planning.run_out
        self._blocked = tuple(planning.blocked)
        if self._options.signals is None:
            return planned
        splits = planning.moments(offset)
        all_ended = ended and all(split.finished for split in splits.values())
        signals = self._signals(offset.signals, self._moment(offset, now), looked_at, splits, all_ended)
        signals = signals.with_late(planning.late)
        assert signals.state is not None
        return replace(planned, signals=signals, watermarks=tuple(signals.state["emitted"]))

    def _reach(self, offset: AnyOffset, now: int, most_rows: int | None) -> int | None:
        planning = self._planning(offset, now)
        planning.planned(now, GroupMinimum(complete=True, watermark=None, reach=MAX), most_rows)
        return planning.minimum

    def _standings(self, offset: AnyOffset) -> Iterator[SplitStanding]:
        idle = offset.signals.idle_splits
        for name, position in offset.splits.items():
            if not position.finished and name not in idle:
                yield SplitStanding(name, position.watermark(self._reads.max_out_of_orderness))

    def _extent(self, offset: AnyOffset) -> Extent:
        positions = offset.splits.values()
        latest = max((position.latest for position in positions), default=MIN)
        return Extent(sum(position.records for position in positions), latest)

    def _finished(self, offset: AnyOffset) -> bool:
        if not offset.ended and not (self._may_be_over(offset) and self._is_over(offset)):
            return False
        return self._told(SourceStanding(offset.source, None))  # the others need to know (ALIGN-5)

    def _is_over(self, offset: AnyOffset) -> bool:
        """Return whether nothing is left to plan, and no split can become idle any more."""
        planning = self._planning(offset, offset.now)
        if not planning.exhausted:
            return False
        planned = planning.planned(offset.now, None, 0)
        if self._options.added.watermark is not None:  # each batch carries the watermark: none is left over
            planned = replace(planned, signals=planned.signals.silent())
        if self._progressed(offset, planned):
            return False
        return self._options.idle_timeout is None or planning.settled

    def _without_records(self, name: str, after: AnyOffset) -> SplitsPartition[Any]:
        return SplitsPartition(name, 0, after.now)

    def _partitions(self, name: str, before: AnyOffset, after: AnyOffset) -> list[SplitsPartition[Any]]:
        after.check_follows(before)
        partitions: list[SplitsPartition[Any]] = [
            SplitsPartition(
                name,
                subtask,
                after.now,
                said=self._in_band(after.signals, subtask),
                backlog=before.signals.backlog(subtask),
            )
            for subtask in range(len(after.watermarks))
        ]
        for split, slices in after.slices.items():
            partitions[after.splits[split].subtask].slices += [(split, each) for each in slices]
        return [each for each in partitions if each.slices or each.said]
