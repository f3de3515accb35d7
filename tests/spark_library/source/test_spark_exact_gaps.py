"""Logs at which Spark's watermark loses rows: gaps, wrong clocks, silent splits, runs a day apart.

What may be missing behind the exact watermark is worked out from the records alone: those of a window that was
over by the smallest watermark before their batch. Seconds count from `START`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest
from spark_programs.exact_jobs import START, Job, aligned, at, counts, exact, expected, finish, records, write
from spark_programs.queries import SparkQueries, aligned_queries, logged_offsets, wait_until

pytestmark = pytest.mark.xdist_group("spark")

IN_2100 = (datetime(2100, 1, 1, tzinfo=UTC) - START).total_seconds()

RECORDS_PLANNED = 8
"""Which field of a split's position says how many records of it are planned."""


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with aligned_queries() as queries:
        yield queries


def not_late(log: Path, job: Job, finished: bool = False) -> list[tuple[datetime, str]]:
    """Return the records of a log that came before their window was over by the smallest watermark.

    finished: whether splits were, from the beginning: one that is read to its end counts no longer.
    """
    rows = {
        folder.name: [
            row["at"].astimezone(UTC)
            for file in sorted(folder.glob("[0-9]*"))
            for row in parquet.read_table(file).to_pylist()
        ]
        for folder in log.iterdir()
        if folder.is_dir()
    }
    read = dict.fromkeys(rows, 0)
    kept, watermark = [], datetime.min.replace(tzinfo=UTC)
    for offset in logged_offsets(job.checkpoint):
        for split, times in rows.items():
            position = offset["splits"].get(split)
            until = 0 if position is None else position[RECORDS_PLANNED]
            for time_ in times[read[split] : until]:
                window_end = time_.replace(second=0, microsecond=0) + timedelta(minutes=1)
                if window_end > watermark:
                    kept.append((time_, split))
            read[split] = until
        marks = [
            max(times[: read[split]], default=None)
            for split, times in rows.items()
            if not (finished and read[split] == len(times))
            and split not in offset["signals"]["state"]["idle_splits"]
        ]
        known = [each for each in marks if each is not None]
        if known and len(known) == len(marks):
            watermark = max(watermark, min(known) - timedelta(milliseconds=1))
    return kept


@pytest.mark.slower
def test_a_gap_of_ten_minutes_loses_nothing(queries: SparkQueries, tmp_path: Path) -> None:
    write(tmp_path, "p0", [*range(60), *range(660, 720)])
    write(tmp_path, "p1", range(720))
    finish(tmp_path)
    for name, options in {"aligned": aligned("gap"), "not-aligned": {}}.items():
        job = Job(queries, f"B-{name}").run(counts(exact(queries, tmp_path, **options)))
        assert len(not_late(tmp_path, job, finished=True)) == 840
        assert job.fired == expected(records(tmp_path))


@pytest.mark.slower
def test_a_record_of_the_far_future_takes_nothing_of_other_splits(
    queries: SparkQueries, tmp_path: Path
) -> None:
    """Of its own split only what is late by the watermark of the others."""
    write(tmp_path, "p0", [*range(100), 10**9, *range(100, 200)])
    write(tmp_path, "p1", range(200))
    finish(tmp_path)
    for name, options in {"aligned": aligned("future"), "not-aligned": {}}.items():
        rows = exact(queries, tmp_path, maxRowsPerTrigger=50, **options)
        job = Job(queries, f"D-{name}").run(counts(rows))
        kept = not_late(tmp_path, job, finished=True)
        assert {row for row in records(tmp_path) if row[1] == "p1"} <= set(kept)
        # Where no batch without data lies between, Spark judges lateness by the watermark one batch earlier.
        assert expected(kept) <= job.fired <= expected(records(tmp_path))
        assert len(kept) >= 325


