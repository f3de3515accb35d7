"""How far a source over splits of records is read in the next batch, in plain Python.

What there is to read and clocks come in as arguments. Timestamps are in ms. Files are its first use; the
sources over any other log (`source.logs`) plan in the same way.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from tidegauge_spark.decisions.sources.bounds import ROUNDS, Bound, GroupMinimum, bound_above, share_out
from tidegauge_spark.decisions.sources.signals import SplitMoment
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.files.split_reading import FileBudget, Reading, known_watermark
from tidegauge_spark.source.planning.splits_offset import AnyPosition, SplitsOffset

AnyOffset = TypeVar("AnyOffset", bound=SplitsOffset[Any, Any])
AnyReading = TypeVar("AnyReading", bound=Reading)


class PlanningOptions(Protocol):
    """What a planning has to know of the options of its source: see `FileOptions`."""

    @property
    def subtasks(self) -> int:
        """How many read."""

    @property
    def max_out_of_orderness(self) -> int:
        """How far a record may be behind the greatest event time of its split before it (ms)."""

    @property
    def files_per_batch(self) -> int | None:
        """How many files a batch may begin, None: any number."""


@dataclass
class PlannedSplit(Generic[AnyReading]):
    """A split in one planning: what can be read of it, whether it gets no more files, whether its owner holds
    it back, whether it was found empty for longer than the idle timeout, and whether it has files that come
    after the end of this run."""

    reading: AnyReading
    complete: bool
    paused: bool = False
    idle: bool = False
    grown: bool = False

    @property
    def finished(self) -> bool:
        """Whether it is planned to its end."""
        return self.complete and self.reading.exhausted

    @property
    def blocked(self) -> bool:
        """Whether it has, or may have, something that is not read."""
        return self.paused or self.grown or not self.reading.exhausted

    @property
    def silent(self) -> bool:
        """Whether nobody waits for it: it is idle, and still has nothing to read (SPLIT-4, SOURCE-8)."""
        return self.idle and not self.blocked


class SplitsPlanning(Generic[AnyOffset, AnyReading]):
    """One planning of a source over splits.

    offset: where the source stands. splits: those that there are. to_the_end: nothing is added any more, so
    that a split with nothing left to plan is not waited for (AvailableNow).
    """

    def __init__(
        self,
        options: PlanningOptions,
        offset: AnyOffset,
        splits: Mapping[str, PlannedSplit[AnyReading]],
        to_the_end: bool,
    ) -> None:
        self._out_of_orderness = options.max_out_of_orderness
        self._offset = offset
        self._splits = splits
        self._to_the_end = to_the_end
        self._budget = None if options.files_per_batch is None else FileBudget(options.files_per_batch)
        for split in splits.values():
            split.reading.budget = self._budget
        self._by_subtask: list[list[PlannedSplit[AnyReading]]] = [[] for _ in range(options.subtasks)]
        for split in splits.values():
            self._by_subtask[split.reading.position.subtask].append(split)

    @property
    def source(self) -> str:
        """The identity of the source."""
        return self._offset.source

    @property
    def readings(self) -> Iterator[tuple[str, AnyReading]]:
        """What is read of each split, by name."""
        return ((name, split.reading) for name, split in self._splits.items())

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left to plan."""
        return all(split.reading.exhausted for split in self._splits.values())

    @property
    def settled(self) -> bool:
        """Whether no split can become idle any more in this run: what is not idle is finished, or has
        something that is not read."""
        return all(split.idle or split.finished or split.blocked for split in self._splits.values())

    @property
    def minimum(self) -> int | None:
        """The smallest watermark (ms) of the subtasks that are waited for (ALIGN-1), None without such.

        Not waited for are subtasks whose splits are all finished (ALIGN-5), and those of which nothing is
        known (ALIGN-6).
        """
        known = [self._watermark(subtask) for subtask in range(len(self._by_subtask))]
        return min((each for each in known if each is not None), default=None)

    def moments(self, offset: AnyOffset) -> dict[str, SplitMoment]:
        """Return how each split stands now, after a planning that went on from an offset."""
        return {
            name: SplitMoment(
                split.reading.position.subtask,
                split.reading.position.records > _records_of(offset, name),
                split.reading.position.watermark(self._out_of_orderness),
                split.blocked,
                split.finished,
            )
            for name, split in self._splits.items()
        }

    def planned(
        self,
        now: int,
        group: GroupMinimum | None,
        drift: int,
        by_split: bool,
        most_rows: int | None,
    ) -> AnyOffset:
        """Return how far the source is read in the next batch, at this processing time (ms).

        group: None if the source is not aligned (SOURCE-4). drift: how far from its minimum splits may be
        (ms). by_split: whether each split is bounded, or the subtask as a whole only. most_rows: the most
        rows of the batch, None if there is no such limit.
        """
        bound: Bound | None = None
        left = most_rows
        for _ in range(ROUNDS):
            if group is not None:
                group = group.raised(self.minimum)
                bound = bound_above(group, drift)
            taken = self._take(bound, by_split, left)
            left = None if left is None else left - taken
            if group is None or group.reach is None or not taken:
                break
        return replace(
            self._offset,
            now=now,
            bound=None if bound is None else bound.latest,
            watermarks=tuple(map(self._emitted, range(len(self._by_subtask)))),
            splits={
                name: split.reading.position._replace(finished=split.finished)
                for name, split in self._splits.items()
            },
            slices={
                name: tuple(split.reading.slices)
                for name, split in self._splits.items()
                if split.reading.slices
            },
        )

    def _take(self, bound: Bound | None, by_split: bool, most_rows: int | None) -> int:
        """Plan what the bound admits; return how many rows that is."""
        readings = [split.reading for split in self._splits.values()]
        if self._budget is not None:  # those that had least come first: files are not divided as rows are
            readings.sort(key=lambda reading: reading.position.records)
        for split in self._splits.values():
            split.reading.admitted = MAX
        if bound is not None:
            for subtask, splits in enumerate(self._by_subtask):
                self._admit(subtask, splits, bound, by_split)
        for split in self._splits.values():
            if split.paused:
                split.reading.admitted = MIN
        counts = share_out(
            [reading.take for reading in readings],
            [reading.position.records for reading in readings],
            most_rows,
        )
        return sum(counts)

    def _admit(
        self, subtask: int, splits: list[PlannedSplit[AnyReading]], bound: Bound, by_split: bool
    ) -> None:
        """Say of each split of a subtask up to which event time it is read."""
        watermarks = [known_watermark(split.reading, self._out_of_orderness) for split in splits]
        if by_split:
            for split, watermark in zip(splits, watermarks, strict=True):
                split.reading.admitted = self._admitted(split.reading, watermark, bound)
            return
        # Part I of FLIP-182: the watermark of the subtask is that of its slowest split. While that one stays
        # within the bound the subtask is not blocked, and the others are read as far as they go.
        whole = self._watermark(subtask)
        blocked = whole is not None and whole > bound.latest
        waited = [mark for split, mark in zip(splits, watermarks, strict=True) if self._is_waited_for(split)]
        slowest = min((mark for mark in waited if mark is not None), default=None)
        for split, watermark in zip(splits, watermarks, strict=True):
            if blocked:
                split.reading.admitted = MIN
            elif watermark is not None and watermark == slowest:
                split.reading.admitted = self._admitted(split.reading, watermark, bound)

    def _admitted(self, reading: AnyReading, watermark: int | None, bound: Bound) -> int:
        next_time = reading.next_time()
        if next_time is None:
            return MAX
        return bound.admits(watermark, next_time, self._out_of_orderness)

    def _emitted(self, subtask: int) -> int:
        """Return the watermark of a subtask (ms): that of its slowest split, and never less than before.

        One that has not delivered a record holds it (SPLIT-1), one that is finished does not (SPLIT-11).
        """
        watermarks = [
            split.reading.position.watermark(self._out_of_orderness)
            for split in self._by_subtask[subtask]
            if not (split.finished or split.silent)
        ]
        return max(self._offset.watermarks[subtask], min(watermarks, default=MIN))

    def _watermark(self, subtask: int) -> int | None:
        """Return what a subtask reports (ms), None if nobody has to wait for it.

        It is the watermark that it has emitted (SOURCE-6). A split that has something to read counts by its
        next record even before that has come: otherwise one that begins far ahead would hold back the
        watermark, and the bound would keep it from being read.
        """
        waited = [split for split in self._by_subtask[subtask] if self._is_waited_for(split)]
        if not waited:
            return None
        known = [known_watermark(split.reading, self._out_of_orderness) for split in waited]
        lowest = min((each for each in known if each is not None), default=None)
        emitted = self._emitted(subtask)
        if emitted == MIN or lowest is None:
            return lowest if emitted == MIN else emitted
        return emitted if None in known else max(emitted, lowest)

    def _is_waited_for(self, split: PlannedSplit[AnyReading]) -> bool:
        return not (split.finished or split.silent or (self._to_the_end and split.reading.exhausted))


def _records_of(offset: SplitsOffset[Any, Any], split: str) -> int:
    position = offset.splits.get(split)
    return 0 if position is None else int(position.records)


def assigned(
    offset: SplitsOffset[AnyPosition, Any], splits: Collection[str], begin: Callable[[str, int], AnyPosition]
) -> dict[str, AnyPosition]:
    """Return how far each split is planned, and who reads it; new ones go to those who have the fewest.

    Splits that are finished do not count. New ones are taken in the order of their names, and of two subtasks
    that have the same number it is the first one. begin: returns where a split is that a subtask gets.
    """
    positions = dict(offset.splits)
    new = sorted(split for split in splits if split not in positions)
    if new:
        counts = [0] * len(offset.watermarks)
        for position in positions.values():
            counts[position.subtask] += not position.finished
        fewest = [(count, subtask) for subtask, count in enumerate(counts)]
        heapq.heapify(fewest)
        for split in new:
            count, subtask = fewest[0]
            positions[split] = begin(split, subtask)
            heapq.heapreplace(fewest, (count + 1, subtask))
    return positions
