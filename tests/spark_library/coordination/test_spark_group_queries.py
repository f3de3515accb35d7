"""Groups of sources under real queries: later runs, restarts at random, and the exact watermark behind them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql.streaming import StreamingQuery
from spark_programs.driven_group import ServiceClock, clocked_coordination
from spark_programs.exact_jobs import Job, aligned, counts, exact, expected, finish, records, write
from spark_programs.queries import PATIENCE, SparkQueries, logged_offsets, spark_queries
from spark_programs.restarted_queries import QUERIES, CountedGroups, FailingJob, RestartedQueries

from tidegauge_spark.spark_version import READ_LIMITS

pytestmark = pytest.mark.xdist_group("spark")

RESTARTS = int(os.environ.get("TIDEGAUGE_RESTARTS", "10"))
"""How often queries are restarted at random."""

SHUFFLE_PARTITIONS = "spark.sql.shuffle.partitions"


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        before = queries.session.conf.get(SHUFFLE_PARTITIONS)
        queries.session.conf.set(SHUFFLE_PARTITIONS, "1")
        yield queries
        queries.session.conf.set(SHUFFLE_PARTITIONS, before)


@pytest.fixture(name="clock")
def _clock() -> ServiceClock:
    return ServiceClock()


@pytest.fixture(name="groups")
def _groups(clock: ServiceClock) -> CountedGroups:
    return CountedGroups(clock)


@pytest.fixture(name="address")
def _address(groups: CountedGroups) -> Iterator[str]:
    with clocked_coordination(groups) as address:
        yield address


def until(query: StreamingQuery | None, over: Callable[[], bool]) -> None:
    """Wait until something is so, while a query runs."""
    assert query is not None
    while not over():
        assert not query.awaitTermination(0.02) or over(), query.lastProgress


def held(query: StreamingQuery | None, groups: CountedGroups, source: str) -> None:
    """Wait until a source has reported in vain so often that nothing more can come."""
    until(query, lambda: groups.reports[source] > 3)  # it has begun
    seen = groups.reports[source]
    until(query, lambda: groups.reports[source] > seen + 30)


def identity(job: Job, source: int = 0) -> str:
    """Return the identity of a source in a checkpoint."""
    return str(logged_offsets(job.checkpoint, source)[-1]["source"])


def test_a_second_run_in_one_session_plans_its_sources_together_too(
    queries: SparkQueries, address: str, clock: ServiceClock, tmp_path: Path
) -> None:
    for log in ("orders", "payments"):
        write(tmp_path / log, "p", range(0, 1200, 4))
        finish(tmp_path / log)
    group = aligned("again", coordinator=address, sourcesInQuery=2, maxRowsPerTrigger=1000)
    batches = []
    for run in range(2):
        left, right = (exact(queries, tmp_path / log, **group) for log in ("orders", "payments"))
        job = Job(queries, f"again-{run}").run(counts(left.union(right)))
        assert job.fired == expected([*records(tmp_path / "orders"), *records(tmp_path / "payments")])
        assert job.dropped == 0
        planned = [offset["splits"]["p"][8] for offset in logged_offsets(job.checkpoint) if offset["splits"]]
        batches.append(len(set(planned)))  # those in which sources wait for one another add no records
        clock.now += 3600  # sources of the next run take a while to start, by their own clocks
    assert batches[0] < 10
    assert batches[1] == batches[0]


@pytest.mark.slower
def test_a_query_that_fails_is_left_and_joins_again_from_its_checkpoint(
    queries: SparkQueries, address: str, clock: ServiceClock, groups: CountedGroups, tmp_path: Path
) -> None:
    group = aligned("left", coordinator=address, sourcesInGroup=2, maxRowsPerTrigger=30)
    for log in ("orders", "payments"):
        write(tmp_path / log, "p", range(0, 1200, 2))
    orders, payments = FailingJob(queries, "left-orders"), FailingJob(queries, "left-payments")

    def rows(log: str) -> DataFrame:
        return counts(exact(queries, tmp_path / log, **group))

    orders.start(rows("orders"), available_now=False)
    payments.start(rows("payments"), available_now=False)
    until(payments.query, lambda: len(payments.batches) > 1)
    payments.fails = True
    assert payments.query is not None
    with pytest.raises(StreamingQueryException, match="the sink has failed"):
        payments.query.awaitTermination(PATIENCE)
    held(orders.query, groups, identity(orders))
    stood = orders.planned()
    assert 0 < stood <= payments.planned() + 62  # two drifts: one planned, one that has come out
    clock.now += 60
    until(orders.query, lambda: orders.planned() == 600)
    payments.fails = False
    payments.start(rows("payments"), available_now=False)
    until(payments.query, lambda: payments.planned() == 600)
    planned = [offset["splits"]["p"][8] for offset in logged_offsets(orders.checkpoint) if offset["splits"]]
    assert planned == sorted(planned)
    for job, log in (orders, "orders"), (payments, "payments"):
        assert job.query is not None
        job.query.stop()
        finish(tmp_path / log)
    for job, log in (orders, "orders"), (payments, "payments"):
        job.start(rows(log), available_now=READ_LIMITS.exists)
    for job, log in (orders, "orders"), (payments, "payments"):
        job.wait(lambda job=job, log=log: job.fired == expected(records(tmp_path / log)))  # type: ignore[misc]
        assert job.fired == expected(records(tmp_path / log))
        assert job.dropped == 0


@pytest.mark.slower
def test_a_query_in_a_long_batch_is_waited_for(
    queries: SparkQueries, address: str, clock: ServiceClock, groups: CountedGroups, tmp_path: Path
) -> None:
    """It plans nothing for longer than its restart timeout; its process says that it runs."""
    limits = {"maxRowsPerTrigger": 30, "restartTimeout": "10 seconds", "sourcesInGroup": 2}
    group = aligned("long", coordinator=address, **limits)
    for log in ("slow", "fast"):
        write(tmp_path / log, "p", range(0, 1200, 2))
    goes_on = threading.Event()

    class Slow(Job):
        def start(self, frame: DataFrame, *_: Any, **__: Any) -> StreamingQuery:
            def take(rows: DataFrame, batch: int) -> None:
                self.batches[batch] = rows.collect()
                goes_on.wait(PATIENCE)

            writer = frame.writeStream.foreachBatch(take)
            self.query = writer.option("checkpointLocation", str(self.checkpoint)).start()
            return self.query

    slow, fast = Slow(queries, "long-slow"), FailingJob(queries, "long-fast")
    slow.start(exact(queries, tmp_path / "slow", **group))
    fast.start(exact(queries, tmp_path / "fast", **group), available_now=False)
    until(slow.query, lambda: bool(slow.batches))
    source = identity(slow)
    for _ in range(4):
        heard = groups.heartbeats[source]
        until(slow.query, lambda heard=heard: groups.heartbeats[source] > heard)  # type: ignore[misc]
        clock.now += 6
    held(fast.query, groups, identity(fast))
    assert 0 < fast.planned() <= 62
    goes_on.set()
    until(fast.query, lambda: fast.planned() == 600)
    for job in (slow, fast):
        assert job.query is not None
        job.query.stop()


@pytest.mark.slower
def test_two_queries_with_a_finished_source_do_not_stall_over_restarts(
    queries: SparkQueries, address: str, clock: ServiceClock, groups: CountedGroups, tmp_path: Path
) -> None:
    restarted = RestartedQueries(queries, tmp_path, address, groups, seed=1)
    for name in QUERIES:
        restarted.start(name)
    restarted.read_all()
    restarts = 0
    while restarts < RESTARTS:
        restarts += restarted.restart(clock)
    restarted.read_all()
    restarted.finish()
    restarted.check()
