"""The aligned source over folders of files, as Spark calls it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple

from pyspark.sql.types import StructType

from tidegauge_spark.decisions.sources.bounds import GroupMinimum
from tidegauge_spark.source.files.event_time_index import EventTimeIndex
from tidegauge_spark.source.files.folder.listing import Listing, SplitFiles
from tidegauge_spark.source.files.folder.log_files import LogFolder
from tidegauge_spark.source.files.folder.split_discovery import SplitDiscovery
from tidegauge_spark.source.files.offset import FilesOffset
from tidegauge_spark.source.files.position import FilePosition
from tidegauge_spark.source.files.read_already import (
    check_moved,
    check_unchanged,
    position_in,
    vanished,
    vanished_unread,
)
from tidegauge_spark.source.files.recent_files import RewrittenFiles, check_compacted, gone_files
from tidegauge_spark.source.files.rows import FilesRows
from tidegauge_spark.source.files.schema import checked_schema, data_columns, event_time_column, file_format
from tidegauge_spark.source.files.split_reading import FileBudget, SplitReading
from tidegauge_spark.source.options.files import FileOptions
from tidegauge_spark.source.options.source import SourceOptions
from tidegauge_spark.source.planning.future_guard import FutureGuard
from tidegauge_spark.source.planning.group import SourceStanding
from tidegauge_spark.source.planning.progress_rows import SplitsPartition
from tidegauge_spark.source.planning.splits_planning import PlannedSplit, SplitsPlanning, assigned
from tidegauge_spark.source.planning.splits_reader import SplitsReader

_NO_FILES: Final = SplitFiles((), (), True)


FilesPlanning = SplitsPlanning[FilesOffset, SplitReading]


class PlannedInVain(NamedTuple):
    """A planning without results, which need not be repeated until its inputs change."""

    offset: FilesOffset
    found: Listing
    standing: SourceStanding
    group: GroupMinimum | None

    def holds(self, offset: FilesOffset, found: Listing) -> bool:
        """Return whether offset and listing are unchanged; by identity, because they are immutable."""
        return self.offset is offset and self.found is found


class AlignedFilesReader(SplitsReader[FilesOffset, SplitReading]):
    """The reader of folders of files: the driver plans by event times, the executors read the rows."""

    def __init__(
        self,
        options: SourceOptions,
        schema: StructType,
        wall_clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """schema: the columns of the rows in Spark. Raises `IllegalOptionError` if they do not fit."""
        super().__init__(options, wall_clock, sleep)
        assert options.files is not None
        self._files = options.files
        self._schema = schema
        arrow = checked_schema(self._files, schema)
        self._folder = LogFolder(self._files.path, self._files.layout, self._files.s3)
        self._rows = FilesRows(self._files, self._folder, arrow)
        columns = data_columns(self._files, arrow)
        format_ = file_format(self._files, columns)
        self._keeps_statistics = format_.keeps_statistics
        self._index = EventTimeIndex(
            self._folder,
            format_,
            columns,
            event_time_column(self._files, arrow),
            self._files.fail_on_invalid_timestamp,
            FutureGuard(self._files.future, wall_clock),
            in_background=options.clock_step is None,
        )
        self._discovery = SplitDiscovery(
            self._folder.list,
            self._files.discovery_interval,
            in_background=options.clock_step is None,
            sleep=sleep,
        )
        self._looked: Listing | None = None
        """The listing at the last planning."""
        self._rewritten: dict[str, RewrittenFiles] = {}
        """The files of each split that were read and are missing in `_looked`."""
        self._in_vain: PlannedInVain | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only what executors need to read."""
        return AlignedFilesReader, (self._options, self._schema)

    def prepareForTriggerAvailableNow(self) -> None:
        """Read the files that exist now: the query ends when they are read and, with an idle timeout, when
        every split without further files is idle."""
        super().prepareForTriggerAvailableNow()
        self._discovery.freeze()

    def _initial(self, identity: str, started_at: int) -> FilesOffset:
        return FilesOffset.initial(self._files, identity, started_at)

    def _parsed(self, stored: dict[str, Any]) -> FilesOffset:
        in_band = self._options.signals is not None and self._options.signals.in_band
        offset = FilesOffset.from_json(stored)
        if offset.path != self._files.path and self._files.path_moved and self._files.layout.by_modification:
            check_moved(self._folder, offset.splits)
        return offset.continued(self._files, in_band)

    @property
    def _reads(self) -> FileOptions:
        return self._files

    def _from_json(self, stored: dict[str, Any]) -> FilesOffset:
        return FilesOffset.from_json(stored)

    def _planned(self, offset: FilesOffset, now: int, most_rows: int | None) -> FilesOffset:
        found = self._discovery.splits(now)
        if found is None:
            return offset.at(now)
        if self._looked is not found:
            if self._looked is not None:
                check_unchanged(self._folder, offset.splits, self._looked, found)
            self._looked = found
            self._rewritten = {
                split: gone_files(self._folder, split, position, found[split])
                for split, position in offset.splits.items()
                if position.recent and split in found
            }
        if self._in_vain is not None and self._in_vain.holds(offset, found):
            if self._announcement(self._in_vain.standing, now) == self._in_vain.group:
                return offset.at(now)
            self._in_vain = None
        self._index.splits = max(1, len(found))
        planning = self._planning_of(offset, found)
        standing = self._standing(offset, planning)
        group = self._announcement(standing, now)
        if not self._may_read(group):
            return offset.at(now)
        looked_at = self._discovery.looked_at
        planned = self._planned_by(
            planning, offset, now, group, most_rows, looked_at=looked_at, ended=found.ended
        )
        if self._progressed(offset, planned):
            self._index.read_ahead(planning.readings)
        else:
            self._in_vain = PlannedInVain(offset, found, standing, group)
        return planned

    def _progressed(self, offset: FilesOffset, planned: FilesOffset) -> bool:
        if self._signalled(offset.signals, planned.signals):
            return True
        return bool(planned.slices) or any(
            position.place != offset.splits.get(split, FilePosition(position.subtask)).place
            for split, position in planned.splits.items()
        )

    def _may_be_over(self, offset: FilesOffset) -> bool:
        return self._available_now and all(position.whole for position in offset.splits.values())

    def _planning(self, offset: FilesOffset, now: int) -> FilesPlanning:
        found = self._discovery.splits(now)
        assert found is not None, "it is known what there is when a planning has told the group of it"
        return self._planning_of(offset, found)

    def _reach(self, offset: FilesOffset, now: int, most_rows: int | None) -> int | None:
        return None if self._discovery.splits(now) is None else super()._reach(offset, now, most_rows)

    def _planning_of(self, offset: FilesOffset, found: Listing) -> FilesPlanning:
        """Return a planning of the present splits; splits that are finished and removed are dropped."""
        idle = offset.signals.idle_splits
        most_files = self._files.files_per_batch
        budget = None if most_files is None else FileBudget(most_files)
        splits = {
            split: self._split(
                split,
                position,
                found.get(split),
                budget,
                idle=split in idle,
                grown=split in found.grown,
                ended=found.ended,
            )
            for split, position in assigned(
                offset, found, lambda _split, subtask: FilePosition(subtask)
            ).items()
            if split in found or not (position.finished and self._files.fail_on_data_loss)
        }
        return SplitsPlanning(
            self._files,
            self._options.alignment,
            offset,
            splits,
            self._available_now,
            least_first=budget is not None,  # files are not divided like rows
        )

    def _split(
        self,
        split: str,
        position: FilePosition,
        files: SplitFiles | None,
        budget: FileBudget | None,
        *,
        idle: bool,
        grown: bool,
        ended: bool,
    ) -> PlannedSplit[SplitReading]:
        if files is None and not self._folder.shows_empty_splits:
            if position.more and self._files.fail_on_data_loss:
                raise vanished_unread(self._folder, split)
            files = SplitFiles((), (), finished=ended or position.finished)  # no folder would tell
        if files is None:
            if self._files.fail_on_data_loss:
                raise vanished(self._folder, split)
            files, position = _NO_FILES, position._replace(whole=True)
        else:
            position = position_in(self._folder, split, position, files, self._files.fail_on_data_loss)
        load = partial(self._index.block, split)
        summarize = partial(self._index.summary, split) if self._keeps_statistics else None
        skip_lost = not self._files.fail_on_data_loss
        reading = SplitReading(
            position, files, load, skip_lost=skip_lost, summarize=summarize, check=partial(self._check, split)
        )
        if self._files.starting_timestamp is not None and not position.records:
            reading.skip_before(self._files.starting_timestamp)
        reading.budget = budget  # skipped files do not count
        return PlannedSplit(reading, files.finished, files.paused, idle, grown)

    def _check(self, split: str, position: FilePosition) -> None:
        """Raise `BrokenLogError` if the file at a position contains rows already read from other files."""
        if (rewritten := self._rewritten.get(split)) is not None:
            contents = partial(self._index.contents, split, position.file, position.size)
            check_compacted(self._folder, rewritten, position.file, contents)

    def _rows_of(self, partition: SplitsPartition[Any]) -> Iterator[Any]:
        return self._rows.read(partition)

    def stop(self) -> None:
        """Stop the discovery of files."""
        self._discovery.stop()
        self._index.stop()
        super().stop()
