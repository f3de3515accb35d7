"""What the logs of a job hold: records by log and partition, and the job that reads them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, NamedTuple

import pandas as pd
from pyspark.sql import DataFrame

START: Final = 1_760_000_400_000
SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000


class Record(NamedTuple):
    """A record with its event time (ms), a key, and an id."""

    at: int
    key: str
    id: int


class Result(NamedTuple):
    """What comes out of a job: how many records there are of a key from an event time on (ms), and the sum of
    their ids."""

    key: str
    start: int
    count: int
    total: int


Written = Mapping[str, Mapping[int, Sequence[Record]]]
"""Records in the order of their partition, by log and partition."""

CLOSING: Final = "closing"
"""The key of the records that come last, one in each partition, so that all results before them come out."""


class ExactJob(ABC):
    """A job over `load(reader)`.

    logs: how many partitions each log has. runs: how often there is something new in the logs; the records with
    the key `CLOSING` come after that. drift: how far partitions may be apart (ms). disorder: how far the records
    of a partition are out of order (ms). batch: the most records of a micro-batch and source. late: how many
    records are late by the smallest watermark. state_point: where a kill meets the state of the operator.
    """

    name: ClassVar[str]
    logs: ClassVar[Mapping[str, int]]
    runs: ClassVar[int] = 1
    drift: ClassVar[int] = MINUTE
    disorder: ClassVar[int] = 0
    batch: ClassVar[int] = 400
    subtasks: ClassVar[int] = 1
    late: ClassVar[int] = 0
    state_point: ClassVar[str]

    @abstractmethod
    def records(self, run: int) -> Written:
        """Return what is written before a run, counted from 0."""

    @abstractmethod
    def results(self, rows: Mapping[str, DataFrame]) -> DataFrame:
        """Return the query, whose columns are the fields of `Result`. rows: by log, the fields of `Record`, with a
        timestamp as event time."""

    @abstractmethod
    def expected(self, rows: pd.DataFrame) -> list[Result]:
        """Return what has to come out of records with the columns log, partition, at, key and id."""

    def deadline(self, at: int) -> int:
        """Return the watermark (ms) from which on a record with this event time is late."""
        return at

    def closing(self) -> Written:
        """Return the records that come last."""
        at = max(record.at for run in range(self.runs) for record in _all(self.records(run))) + 2 * HOUR
        return {
            log: {each: [Record(at, CLOSING, 0)] for each in range(count)} for log, count in self.logs.items()
        }

    def written_before(self, run: int) -> Written:
        """Return what is written before a run; the one after the last gets the closing records."""
        return self.records(run) if run < self.runs else self.closing()


def so_far(job: ExactJob, runs: int) -> dict[str, dict[int, list[Record]]]:
    """Return all that is written before so many runs."""
    written: dict[str, dict[int, list[Record]]] = {
        log: {each: [] for each in range(count)} for log, count in job.logs.items()
    }
    for run in range(runs):
        for log, partitions in job.written_before(run).items():
            for partition, records in partitions.items():
                written[log][partition].extend(records)
    return written


def table(written: Written) -> pd.DataFrame:
    """Return records as pandas has them, without the closing ones."""
    rows = [
        (log, partition, *record)
        for log, partitions in written.items()
        for partition, records in partitions.items()
        for record in records
        if record.key != CLOSING
    ]
    return pd.DataFrame(rows, columns=["log", "partition", *Record._fields])


def _all(written: Written) -> list[Record]:
    return [
        record for partitions in written.values() for records in partitions.values() for record in records
    ]
