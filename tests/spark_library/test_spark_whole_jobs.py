"""Whole jobs on a real Spark beyond those of the suites: sources of two kinds, resharding, bounded state.

What has to come out is worked out from the records that were written: a window has the records whose event
times are in it, and nothing else. Event times and processing times are in ms unless a name says otherwise.
"""

from __future__ import annotations

import pickle
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame
from pyspark.sql.functions import col, lit, unix_millis, when
from pyspark.sql.streaming.query import StreamingQuery
from spark_programs.driven_files import write_table
from spark_programs.queries import PATIENCE, SparkQueries, spark_queries

from tidegauge_spark import (
    TumblingWindows,
    WindowSettings,
    coordination,
    run_windows,
)
from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.operators.aggregates import values_of
from tidegauge_spark.operators.operator_input import operator_input, run_operator_input

pytestmark = pytest.mark.xdist_group("spark")

SECOND = 1_000
WINDOW = 10 * SECOND
OPERATOR_SUBTASKS = 2
KEYS = 4
PARTITIONS_CONF = "spark.sql.shuffle.partitions"
IN_BAND = {
    "progressColumn": "progress",
    "inBandWatermarks": "true",
    "clockStep": "1 second",
    "discoveryInterval": "0 seconds",
}
COLUMNS = ("kind", "source", "subtask", "timestamp", "split", "record_key", "window", "values", "value")

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        partitions = queries.session.conf.get(PARTITIONS_CONF)
        queries.session.conf.set(PARTITIONS_CONF, "1")  # half the tasks, and the same operator subtasks
        yield queries
        queries.session.conf.set(PARTITIONS_CONF, partitions)


def files(queries: SparkQueries, log: Path, **options: str) -> DataFrame:
    """Return a source of files with the columns time, number and progress."""
    return queries.source(path=str(log), eventTimeColumn="time", **{**IN_BAND, **options}).select(
        "time", "number", "progress"
    )


def write(log: Path, split: str, name: str, times: Iterable[int], first: int = 0) -> list[tuple[int, int]]:
    """Write records of these event times, numbered from `first`; return event time and number of each."""
    times = list(times)
    numbers = list(range(first, first + len(times)))
    table = pa.table({"time": pa.array(times, pa.int64()), "number": pa.array(numbers, pa.int64())})
    write_table(log, split, name, table)
    return list(zip(times, numbers, strict=True))


def finish(folder: Path) -> None:
    (folder / "_FINISHED").touch()


def with_windows(rows: DataFrame, sources: dict[str, int], window: int = WINDOW) -> DataFrame:
    """Return what leaves the sources, and what comes out of windows behind valves, in one query."""
    steps = operator_input(
        rows.withColumn("record_key", (col("number") % KEYS).cast("string")),
        sources,
        OPERATOR_SUBTASKS,
        key="record_key",
    )
    windows = run_windows(
        run_operator_input(steps, sum(sources.values())),
        WindowSettings(TumblingWindows(window)),
        {"values": values_of("number")},
    )
    nothing, no_number = lit(None).cast("string"), lit(None).cast("long")
    return (
        rows.select(
            "progress.kind",
            "progress.source",
            "progress.subtask",
            "progress.timestamp",
            "progress.split",
            nothing,
            no_number,
            lit(None).cast("array<long>"),
            "number",
        )
        .union(
            windows.select(
                when(col("kind") == "result", "fire").otherwise(col("kind")),
                nothing,
                col("subtask").cast("int"),
                "watermark",
                nothing,
                "record_key",
                unix_millis("window_start"),
                "values",
                "record.number",
            )
        )
        .toDF(*COLUMNS)
    )


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
            for _ in range(PATIENCE * 10):
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


