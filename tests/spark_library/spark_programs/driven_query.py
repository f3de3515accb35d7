"""Drives readers of the aligned source as Spark does, without Spark: the same calls in the same order.

Measured: initialOffset, latestOffset, partitions, read, latestOffset, commit, ... ; a restart gets partitions
of the batch that was logged and not committed first. Offsets pass through JSON, readers through pickle.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pyspark.cloudpickle import dumps

from tidegauge_spark.source.numbers.reader import AlignedSourceReader
from tidegauge_spark.source.options.source import parse_options
from tidegauge_spark.spark_version import ReadLimit

Offset = dict[str, Any]


class Record(NamedTuple):
    """A row of the source."""

    source: str
    subtask: int
    number: int
    timestamp: int
    planned_at: int


class WallClock:
    """A clock on the wall that only moves when it is told to, or slept on (ms)."""

    def __init__(self) -> None:
        self.now = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += round(seconds * 1000)


def make_reader(clock: WallClock | None = None, **options: str) -> AlignedSourceReader:
    """Return a reader for options; "__" in a name stands for "."."""
    parsed = parse_options({name.replace("__", "."): value for name, value in options.items()})
    return AlignedSourceReader(parsed) if clock is None else AlignedSourceReader(parsed, clock, clock.sleep)


class DrivenQuery:
    """A streaming query over one aligned source; `batches` is what an idempotent sink holds."""

    def __init__(self, clock: WallClock | None = None, available_now: bool = True, **options: str) -> None:
        self.clock, self.available_now, self.options = clock, available_now, options
        self.log: list[Offset] = []
        self.committed = 0
        self.batches: dict[int, list[Record]] = {}
        self.reader = self._new_reader()
        self.start = through_json(self.reader.initialOffset())
        self.limit: ReadLimit = self.reader.getDefaultReadLimit()

    def _new_reader(self) -> AlignedSourceReader:
        reader = make_reader(self.clock, **self.options)
        if self.available_now:
            reader.prepareForTriggerAvailableNow()
        return reader

    @property
    def offset(self) -> Offset:
        """Where the query stands: the end of the last batch that was logged."""
        return self.log[-1] if self.log else self.start

    @property
    def before(self) -> Offset:
        """Where the last batch began."""
        return self.log[-2] if len(self.log) > 1 else self.start

    @property
    def now(self) -> int:
        return int(self.offset["now"])

    @property
    def watermarks(self) -> list[int]:
        return [subtask["watermark"] for subtask in self.offset["subtasks"]]

    @property
    def unfinished(self) -> list[int]:
        """The watermarks of the subtasks that are not finished."""
        return [each["watermark"] for each in self.offset["subtasks"] if not each["finished"]]

    def numbers(self, subtask: int) -> list[int]:
        """What came out of a subtask, in the order of the batches."""
        return [record.number for record in self.records() if record.subtask == subtask]

    def records(self) -> list[Record]:
        return [record for batch in sorted(self.batches) for record in self.batches[batch]]

    def batch(self) -> bool:
        """Run one micro-batch; return whether there was one."""
        if not self.plan():
            return False
        self.execute()
        return True

    def plan(self) -> bool:
        """Plan a batch and log it, commit the one before."""
        return self.take(self.latest())

    def latest(self) -> Offset:
        """Ask how far to read; of a query with several sources all are asked before anything else is done."""
        return through_json(self.reader.latestOffset(self.offset, self.limit))

    def take(self, end: Offset) -> bool:
        """Log the end of a batch, if there is something in it, commit the one before."""
        if self.log and self.committed < len(self.log):
            self.reader.commit(self.offset)
            self.committed = len(self.log)
        if json.dumps(end) == json.dumps(self.offset):
            return False
        self.log.append(end)
        return True

    def execute(self) -> None:
        """Read the batch that was logged last."""
        self.batches[len(self.log) - 1] = read(self.reader, self.before, self.log[-1])

    def run(self, most: int = 1000) -> None:
        """Run batches until there is none."""
        for _ in range(most):
            if not self.batch():
                return
        raise AssertionError(f"no end after {most} batches: {self.offset}")

    def restart(self) -> None:
        """Go on with a new reader from what was logged; one that never logged anything starts anew."""
        self.reader = self._new_reader()
        if not self.log:
            self.start = through_json(self.reader.initialOffset())
        elif self.committed < len(self.log):
            self.execute()


def read(reader: AlignedSourceReader, start: Offset, end: Offset) -> list[Record]:
    """Return the records between two offsets, as the executors read them."""
    executed: AlignedSourceReader = pickle.loads(dumps(reader))
    partitions = pickle.loads(pickle.dumps(reader.partitions(start, end)))
    return [
        Record(**row)
        for partition in partitions
        for batch in executed.read(partition)
        for row in batch.to_pylist()
    ]


def through_json(offset: Offset) -> Offset:
    """Return an offset as it comes back from a checkpoint."""
    loaded: Offset = json.loads(json.dumps(offset))
    return loaded


def spread(watermarks: Iterable[int]) -> int:
    """Return how far watermarks are apart (ms)."""
    known = list(watermarks)
    return max(known) - min(known) if known else 0


def spread_of(*offsets: Mapping[str, Any]) -> int:
    """Return how far the watermarks of the unfinished subtasks of some sources are apart (ms)."""
    return spread(
        subtask["watermark"]
        for offset in offsets
        for subtask in offset["subtasks"]
        if not subtask["finished"]
    )
