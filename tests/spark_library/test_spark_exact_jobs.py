"""Whole jobs over files on the exact watermark: equal to pandas on all records that were not late.

The same jobs over topics: `tests/kafka/test_spark_kafka_jobs.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import others_slower
from spark_programs.exact_jobs import Job
from spark_programs.queries import SparkQueries, aligned_queries
from whole_jobs import places
from whole_jobs.checked import JOBS, check, create_logs, frame, write_records
from whole_jobs.hourly import Hourly
from whole_jobs.places import FilesPlace
from whole_jobs.records import HOUR, SECOND, Result, so_far, table

pytestmark = pytest.mark.xdist_group("spark")

AT_ONCE = ("sessions",)


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with aligned_queries() as queries:
        yield queries


@pytest.mark.parametrize("name", others_slower(JOBS, AT_ONCE))
def test_a_job_over_files_is_equal_to_pandas(queries: SparkQueries, tmp_path: Path, name: str) -> None:
    job, place, query = JOBS[name](), FilesPlace(tmp_path), Job(queries, f"files-{name}")
    create_logs(job, place)
    for run in range(job.runs + 1):
        write_records(place, job.written_before(run))
        query.run(frame(job, place, queries.session, f"files-{name}"))
    print(check(job, place, query.checkpoint, query.rows))


@pytest.mark.slower
@pytest.mark.parametrize("name", JOBS)
def test_the_same_job_on_the_watermark_of_spark_loses_records(
    queries: SparkQueries, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The delay is what alignment alone makes safe: drift and disorder."""
    job, place, query = JOBS[name](), FilesPlace(tmp_path), Job(queries, f"plain-{name}")
    delay = f"{job.drift + job.disorder + SECOND} milliseconds"
    monkeypatch.setattr(places, "load", lambda reader: reader.load().withWatermark("at", delay))
    create_logs(job, place)
    for run in range(job.runs + 1):
        write_records(place, job.written_before(run))
        query.run(frame(job, place, queries.session, f"plain-{name}"))
    with pytest.raises(AssertionError, match=f"{name}: .* (missing|more|differ), such as"):
        check(job, place, query.checkpoint, query.rows)


@pytest.mark.slower
def test_each_run_of_an_hourly_job_ends_with_the_windows_that_all_partitions_have_passed(
    queries: SparkQueries, tmp_path: Path
) -> None:
    job, place, query = Hourly(), FilesPlace(tmp_path), Job(queries, "hourly-runs")
    create_logs(job, place)
    for run in range(job.runs):
        write_records(place, job.written_before(run))
        query.run(frame(job, place, queries.session, "hourly-runs"))
        written = so_far(job, run + 1)
        slowest = min(partition[-1].at for partition in written["visits"].values())
        over = [each for each in job.expected(table(written)) if each.start + HOUR <= slowest]
        assert sorted(Result(*row) for row in query.rows) == sorted(over)
