"""`ProgressRecorder`: the event log of queries of Spark's own, and what check-log says of them."""

from __future__ import annotations

import json
import os
import re
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest
from pyspark.sql import DataFrame
from pyspark.sql.functions import col, unix_millis, when, window
from pyspark.sql.functions import max as greatest
from pyspark.sql.streaming.listener import StreamingQueryProgress
from spark_programs.event_logs import judged
from spark_programs.queries import PATIENCE, SparkQueries, spark_queries

from tidegauge_spark.event_log.progress_recorder import ProgressRecorder

QUERY = "11111111-2222-3333-4444-555555555555"


def progress(
    batch: int,
    watermark: str | None = None,
    least: str | None = None,
    dropped: int = 0,
    observed: dict[str, dict[str, int | None]] | None = None,
) -> StreamingQueryProgress:
    """The progress of a query with one source and one aggregation, as Spark delivers it; times as "1:05"."""
    times = {"watermark": watermark, "min": least}
    operator = {
        **dict.fromkeys(("numRowsUpdated", "allUpdatesTimeMs", "numRowsRemoved", "allRemovalsTimeMs"), 0),
        **dict.fromkeys(("commitTimeMs", "memoryUsedBytes", "numShufflePartitions"), 0),
        "operatorName": "stateStoreSave",
        "numRowsTotal": 7,
        "numRowsDroppedByWatermark": dropped,
        "numStateStoreInstances": 1,
        "customMetrics": {},
    }
    source = {
        **dict.fromkeys(("startOffset", "endOffset", "latestOffset")),
        **dict.fromkeys(("numInputRows", "inputRowsPerSecond", "processedRowsPerSecond"), 0),
        "description": "a source",
        "metrics": {},
    }
    return StreamingQueryProgress.fromJson(
        {
            "id": QUERY,
            "runId": str(uuid.UUID(int=1)),
            "name": "totals",
            "timestamp": f"2026-01-01T00:00:{batch:02}.000Z",
            "batchId": batch,
            "batchDuration": 1,
            "eventTime": {
                name: f"2026-01-01T00:0{text}.000Z" for name, text in times.items() if text is not None
            },
            "stateOperators": [operator],
            "sources": [source],
            "sink": {"description": "a sink", "numOutputRows": 1},
            "observedMetrics": observed or {},
        }
    )


def rows_in(folder: Path, source: str) -> list[tuple[int, str, int | None, str, int]]:
    """Number, kind, event time (s since 2026), split and count of an operator's rows."""
    rows = parquet.read_table(folder, partitioning=None).to_pylist()
    return [
        (
            row["sequence"],
            row["kind"],
            None if row["event_time"] is None else row["event_time"] // 1000 - 1_767_225_600,
            row["split"],
            row["count"],
        )
        for row in sorted(rows, key=lambda row: row["sequence"])
        if row["source"] == source
    ]


def broken(folder: Path) -> set[tuple[str, str]]:
    return {(one.source, one.property) for one in judged(folder).properties if one.verdict == "fail"}


def test_a_batch_shows_its_watermark_late_rows_and_state(tmp_path: Path) -> None:
    recorder = ProgressRecorder(tmp_path)
    recorder.progressed(progress(0))
    recorder.progressed(progress(1, "0:10", least="0:04", dropped=3))
    recorder.progressed(progress(2, "0:10"))
    assert rows_in(tmp_path, "stateStoreSave-0") == [
        (1, "state-size", None, "", 7),
        (2, "watermark", 10, "", 1),
        (3, "late", 4, "", 3),
        (4, "state-size", None, "", 7),
        (5, "state-size", None, "", 7),
    ]
    assert rows_in(tmp_path, "") == [(1, "watermark", 10, "", 1)]
    assert judged(tmp_path).overall == "pass"


def test_rows_that_are_late_ahead_of_the_watermark_are_found(tmp_path: Path) -> None:
    recorder = ProgressRecorder(tmp_path)
    recorder.progressed(progress(0, "0:10"))
    recorder.progressed(progress(1, "0:10", least="0:11", dropped=1))
    assert broken(tmp_path) == {("stateStoreSave-0", "log-nothing-late-in-time")}


