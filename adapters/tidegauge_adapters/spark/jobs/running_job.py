"""A job in streaming queries on a real Spark, on the virtual clock of its sources.

Processing time goes on by `CLOCK_STEP` ms at each planning; the rows say at which time they were planned.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from tidegauge.wire.steps.job import JobSetup, SourceSetup
from tidegauge.wire.vocabulary import LogEvent
from tidegauge_spark import coordination

from ...spark_session.session import note_micro_batch

CLOCK_STEP = 5_000
"""How much virtual processing time (ms) a micro-batch takes: also the time to react to a new bound."""

_LONGEST_JOB = 600.0
"""Seconds after which a job is given up."""

_ALL_ROWS = str(2**62)

_HELD_BATCH = 2
"""The micro-batch of the last of several queries that comes out late: it is planned, and not read yet, while
the others go on."""

_BATCHES_MEANWHILE = 4
"""How many micro-batches of each other query come out first."""


class RunningJob(ABC):
    """The queries of a job, and the micro-batches that came out, in the order in which they did."""

    def __init__(self, session: SparkSession, source: str, setup: JobSetup, folder: Path) -> None:
        self.session = session
        self.setup = setup
        self.folder = folder
        self._format = source
        self._queries: dict[str, StreamingQuery] = {}
        self._batches: dict[tuple[str, int], list[LogEvent]] = {}
        self._service: str | None = None
        self._came_out = threading.Condition()
        self._stopped = False
        self._deadline = time.monotonic() + _LONGEST_JOB

    @abstractmethod
    def options(self, source: SourceSetup) -> dict[str, str]:
        """What a source reads, as options."""

    @abstractmethod
    def behind(self, sources: DataFrame) -> DataFrame:
        """What is behind the sources of a query: rows of which the log is made."""

    @abstractmethod
    def logged(self, batch: int, rows: Any) -> list[LogEvent]:
        """The log of a micro-batch, of its rows (an Arrow table)."""

    @abstractmethod
    def triggered(self, writer: DataStreamWriter) -> DataStreamWriter:
        """The query with its trigger."""

    def ended(self) -> bool:
        """Whether everything has come out, in a query that does not end by itself."""
        return False

    def run(self) -> None:
        """Run the job to its end; raises what made a query fail."""
        with ExitStack() as services:
            names = list(dict.fromkeys(source.query for source in self.setup.sources))
            frames = {name: self.behind(self._union(name, services)) for name in names}
            for name, frame in frames.items():
                self._start(name, frame)
            for restart in self.setup.restarts:
                self._wait(partial(self._reaches, restart))
                for name, frame in frames.items():
                    self._queries[name].stop()
                    self._start(name, frame)
            self._wait(lambda: self._time() >= self.setup.until or self.ended())
            self.stop()

    def stop(self) -> None:
        """Stop what still runs."""
        self._stopped = True
        for query in self._queries.values():
            query.stop()

    def events(self) -> list[LogEvent]:
        """The log."""
        return [event for batch in self._batches.values() for event in batch]

    def _union(self, query: str, services: ExitStack) -> DataFrame:
        """The union of the sources of a query."""
        frames = [self._load(source, services) for source in self.setup.sources if source.query == query]
        whole = frames[0]
        for frame in frames[1:]:
            whole = whole.union(frame)
        return whole

    def _load(self, source: SourceSetup, services: ExitStack) -> DataFrame:
        options = {
            "sourceName": source.name,
            "numSubtasks": str(len(source.subtasks)),
            "clockStep": f"{CLOCK_STEP} milliseconds",
            "maxRowsPerTrigger": _ALL_ROWS,
            **self.options(source),
        }
        if source.watermark_group is not None:
            options["watermarkGroup"] = source.watermark_group
            options["maxAllowedWatermarkDrift"] = f"{source.max_allowed_watermark_drift} milliseconds"
            members = [
                other for other in self.setup.sources if other.watermark_group == source.watermark_group
            ]
            if len(members) > 1:
                options["coordinator"] = self._address(services)
                options["sourcesInGroup"] = str(len(members))
                options["sourcesInQuery"] = str(sum(other.query == source.query for other in members))
        return self.session.readStream.format(self._format).options(**options).load()

    def _address(self, services: ExitStack) -> str:
        """The coordination service of this job, started when it is first needed."""
        if self._service is None:
            self._service = services.enter_context(coordination())
        return self._service

    def _start(self, name: str, frame: DataFrame) -> None:
        def take(batch_frame: DataFrame, batch: int) -> None:
            self._take(name, batch, batch_frame)

        writer = frame.writeStream.foreachBatch(take)
        writer = writer.option("checkpointLocation", str(self.folder / name))
        self._queries[name] = self.triggered(writer).start()

    def _take(self, query: str, batch: int, frame: DataFrame) -> None:
        """Keep a micro-batch; one that is repeated after a restart takes the place of the first."""
        events = self.logged(batch, frame.toArrow())
        note_micro_batch()
        with self._came_out:
            if batch == _HELD_BATCH and query == self.setup.sources[-1].query:
                self._let_others_go_on(query)
            self._batches.pop((query, batch), None)
            self._batches[query, batch] = events
            self._came_out.notify_all()

    def _let_others_go_on(self, held: str) -> None:
        """Wait until all other queries have come further, or ended."""
        awaited = {
            name: self._came_out_of(name) + _BATCHES_MEANWHILE for name in self._queries if name != held
        }
        while not self._stopped and time.monotonic() < self._deadline:
            awaited = {
                name: count
                for name, count in awaited.items()
                if self._queries[name].isActive and self._came_out_of(name) < count
            }
            if not awaited:
                return
            self._came_out.wait(0.1)

    def _came_out_of(self, query: str) -> int:
        """How many micro-batches of a query have come out, empty ones counted."""
        return sum(name == query for name, _ in self._batches)

    def _time(self) -> int:
        """The processing time (ms) of the query that is furthest behind."""
        return min(
            self._came_out_of(name) * CLOCK_STEP if self._queries[name].isActive else self.setup.until
            for name in self._queries
        )

    def _reaches(self, moment: int) -> bool:
        return self._time() >= moment

    def _wait(self, reached: Callable[[], bool]) -> None:
        """Wait until `reached`, or until all queries have ended. Raises what made one fail."""
        with self._came_out:
            while not reached():
                self._raise_failures()
                if not any(query.isActive for query in self._queries.values()):
                    return
                if time.monotonic() > self._deadline:
                    raise TimeoutError(f"the job did not end within {_LONGEST_JOB:.0f} s")
                self._came_out.wait(0.1)
        self._raise_failures()

    def _raise_failures(self) -> None:
        for query in self._queries.values():
            failure = query.exception()
            if failure is not None:
                raise failure
