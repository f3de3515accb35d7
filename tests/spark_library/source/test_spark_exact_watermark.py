"""Spark's own operators on the exact watermark of a source, and each way in which that could be lost in silence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import Row
from pyspark.sql.functions import col, expr, session_window, window, window_time
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from spark_programs.driven_files import write_table
from spark_programs.exact_jobs import (
    Job,
    aligned,
    at,
    counts,
    exact,
    expected,
    finish,
    records,
    write,
)
from spark_programs.queries import SparkQueries, aligned_queries

from tidegauge_spark import IllegalOptionError, load
from tidegauge_spark.source import exact_watermark

pytestmark = pytest.mark.xdist_group("spark")

GAP = [*range(60), *range(660, 720)]
"""The seconds of a split that is silent for ten minutes."""


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with aligned_queries() as queries:
        yield queries


@pytest.fixture(name="gap")
def _gap(tmp_path: Path) -> Path:
    write(tmp_path / "log", "p0", GAP)
    write(tmp_path / "log", "p1", range(720))
    finish(tmp_path / "log")
    return tmp_path / "log"


@pytest.mark.parametrize("subtasks", [1, 2])
def test_windows_lose_nothing_at_a_gap(queries: SparkQueries, gap: Path, subtasks: int) -> None:
    """Two subtasks: the watermark of the source, and not the largest that one of them has."""
    job = Job(queries, f"gap-{subtasks}")
    job.run(counts(exact(queries, gap, numSubtasks=subtasks, **aligned(f"gap-{subtasks}"))))
    assert job.fired == expected(records(gap))
    assert job.dropped == 0
    assert len(job.watermarks) > 5


def test_columns_that_the_schema_says_are_never_null(queries: SparkQueries, gap: Path) -> None:
    options = {"path": str(gap), "eventTimeColumn": "at", **aligned("not-null")}
    reader = queries.session.readStream.format("tidegauge").options(**options)
    job = Job(queries, "not-null")
    job.run(counts(load(reader.schema("at TIMESTAMP NOT NULL, p STRING NOT NULL"))))
    assert job.fired == expected(records(gap))


@pytest.mark.slower
def test_filters_behind_the_watermark_do_not_remove_it(queries: SparkQueries, gap: Path) -> None:
    rows = exact(queries, gap, **aligned("filters")).where(
        "p = 'p1' AND at > TIMESTAMP '2025-10-09 09:01:00Z'"
    )
    job = Job(queries, "filters").run(counts(rows.where(col("at").isNotNull())))
    kept = [row for row in records(gap) if row[1] == "p1" and row[0] > at(60)]
    assert job.fired == expected(kept)


@pytest.mark.parametrize("barrier", ["false", "rand() < 0", "current_timestamp() IS NULL"])
@pytest.mark.slower
def test_a_filter_that_spark_sees_through_ends_the_query_in_one_line(
    queries: SparkQueries, gap: Path, monkeypatch: pytest.MonkeyPatch, barrier: str
) -> None:
    """The next filter of the query is merged with such a one, and takes the watermark out below its node."""
    monkeypatch.setattr(exact_watermark, "BARRIER", barrier)
    rows = exact(queries, gap, maxRowsPerTrigger=10, **aligned("deterministic")).where("p = 'p1'")
    job = Job(queries, f"deterministic-{barrier[:5]}")
    with pytest.raises(
        StreamingQueryException, match=r"the rows that carry the watermark do not reach it: .* ms; use"
    ):
        job.run(counts(rows))
    assert job.fired == {}


def test_one_source_of_several_without_its_watermark_ends_the_query_too(
    queries: SparkQueries, gap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = exact(queries, gap, maxRowsPerTrigger=10)
    monkeypatch.setattr(exact_watermark, "BARRIER", "false")
    broken = exact(queries, gap, maxRowsPerTrigger=10).where("p = 'p1'")
    job = Job(queries, "one-of-two")
    with pytest.raises(
        StreamingQueryException, match="its sources have reported .* watermark of the query is 0 ms"
    ):
        job.run(counts(whole.union(broken)))


def test_a_filter_before_the_watermark_cannot_be(queries: SparkQueries, gap: Path) -> None:
    source = queries.session.readStream.format("tidegauge").options(path=str(gap), eventTimeColumn="at")
    with pytest.raises(
        TypeError, match=r"was given a DataFrame: give it .* without \.load\(\), and filter what"
    ):
        load(source.load().where("p = 'p1'"))  # type: ignore[arg-type]


def test_the_reader_of_the_user_stays_as_it_was(queries: SparkQueries, gap: Path) -> None:
    """Its own load() later on gives no row that says a watermark."""
    source = queries.session.readStream.format("tidegauge").options(path=str(gap), eventTimeColumn="at")
    load(source)
    assert source.load().columns == ["at", "p"]


def test_another_source_is_refused(queries: SparkQueries) -> None:
    with pytest.raises(TypeError, match="a reader of 'rate': it supports only the sources of tidegauge"):
        load(queries.session.readStream.format("rate"))


def test_a_second_watermark_is_refused_at_once(queries: SparkQueries, gap: Path) -> None:
    rows = exact(queries, gap)
    with pytest.raises(
        IllegalOptionError, match=r"withWatermark\('at', '1 minute'\): .*; leave it out, and set"
    ):
        rows.withWatermark("at", "1 minute")


@pytest.mark.slower
def test_spark_refuses_a_second_watermark_of_a_derived_frame(queries: SparkQueries, gap: Path) -> None:
    again = exact(queries, gap).select("at", "p").withWatermark("at", "1 minute")
    with pytest.raises(StreamingQueryException, match="Redefining watermark is disallowed"):
        Job(queries, "again").run(counts(again))


def test_the_policy_of_several_watermarks_has_to_be_the_smallest(queries: SparkQueries, gap: Path) -> None:
    queries.session.conf.set(exact_watermark.POLICY_CONF, "max")
    try:
        with pytest.raises(IllegalOptionError, match="multipleWatermarkPolicy = 'max': .*; set it to 'min'"):
            exact(queries, gap)
    finally:
        queries.session.conf.unset(exact_watermark.POLICY_CONF)


@pytest.mark.slower
def test_a_source_that_has_finished_holds_back_nobody_after_a_restart(
    queries: SparkQueries, tmp_path: Path
) -> None:
    """It says the end of time again: Spark has forgotten which of the sources had said it."""
    done, growing = tmp_path / "done", tmp_path / "growing"
    write(done, "a", range(60))
    finish(done)
    write(growing, "b", range(120))
    job = Job(queries, "finished-before")
    for run in range(3):
        write(growing, "b", range(120 + 120 * run, 240 + 120 * run), f"{run + 1}")
        job.run(counts(exact(queries, done).union(exact(queries, growing))))
    last = at(420)
    fired = [row for row in [*records(done), *records(growing)] if row[0] < last]
    assert job.fired == expected(fired)
    assert job.dropped == 0


@pytest.mark.slower
def test_rows_that_come_after_a_run_to_the_end_are_not_late(queries: SparkQueries, tmp_path: Path) -> None:
    """The end of a run under AvailableNow is not the end of time, which would stay in the checkpoint."""
    write(tmp_path, "a", range(100))
    write(tmp_path, "b", range(90))
    job = Job(queries, "more-later")
    job.run(counts(exact(queries, tmp_path)))
    assert job.fired == expected(row for row in records(tmp_path) if row[0] < at(60))
    write(tmp_path, "a", range(100, 200), "1")
    write(tmp_path, "b", range(90, 200), "1")
    finish(tmp_path)
    job.run(counts(exact(queries, tmp_path)))
    assert job.fired == expected(records(tmp_path))
    assert job.dropped == 0


@pytest.mark.slower
def test_a_checkpoint_of_the_watermark_of_spark_continues(queries: SparkQueries, tmp_path: Path) -> None:
    write(tmp_path, "a", range(100))
    write(tmp_path, "b", range(100))
    plain = queries.session.readStream.format("tidegauge").options(path=str(tmp_path), eventTimeColumn="at")
    job = Job(queries, "switched").run(counts(plain.load().withWatermark("at", "70 seconds")))
    write(tmp_path, "a", [*range(100, 160), *range(700, 760)], "1")
    write(tmp_path, "b", range(100, 760), "1")
    finish(tmp_path)
    job.run(counts(exact(queries, tmp_path, numSubtasks=2)))
    assert job.fired == expected(records(tmp_path))


def test_several_sources_follow_the_slowest(queries: SparkQueries, gap: Path, tmp_path: Path) -> None:
    write(tmp_path / "slow", "p2", range(0, 720, 7))
    finish(tmp_path / "slow")
    both = exact(queries, gap).union(exact(queries, tmp_path / "slow", maxRowsPerTrigger=9))
    job = Job(queries, "several").run(counts(both))
    assert job.fired == expected([*records(gap), *records(tmp_path / "slow")])
    assert job.dropped == 0


@pytest.mark.slower
def test_joins_lose_nothing_at_a_gap_of_the_slower_source(
    queries: SparkQueries, gap: Path, tmp_path: Path
) -> None:
    """An inner one and a left outer one, whose unmatched rows come out when it is certain that there is none."""
    write(tmp_path / "right", "p2", range(0, 720, 2))
    finish(tmp_path / "right")
    for kind in ("inner", "left_outer"):
        left = exact(queries, gap, **aligned(f"left-{kind}")).alias("l")
        right = exact(queries, tmp_path / "right", maxRowsPerTrigger=1000).alias("r")
        near = expr("l.at = r.at AND l.at >= r.at AND l.at <= r.at + INTERVAL 5 SECONDS")
        joined = left.join(right, on=near, how=kind)
        job = Job(queries, f"join-{kind}").run(joined.selectExpr("l.at", "l.p", "r.p AS other"))
        matched = {row[0] for row in records(tmp_path / "right")}
        wanted = [(*row, "p2" if row[0] in matched else None) for row in records(gap)]
        wanted = [row for row in wanted if kind == "left_outer" or row[2] is not None]
        found = sorted((row.at.timestamp(), row.p, str(row.other)) for row in job.rows)
        assert found == sorted((row[0].timestamp(), row[1], str(row[2])) for row in wanted)


@pytest.mark.slower
def test_duplicates_are_kept_apart_over_a_gap(queries: SparkQueries, gap: Path) -> None:
    rows = exact(queries, gap, **aligned("unique"))
    twice = rows.union(rows).dropDuplicatesWithinWatermark(["at", "p"])
    job = Job(queries, "unique").run(twice)
    found = sorted((row.at.timestamp(), row.p) for row in job.rows)
    assert found == sorted((row[0].timestamp(), row[1]) for row in records(gap))


@pytest.mark.slower
def test_sessions_lose_nothing_at_a_gap(queries: SparkQueries, gap: Path) -> None:
    sessions = exact(queries, gap, **aligned("sessions")).groupBy(session_window("at", "30 seconds"), "p")
    job = Job(queries, "sessions").run(sessions.count())
    found = {
        (row.session_window.start.timestamp() - at(0).timestamp(), row.p): row["count"] for row in job.rows
    }
    assert found == {(0, "p0"): 60, (660, "p0"): 60, (0, "p1"): 720}


@pytest.mark.slower
def test_windows_of_windows_lose_nothing_at_a_gap(queries: SparkQueries, gap: Path) -> None:
    minutes = counts(exact(queries, gap, **aligned("windows")))
    fives = minutes.groupBy(window(window_time("window"), "5 minutes"), "p").agg({"count": "sum"})
    job = Job(queries, "windows-of-windows").run(fives)
    found = {(row.window.start.timestamp() - at(0).timestamp(), row.p): row["sum(count)"] for row in job.rows}
    assert found == {
        (0, "p0"): 60,
        (600, "p0"): 60,
        (0, "p1"): 300,
        (300, "p1"): 300,
        (600, "p1"): 120,
    }


@pytest.mark.slower
def test_event_time_timers_see_all_rows_before_them(queries: SparkQueries, gap: Path) -> None:
    deadline = round(at(600).timestamp() * 1000)

    class Before(StatefulProcessor):
        """Counts the rows of a key up to the deadline, and says so when a timer tells that it is over."""

        def init(self, handle: Any) -> None:
            self._handle, self._count = handle, handle.getValueState("count", "count int")

        def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
            before = self._count.get()[0] if self._count.exists() else 0
            self._count.update((before + sum(row.at.timestamp() * 1000 <= deadline for row in rows),))
            if timerValues.getCurrentWatermarkInMs() < deadline:
                self._handle.registerTimer(deadline)
            return iter(())

        def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
            yield Row(p=key[0], count=self._count.get()[0])

        def close(self) -> None:
            pass

    rows = exact(queries, gap, **aligned("timers"))
    counted = rows.groupBy("p").transformWithState(Before(), "p string, count int", "Append", "EventTime")
    job = Job(queries, "timers").run(counted)
    assert sorted((row.p, row["count"]) for row in job.rows) == [("p0", 60), ("p1", 601)]


@pytest.mark.slower
def test_the_number_of_subtasks_may_change_at_a_restart(queries: SparkQueries, tmp_path: Path) -> None:
    job = Job(queries, "resharded")
    for run, subtasks in enumerate((2, 3, 1)):
        write(tmp_path, "p0", [run * 1000 + second for second in range(60)], f"{run}")
        write(tmp_path, "p1", range(run * 1000, run * 1000 + 900), f"{run}")
        write(tmp_path, "p2", range(run * 1000, run * 1000 + 300), f"{run}")
        job.run(counts(exact(queries, tmp_path, numSubtasks=subtasks)))
    finish(tmp_path)
    job.run(counts(exact(queries, tmp_path, numSubtasks=2)))
    assert job.fired == expected(records(tmp_path))
    assert job.dropped == 0


@pytest.mark.slower
def test_queries_without_state_and_all_modes_pass_the_check(queries: SparkQueries, gap: Path) -> None:
    rows = exact(queries, gap, **aligned("stateless"))
    job = Job(queries, "stateless").run(rows.select("p").where("p = 'p1'"))
    assert len(job.rows) == 720
    assert job.watermarks[-1].startswith("2025-10-09T09:11")
    for mode in ("update", "complete"):
        changed = Job(queries, f"mode-{mode}").run(counts(exact(queries, gap, **aligned(mode))), mode)
        assert changed.dropped == 0
        last = {(row.window.start, row.p): row["count"] for row in changed.rows}
        assert sum(last.values()) == 840


@pytest.mark.slower
def test_whole_numbers_come_out_as_timestamps(queries: SparkQueries, tmp_path: Path) -> None:
    seconds = [1_760_000_400 + second for second in (0, 30, 90, 200)]
    for split, unit in (("s", 1), ("ns", 10**9)):
        log = tmp_path / split
        write_table(log, "x", "0", pa.table({"at": [each * unit for each in seconds], "p": ["x"] * 4}))
        finish(log)
        job = Job(queries, f"numbers-{split}").run(counts(exact(queries, log, eventTimeUnit=split)))
        assert {row.window.start.timestamp(): row["count"] for row in job.rows} == {
            1_760_000_400: 2,
            1_760_000_460: 1,
            1_760_000_580: 1,
        }


def test_number_sequences_have_it_too(queries: SparkQueries) -> None:
    rows = load(queries.session.readStream.format("tidegauge").options(end=99, maxRowsPerTrigger=40))
    tens = rows.groupBy(window("timestamp", "10 milliseconds")).count()
    job = Job(queries, "sequence").run(tens)
    assert [row["count"] for row in job.rows] == [10] * 10
