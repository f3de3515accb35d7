"""The event times of the next rows, as the driver knows them: read ahead, and cached."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Final, NamedTuple

import pyarrow as pa

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.files.event_time_column import EventTimeColumn
from tidegauge_spark.source.files.folder.log_files import LogFolder
from tidegauge_spark.source.files.formats import Block, BlockSummary, FileFormat, found_name
from tidegauge_spark.source.files.limited_cache import LimitedCache
from tidegauge_spark.source.files.position import FilePosition
from tidegauge_spark.source.files.split_reading import SplitReading
from tidegauge_spark.source.planning.broken_log import BrokenLogError
from tidegauge_spark.source.planning.event_times import maybe_seconds
from tidegauge_spark.source.planning.future_guard import FutureGuard

MOST_ROWS: Final = 1 << 24
"""The number of rows whose event times are cached: 128 MB of them."""

_LEAST_ROWS: Final = 1024

MOST_BYTES_AHEAD: Final = 1 << 26
"""The total size in bytes of the files that are read ahead."""


MOST_SUMMARIES: Final = 1 << 18
"""The number of blocks whose summaries are cached."""


class BlockPlace(NamedTuple):
    """The place of a block: the file (of `size` bytes) of a split, and where the block begins in it."""

    split: str
    file: str
    size: int
    begin: int


class EventTimeIndex:
    """Blocks of files, of which the driver reads only the event time column.

    Of a large block it caches a window that begins at the next row, so that there is room for all `splits`.
    The block is read again where the window ends, and not at each planning.
    """

    def __init__(
        self,
        folder: LogFolder,
        format: FileFormat,
        columns: pa.Schema,
        event_time: EventTimeColumn,
        fail_on_invalid: bool,
        guard: FutureGuard,
        in_background: bool,
        most_rows: int = MOST_ROWS,
    ) -> None:
        """columns: the columns of rows. A file with other columns is rejected before a batch with it is
        logged, because it could not be replaced later. fail_on_invalid: whether an invalid event time is an
        error. guard: what becomes of event times far ahead of the clock. in_background: whether to read
        ahead, beside the planning. most_rows: the size of the cache in rows."""
        self._folder, self._format, self._event_time = folder, format, event_time
        self._columns = columns
        self._unit_unknown = event_time.written_unit is None and pa.types.is_integer(event_time.type)
        self._fail_on_invalid = fail_on_invalid
        self._guard = guard
        self.splits = 1
        """The number of splits that share the cache."""
        self._most_rows = most_rows
        self._blocks: LimitedCache[BlockPlace, Block] = LimitedCache(most_rows)
        self._summaries: LimitedCache[BlockPlace, tuple[BlockSummary | None, ...]] = LimitedCache(
            MOST_SUMMARIES
        )
        self._worker = ThreadPoolExecutor(1, "tidegauge-read-ahead") if in_background else None
        self._coming: dict[BlockPlace, Future[Block]] = {}

    def block(self, split: str, position: FilePosition) -> Block:
        """Return the block of a split's position.

        Raises `LostFileError` if the file has vanished, `BrokenLogError` if it cannot be read.
        """
        place = _place(split, position)
        row = position.row - position.before
        block = self._blocks.get(place)
        if block is not None and block.shows(row) and not self._is_due(block):
            return block
        coming = self._coming.pop(place, None)
        block = self._read(place) if coming is None or self._is_due(coming.result()) else coming.result()
        if block.times.first_invalid is not None and self._fail_on_invalid:
            file = self._folder.described(place.split, place.file)
            invalid = position.before + block.times.first_invalid
            raise BrokenLogError(
                f"row {invalid}, counted from 0, of the file {file} has no valid event time in the column "
                f"{self._event_time.name!r} (null, no time, or out of range): correct it, or set "
                "failOnInvalidTimestamp to false to let such rows through"
            )
        if self._unit_unknown and block.times.look_like_seconds:
            raise BrokenLogError(
                f"the column {self._event_time.name!r} of the file "
                f"{self._folder.described(place.split, place.file)} has whole numbers such as "
                f'{block.times.latest[0]}, which look like seconds since 1970: set eventTimeUnit to "s", or '
                'to "ms" if they are milliseconds'
            )
        self._guard_against(block, place, position.before)
        block = block.window(row, max(_LEAST_ROWS, self._most_rows // (2 * self.splits)))
        self._blocks.keep(place, block, len(block.times.latest) + 1)  # an empty block takes some room, too
        return block

    def summary(self, split: str, position: FilePosition) -> BlockSummary | None:
        """Return the summary of the block that begins at a position, without reading it; None if there is
        none.

        A block that is cached, or is being read, needs no summary. Raises as `block` does.
        """
        place = _place(split, position)
        if place in self._blocks or place in self._coming:
            return None
        file = place._replace(begin=0)
        found = self._summaries.get(file)
        if found is None:
            with self._folder.open(place.split, place.file, place.size) as opened:
                described = self._folder.described(place.split, place.file)
                found = self._format.summaries(opened, described, self._event_time)
                self._check(opened, place)
            self._summaries.keep(file, found, len(found) + 1)
        summary = found[place.begin] if place.begin < len(found) else None
        if summary is None or not summary.rows or (self._unit_unknown and maybe_seconds(summary.greatest)):
            return None
        return None if summary.greatest > self._guard.limit() else summary

    def contents(self, split: str, file: str, size: int) -> tuple[int, int]:
        """Return the number of rows in a file and their greatest event time (ms), `MIN` if there is none.

        size: the size of the file in bytes. Raises like `block`.
        """
        rows, greatest, begin = 0, MIN, 0
        while True:
            block = self._read(BlockPlace(split, file, size, begin))
            rows += block.rows
            if block.rows:
                greatest = max(greatest, block.times.latest[-1])
            if block.last:
                return rows, greatest
            begin = block.end

    def read_ahead(self, splits: Iterable[tuple[str, SplitReading]]) -> None:
        """Start to read the next blocks of the splits, as far as there is room. Errors are raised when the
        blocks are used."""
        if self._worker is None:
            return
        room = MOST_BYTES_AHEAD - sum(place.size for place in self._coming)
        for split, reading in splits:
            position = reading.needs(partial(self._known, split))
            if position is None:
                continue
            place = _place(split, position)
            if place in self._blocks or place in self._coming:
                continue
            room -= place.size
            if room < 0:
                break
            self._coming[place] = self._worker.submit(self._read, place)

    def stop(self) -> None:
        """Stop reading ahead."""
        if self._worker is not None:
            self._worker.shutdown(wait=False, cancel_futures=True)

    def _known(self, split: str, position: FilePosition) -> Block | None:
        return self._blocks.get(_place(split, position))

    def _read(self, place: BlockPlace) -> Block:
        with self._folder.open(place.split, place.file, place.size) as file:
            described = self._folder.described(place.split, place.file)
            limit = self._guard.limit() if self._guard.ignores else MAX
            block = self._format.block(file, described, place.begin, self._event_time, limit)
            if place.begin == 0:
                self._check(file, place)
            return block

    def _is_due(self, block: Block) -> bool:
        """Return whether an event time that was in the future when its block was read no longer is."""
        return block.times.future is not None and block.times.future.smallest <= self._guard.limit()

    def _guard_against(self, block: Block, place: BlockPlace, before: int) -> None:
        """Pass the first event time of a whole block that is in the future to the guard. Raises as the guard
        does.

        before: the number of rows of the file before the block.
        """
        latest, future = block.times.latest, block.times.future
        row = bisect_right(latest, self._guard.limit()) if future is None else future.row
        if future is None and row == len(latest):
            return
        file = self._folder.described(place.split, place.file)
        time = latest[row] if future is None else future.time
        self._guard.met(place.split, f"row {before + row}, counted from 0, of the file {file}", time)

    def _check(self, file: Any, place: BlockPlace) -> None:
        """Reject a file with other columns; columns in the names of folders are not read from it."""
        names = self._columns.names
        elsewhere = {found_name(names, column) for column, _ in self._folder.values_in(place.file)}
        columns = pa.schema([field for field in self._columns if field.name not in elsewhere])
        self._format.check(file, self._folder.described(place.split, place.file), columns)


def _place(split: str, position: FilePosition) -> BlockPlace:
    return BlockPlace(split, position.file, position.size, position.block)
