"""`dropDuplicatesWithinWatermark` on the exact watermark: how long Spark remembers what it has seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from spark_programs.driven_files import write_table
from spark_programs.exact_jobs import Job, at, exact, finish
from spark_programs.queries import SparkQueries, spark_queries

from tidegauge_spark import register

pytestmark = pytest.mark.xdist_group("spark")

FIRST, AGAIN = 0, 15
"""The event times of a record and of its duplicate (s), which comes when its split is 19 seconds further."""


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        register(queries.session)
        yield queries


def test_a_duplicate_within_the_disorder_is_dropped_though_it_is_overtaken(
    queries: SparkQueries, tmp_path: Path
) -> None:
    """The watermark has passed the first of them, and not yet the other."""
    once = [(second, f"{second}") for second in range(100)]
    seconds, keys = zip(*once[: AGAIN + 20], (AGAIN, f"{FIRST}"), *once[AGAIN + 20 :], strict=True)
    times = pa.array([at(second) for second in seconds], pa.timestamp("us", "UTC"))
    write_table(tmp_path, "p", "0", pa.table({"at": times, "key": keys}))
    finish(tmp_path)
    rows = exact(queries, tmp_path, maxRowsPerTrigger=5, maxOutOfOrderness="20 seconds")
    job = Job(queries, "overtaken").run(rows.dropDuplicatesWithinWatermark(["key"]))
    assert sorted(row.key for row in job.rows) == sorted(set(keys))
    assert job.dropped == 0
