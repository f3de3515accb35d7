"""Two queries over two sources each, in one watermark group, that are stopped, fail and are started again at random.

One source is finished for good from the beginning; the other logs grow. Whether the queries stall is decided by
what they do: all sources have reported to their group many times, and none has planned anything.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, Row

from spark_programs.driven_group import ServiceClock
from spark_programs.exact_jobs import Job, Windows, aligned, counts, exact, expected, finish, records, write
from spark_programs.queries import SparkQueries, logged_offsets
from tidegauge_spark.group_coordination.client import GroupReport
from tidegauge_spark.group_coordination.groups import Groups
from tidegauge_spark.group_coordination.presence import Presence
from tidegauge_spark.spark_version import READ_LIMITS

IN_VAIN = 200
"""So many reports of each source in a row, none of which let anything be planned, are a stall."""

EVERY = 4
"""Seconds from one record to the next."""

FINISHED, GROWING = "a", ("b", "c", "d")
QUERIES = {"first": (FINISHED, "b"), "second": ("c", "d")}


class CountedGroups(Groups):
    """Groups that count the reports and the heartbeats of each source."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self.reports: Counter[str] = Counter()
        self.heartbeats: Counter[str] = Counter()

    def report(
        self,
        group: str,
        source: str,
        minimum: int,
        known: GroupReport | None = None,
        presence: Presence | None = None,
    ) -> GroupReport:
        """Take a report, and count it."""
        self.reports[source] += 1
        return super().report(group, source, minimum, known, presence)

    def renew(self, group: str, source: str, run: str) -> None:
        """Take a heartbeat, and count it."""
        self.heartbeats[source] += 1
        super().renew(group, source, run)


class FailingJob(Job):
    """A query whose sink fails when a test says so."""

    fails = False

    def planned(self, sources: int = 1) -> int:
        """Return how many records are planned, of all sources of the query."""
        return sum(
            position[8]
            for source in range(sources)
            for offset in logged_offsets(self.checkpoint, source)[-1:]
            for position in offset["splits"].values()
        )

    def start(self, frame: DataFrame, mode: str = "append", available_now: bool = True) -> object:
        def take(rows: DataFrame, batch: int) -> None:
            taken: list[Row] = rows.collect()
            if self.fails:
                raise RuntimeError("the sink has failed")
            self.batches[batch] = taken

        writer = frame.writeStream.outputMode(mode).foreachBatch(take)
        writer = writer.option("checkpointLocation", str(self.checkpoint))
        self.query = (writer.trigger(availableNow=True) if available_now else writer).start()
        return self.query


class RestartedQueries:
    """The two queries, their logs, and the group of their sources."""

    def __init__(
        self, queries: SparkQueries, folder: Path, address: str, groups: CountedGroups, seed: int
    ) -> None:
        self._queries, self._folder, self._groups = queries, folder, groups
        self._draw = random.Random(seed)
        together = {"sourcesInQuery": 2, "sourcesInGroup": 4, "maxAllowedWatermarkDrift": "3 minutes"}
        self._group = {**aligned(f"restarted-{seed}", coordinator=address), **together}
        self._written = dict.fromkeys(GROWING, 0)
        write(folder / FINISHED, "p", range(30))
        finish(folder / FINISHED)
        self.grow()
        self.jobs = {name: FailingJob(queries, f"restarted-{seed}-{name}") for name in QUERIES}

    def grow(self) -> None:
        """Write one more minute of records to each log that is not finished."""
        for log, seconds in self._written.items():
            write(self._folder / log, "p", range(seconds, seconds + 60, EVERY), f"{seconds:09}")
            self._written[log] = seconds + 60

    def start(self, name: str, available_now: bool = False) -> None:
        """Start a query from its checkpoint."""
        first, second = (exact(self._queries, self._folder / log, **self._group) for log in QUERIES[name])
        job = self.jobs[name]
        job.fails = False
        job.start(counts(first.union(second)), available_now=available_now)

    def end(self, name: str, fails: bool) -> None:
        """Let a query fail in its next batch, or stop it at once."""
        job = self.jobs[name]
        query = job.query
        assert query is not None
        if fails:
            job.fails = True
            self._wait(lambda: not query.isActive, "fail")
        else:
            query.stop()

    def read_all(self) -> None:
        """Let both queries come to the end of what is written."""
        self._wait(lambda: self._planned() == self._all_written(), "read all that is written")

    def restart(self, clock: ServiceClock) -> int:
        """End one query, or both, while records are unread; start them again, perhaps after a long time.

        Return how many queries were restarted.
        """
        self.grow()
        names = self._draw.choice([["first"], ["second"], ["first", "second"], ["second", "first"]])
        fails = self._draw.random() < 0.5
        for name in names:
            self.end(name, fails and name == names[0])  # the second one may have to wait for the first
        clock.now += self._draw.choice([0.0, 5.0, 61.0])
        for name in names:
            self.start(name)
        if self._draw.random() < 0.25:
            self.read_all()
        return len(names)

    def finish(self) -> None:
        """Say that no more records come, and let both queries fire their last windows and end."""
        for job in self.jobs.values():
            assert job.query is not None
            job.query.stop()
        for log in GROWING:
            finish(self._folder / log)
        for name in QUERIES:
            self.start(name, available_now=READ_LIMITS.exists)
        self._wait(self._has_ended if READ_LIMITS.exists else self._is_complete, "end")

    def _has_ended(self) -> bool:
        return not any(job.query.isActive for job in self.jobs.values() if job.query)

    def _is_complete(self) -> bool:
        return all(self.jobs[name].fired == self._expected(name) for name in QUERIES)

    def check(self) -> None:
        """Compare the windows of both queries with their logs."""
        for name in QUERIES:
            assert self.jobs[name].fired == self._expected(name)

    def _expected(self, query: str) -> Windows:
        return expected(row for log in QUERIES[query] for row in records(self._folder / log))

    def _wait(self, over: Callable[[], bool], what: str) -> None:
        """Wait until something is so. Raises `AssertionError` if both queries plan in vain."""
        planned, reports = self._planned(), self._groups.reports.copy()
        while not over():
            for job in self.jobs.values():
                assert job.query is not None
                with suppress(StreamingQueryException) if job.fails else nullcontext():
                    job.query.awaitTermination(0.05)
            if self._planned() != planned:
                planned, reports = self._planned(), self._groups.reports.copy()
            since = self._groups.reports - reports
            stalled = len(since) >= 4 and min(sorted(since.values())[-4:]) > IN_VAIN
            assert not stalled, (what, planned, since, self._groups.sources(self._group["watermarkGroup"]))

    def _planned(self) -> int:
        """Return how many records all sources have planned."""
        return sum(job.planned(sources=2) for job in self.jobs.values())

    def _all_written(self) -> int:
        return 30 + sum(seconds // EVERY for seconds in self._written.values())
