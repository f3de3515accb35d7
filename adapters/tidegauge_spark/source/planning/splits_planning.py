"""How far a source over splits of records is read in the next batch, in plain Python.

What there is to read and clocks come in as arguments: files (`source.files`), or any other log
(`source.logs`). Timestamps are in ms.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from tidegauge_spark.decisions.sources.bounds import ROUNDS, GroupMinimum, bound_above, share_out
from tidegauge_spark.decisions.sources.coordinator import announced
from tidegauge_spark.decisions.sources.signals import SplitMoment
from tidegauge_spark.decisions.sources.standing import (
    StandingSplit,
    reported,
    settings_for_planning,
    standing,
)
from tidegauge_spark.decisions.sources.subtask import SourceSubtask
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.options.source import Alignment
from tidegauge_spark.source.planning.alignment.blocked import BlockedSplit
from tidegauge_spark.source.planning.late_rows import LateRows
from tidegauge_spark.source.planning.reading import NOTHING, Reading, known_watermark
from tidegauge_spark.source.planning.splits_offset import AnyPosition, SplitsOffset

AnyOffset = TypeVar("AnyOffset", bound=SplitsOffset[Any, Any])
AnyReading = TypeVar("AnyReading", bound=Reading)


class PlanningOptions(Protocol):
    """What a planning has to know of the options of its source: see `FileOptions` and `LogOptions`."""

    @property
    def subtasks(self) -> int:
        """How many read."""

    @property
    def max_out_of_orderness(self) -> int:
        """How far a record may be behind the greatest event time of its split before it (ms)."""


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

    alignment: None if the source is not aligned (SOURCE-4). offset: where it stands. splits: those that there
    are. to_the_end: nothing is added any more, so that a split with nothing left to plan is not waited for
    (AvailableNow). least_first: splits of which least was read come first, where they do not share row by
    row.
    """

    def __init__(
        self,
        options: PlanningOptions,
        alignment: Alignment | None,
        offset: AnyOffset,
        splits: Mapping[str, PlannedSplit[AnyReading]],
        to_the_end: bool,
        least_first: bool = False,
    ) -> None:
        self._drift = 0 if alignment is None else alignment.drift
        self._by_split = alignment is None or alignment.by_split
        self._out_of_orderness = options.max_out_of_orderness
        self._offset = offset
        self._splits = splits
        self._to_the_end = to_the_end
        self._least_first = least_first
        self._by_subtask: list[dict[str, PlannedSplit[AnyReading]]] = [{} for _ in range(options.subtasks)]
        for name, split in splits.items():
            self._by_subtask[split.reading.position.subtask][name] = split
            split.reading.late_until = offset.signals.late_until
        settings = settings_for_planning(None if alignment is None else alignment.drift, self._by_split)
        self._subtasks = [
            standing(settings, offset.watermarks[subtask], self._unfinished(subtask))
            for subtask in range(options.subtasks)
        ]

    @property
    def source(self) -> str:
        """The identity of the source."""
        return self._offset.source

    @property
    def readings(self) -> Iterator[tuple[str, AnyReading]]:
        """What is read of each split, by name."""
        return ((name, split.reading) for name, split in self._splits.items())

    @property
    def has_splits(self) -> bool:
        """Whether there is anything to read from, now or later."""
        return bool(self._splits)

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
        return min((each for each in self.reports if each is not None), default=None)

    @property
    def reports(self) -> tuple[int | None, ...]:
        """What each subtask reports (ms), None if nobody has to wait for it."""
        return tuple(self._watermark(subtask) for subtask in range(len(self._by_subtask)))

    @property
    def run_out(self) -> frozenset[int]:
        """The subtasks that have read all that there is for this run (AvailableNow); none in another run."""
        return frozenset(
            subtask
            for subtask, splits in enumerate(self._by_subtask)
            if self._to_the_end and splits and all(split.reading.exhausted for split in splits.values())
        )

    @property
    def late(self) -> LateRows:
        """How many of the rows that were planned are late."""
        late = LateRows()
        for split in self._splits.values():
            late = late.plus(split.reading.late)
        return late

    def moments(self, offset: AnyOffset) -> dict[str, SplitMoment]:
        """Return how each split stands now, after a planning that went on from an offset.

        Where no signals are remembered, as of a checkpoint without them, all records have arrived just now.
        """
        fresh = offset.signals.state is None
        return {
            name: SplitMoment(
                split.reading.position.subtask,
                split.reading.position.records > (0 if fresh else _records_of(offset, name)),
                split.reading.position.watermark(self._out_of_orderness),
                split.blocked,
                split.finished,
            )
            for name, split in self._splits.items()
        }

    def planned(self, now: int, group: GroupMinimum | None, most_rows: int | None) -> AnyOffset:
        """Return how far the source is read in the next batch, at this processing time (ms).

        group: what is known of it, None if nothing bounds the source. most_rows: the most rows of the batch,
        None if there is no such limit.
        """
        bound: int | None = None
        left = most_rows
        for _ in range(ROUNDS):
            if group is not None:
                group = group.raised(self.minimum)
                bound = bound_above(group, self._drift)
                for each in announced(self.source, bound, [True] * len(self._subtasks)):
                    self._subtasks[each.subtask].announcement(each.bound)
            taken = self._take(group, left)
            left = None if left is None else left - taken
            if group is None or group.reach is None or not taken:
                break
        return replace(
            self._offset,
            now=now,
            bound=bound,
            watermarks=tuple(subtask.watermark for subtask in self._subtasks),
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

    @property
    def blocked(self) -> Iterator[BlockedSplit]:
        """The splits of which the last planning has left something that is there, since the bound or their
        owner holds them back."""
        for name, split in self._splits.items():
            reading = split.reading
            if not reading.exhausted and (split.paused or reading.admitted == NOTHING or reading.held_back):
                until = None if split.paused else self._until(split)
                yield BlockedSplit(name, reading.position.records, reading.unread, until)

    def _until(self, split: PlannedSplit[AnyReading]) -> int:
        """Return the minimum of the group (ms) at which a blocked split is read on."""
        reading = split.reading
        whole = None if self._by_split else self._watermark(reading.position.subtask)
        if whole is not None and reading.admitted == NOTHING:
            return max(MIN, whole - self._drift)
        latest = int(reading.position.latest)
        if latest == MIN or latest <= reading.admitted:  # its next record is later; that one is known
            latest = max(latest, reading.next_time() or latest)
        first = latest - self._out_of_orderness - self._drift
        known = known_watermark(reading, self._out_of_orderness)
        return max(MIN, first if known is None else min(first, known))  # the slowest is always read on

    def _take(self, group: GroupMinimum | None, most_rows: int | None) -> int:
        """Plan what the bound admits, and say how far each subtask is then; return how many rows that is."""
        readings = [split.reading for split in self._splits.values()]
        if self._least_first:
            readings.sort(key=lambda reading: reading.position.records)
        for split in self._splits.values():
            split.reading.admitted = MAX
        if group is not None:
            for subtask in range(len(self._subtasks)):
                self._admit(subtask, group.watermark)
        for split in self._splits.values():
            if split.paused:
                split.reading.admitted = NOTHING
        counts = share_out(
            [reading.take for reading in readings],
            [reading.position.records for reading in readings],
            most_rows,
        )
        for subtask in range(len(self._subtasks)):
            self._emit(subtask)
        return sum(counts)

    def _admit(self, subtask: int, minimum: int | None) -> None:
        """Say of each split of a subtask up to which event time it is read; minimum: the group's (ms)."""
        bounded, splits = self._subtasks[subtask], self._by_subtask[subtask]
        watermarks = {
            name: known_watermark(split.reading, self._out_of_orderness) for name, split in splits.items()
        }
        whole = self._watermark(subtask)
        blocked = bounded.blocked or not (self._by_split or whole is None or whole <= bounded.limit)
        paused = bounded.paused
        waited = [watermarks[name] for name, split in splits.items() if self._is_waited_for(split)]
        slowest = min((mark for mark in waited if mark is not None), default=None)
        for name, split in splits.items():
            watermark = watermarks[name]
            if blocked or name in paused:
                split.reading.admitted = NOTHING
            elif self._by_split or (watermark is not None and watermark == slowest):
                # Part I of FLIP-182: the watermark of the subtask is that of its slowest split. While that
                # stays within the bound the subtask is not blocked, and the others are read as far as they
                # go.
                split.reading.admitted = self._admitted(bounded, split.reading, watermark, minimum)

    def _admitted(
        self, subtask: SourceSubtask, reading: AnyReading, watermark: int | None, minimum: int | None
    ) -> int:
        next_time = reading.next_time()
        if next_time is None:
            return MAX
        return subtask.reads_up_to(watermark, next_time, minimum, self._out_of_orderness)

    def _unfinished(self, subtask: int) -> dict[str, StandingSplit]:
        return {
            name: StandingSplit(split.reading.position.watermark(self._out_of_orderness), split.silent)
            for name, split in self._by_subtask[subtask].items()
            if not split.finished
        }

    def _emit(self, subtask: int) -> None:
        """Tell a subtask how far its splits are: its watermark is that of the slowest (SPLIT-1), and one that
        is finished does not hold it (SPLIT-11)."""
        unfinished = self._unfinished(subtask)
        for name in self._subtasks[subtask].splits - unfinished.keys():
            self._subtasks[subtask].finish(name)
        self._subtasks[subtask].write_watermarks(
            {name: split.watermark for name, split in unfinished.items() if not split.idle}
        )

    def _watermark(self, subtask: int) -> int | None:
        """Return what a subtask reports (ms), None if nobody has to wait for it.

        It is the watermark that it has emitted (SOURCE-6). A split that has something to read counts by its
        next record even before that has come: otherwise one that begins far ahead would hold back the
        watermark, and the bound would keep it from being read.
        """
        waited = [split for split in self._by_subtask[subtask].values() if self._is_waited_for(split)]
        emitted = reported(self._subtasks[subtask])
        if not waited or emitted is None:
            return None
        known = [known_watermark(split.reading, self._out_of_orderness) for split in waited]
        lowest = min((each for each in known if each is not None), default=None)
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
