"""What the sources of a job read, as files that appear while the job's processing time goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet

from tidegauge.wire.steps.job import SourceSetup, SubtaskSetup
from tidegauge.wire.timestamps import from_wire

TIME_COLUMN = "time"
_SCHEMA = pa.schema([pa.field(TIME_COLUMN, pa.int64()), pa.field("number", pa.int64())])


class JobFiles:
    """The folder of one source: a split a subtask, a Parquet file for what becomes readable at once."""

    def __init__(self, folder: Path, source: SourceSetup) -> None:
        self.folder = folder
        self._splits = [
            _SplitFiles(folder / f"{index:04d}", subtask) for index, subtask in enumerate(source.subtasks)
        ]

    def write(self, now: int) -> None:
        """Write what has become readable by `now` (ms); of each moment only once."""
        for split in self._splits:
            split.write(now)
        if all(split.finished for split in self._splits):
            (self.folder / "_FINISHED").touch()


class _SplitFiles:
    def __init__(self, folder: Path, subtask: SubtaskSetup) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._subtask = subtask
        self._records: Sequence[tuple[int, int]] = list(_readable(subtask))
        self._written = 0

    @property
    def finished(self) -> bool:
        return self._written == len(self._records)

    def write(self, now: int) -> None:
        paused = self._folder / "_PAUSED"
        held_back = any(span.since <= now < span.until for span in self._subtask.backpressure)
        if held_back:
            paused.touch()
        else:
            paused.unlink(missing_ok=True)
        first = self._written
        times = [time for _, time in takewhile(lambda each: each[0] <= now, self._records[first:])]
        if times:
            self._written += len(times)
            columns = [times, range(first, self._written)]
            table = pa.table([pa.array(each, pa.int64()) for each in columns], schema=_SCHEMA)
            unfinished = self._folder / f"_{now:015d}"
            parquet.write_table(table, unfinished)
            unfinished.rename(self._folder / f"{now:015d}.parquet")
        if self.finished:
            (self._folder / "_FINISHED").touch()


def _readable(subtask: SubtaskSetup) -> Iterator[tuple[int, int]]:
    """The moment from which on each record is readable, and its timestamp (ms), in order."""
    moment = 0
    for segment in subtask.segments:
        first, pace = from_wire(segment.first), segment.milliseconds_per_record
        for number in range(segment.count):
            moment = max(moment, segment.readable_from + (number + 1) * pace)
            yield moment, first + number * segment.step