@pytest.mark.parametrize(
    "alignment",
    [
        pytest.param(aligned("guarded"), id="aligned"),
        pytest.param({}, id="not-aligned", marks=pytest.mark.slower),
    ],
)
def test_rows_of_the_year_2100_cost_no_row_behind_a_guard(
    queries: SparkQueries, tmp_path: Path, alignment: dict[str, Any]
) -> None:
    """They are first, in the middle and last in a split each; these go on, and the other one loses nothing."""
    for split, place in {"first": 0, "middle": 100, "last": 200}.items():
        seconds: list[float] = [*range(200)]
        seconds.insert(place, IN_2100)
        write(tmp_path, split, seconds)
    write(tmp_path, "right", range(400))
    rows = exact(queries, tmp_path, maxRowsPerTrigger=100, maxFutureEventTime="1 hour", **alignment)
    job = Job(queries, f"2100-{len(alignment)}").run(counts(rows))
    assert job.fired == expected(row for row in records(tmp_path) if row[0] < at(180))
    for split in ("first", "middle", "last"):
        write(tmp_path, split, range(200, 400), "1")
    finish(tmp_path)
    job.run(counts(exact(queries, tmp_path, maxFutureEventTime="1 hour", **alignment)))
    assert job.fired == expected(records(tmp_path))
    assert job.dropped == 0


@pytest.mark.slower
def test_an_idle_split_that_comes_back_loses_only_what_is_late(queries: SparkQueries, tmp_path: Path) -> None:
    write(tmp_path, "p0", range(400))
    (tmp_path / "p1").mkdir()
    job = Job(queries, "F")
    rows = exact(
        queries,
        tmp_path,
        clockStep="1 second",
        discoveryInterval="0 seconds",
        idleTimeout="5 seconds",
        **{**aligned("F"), "maxAllowedWatermarkDrift": "30 seconds"},
    )
    query = job.start(counts(rows), available_now=False)
    late = at(360)
    wait_until(lambda: len(job.fired) == 6, query)
    write(tmp_path, "p1", [*range(30, 100), *range(370, 500)])
    write(tmp_path, "p0", range(400, 500), "1")
    finish(tmp_path)
    wait_until(lambda: (at(480), "p0") in job.fired, query)
    query.stop()
    kept = not_late(tmp_path, job)
    assert [row for row in kept if row[1] == "p0"] == [row for row in records(tmp_path) if row[1] == "p0"]
    assert {row for row in records(tmp_path) if row[0] >= late} <= set(kept)
    assert job.fired == expected(kept)


def test_a_split_that_is_a_day_behind_loses_nothing_in_the_next_run(
    queries: SparkQueries, tmp_path: Path
) -> None:
    write(tmp_path, "p0", range(60))
    write(tmp_path, "p1", range(4000))
    job = Job(queries, "G2")
    job.run(counts(exact(queries, tmp_path, maxRowsPerTrigger=500, **aligned("G2-1"))))
    write(tmp_path, "p0", range(60, 4000), "1")
    job.run(counts(exact(queries, tmp_path, maxRowsPerTrigger=500, **aligned("G2-2"))))
    assert job.dropped == 0
    assert job.fired == expected(row for row in records(tmp_path) if row[0] < at(3960))
    finish(tmp_path)
    job.run(counts(exact(queries, tmp_path, **aligned("G2-3"))))
    assert job.fired == expected(records(tmp_path))


@pytest.mark.slower
def test_an_idle_source_holds_back_no_other_one_of_its_query(queries: SparkQueries, tmp_path: Path) -> None:
    """It says what the others have reached, and nothing that comes later is late."""
    quiet, busy = tmp_path / "quiet", tmp_path / "busy"
    write(quiet, "q", range(60))
    write(busy, "b", range(600))
    group = aligned("idle-source", sourcesInQuery=2, idleTimeout="2 seconds", discoveryInterval="0 seconds")
    job = Job(queries, "idle-source")
    both = exact(queries, quiet, **group).union(exact(queries, busy, **group))
    query = job.start(counts(both), available_now=False)
    wait_until(lambda: (at(480), "b") in job.fired, query)
    write(quiet, "q", range(600, 660), "1")
    write(busy, "b", range(600, 660), "1")
    finish(quiet), finish(busy)
    wait_until(lambda: {(at(600), "b"), (at(600), "q")} <= set(job.fired), query)
    query.stop()
    assert job.fired == expected([*records(quiet), *records(busy)])