def windows_of(records: Iterable[tuple[int, int]], window: int = WINDOW) -> dict[tuple[str, int], list[int]]:
    """Return the numbers in each window, by key and start, that these records (event time, number) make."""
    expected: dict[tuple[str, int], list[int]] = defaultdict(list)
    for time, number in records:
        expected[str(number % KEYS), time // window * window].append(number)
    return {each: sorted(numbers) for each, numbers in expected.items()}


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


@pytest.mark.slower
def test_files_and_numbers_in_one_group_go_through_one_valve_into_windows(
    queries: SparkQueries, tmp_path: Path
) -> None:
    """The files are slow, two records a batch and split; the numbers could all be read at once."""
    log, drift, window, end = tmp_path / "log", 200, 100, 550
    records = write(log, "x", "a", range(0, end, 100)) + write(
        log, "y", "a", range(50, end, 100), first=1_000
    )
    for folder in (log / "x", log / "y", log):
        finish(folder)
    in_band = {name: value for name, value in IN_BAND.items() if name != "discoveryInterval"}
    with coordination() as address:
        group = {
            "watermarkGroup": "g",
            "maxAllowedWatermarkDrift": f"{drift} milliseconds",
            "coordinator": address,
            "sourcesInQuery": "2",
        }
        slow = files(queries, log, sourceName="files", numSubtasks="2", maxRowsPerTrigger="4", **group)
        numbers = queries.source(
            sourceName="numbers", numSubtasks="2", split="repeat", end=str(end), **in_band, **group
        )
        rows = slow.union(numbers.select(col("timestamp").alias("time"), "number", "progress"))
        frame = with_windows(rows, {"files": 2, "numbers": 2}, window)
        job = Job(frame, tmp_path / "checkpoint")
        job.run(all_is_over)
    records += 2 * [(number, number) for number in range(end + 1)]
    assert not [row for row in job.rows() if row["kind"] in ("late", "drop", "error")]
    assert fired(job.rows()) == windows_of(records, window)
    last = {("files", 0): end - 50, ("files", 1): end - 100, ("numbers", 0): end, ("numbers", 1): end}
    # A watermark is 1 ms behind its record, and a record may be at the bound.
    assert drift // 2 < furthest_apart(job.batches(), last) <= drift + 1


# Resharding


@pytest.mark.slower
def test_splits_end_and_others_begin_on_other_subtasks_with_a_restart_in_between(
    queries: SparkQueries, tmp_path: Path
) -> None:
    """Each split that is alive gets 5 s of records for each batch. The processing stops after batch 5."""
    log, step = tmp_path / "log", 5
    begins = {"a": 0, "b": 0, "c": 8, "d": 8, "e": 10}
    ends = {"a": 3, "b": 10, "c": 12, "d": 11, "e": 12}  # the batch with the last file
    records: list[tuple[int, int]] = []
    written: set[int] = set()

    def before(batch: int) -> None:
        if batch in written:  # a batch that is repeated after the restart finds what it found before
            return
        written.add(batch)
        for split in (split for split in begins if begins[split] <= batch <= ends[split]):
            times = [second * SECOND for second in range(batch * step, (batch + 1) * step)]
            records.extend(write(log, split, f"{batch:03d}", times, first=len(records)))
            if batch == ends[split]:
                finish(log / split)
        if batch == max(ends.values()):
            finish(log)

    def stops(batch: int, _: Rows) -> bool:
        before(batch + 1)
        return batch == 5

    def goes_on(batch: int, rows: Rows) -> bool:
        before(batch + 1)
        return all_is_over(batch, rows)

    before(0)
    job = Job(
        with_windows(files(queries, log, sourceName="s", numSubtasks="2"), {"s": 2}), tmp_path / "checkpoint"
    )
    job.run(stops)
    job.run(goes_on)
    found = kinds(job.rows(), "record")
    assert sorted(row["value"] for row in found) == list(range(len(records)))
    # A new split goes to the subtask that has the fewest, the first of them if there are several.
    assert {(row["split"], row["subtask"]) for row in found} == {
        ("a", 0), ("b", 1), ("c", 0), ("d", 0), ("e", 1)
    }  # fmt: skip
    assert fired(job.rows()) == windows_of(records)
    assert not [row for row in job.rows() if row["kind"] in ("late", "drop", "error")]
    # While subtask 0 has no split it follows the other one (LOW-13), and the windows go on.
    without = job.batches()[4:8]
    low = [row["timestamp"] for batch in without for row in kinds(batch, "watermark") if row["subtask"] == 0]
    assert len(low) >= 3
    for subtask in range(2):
        said = [row["timestamp"] for row in kinds(job.rows(), "watermark") if row["subtask"] == subtask]
        assert said == sorted(set(said))
    assert {row["window"] for batch in without for row in batch if row["kind"] == "fire"} >= {20 * SECOND}


# Bounded and unbounded state


@pytest.mark.slower
def test_alignment_bounds_the_records_that_windows_keep_in_the_state_store(
    queries: SparkQueries, tmp_path: Path
) -> None:
    """A source of 300 s can be read at once, the other one gives 5 s a batch. Looked at in the middle."""
    drift, slow_step, end, looked_at = 20, 5, 300, 6
    times = [second * SECOND for second in range(end)]
    write(tmp_path / "fast", "x", "a", times)
    write(tmp_path / "slow", "x", "a", times, first=end)
    kept: dict[bool, int] = {}
    for aligned in (False, True):
        with coordination() as address:
            group = {
                "watermarkGroup": "g",
                "maxAllowedWatermarkDrift": f"{drift} seconds",
                "coordinator": address,
                "sourcesInQuery": "2",
            }
            options = group if aligned else {}
            fast = files(queries, tmp_path / "fast", sourceName="fast", **options)
            slow = files(
                queries, tmp_path / "slow", sourceName="slow", maxRowsPerTrigger=str(slow_step), **options
            )
            frame = with_windows(fast.union(slow), {"fast": 1, "slow": 1})
            job = Job(frame, tmp_path / f"checkpoint-{aligned}")
            job.run(lambda batch, _: batch > looked_at)
        kept[aligned] = records_in_the_state_store(queries, job.checkpoint, looked_at)
        rows = [row for batch in job.batches()[: looked_at + 1] for row in batch]
        assert kept[aligned] == len(kinds(rows, "record")) - sum(map(len, fired(rows).values()))
    slow_stands_at = looked_at * slow_step  # at least; the first batch may be without records
    # All the fast source has is in windows that wait: the longer it is, the more.
    assert kept[False] > end - slow_stands_at - WINDOW // SECOND
    # No more than the drift and what is not in a window that is over, of either source.
    assert kept[True] <= drift + 2 * (slow_step + WINDOW // SECOND)


def records_in_the_state_store(queries: SparkQueries, checkpoint: Path, batch: int) -> int:
    """Return how many records there are in the map state "windows" after a batch."""
    spark = queries.session
    operators = spark.read.format("state-metadata").load(str(checkpoint)).collect()
    (windows,) = {row.operatorId for row in operators if '"windows"' in (row.operatorProperties or "")}
    state = spark.read.format("statestore").options(operatorId=windows, stateVarName="windows", batchId=batch)
    rows = state.load(str(checkpoint)).select("user_map_value.windows").collect()
    slices = [pickle.loads(row["windows"]) for row in rows]
    return sum(records for keys in slices for windows in keys.values() for records, *_ in windows.values())
