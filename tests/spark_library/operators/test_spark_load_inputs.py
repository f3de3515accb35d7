"""Readers of aligned sources go straight into the operators of the library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql.streaming.readwriter import DataStreamReader
from pyspark.sql.types import StructField, StructType, TimestampType
from spark_programs.exact_jobs import expected, finish, records, write
from spark_programs.queries import SparkQueries, spark_queries

from tidegauge_spark import TumblingWindows, WindowSettings, load_inputs, run_windows
from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.operators.aggregates import count
from tidegauge_spark.operators.record_columns import RecordColumns
from tidegauge_spark.source.planning.progress_rows import PROGRESS_SCHEMA
from tidegauge_spark.spark_version import ROW_PROCESSORS, PySparkVersionError

pytestmark = pytest.mark.xdist_group("spark")

WITH_PROCESSORS = pytest.mark.skipif(not ROW_PROCESSORS.exists, reason="the operators need PySpark 4.1")


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


def reader(queries: SparkQueries, log: Path, **options: str) -> DataStreamReader:
    given = {"path": str(log), "eventTimeColumn": "at", "maxRowsPerTrigger": "300", **options}
    return queries.session.readStream.format("tidegauge").options(**given)


@WITH_PROCESSORS
def test_records_of_two_sources_come_into_windows_by_key(queries: SparkQueries, tmp_path: Path) -> None:
    """A gap in one of them and two subtasks: the valve follows the slowest of three channels."""
    gap, other = tmp_path / "gap", tmp_path / "other"
    write(gap, "p0", [*range(60), *range(660, 720)])
    write(gap, "p1", range(720))
    write(other, "p2", range(0, 720, 3))
    finish(gap), finish(other)
    inputs = load_inputs(reader(queries, gap, numSubtasks="2"), reader(queries, other), key="p")
    windows = run_windows(inputs, WindowSettings(TumblingWindows("1 minute")), {"count": count()})
    writer = windows.writeStream.format("memory").queryName("load_inputs").trigger(availableNow=True)
    writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()
    rows = queries.session.table("load_inputs").collect()
    results = {(row.window_start.timestamp(), row.p): row["count"] for row in rows if row.kind == "result"}
    wanted = expected([*records(gap), *records(other)])
    assert results == {(start.timestamp(), split): number for (start, split), number in wanted.items()}
    assert {row.kind for row in rows} == {"result", "watermark"}


def test_sources_that_do_not_go_together_are_refused(queries: SparkQueries, tmp_path: Path) -> None:
    write(tmp_path / "a", "p", [1])
    write(tmp_path / "b", "p", [1])
    first, second = (reader(queries, tmp_path / name, sourceName="shop") for name in "ab")
    with pytest.raises(IllegalArgumentError, match="given no reader: give it one for each source"):
        load_inputs()
    with pytest.raises(
        IllegalArgumentError, match=r"sourceName \['shop', 'shop'\]: give each source its own"
    ):
        load_inputs(first, second)
    numbers = queries.session.readStream.format("tidegauge").options(end="9")
    with pytest.raises(
        IllegalArgumentError, match="source 2 .* differs from the first one in the column 'at'"
    ):
        load_inputs(first, numbers)
    with pytest.raises(IllegalArgumentError, match="names the column 'shop', which the records do not have"):
        load_inputs(first, key="shop")
    with pytest.raises(
        TypeError, match=r"load_inputs\(reader\) calls load\(\) itself, and was given a DataFr"
    ):
        load_inputs(first.load())  # type: ignore[arg-type]


@WITH_PROCESSORS
def test_own_schema_and_columns_stay(queries: SparkQueries, tmp_path: Path) -> None:
    """A schema of the user's is kept, and a progress column of the user's is no column of the records."""
    write(tmp_path, "p0", [0])
    narrow = reader(queries, tmp_path, ProgressColumn="mine").schema(
        StructType([StructField("at", TimestampType()), StructField("mine", PROGRESS_SCHEMA)])
    )
    assert RecordColumns.of(load_inputs(narrow).schema, "records").columns.names == ["at"]


@pytest.mark.skipif(ROW_PROCESSORS.exists, reason="this PySpark has what the operators need")
def test_operators_are_rejected_with_version_and_remedy(queries: SparkQueries, tmp_path: Path) -> None:
    write(tmp_path, "p0", [0])
    with pytest.raises(
        PySparkVersionError,
        match=r"^the operators of tidegauge_spark .* need PySpark 4\.1 or later, and PySpark 4\.0\.\d is installed: "
        r"use load\(reader\) and Spark's own windows, or pip install 'pyspark>=4\.1'$",
    ):
        load_inputs(reader(queries, tmp_path))
