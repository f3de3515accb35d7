"""The aligned source over folders of files, as Spark calls it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from pyspark.sql.datasource import InputPartition
from pyspark.sql.types import StructType

from tidegauge_spark.decisions.sources.bounds import GroupMinimum
from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.source.files.event_time_index import EventTimeIndex
from tidegauge_spark.source.files.log_files import LogFolder, SplitFiles
from tidegauge_spark.source.files.offset import FilesOffset
from tidegauge_spark.source.files.planner import PlannedSplit, SplitsPlanning, assigned
from tidegauge_spark.source.files.position import FilePosition
from tidegauge_spark.source.files.rows import FilesPartition, FilesRows
from tidegauge_spark.source.files.schema import FORMATS, checked_schema, event_time_column
from tidegauge_spark.source.files.split_discovery import SplitDiscovery, Splits, position_in, vanished
from tidegauge_spark.source.files.split_reading import SplitReading
from tidegauge_spark.source.options.source import SourceOptions
from tidegauge_spark.source.planning.reader import AlignedReader, SourceStanding
from tidegauge_spark.source.planning.recorded_rows import RecordedSource
from tidegauge_spark.source.planning.recorded_splits import recorded
from tidegauge_spark.source.planning.standing import SplitStanding

_NO_FILES: Final = SplitFiles((), (), True)


FilesPlanning = SplitsPlanning[FilesOffset, SplitReading]


class PlannedInVain(NamedTuple):
    """A planning that brought nothing, and so will not as long as nothing about it is different."""

    offset: FilesOffset
    found: Splits
    standing: SourceStanding
    group: GroupMinimum | None

    def holds(self, offset: FilesOffset, found: Splits) -> bool:
        """Return whether offset and files are still these; by identity, they are never changed."""
        return self.offset is offset and self.found is found


class AlignedFilesReader(AlignedReader[FilesOffset]):
    """The reader of folders of files: the driver plans, by the event times; the executors read the rows."""

    def __init__(
        self,
        options: SourceOptions,
        schema: StructType,
        wall_clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """schema: the columns that the rows have in Spark. Raises `IllegalOptionError` if they do not fit."""
        super().__init__(options, wall_clock, sleep)
        assert options.files is not None
        self._files = options.files
        self._schema = schema
        arrow = checked_schema(self._files, schema)
        self._folder = LogFolder(self._files.path)
        self._rows = FilesRows(self._files, self._folder, arrow)
        self._index = EventTimeIndex(
            self._folder,
            FORMATS[self._files.format](),
            event_time_column(self._files, arrow),
            self._files.fail_on_invalid_timestamp,
            in_background=options.clock_step is None,
        )
        self._discovery = SplitDiscovery(
            self._folder.list, self._files.discovery_interval, in_background=options.clock_step is None
        )
        self._in_vain: PlannedInVain | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Executors need only what it takes to read."""
        return AlignedFilesReader, (self._options, self._schema)

    def prepareForTriggerAvailableNow(self) -> None:
        """Read the files that are there now: the query ends when these are read, and, with an idle timeout,
        when no split is waited for that has nothing more."""
        super().prepareForTriggerAvailableNow()
        self._discovery.freeze()

    def _initial(self, identity: str, started_at: int) -> FilesOffset:
        return FilesOffset.initial(self._files, identity, started_at)

    def _parsed(self, stored: dict[str, Any]) -> FilesOffset:
        in_band = self._options.signals is not None and self._options.signals.in_band
        return FilesOffset.from_json(stored).continued(self._files, in_band)

    def _recorded(self, stored: dict[str, Any]) -> RecordedSource:
        offset = FilesOffset.from_json(stored)
        return recorded(offset, self._moment(offset, offset.now), self._files.max_out_of_orderness)

    def _planned(self, offset: FilesOffset, now: int, most_rows: int | None) -> FilesOffset:
        found = self._discovery.splits(now)
        if self._in_vain is not None and self._in_vain.holds(offset, found):
            if self._announcement(self._in_vain.standing, now) == self._in_vain.group:
                return offset.at(now)
            self._in_vain = None
        self._index.splits = max(1, len(found))
        planning = self._planning(offset, found)
        alignment = self._options.alignment
        standing = SourceStanding.of(offset.source, () if alignment is None else planning.reports)
        group = self._announcement(standing, now)
        if alignment is not None and (group is None or not group.complete):
            return offset.at(now)
        planned = planning.planned(now, group, most_rows)
        self._run_out = planning.run_out
        if self._options.signals is not None:
            planned = self._with_signals(offset, planned, planning, found)
        if self._progressed(offset, planned):
            self._index.read_ahead(planning.readings)
        else:
            self._in_vain = PlannedInVain(offset, found, standing, group)
        return planned

    def _reach(self, offset: FilesOffset, now: int, most_rows: int | None) -> int | None:
        planning = self._planning(offset, self._discovery.splits(now))
        planning.planned(now, GroupMinimum(complete=True, watermark=None, reach=MAX), most_rows)
        return planning.minimum

    def _with_signals(
        self, offset: FilesOffset, planned: FilesOffset, planning: FilesPlanning, found: Splits
    ) -> FilesOffset:
        splits = planning.moments(offset)
        ended = found.ended and all(split.finished for split in splits.values())
        moment = self._moment(offset, planned.now)
        signals = self._signals(offset.signals, moment, self._discovery.looked_at, splits, ended)
        assert signals.state is not None
        return replace(planned, signals=signals, watermarks=tuple(signals.state["emitted"]))

    def _progressed(self, offset: FilesOffset, planned: FilesOffset) -> bool:
        if self._signalled(offset.signals, planned.signals):
            return True
        return bool(planned.slices) or any(
            position._replace(behind=0)
            != offset.splits.get(split, FilePosition(position.subtask))._replace(behind=0)
            for split, position in planned.splits.items()
        )

    def _standings(self, offset: FilesOffset) -> Iterator[SplitStanding]:
        idle = offset.signals.idle_splits
        for name, position in offset.splits.items():
            if not position.finished and name not in idle:
                yield SplitStanding(name, position.watermark(self._files.max_out_of_orderness))

    def _finished(self, offset: FilesOffset) -> bool:
        if offset.ended:
            return self._told(SourceStanding(offset.source, None))
        if not self._available_now or not all(position.whole for position in offset.splits.values()):
            return False
        planning = self._planning(offset, self._discovery.splits(offset.now))
        if not planning.exhausted or self._progressed(offset, planning.planned(offset.now, None, 0)):
            return False
        if self._options.idle_timeout is not None and not planning.settled:
            return False
        return self._told(SourceStanding(offset.source, None))  # the others need to know (ALIGN-5)

    def _planning(self, offset: FilesOffset, found: Splits) -> FilesPlanning:
        """Return a planning of the splits that there are; what is finished and removed is forgotten."""
        idle = offset.signals.idle_splits
        splits = {
            split: self._split(
                split, position, found.get(split), idle=split in idle, grown=split in found.grown
            )
            for split, position in assigned(
                offset, found, lambda _split, subtask: FilePosition(subtask)
            ).items()
            if split in found or not (position.finished and self._files.fail_on_data_loss)
        }
        return SplitsPlanning(self._files, self._options.alignment, offset, splits, self._available_now)

    def _split(
        self, split: str, position: FilePosition, files: SplitFiles | None, *, idle: bool, grown: bool
    ) -> PlannedSplit[SplitReading]:
        if files is None:
            if self._files.fail_on_data_loss:
                raise vanished(self._folder, split)
            files, position = _NO_FILES, position._replace(whole=True)
        else:
            position = position_in(self._folder, split, position, files, self._files.fail_on_data_loss)
        load = partial(self._index.block, split)
        reading = SplitReading(position, files, load, skip_lost=not self._files.fail_on_data_loss)
        if self._files.starting_timestamp is not None and not position.records:
            reading.skip_before(self._files.starting_timestamp)
        return PlannedSplit(reading, files.finished, files.paused, idle, grown)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[FilesPartition]:
        """Return the rows that the end lists: nothing else counts, so a replay is exact (JOB-4)."""
        if start == end:
            return []
        before, after = self._restored(start), self._restored(end)
        after.check_follows(before)
        self._record(start, end)
        self._unlogged = None
        self._promise()
        name = self._options.name or after.source
        partitions: dict[int, FilesPartition] = {}
        for split, slices in after.slices.items():
            subtask = after.splits[split].subtask
            if subtask not in partitions:
                partitions[subtask] = self._partition(name, subtask, before, after)
            partitions[subtask].slices += [(split, each) for each in slices]
        for subtask in after.signals.said:
            if subtask not in partitions and self._in_band(after.signals, subtask):
                partitions[subtask] = self._partition(name, subtask, before, after)
        return [partitions[subtask] for subtask in sorted(partitions)]

    def _partition(self, name: str, subtask: int, before: FilesOffset, after: FilesOffset) -> FilesPartition:
        """Return a partition without rows."""
        return FilesPartition(
            name,
            subtask,
            after.now,
            said=self._in_band(after.signals, subtask),
            backlog=before.signals.backlog(subtask),
        )

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the rows of a partition: see `FilesRows.read`."""
        assert isinstance(partition, FilesPartition)
        return self._rows.read(partition)

    def stop(self) -> None:
        """Stop to look for files."""
        self._discovery.stop()
        self._index.stop()
        super().stop()
