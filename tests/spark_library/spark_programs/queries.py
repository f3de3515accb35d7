"""Streaming queries over aligned sources on a real Spark, and what came out of them, batch by batch."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StreamingQuery

from tidegauge_adapters.spark_session.session import running_spark
from tidegauge_spark import ensure_coordination, register
from tidegauge_spark.source.planning.sealed_offset import without_progress
from tidegauge_spark.spark_version import READ_LIMITS

PATIENCE = 300
"""How long (s) a test waits for what must come: much longer than it takes on a busy machine."""


class Collected(NamedTuple):
    """The records of one subtask in one batch, in order."""

    batch: int
    source: str
    subtask: int
    numbers: list[int]
    planned_at: int


class SparkQueries:
    """A Spark session that knows the source, and a folder for checkpoints."""

    def __init__(self, session: SparkSession, folder: Path) -> None:
        self.session, self.folder = session, folder
        register(session)

    def source(self, **options: str) -> DataFrame:
        """Return an aligned source; "__" in the name of an option stands for "."."""
        named = {name.replace("__", "."): value for name, value in options.items()}
        return self.session.readStream.format("tidegauge").options(**named).load()

    def start(
        self, frame: DataFrame, checkpoint: str, available_now: bool = READ_LIMITS.exists
    ) -> RunningQuery:
        """Start a query, by default under AvailableNow, except before PySpark 4.2, where that is one batch."""
        return RunningQuery(frame, self.folder / checkpoint, available_now)

    def run(self, frame: DataFrame, checkpoint: str) -> RunningQuery:
        """Run a query until it has read everything."""
        query = self.start(frame, checkpoint)
        query.wait()
        return query


class RunningQuery:
    """A query whose sink is idempotent: it holds one result for each batch id, the last one written."""

    def __init__(self, frame: DataFrame, checkpoint: Path, available_now: bool) -> None:
        self.checkpoint = checkpoint
        self._ends = available_now
        self._batches: dict[int, list[Collected]] = {}
        writer = frame.writeStream.foreachBatch(self._take).option("checkpointLocation", str(checkpoint))
        if available_now:
            writer = writer.trigger(availableNow=True)
        self.query: StreamingQuery = writer.start()

    def _take(self, frame: DataFrame, batch: int) -> None:
        self._batches[batch] = list(collected(batch, frame.toArrow()))

    def wait(self) -> None:
        """Wait until everything is read; raise the error that made the query fail."""
        if not self._ends:
            self.query.processAllAvailable()
            self.query.stop()
            return
        assert self.query.awaitTermination(PATIENCE), self.query.lastProgress

    def stop_after(self, batches: int) -> None:
        """Stop the query, in the middle of a batch perhaps, once so many batches are in the sink."""
        deadline = time.monotonic() + PATIENCE
        while len(self._batches) < batches and self.query.isActive:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        self.query.stop()
        assert self.query.exception() is None, self.query.exception()

    def rows(self) -> list[Collected]:
        return [rows for batch in sorted(self._batches) for rows in self._batches[batch]]

    def numbers(self, subtask: int, source: str | None = None) -> list[int]:
        """Return what came out of a subtask, in the order of the batches."""
        return [
            number
            for rows in self.rows()
            if rows.subtask == subtask and source in (None, rows.source)
            for number in rows.numbers
        ]

    def offsets(self, source: int = 0) -> list[dict[str, Any]]:
        """Return the offsets that Spark logged for a source, by batch: what a restart would see."""
        return logged_offsets(self.checkpoint, source)


def wait_until(reached: Callable[[], bool], query: StreamingQuery) -> None:
    """Wait until something is reached while a query runs; raise what made the query fail."""
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert query.isActive, query.exception()
        assert time.monotonic() < deadline, query.lastProgress
        time.sleep(0.1)


def collected(batch: int, rows: Any) -> Iterator[Collected]:
    """Yield the rows (an Arrow table) of a batch by source and subtask."""
    found: dict[tuple[str, int, int], list[int]] = defaultdict(list)
    columns = [rows[name].to_pylist() for name in ("source", "subtask", "planned_at", "number", "timestamp")]
    for source, subtask, planned_at, number, timestamp in zip(*columns, strict=True):
        assert timestamp == number
        found[source, subtask, planned_at].append(number)
    for (source, subtask, planned_at), numbers in sorted(found.items()):
        yield Collected(batch, source, subtask, sorted(numbers), planned_at)


def logged_offsets(checkpoint: Path, source: int = 0) -> list[dict[str, Any]]:
    """Return the offsets in the log of a checkpoint, by batch; a line "-" is a source without one."""
    files = sorted((checkpoint / "offsets").glob("[0-9]*"), key=lambda file: int(file.name))
    lines = [file.read_text().splitlines()[2 + source] for file in files]
    return [without_progress(json.loads(line)) for line in lines if line != "-"]


def spreads(rows: Iterable[Collected], last: dict[tuple[str, int], int]) -> list[int]:
    """Return how far the watermarks of subtasks are apart after each batch, from what came out.

    One that has finished in an earlier batch does not count. last: the subtasks, by source and index, and the
    last number of each; all start at 0.
    """
    watermarks = dict.fromkeys(last, -1)
    by_batch: dict[int, list[Collected]] = defaultdict(list)
    for each in rows:
        by_batch[each.batch].append(each)
    found = []
    for batch in sorted(by_batch):
        running = [key for key, mark in watermarks.items() if mark < last[key] - 1]
        for each in by_batch[batch]:
            watermarks[each.source, each.subtask] = each.numbers[-1] - 1
        reached = [watermarks[key] for key in running]
        found.append(max(reached) - min(reached) if reached else 0)
    return found


@contextmanager
def spark_queries() -> Iterator[SparkQueries]:
    """The Spark session of this process, with a new folder in its temporary one."""
    spark = running_spark()
    yield SparkQueries(spark.session, spark.folder.subfolder("aligned"))
    for query in spark.session.streams.active:
        query.stop()


@contextmanager
def aligned_queries() -> Iterator[SparkQueries]:
    """The same session, with a coordination service at which the sources of a group meet."""
    with spark_queries() as queries:
        ensure_coordination(queries.session)
        register(queries.session)
        yield queries
