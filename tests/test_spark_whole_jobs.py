"""Whole jobs on a real Spark beyond those of the suites: sources of two kinds, resharding, bounded state.

What has to come out is worked out from the records that were written: a window has the records whose event
times are in it, and nothing else. Event times and processing times are in ms unless a name says otherwise.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame
from pyspark.sql.functions import col, lit
from pyspark.sql.streaming.query import StreamingQuery
from spark_programs.driven_files import write_table
from spark_programs.queries import PATIENCE, SparkQueries, spark_queries

from tidegauge_spark import (
    MAX,
    TumblingWindows,
    WindowSettings,
    coordination,
    operator_input,
    run_operator_input,
    run_windows,
)

pytestmark = pytest.mark.xdist_group("spark")

SECOND = 1_000
WINDOW = 10 * SECOND
OPERATOR_SUBTASKS = 2
KEYS = 4
IN_BAND = {
    "progressColumn": "progress",
    "inBandWatermarks": "true",
    "clockStep": "1 second",
    "discoveryInterval": "0 seconds",
}
COLUMNS = ("kind", "source", "subtask", "timestamp", "planned_at", "record_key", "window", "values", "value")

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


def files(queries: SparkQueries, log: Path, **options: str) -> DataFrame:
    """Return a source of files with the columns time, number and progress."""
    return queries.source(path=str(log), eventTimeColumn="time", **{**IN_BAND, **options}).select(
        "time", "number", "progress"
    )


def write(log: Path, split: str, name: str, seconds: Iterable[int], first: int = 0) -> list[tuple[int, int]]:
    """Write records of these event times (s), numbered from `first`; return event time and number of each."""
    times = [second * SECOND for second in seconds]
    numbers = list(range(first, first + len(times)))
    table = pa.table({"time": pa.array(times, pa.int64()), "number": pa.array(numbers, pa.int64())})
    write_table(log, split, name, table)
    return list(zip(times, numbers, strict=True))


def finish(folder: Path) -> None:
    (folder / "_FINISHED").touch()


def with_windows(rows: DataFrame, sources: dict[str, int]) -> DataFrame:
    """Return what leaves the sources, and what comes out of windows behind valves, in one query."""
    steps = operator_input(
        rows,
        sources,
        OPERATOR_SUBTASKS,
        record_key=(col("number") % KEYS).cast("string"),
        value=col("number"),
    )
    windows = run_windows(
        run_operator_input(steps, sum(sources.values())), WindowSettings(TumblingWindows(WINDOW))
    )
    nothing, no_number = lit(None).cast("string"), lit(None).cast("long")
    return rows.select(
        "progress.kind",
        "progress.source",
        "progress.subtask",
        "progress.timestamp",
        "progress.planned_at",
        nothing,
        no_number,
        lit(None).cast("array<long>"),
        "number",
    ).union(
        windows.select(
            "kind",
            nothing,
            col("key").cast("int"),
            "timestamp",
            no_number,
            "record_key",
            "window_start",
            "values",
            "value",
        )
    ).toDF(*COLUMNS)


class Job:
    """A query that runs until `ends` says so of a micro-batch, or until so many batches are through.

    The sink is idempotent: it holds one result for each batch, the last one written.
    """

    def __init__(self, frame: DataFrame, checkpoint: Path) -> None:
        self.checkpoint = checkpoint
        self._frame = frame
        self._batches: dict[int, Rows] = {}

    def run(self, ends: Callable[[int, Rows], bool]) -> StreamingQuery:
        """Run on from the checkpoint. `ends` may write what the next batch is going to find."""
        ended = threading.Event()

        def take(frame: DataFrame, batch: int) -> None:
            if not ended.is_set():
                self._batches[batch] = frame.toArrow().to_pylist()
                if ends(batch, self._batches[batch]):
                    ended.set()

        writer = self._frame.writeStream.foreachBatch(take)
        query = writer.option("checkpointLocation", str(self.checkpoint)).start()
        try:
            for _ in range(int(PATIENCE * 10)):
                if ended.wait(0.1) or not query.isActive:
                    break
        finally:
            query.stop()
        failure = query.exception()
        assert failure is None, failure
        assert ended.is_set(), f"only {len(self._batches)} batches"
        return query

    def batches(self) -> list[Rows]:
        assert sorted(self._batches) == list(range(len(self._batches)))
        return [self._batches[batch] for batch in range(len(self._batches))]

    def rows(self) -> Rows:
        return [row for batch in self.batches() for row in batch]


def all_is_over(_: int, rows: Rows) -> bool:
    """Whether the last watermark has come out of the windows."""
    return any(row["source"] is None and row["timestamp"] == MAX for row in rows)


def windows_of(records: Iterable[tuple[int, int]]) -> dict[tuple[str, int], list[int]]:
    """Return the numbers in each window, by key and start, that these records (event time, number) make."""
    expected: dict[tuple[str, int], list[int]] = defaultdict(list)
    for time, number in records:
        expected[str(number % KEYS), time // WINDOW * WINDOW].append(number)
    return {window: sorted(numbers) for window, numbers in expected.items()}


def fired(rows: Rows) -> dict[tuple[str, int], list[int]]:
    """Return the results of the windows; none may come twice."""
    results = [row for row in rows if row["kind"] == "fire"]
    by_window = {(row["record_key"], row["window"]): row["values"] for row in results}
    assert len(by_window) == len(results)
    return by_window


def kinds(rows: Rows, kind: str) -> Rows:
    return [row for row in rows if row["kind"] == kind and row["source"] is not None]


def furthest_apart(batches: Sequence[Rows], last: dict[tuple[str, int], int]) -> int:
    """Return how far subtasks that are not at their last record (event time by subtask) fell behind others."""
    standing = dict.fromkeys(last, 0)
    apart = 0
    for batch in batches:
        for row in kinds(batch, "record"):
            subtask = (row["source"], row["subtask"])
            standing[subtask] = max(standing[subtask], row["timestamp"])
        unfinished = [time for subtask, time in standing.items() if time < last[subtask]]
        if unfinished:
            apart = max(apart, max(standing.values()) - min(unfinished))
    return apart


# Sources of two kinds


def test_files_and_numbers_in_one_group_go_through_one_valve_into_windows(
    queries: SparkQueries, tmp_path: Path
) -> None:
    """The files are slow, one record a batch and split; the numbers could all be read at once."""
    log, drift, end = tmp_path / "log", 20 * SECOND, 95
    # An event time every 5 s, and half of the numbers of it.
    records = write(log, "x", "a", range(0, end, 10)) + write(log, "y", "a", range(5, end, 10), first=1_000)
    for folder in (log / "x", log / "y", log):
        finish(folder)
    with coordination() as address:
        group = {
            "watermarkGroup": "g",
            "maxAllowedWatermarkDrift": "20 seconds",
            "coordinator": address,
            "sourcesInGroup": "2",
        }
        slow = files(queries, log, sourceName="files", numSubtasks="2", maxRowsPerBatch="4", **group)
        numbers = queries.source(
            sourceName="numbers", numSubtasks="2", split="repeat", end=str(end * SECOND), **{
                **{name: value for name, value in IN_BAND.items() if name != "discoveryInterval"}, **group
            },
        ).where(f"number IS NULL OR number % {SECOND} = 0")
        rows = slow.union(numbers.select(col("timestamp").alias("time"), "number", "progress"))
        job = Job(with_windows(rows, {"files": 2, "numbers": 2}), tmp_path / "checkpoint")
        job.run(all_is_over)
    records += 2 * [(second * SECOND, second * SECOND) for second in range(end + 1)]
    assert not [row for row in job.rows() if row["kind"] in ("late", "drop", "error")]
    assert fired(job.rows()) == windows_of(records)
    last = {("files", 0): 90 * SECOND, ("files", 1): 85 * SECOND}
    last |= {("numbers", 0): end * SECOND, ("numbers", 1): end * SECOND}
    # A bound stands for one batch, and the slowest reads 20 s in it (two records, 10 s apart).
    assert 0 < furthest_apart(job.batches(), last) <= drift + 1