def test_a_restart_continues_the_log_and_a_batch_comes_once(tmp_path: Path) -> None:
    first = ProgressRecorder(tmp_path)
    first.progressed(progress(0, "0:10"))
    first.progressed(progress(1, "0:20"))
    second = ProgressRecorder(tmp_path)
    second.progressed(progress(1, "0:20"))
    second.progressed(progress(2, "0:20"))
    kinds = [row[1] for row in rows_in(tmp_path, "")]
    assert kinds == ["watermark", "watermark", "restarted", "watermark"]
    assert judged(tmp_path).overall == "pass"


def test_a_batch_that_spark_did_not_report_is_a_gap(tmp_path: Path) -> None:
    recorder = ProgressRecorder(tmp_path)
    recorder.progressed(progress(0, "0:10"))
    recorder.progressed(progress(2, "0:20"))
    assert judged(tmp_path).overall == "incomplete"
    assert {name for one in judged(tmp_path).operators for name in one.troubles} == {"gap"}


def test_an_input_that_is_observed_is_a_channel_and_its_fields_are_splits(tmp_path: Path) -> None:
    recorder = ProgressRecorder(tmp_path, {"orders": "10 seconds"})
    base = 1_767_225_600_000
    recorder.progressed(progress(0, observed={"orders": {"p0": base + 30_000, "p1": base + 50_000}}))
    recorder.progressed(progress(1, "0:40", observed={"orders": {"p0": base + 20_000, "p1": None}}))
    assert rows_in(tmp_path, "orders") == [
        (1, "record", 30, "p0", 1),
        (2, "watermark", 20, "p0", 1),
        (3, "record", 50, "p1", 1),
        (4, "watermark", 40, "p1", 1),
        (5, "watermark", 40, "", 1),
        (6, "record", 20, "p0", 1),
        (7, "watermark", 20, "p0", 1),
    ]
    assert broken(tmp_path) == {("orders", "log-no-split-left-behind")}


def test_a_delay_that_is_none_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"the delay of the input 'orders': the duration 'soon' is not a num"
    ):
        ProgressRecorder("logs", {"orders": "soon"})


# Real queries


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


def files_of(queries: SparkQueries, folder: Path, *files: Sequence[tuple[int, int]]) -> DataFrame:
    """A stream of files of Spark's own, one for each batch: rows of a partition and a time (s since 1970)."""
    folder.mkdir()
    for number, rows in enumerate(files):
        lines = [json.dumps({"partition": partition, "second": second}) for partition, second in rows]
        file = folder / f"{number}.json"
        file.write_text("\n".join(lines))
        os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))
    stream = queries.session.readStream.schema("partition INT, second BIGINT").option("maxFilesPerTrigger", 1)
    return stream.json(str(folder)).selectExpr("partition", "timestamp_seconds(second) AS at")


def run(queries: SparkQueries, recorder: ProgressRecorder, rows: DataFrame, name: str) -> None:
    """Count rows by window until all files are read, and wait until the recorder knows of each batch."""
    counts = rows.groupBy(window("at", "1 second")).count()
    writer = counts.writeStream.format("noop").queryName(name).trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(queries.folder / name)).start()
    assert query.awaitTermination(PATIENCE)
    for each in query.recentProgress:
        recorder.progressed(each)


def at(condition: Any = None) -> Any:
    return unix_millis(greatest(col("at") if condition is None else when(condition, col("at"))))


@pytest.mark.xdist_group("spark")
def test_what_is_known_of_the_watermark_of_spark_is_found_in_its_log(
    queries: SparkQueries, tmp_path: Path
) -> None:
    """Rows before 1970 are late although there is no watermark yet, and the fastest partition of a source
    makes the rows of the others late."""
    files = [(0, -1), (0, 10), (1, 1)], [(0, 1000)], [(1, 5)]
    rows = files_of(queries, tmp_path / "files", *files).withWatermark("at", "0 seconds")
    partitions = {f"p{number}": at(col("partition") == number) for number in (0, 1)}
    observed = rows.observe("rows", *(value.alias(name) for name, value in partitions.items()))
    recorder = ProgressRecorder(tmp_path / "log", {"rows": "0 seconds"})
    run(queries, recorder, observed, "known")
    operators = {one.source: one for one in judged(tmp_path / "log").operators}
    (state,) = set(operators) - {"", "rows"}
    assert broken(tmp_path / "log") == {
        (state, "log-nothing-late-in-time"),
        ("rows", "log-no-split-left-behind"),
    }
    late = [row for row in rows_in(tmp_path / "log", state) if row[1] == "late"]
    assert [(row[2], row[4]) for row in late] == [(-1 - 1_767_225_600, 1), (5 - 1_767_225_600, 1)]


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("policy", ["min", "max"])
def test_the_policy_by_which_spark_combines_inputs_shows(
    queries: SparkQueries, tmp_path: Path, policy: str
) -> None:
    inputs = []
    for name, times in (("fast", (100, 200, 300)), ("slow", (1, 2, 3))):
        stream = files_of(queries, tmp_path / name, *([(0, second)] for second in times))
        inputs.append(stream.withWatermark("at", "0 seconds").observe(name, at().alias("at")))
    recorder = ProgressRecorder(tmp_path / "log", {"fast": "0 seconds", "slow": "0 seconds"})
    queries.session.conf.set("spark.sql.streaming.multipleWatermarkPolicy", policy)
    try:
        run(queries, recorder, inputs[0].union(inputs[1]), f"policy-{policy}")
    finally:
        queries.session.conf.unset("spark.sql.streaming.multipleWatermarkPolicy")
    beyond = {("", "log-no-channel-left-behind"), ("", "log-nothing-pending")}
    assert broken(tmp_path / "log") == (set() if policy == "min" else beyond)


