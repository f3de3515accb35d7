"""The planning of the next batch of a source over splits of records, in plain Python.

The records to read and the clocks are arguments: files (`source.files`), or any other log (`source.logs`).
Timestamps are in ms.
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
    """The options that a planning requires: see `FileOptions` and `LogOptions`."""

    @property
    def subtasks(self) -> int:
        """How many read."""

    @property
    def max_out_of_orderness(self) -> int:
        """How far a record may be behind the greatest event time of its split before it (ms)."""


@dataclass
class PlannedSplit(Generic[AnyReading]):
    """A split in one planning: its reading, whether it gets no more records, whether its owner holds it back,
    whether it was found empty for longer than the idle timeout, and whether it has records after the end of
    this run."""

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
        """Whether the split has, or may have, unread records."""
        return self.paused or self.grown or not self.reading.exhausted

    @property
    def silent(self) -> bool:
        """Whether the split is excluded from the minimum: it is idle, and still has nothing to read (SPLIT-4,
        SOURCE-8)."""
        return self.idle and not self.blocked


class SplitsPlanning(Generic[AnyOffset, AnyReading]):
    """One planning of a source over splits.

    alignment: None if the source is not aligned (SOURCE-4). offset: the position of the source. splits: the
    splits that exist. to_the_end: no records are added any more, so that a split without unread records is
    excluded from the minimum (AvailableNow). least_first: splits with the fewest records read come first,
    where splits do not share row by row.
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
        """The reading of each split, by name."""
        return ((name, split.reading) for name, split in self._splits.items())

    @property
    def has_splits(self) -> bool:
        """Whether there are splits to read, now or later."""
        return bool(self._splits)

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left to plan."""
        return all(split.reading.exhausted for split in self._splits.values())

    @property
    def settled(self) -> bool:
        """Whether no split can become idle any more in this run: each split that is not idle is finished, or
        has unread records."""
        return all(split.idle or split.finished or split.blocked for split in self._splits.values())

    @property
    def minimum(self) -> int | None:
        """The smallest watermark (ms) over the subtasks (ALIGN-1), None if all are excluded.

        Subtasks whose splits are all finished are excluded (ALIGN-5), and subtasks without a watermark
        (ALIGN-6).
        """
        return min((each for each in self.reports if each is not None), default=None)

    @property
    def reports(self) -> tuple[int | None, ...]:
        """The report of each subtask (ms), None if the others do not wait for it."""
        return tuple(self._watermark(subtask) for subtask in range(len(self._by_subtask)))

    @property
    def run_out(self) -> frozenset[int]:
        """The subtasks that have read all records of this run (AvailableNow); none in another run."""
        return frozenset(
            subtask
            for subtask, splits in enumerate(self._by_subtask)
            if self._to_the_end and splits and all(split.reading.exhausted for split in splits.values())
        )

    @property
    def late(self) -> LateRows:
        """The number of planned rows that are late."""
        late = LateRows()
        for split in self._splits.values():
            late = late.plus(split.reading.late)
        return late

    def moments(self, offset: AnyOffset) -> dict[str, SplitMoment]:
        """Return the state of each split after a planning that continued from an offset.

        Without stored signals, as in a checkpoint without them, all records count as having arrived just now.
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

        group: the state of the group, None if nothing bounds the source. most_rows: the maximum number of
        rows of the batch, None if there is no limit.
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
        """The splits of which the last planning has left records, because of the bound or their owner."""
        for name, split in self._splits.items():
            reading = split.reading
            if not reading.exhausted and (split.paused or reading.admitted == NOTHING or reading.held_back):
                until = None if split.paused else self._until(split)
                yield BlockedSplit(name, reading.position.records, reading.unread, until)

    def _until(self, split: PlannedSplit[AnyReading]) -> int:
        """Return the minimum of the group (ms) at which reading of a blocked split continues."""
        reading = split.reading
        whole = None if self._by_split else self._watermark(reading.position.subtask)
        if whole is not None and reading.admitted == NOTHING:
            return max(MIN, whole - self._drift)
        latest = int(reading.position.latest)
        if latest == MIN or latest <= reading.admitted:  # its next record is later, and known
            latest = max(latest, reading.next_time() or latest)
        first = latest - self._out_of_orderness - self._drift
        known = known_watermark(reading, self._out_of_orderness)
        return max(MIN, first if known is None else min(first, known))  # the slowest is never blocked

    def _take(self, group: GroupMinimum | None, most_rows: int | None) -> int:
        """Plan the records that the bound admits, and emit the watermarks of the subtasks; return the number
        of rows."""
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
        """Set the event time up to which each split of a subtask is read; minimum: the group's (ms)."""
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
                # watermark is within the bound the subtask is not blocked, and its other splits are read to
                # their ends.
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
        """Update the watermark of a subtask: it is that of its slowest split (SPLIT-1), finished splits
        excluded (SPLIT-11)."""
        unfinished = self._unfinished(subtask)
        for name in self._subtasks[subtask].splits - unfinished.keys():
            self._subtasks[subtask].finish(name)
        self._subtasks[subtask].write_watermarks(
            {name: split.watermark for name, split in unfinished.items() if not split.idle}
        )

    def _watermark(self, subtask: int) -> int | None:
        """Return the report of a subtask (ms), None if the others do not wait for it.

        It is the watermark that the subtask has emitted (SOURCE-6). A split that has unread records counts by
        its next record even before that record is read: otherwise a split that begins far ahead would hold
        back the watermark, and the bound would prevent it from being read.
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
    """Return the position and the subtask of each split; new splits go to the subtasks with the fewest
    splits.

    Finished splits do not count. New splits are taken in the order of their names, and of two subtasks with
    the same number the first one is chosen. begin: returns the initial position of a split for a subtask.
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
