"""Real queries on Spark over folders of files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException, StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql.functions import expr, window
from pyspark.sql.types import StringType, StructField, StructType, TimestampType
from spark_programs.driven_files import SCHEMA, VIRTUAL, aligned, write_json, write_parquet
from spark_programs.event_logs import judged, recorded
from spark_programs.queries import PATIENCE, SparkQueries, spark_queries, spreads

from tidegauge_spark import coordination, load
from tidegauge_spark.source.logs.split_log import RecordTimes, SplitLog, SplitRange
from tidegauge_spark.source.own_log import register_log

ALL = {"maxRowsPerTrigger": str(2**62)}


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


def collected(files: DataFrame, name: str, folder: Path) -> list[str]:
    """Return the rows of a stream that ends, as texts, in ascending order."""
    writer = files.drop("progress").writeStream.format("memory").queryName(name)
    query = writer.option("checkpointLocation", str(folder / name)).trigger(availableNow=True).start()
    assert query.awaitTermination(PATIENCE)
    return texts(files.sparkSession.table(name))


def texts(rows: DataFrame) -> list[str]:
    return sorted(map(str, rows.collect()))


def as_numbers(files: DataFrame) -> DataFrame:
    """Return the rows of files in the columns of a number sequence."""
    return files.selectExpr(
        "progress.source", "progress.subtask", "time AS number", "progress.timestamp", "progress.planned_at"
    )


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_spark_aligns_files_with_a_number_sequence_over_a_restart(
    queries: SparkQueries, tmp_path: Path
) -> None:
    for split in ("x", "y"):
        for first in range(0, 4001, 1000):
            write_parquet(tmp_path, split, f"{first:05}", range(first, first + 1000, 2), row_group=300)
    with coordination() as address:
        group = {**aligned(1500), "coordinator": address, "sourcesInQuery": "2", **VIRTUAL, **ALL}
        group["eventLog"] = str(tmp_path / "_events")
        numbers = queries.source(sourceName="numbers", end="4999", recordsPerMillisecond__0="1", **group)
        files = queries.source(
            sourceName="files",
            path=str(tmp_path),
            eventTimeColumn="time",
            progressColumn="progress",
            numSubtasks="2",
            **group,
        )
        both = numbers.union(as_numbers(files))
        first = queries.start(both, "files-and-numbers")
        first.stop_after(2)
        write_parquet(tmp_path, "x", "05000", [5000])
        second = queries.run(both, "files-and-numbers")
    rows = {(each.batch, each.source, each.subtask): each for each in [*first.rows(), *second.rows()]}
    found = [rows[key] for key in sorted(rows)]
    expected = {
        ("numbers", 0): list(range(5000)),
        ("files", 0): [*range(0, 5000, 2), 5000],
        ("files", 1): list(range(0, 5000, 2)),
    }
    for (source, subtask), times in expected.items():
        mine = [each for each in found if (each.source, each.subtask) == (source, subtask)]
        assert [number for each in mine for number in each.numbers] == times
    assert max(spreads(found, {key: times[-1] for key, times in expected.items()})) <= 1500
    assert recorded(tmp_path / "_events") == {key: len(times) for key, times in expected.items()}
    shown = judged(tmp_path / "_events", drift=1500)
    assert shown.overall == "pass", shown
    assert {"JOB-2", "SPLIT-1", "SOURCE-6"} <= {rule.rule for rule in shown.rules if rule.verdict == "pass"}


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("format_", ["orc", "csv"])
def test_files_that_spark_wrote_are_read_as_by_spark(
    queries: SparkQueries, tmp_path: Path, format_: str
) -> None:
    rows = queries.session.range(1_000).selectExpr(
        "id",
        "CAST(timestamp_seconds(id) AS TIMESTAMP_NTZ) AS at",
        "CAST(id AS DECIMAL(9, 2)) AS price",
        "IF(id % 3 = 0, NULL, CAST(id AS STRING)) AS text",
    )
    rows.coalesce(1).write.format(format_).save(str(tmp_path / "log"))
    files = queries.session.readStream.format("tidegauge").schema(rows.schema)
    files = files.options(
        path=str(tmp_path / "log"), splitBy="none", eventTimeColumn="at", fileFormat=format_
    )
    expected = queries.session.read.format(format_).schema(rows.schema).load(str(tmp_path / "log"))
    assert collected(files.load(), f"written-as-{format_}".replace("-", "_"), tmp_path) == texts(expected)


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("type_", ["DATE", "DOUBLE", "DECIMAL(12, 4)"])
def test_event_times_of_all_types_are_loaded_as_the_timestamps_that_spark_has(
    queries: SparkQueries, tmp_path: Path, type_: str
) -> None:
    number = "id * 86400" if type_ == "DATE" else "id + 0.001"
    at = f"timestamp_seconds({number})" if type_ == "DATE" else number
    rows = queries.session.range(5).selectExpr("id", f"CAST({at} AS {type_}) AS at")
    rows.coalesce(1).write.parquet(str(tmp_path / "log"))
    files = queries.session.readStream.format("tidegauge").schema(f"id BIGINT, at {type_}")
    files = files.options(path=str(tmp_path / "log"), splitBy="none", eventTimeColumn="at", eventTimeUnit="s")
    expected = rows.selectExpr("id", f"timestamp_seconds({number}) AS at")
    name = f"loaded_{type_[:4]}".lower()
    assert collected(load(files), name, tmp_path) == texts(expected)


@pytest.mark.xdist_group("spark")
def test_spark_finds_new_splits_while_it_runs(queries: SparkQueries, tmp_path: Path) -> None:
    write_json(tmp_path, "x", "a", [{"time": time, "id": 0} for time in range(5)])
    (tmp_path / "x" / "_FINISHED").touch()
    files = (
        queries.session.readStream.format("tidegauge")
        .schema(SCHEMA)
        .option("eventTimeColumn", "time")
        .option("progressColumn", "progress")
        .option("fileFormat", "json")
        .option("discoveryInterval", "100 milliseconds")
        .option("watermarkGroup", "g")
        .option("maxAllowedWatermarkDrift", "1 second")
        .load(str(tmp_path))
    )
    query = queries.start(as_numbers(files), "new-splits", available_now=False)
    wait(lambda: query.numbers(0) == [0, 1, 2, 3, 4])
    write_json(tmp_path, "y", "a", [{"time": 7, "id": 0}])
    wait(lambda: query.numbers(0) == [0, 1, 2, 3, 4, 7])
    (tmp_path / "y" / "b").write_text('{"time": 8, "i')
    with pytest.raises(
        StreamingQueryException, match="the file '.*/y/b' is not JSON lines, or is damaged or cut"
    ):
        query.query.awaitTermination(PATIENCE)


def wait(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_spark_reads_what_spark_wrote_with_the_columns_of_its_own_reader(
    queries: SparkQueries, tmp_path: Path
) -> None:
    spark, folder = queries.session, str(tmp_path / "written")
    rows = spark.range(60).selectExpr(
        "timestamp_seconds(id) AS time",
        "id",
        "date_add(DATE'2026-01-01', CAST(id / 20 AS INT)) AS day",
        "CASE id % 3 WHEN 0 THEN 'a:b/c d' WHEN 1 THEN NULL ELSE '%é' END AS region",
        "id % 2 AS half",
    )
    for half in (0, 1):
        written = rows.filter(f"half = {half}").write.partitionBy("day", "region", "half").mode("append")
        written.parquet(folder)
    native = spark.read.parquet(folder)
    read = {"path": folder, "eventTimeColumn": "time", "progressColumn": "progress"}
    for name, split_by in (("by_columns", "region,half"), ("by_parts", "partNumber")):
        ours = spark.readStream.format("tidegauge").options(splitBy=split_by, **read).load()
        assert ours.drop("progress").schema.simpleString() == native.schema.simpleString()
        assert collected(ours, name, tmp_path) == texts(native)

    numbers = queries.source(end="9", maxRowsPerTrigger="4").selectExpr("timestamp_millis(number) AS time")
    sink, checkpoint = str(tmp_path / "sink"), str(tmp_path / "sink-state")
    for _ in range(2):
        writer = numbers.writeStream.format("parquet").option("checkpointLocation", checkpoint)
        assert writer.trigger(availableNow=True).start(sink).awaitTermination(PATIENCE)
    native.select("time").coalesce(1).write.parquet(str(tmp_path / "uncommitted"))
    for file in (tmp_path / "uncommitted").glob("part-*"):
        file.rename(tmp_path / "sink" / file.name)
    committed = spark.readStream.format("tidegauge").options(
        path=sink, eventTimeColumn="time", progressColumn="progress", splitBy="none"
    )
    assert collected(committed.load(), "of_a_sink", tmp_path) == texts(spark.read.parquet(sink))
    assert spark.table("of_a_sink").count() == 10


@pytest.mark.xdist_group("spark")
def test_spark_refuses_what_is_wrong_when_the_source_is_loaded(queries: SparkQueries, tmp_path: Path) -> None:
    with pytest.raises(AnalysisException, match="option path = .*: set eventTimeColumn as well: the column"):
        queries.source(path=str(tmp_path))
    with pytest.raises(AnalysisException, match="has no file yet that tells the columns"):
        queries.source(path=str(tmp_path), eventTimeColumn="time")


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_spark_reads_a_log_of_ones_own_that_was_registered(queries: SparkQueries) -> None:
    class Letters(SplitLog):
        """Each split is a word, its records are the letters, a second apart."""

        identity = "letters"
        schema = StructType([StructField("letter", StringType()), StructField("at", TimestampType())])
        event_time_column = "at"

        def __init__(self, options: Mapping[str, str]) -> None:
            self.words = options["Words"].split()

        def splits(self) -> Mapping[str, SplitRange]:
            return {word: SplitRange(0, len(word), complete=True) for word in self.words}

        def event_times(self, split: str, first: int, end: int) -> RecordTimes:
            return RecordTimes(range(first, end), [at * 1000 for at in range(first, end)], end)

        def read(self, split: str, first: int, end: int) -> Iterator[Any]:
            times = pa.array([at * 1_000_000 for at in range(first, end)], pa.timestamp("us", "UTC"))
            yield pa.RecordBatch.from_arrays(
                [pa.array(list(split[first:end])), times], names=["letter", "at"]
            )

    register_log(queries.session, "letters", Letters, options=("Words",))
    read = queries.session.readStream.format("letters").options(
        Words="watermark tide", progressColumn="progress", maxRowsPerTrigger="5", **aligned(2000)
    )
    counts = read.load().groupBy("progress.split").agg(expr("array_sort(collect_list(struct(at, letter)))"))
    memory = counts.writeStream.format("memory").queryName("letters").outputMode("complete")
    folder = str(queries.folder / "letters")
    query = memory.option("checkpointLocation", folder).trigger(availableNow=True).start()
    assert query.awaitTermination(PATIENCE)
    found = {
        split: "".join(each.letter for each in rows)
        for split, rows in queries.session.table("letters").collect()
    }
    assert found == {"watermark": "watermark", "tide": "tide"}
    assert len(query.recentProgress) >= 3


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize(("delay", "drops"), [("310 seconds", False), ("10 seconds", True)])
def test_spark_drops_no_row_of_aligned_partitions_if_its_delay_is_the_drift_and_the_out_of_orderness(
    queries: SparkQueries, tmp_path: Path, delay: str, drops: bool
) -> None:
    write_parquet(tmp_path, "dense", "a", range(0, 900_000, 1_000))
    write_parquet(tmp_path, "sparse", "a", range(0, 900_000, 4_000))
    group = {"watermarkGroup": "g", "maxAllowedWatermarkDrift": "5 minutes", "maxRowsPerTrigger": "100"}
    source = queries.source(path=str(tmp_path), eventTimeColumn="time", **group)
    rows = source.selectExpr("timestamp_millis(time) AS at").withWatermark("at", delay)
    counts = rows.groupBy(window("at", "1 minute")).count()
    query = counts.writeStream.format("noop").trigger(availableNow=True).start()
    assert query.awaitTermination(PATIENCE)
    dropped = [one.stateOperators[0].numRowsDroppedByWatermark for one in query.recentProgress]
    assert (sum(dropped) > 0) is drops