@pytest.mark.xdist_group("spark")
def test_spark_tells_a_recorder_of_a_session(queries: SparkQueries, tmp_path: Path) -> None:
    recorder = ProgressRecorder(tmp_path / "log")
    queries.session.streams.addListener(recorder)
    try:
        quiet = ProgressRecorder(tmp_path / "other")
        run(
            queries,
            quiet,
            files_of(queries, tmp_path / "files", [(0, 10)]).withWatermark("at", "1 second"),
            "l",
        )
        deadline = time.monotonic() + PATIENCE
        (same_query,) = (tmp_path / "other").iterdir()  # Spark may still tell of an earlier one
        log = tmp_path / "log" / same_query.name
        expected = sorted(file.name for file in same_query.glob("*.parquet"))
        while sorted(file.name for file in log.glob("*.parquet")) != expected:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        queries.session.streams.removeListener(recorder)
    assert judged(log).overall == "pass"


NOW = 1_780_000_000
"""A day of 2026 (s since 1970)."""

SICK = {
    "leap": ([*range(5), 4_102_444_800 - NOW, *range(5, 9)], "watermark-leap"),
    "seconds": ([NOW // 1000 - NOW + second for second in range(5)], "implausible-event-time"),
    "late": ([0, 100, *[10] * 5, 101], "late-rows"),
    "stalled": ([0, 100, *[1] * 25], "stalled-watermark"),
    "healthy": (list(range(9)), None),
}
"""The times of rows, one a batch (s after `NOW`), and the finding that they lead to."""


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("job", SICK)
def test_what_ails_a_query_of_spark_is_found_in_its_log(
    queries: SparkQueries, tmp_path: Path, job: str
) -> None:
    seconds, name = SICK[job]
    files = [[(0, NOW + second)] for second in seconds]
    rows = files_of(queries, tmp_path / "files", *files).withWatermark("at", "1 second")
    recorder = ProgressRecorder(tmp_path / "log", {"rows": "1 second"})
    run(queries, recorder, rows.observe("rows", at().alias("at")), f"sick-{job}")
    names = [finding.name for finding in judged(tmp_path / "log").findings]
    assert names == [] if name is None else name in names


_UNITS = {"min": 60_000, "s": 1000, "ms": 1}


@pytest.mark.xdist_group("spark")
def test_with_the_delay_that_the_remedy_says_nothing_is_late(queries: SparkQueries, tmp_path: Path) -> None:
    files = [[(0, NOW + second)] for second in SICK["late"][0]]

    def findings(run_name: str, delay: int) -> dict[str, str]:
        text = f"{delay} milliseconds"
        rows = files_of(queries, tmp_path / f"files-{run_name}", *files).withWatermark("at", text)
        recorder = ProgressRecorder(tmp_path / run_name, {"rows": text})
        run(queries, recorder, rows.observe("rows", at().alias("at")), run_name)
        return {finding.name: finding.remedy for finding in judged(tmp_path / run_name).findings}

    remedy = findings("late", 1000)["late-rows"]
    longer = re.search(r"([\d.a-z ]+) for 100 %", remedy)
    assert longer is not None
    spans = re.findall(r"([\d.]+) (min|ms|s)", longer[1])
    increase = round(sum(float(number) * _UNITS[unit] for number, unit in spans))
    assert "late-rows" not in findings("longer", 1000 + increase)
