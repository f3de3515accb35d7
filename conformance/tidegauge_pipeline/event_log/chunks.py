"""What of a log can be judged apart: parts, each with all rows of its subtasks, found by the footers of the
files.

A row group that holds one subtask, with numbers that no other row group has, needs no sorting: recorders
write such files. What overlaps is read together and sorted. Nothing of it is read here but footers.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyarrow.parquet as pq

from .files import LogFile, opened, read_group, read_whole
from .schema import ROWS

MOST_SORTED = 4_000_000
"""So many rows are sorted in memory at once; what overlaps in more rows is sorted by Spark."""

_KEY = ("job", "source", "subtask")
_Key = tuple[str, str, int]


@dataclass(frozen=True)
class Chunk:
    """A row group of a file, or a whole file (`group` None). `low` and `high`: the least and the greatest
    subtask in it, None if that is unknown; `first` and `last` the numbers of its rows."""

    file: LogFile
    rows: int
    group: int | None = None
    low: _Key | None = None
    high: _Key | None = None
    first: int = 0
    last: int = 0

    def read(self) -> Any:
        """Its rows, with the columns of `schema.ROWS`."""
        return read_whole(self.file) if self.group is None else read_group(self.file, self.group)

    @staticmethod
    def empty() -> Any:
        """No rows, in place of those that cannot be read."""
        return ROWS.empty_table()


@dataclass(frozen=True)
class Part:
    """Chunks with all rows of the subtasks in them. `is_in_order`: the chunks follow one another."""

    chunks: tuple[Chunk, ...]
    is_in_order: bool

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return sum(chunk.rows for chunk in self.chunks)

    @property
    def is_sortable(self) -> bool:
        """Whether it can be judged without a sort of Spark's."""
        return self.is_in_order or self.rows <= MOST_SORTED


def parts_of(files: Iterable[LogFile]) -> list[Part]:
    """The parts of a log, in the order of their subtasks. Chunks whose subtasks are unknown are one part
    with all."""
    chunks = [chunk for file in files for chunk in _chunks(file)]
    known = [chunk for chunk in chunks if chunk.low is not None]
    if len(known) < len(chunks):
        return [Part(tuple(chunks), False)]
    return [_part(together) for together in _overlapping(sorted(chunks, key=_low))]


def _low(chunk: Chunk) -> _Key:
    assert chunk.low is not None
    return chunk.low


def _high(chunk: Chunk) -> _Key:
    assert chunk.high is not None
    return chunk.high


def _overlapping(chunks: Sequence[Chunk]) -> Iterator[list[Chunk]]:
    together: list[Chunk] = []
    high = ("", "", 0)
    for chunk in chunks:
        if together and _low(chunk) > high:
            yield together
            together = []
        high = max(high, _high(chunk)) if together else _high(chunk)
        together.append(chunk)
    if together:
        yield together


def _part(chunks: Sequence[Chunk]) -> Part:
    ordered = sorted(chunks, key=lambda chunk: chunk.first)
    of_one_subtask = all(_low(chunk) == _high(chunk) for chunk in chunks)
    follow = all(one.last < other.first for one, other in pairwise(ordered))
    return Part(tuple(ordered), of_one_subtask and follow)


def _chunks(file: LogFile) -> Iterator[Chunk]:
    if file.format == "jsonl":
        yield Chunk(file, file.rows_about)
        return
    with pq.ParquetFile(opened(file.path)) as footer:
        columns = {footer.schema.column(at).path: at for at in range(len(footer.schema))}
        for group in range(footer.metadata.num_row_groups):
            described = footer.metadata.row_group(group)
            if described.num_rows:
                yield _chunk(file, group, described, columns)


def _chunk(file: LogFile, group: int, described: Any, columns: dict[str, int]) -> Chunk:
    limits: dict[str, tuple[Any, Any]] = {name: (value, value) for name, value in file.named}
    for name in (*_KEY, "sequence"):
        if name in columns:
            statistics = described.column(columns[name]).statistics
            if statistics is None or not statistics.has_min_max:
                return Chunk(file, described.num_rows, group)
            limits[name] = statistics.min, statistics.max
    low, high = (tuple(limits[name][side] for name in _KEY) for side in (0, 1))
    first, last = limits["sequence"]
    return Chunk(file=file, rows=described.num_rows, group=group, low=low, high=high, first=first, last=last)
