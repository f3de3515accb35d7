"""Late rows as an output of their own beside Spark's windows, on real queries: no row is in neither or in both."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql.functions import col, lit
from spark_programs.exact_jobs import Job, at, counts, exact, expected, finish, records, write
from spark_programs.queries import SparkQueries, spark_queries

from tidegauge_spark import register

pytestmark = pytest.mark.xdist_group("spark")

LATE = [*range(10, 40), 119.999]
"""The seconds of the rows that come when the watermark is at 120 seconds or beyond."""


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        register(queries.session)
        yield queries


def windows_and_late_rows(rows: DataFrame) -> DataFrame:
    """Return one query: the windows of rows in time, and the rows that are late, of which each counts one."""
    windows = counts(rows.where("NOT is_late")).select(col("window.start").alias("at"), "p", "count")
    late = rows.where("is_late").select("at", "p", lit(1).cast("long").alias("count"))
    return windows.withColumn("output", lit("window")).unionByName(late.withColumn("output", lit("late")))


def came_out(job: Job, output: str) -> Counter[tuple[datetime, str]]:
    found: Counter[tuple[datetime, str]] = Counter()
    for row in job.rows:
        if row.output == output:
            found[row.at.astimezone(UTC), row.p] += row["count"]
    return found


def late_row_progress(job: Job) -> list[dict[str, Any]]:
    assert job.query is not None
    return [json.loads(progress.sources[0].latestOffset) for progress in job.query.recentProgress]


@pytest.mark.slower
def test_windows_and_late_rows_come_out_of_one_query(queries: SparkQueries, tmp_path: Path) -> None:
    write(tmp_path, "p0", [*range(200), *LATE, *range(200, 500)])
    write(tmp_path, "p1", range(500))
    finish(tmp_path)
    rows = exact(queries, tmp_path, lateColumn="is_late", maxRowsPerTrigger=80)
    job = Job(queries, "late-output").run(windows_and_late_rows(rows))
    late = Counter((at(second), "p0") for second in LATE)
    assert came_out(job, "late") == late
    in_time = Counter(records(tmp_path)) - late
    assert came_out(job, "window") == expected(in_time.elements())
    assert job.dropped == 0
    assert [progress["lateRows"] for progress in late_row_progress(job)][-1] == len(LATE)
    assert late_row_progress(job)[-1]["uncheckedRows"] == 0


def test_a_late_row_whose_window_is_open_is_late_all_the_same(queries: SparkQueries, tmp_path: Path) -> None:
    """Spark would still count such a row in its window."""
    write(tmp_path, "p0", [*range(90), 70.5, *range(90, 200)])
    finish(tmp_path)
    rows = exact(queries, tmp_path, lateColumn="is_late", maxRowsPerTrigger=30)
    job = Job(queries, "open-window").run(windows_and_late_rows(rows))
    assert came_out(job, "late") == {(at(70.5), "p0"): 1}
    assert came_out(job, "window")[at(60), "p0"] == 60
