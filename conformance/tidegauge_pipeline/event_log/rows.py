"""Rows of an event log in order, as arrays; and what came before a row.

A *stretch* is what can be judged together: rows of one subtask without a restart and without a gap between
them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .schema import CODES, KINDS, NONE

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]
Indexes = NDArray[np.intp]


@dataclass(frozen=True)
class Rows:
    """Rows sorted by job, source, subtask and sequence. The first `old` of them were seen before: they are
    kept because later rows are compared with them.

    `table` has the columns of `schema.ROWS`.
    """

    table: Any
    old: int = 0

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def kind(self) -> Numbers:
        """The code of each kind; `UNKNOWN` for one that this version does not have."""
        return _numbers(pc.fill_null(pc.index_in(self.table["kind"], pa.array(KINDS)), -1))

    @cached_property
    def has_event_time(self) -> Flags:
        """Whether a row has an event time."""
        flags: Flags = pc.is_valid(self.table["event_time"]).to_numpy(zero_copy_only=False)
        return flags

    @cached_property
    def event_time(self) -> Numbers:
        """ms; 0 where there is none."""
        return _numbers(self.table["event_time"].fill_null(0))

    @cached_property
    def processing_time(self) -> Numbers:
        """ms."""
        return _numbers(self.table["processing_time"])

    @cached_property
    def sequence(self) -> Numbers:
        """The number of each row in its subtask."""
        return _numbers(self.table["sequence"])

    @cached_property
    def channel(self) -> Numbers:
        """The channel that a row came in by; `NONE` for what a subtask did itself."""
        return _numbers(self.table["channel"])

    @cached_property
    def count(self) -> Numbers:
        """How many things a row stands for."""
        return _numbers(self.table["count"])

    @cached_property
    def split(self) -> Numbers:
        """A number for the split of each row; `NONE` for rows of no split."""
        column = self.table["split"]
        if pc.all(pc.equal(column, "")).as_py() is not False:
            return np.full(len(self), NONE, dtype=np.int64)
        encoded = column.combine_chunks().dictionary_encode()
        codes = _numbers(encoded.indices)
        names = encoded.dictionary.to_pylist()
        return np.where(codes == names.index(""), NONE, codes) if "" in names else codes

    @cached_property
    def begins_operator(self) -> Flags:
        """Whether a row is the first, or its job or source is another than that of the row before it."""
        begins: Flags = _changes(self.table["job"]) | _changes(self.table["source"])
        begins[:1] = True
        return begins

    @cached_property
    def begins_subtask(self) -> Flags:
        """Whether a row begins an operator, or its subtask is another than that of the row before it."""
        begins: Flags = self.begins_operator | _changes(self.table["subtask"])
        return begins

    @cached_property
    def operator(self) -> Numbers:
        """1, 2, ...: a new number for each operator."""
        return np.cumsum(self.begins_operator, dtype=np.int64)

    @cached_property
    def starts_stretch(self) -> Flags:
        """Whether a row is compared with nothing before it."""
        gap = np.diff(self.sequence, prepend=self.sequence[:1]) > 1
        gap[: self.old] = False
        gap[0:1] = True
        starts: Flags = gap | self.begins_subtask | self.is_kind("restarted")
        return starts

    @cached_property
    def start(self) -> Indexes:
        """The index of the first row of each row's stretch."""
        return np.maximum.accumulate(np.where(self.starts_stretch, np.arange(len(self)), 0))

    def is_kind(self, *kinds: str) -> Flags:
        """Whether a row is of one of these kinds."""
        wanted = np.zeros(len(KINDS) + 1, dtype=bool)  # the last one is that of `UNKNOWN`
        wanted[[CODES[kind] for kind in kinds]] = True
        return wanted[self.kind]

    @cached_property
    def own(self) -> Flags:
        """Whether a row is of the subtask itself: of no channel and of no split."""
        own: Flags = (self.channel == NONE) & (self.split == NONE)
        return own

    @cached_property
    def watermarks(self) -> Indexes:
        """Watermarks that a subtask output."""
        return np.flatnonzero(self.is_kind("watermark") & self.own & self.has_event_time)

    @cached_property
    def statuses(self) -> Indexes:
        """Statuses that a subtask output: idle or active."""
        return np.flatnonzero(self.is_kind("idle", "active") & self.own)

    @cached_property
    def inputs(self) -> Indexes:
        """What came in by a channel."""
        return np.flatnonzero(self.channel != NONE)

    @cached_property
    def records(self) -> Indexes:
        """Records that left a subtask."""
        return np.flatnonzero(self.is_kind("record") & (self.channel == NONE))

    @cached_property
    def blocks(self) -> Indexes:
        """A subtask becomes blocked, or goes on."""
        return np.flatnonzero(self.is_kind("blocked", "unblocked") & self.own)

    @cached_property
    def flags(self) -> Indexes:
        """Backlog flags that a subtask sent."""
        return np.flatnonzero(self.is_kind("backlog", "caught-up") & self.own)

    @cached_property
    def fires(self) -> Indexes:
        """Windows that fired."""
        return np.flatnonzero(self.is_kind("fire") & self.has_event_time)

    @cached_property
    def late(self) -> Indexes:
        """Records that came too late."""
        return np.flatnonzero(self.is_kind("late") & self.has_event_time)

    @cached_property
    def reports(self) -> Indexes:
        """Watermarks that a subtask reported to its coordinator."""
        return np.flatnonzero(self.is_kind("report") & self.has_event_time)

    def last(self, among: Indexes, before: Indexes) -> Indexes:
        """For each row of `before`, the last row `among` those ahead of it in its stretch; -1 if there is
        none.

        Both are sorted.
        """
        if not len(among):
            return np.full(len(before), -1, dtype=np.intp)
        place = np.searchsorted(among, before, side="left") - 1
        found = among[np.maximum(place, 0)]
        return np.where((place >= 0) & (found >= self.start[before]), found, -1)

    def fresh(self, rows: Indexes) -> Indexes:
        """Those of the rows that were not seen before."""
        return rows[np.searchsorted(rows, self.old) :]

    def part(self, first: int) -> "Rows":
        """The rows from an index on."""
        return Rows(self.table.slice(first))


def _numbers(column: Any) -> Numbers:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.int64)


def _changes(column: Any) -> Flags:
    """Whether a value differs from the one before it; False for the first."""
    if len(column) < 2:
        return np.zeros(len(column), dtype=bool)
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    differs = pc.not_equal(column.slice(1), column.slice(0, len(column) - 1))
    return np.concatenate([[False], differs.to_numpy(zero_copy_only=False)])
