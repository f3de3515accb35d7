"""The aligned source over number sequences, as Spark calls it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pyspark.sql.datasource import InputPartition

from tidegauge_spark.decisions.sources.bounds import GroupMinimum
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.numbers.offset import SourceOffset
from tidegauge_spark.source.numbers.planner import blocked, late_numbers, minimum, moments, plan, reports
from tidegauge_spark.source.numbers.recorded import recorded
from tidegauge_spark.source.numbers.rows import SubtaskPartition, sequence_rows
from tidegauge_spark.source.planning.alignment.watch import Extent
from tidegauge_spark.source.planning.group import SourceStanding
from tidegauge_spark.source.planning.late_rows import LateRows
from tidegauge_spark.source.planning.reader import AlignedReader
from tidegauge_spark.source.planning.recording.recorded_rows import RecordedSource
from tidegauge_spark.source.planning.standing import SplitStanding


class AlignedSourceReader(AlignedReader[SourceOffset]):
    """The reader of number sequences: the driver plans, the executors create the numbers."""

    def _initial(self, identity: str, started_at: int) -> SourceOffset:
        return SourceOffset.initial(self._options.sequences, identity, started_at)

    def _parsed(self, stored: dict[str, Any]) -> SourceOffset:
        offset = SourceOffset.from_json(stored)
        offset.check(self._options.sequences)
        return offset

    def _recorded(self, stored: dict[str, Any]) -> RecordedSource:
        offset = SourceOffset.from_json(stored)
        return recorded(offset, self._moment(offset, offset.now))

    def _planned(self, offset: SourceOffset, now: int, most_rows: int | None) -> SourceOffset:
        standing = SourceStanding.of(offset.source, reports(offset, self._options.sequences, now))
        planned = plan(self._options, offset, now, self._announcement(standing, now), most_rows)
        self._blocked = tuple(blocked(self._options, planned, now))
        if self._options.signals is None:
            return planned
        splits = moments(offset, planned, self._options.sequences)
        signals = self._signals(offset.signals, self._moment(offset, now), now, splits, planned.finished)
        late = late_numbers(offset, planned, offset.signals.late_until)
        return replace(planned, signals=signals.with_late(LateRows(late)))

    def _reach(self, offset: SourceOffset, now: int, most_rows: int | None) -> int | None:
        alone = GroupMinimum(complete=True, watermark=None, reach=MAX)
        reached = plan(self._options, offset, now, alone, most_rows)
        return minimum(reached, self._options.sequences, now)

    def _progressed(self, offset: SourceOffset, planned: SourceOffset) -> bool:
        return planned.subtasks != offset.subtasks or self._signalled(offset.signals, planned.signals)

    def _standings(self, offset: SourceOffset) -> Iterator[SplitStanding]:
        idle = offset.signals.idle_splits
        for index, subtask in enumerate(offset.subtasks):
            if not subtask.finished and str(index) not in idle:
                yield SplitStanding(str(index), subtask.watermark if subtask.records else MIN)

    def _extent(self, offset: SourceOffset) -> Extent:
        latest = max((subtask.next - 1 for subtask in offset.subtasks if subtask.records), default=MIN)
        return Extent(sum(subtask.records for subtask in offset.subtasks), latest)

    def _finished(self, offset: SourceOffset) -> bool:
        # The other sources need this report (ALIGN-5).
        return offset.finished and self._told(SourceStanding(offset.source, None))

    def _partitions(self, name: str, before: SourceOffset, after: SourceOffset) -> list[SubtaskPartition]:
        return [
            SubtaskPartition(
                name,
                index,
                after.now,
                old.next,
                new.next - 1,
                said=self._in_band(after.signals, index),
                backlog=before.signals.backlog(index),
            )
            for index, (old, new) in enumerate(zip(before.subtasks, after.subtasks, strict=True))
            if new.next > old.next or self._in_band(after.signals, index)
        ]

    def _without_records(self, name: str, after: SourceOffset) -> SubtaskPartition:
        return SubtaskPartition(name, 0, after.now, first=0, last=-1)

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the rows of a partition: see `sequence_rows`."""
        assert isinstance(partition, SubtaskPartition)
        return sequence_rows(partition, self._options.added)
