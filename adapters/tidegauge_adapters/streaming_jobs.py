"""Whole jobs on a real Spark: sources of `tidegauge_spark` in streaming queries, their rows as event log.

Processing time is the source's virtual clock, which goes on by `CLOCK_STEP` ms at each planning; the rows
say at which time they were planned.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql.datasource import DataSource
from pyspark.sql.streaming.query import StreamingQuery

from tidegauge import Failure, Transcript
from tidegauge.components.job.vocabulary import JobSetup, SourceSetup
from tidegauge.scenario import JobScenario
from tidegauge.timestamps import from_wire, to_wire
from tidegauge.vocabulary import LogEvent
from tidegauge_spark import coordination

from .spark_session import RunningSpark, running_spark

CLOCK_STEP = 5_000
"""How much virtual processing time (ms) a micro-batch takes: also the time to react to a new bound."""

_LONGEST_JOB = 240.0
"""Seconds after which a job is given up."""

_ALL_ROWS = str(2**62)


class StreamingJobs:
    """Runs jobs with `source` on `master`."""

    def __init__(self, source: type[DataSource], master: str, parent: Path | None) -> None:
        self._source = source
        self._master = master
        self._parent = parent

    def transcript(self, scenario: JobScenario) -> Transcript:
        """The event log of one job, as the outputs of its only step."""
        spark = running_spark(self._master, self._parent)
        spark.session.dataSource.register(self._source)
        folder = spark.folder.subfolder("job")
        job = _RunningJob(spark, self._source.name(), scenario.setup, folder)
        try:
            job.run()
            events = job.events()
        except Exception as error:
            return Transcript(
                scenario.id, (), Failure("exception", f"{type(error).__name__}: {error}"[:2000])
            )
        finally:
            job.stop()
            shutil.rmtree(folder, ignore_errors=True)
        return Transcript(scenario.id, (tuple(events),))


class _RunningJob:
    """The queries of a job, and the micro-batches that came out, in the order in which they did."""

    def __init__(self, spark: RunningSpark, source: str, setup: JobSetup, folder: Path) -> None:
        self._session = spark.session
        self._format = source
        self._setup = setup
        self._folder = folder
        self._queries: dict[str, StreamingQuery] = {}
        self._batches: dict[tuple[str, int], list[LogEvent]] = {}
        self._service: str | None = None
        self._came_out = threading.Condition()
        self._deadline = time.monotonic() + _LONGEST_JOB

    def run(self) -> None:
        """Run the job to its end; raises what made a query fail."""
        with ExitStack() as services:
            names = list(dict.fromkeys(source.query for source in self._setup.sources))
            frames = {name: self._frame(name, services) for name in names}
            for name, frame in frames.items():
                self._start(name, frame)
            for restart in self._setup.restarts:
                self._wait(lambda restart=restart: self._time() >= restart)
                for name, frame in frames.items():
                    self._queries[name].stop()
                    self._start(name, frame)
            self._wait(lambda: self._time() >= self._setup.until)
            self.stop()

    def stop(self) -> None:
        """Stop what still runs."""
        for query in self._queries.values():
            query.stop()

    def events(self) -> list[LogEvent]:
        """The log."""
        return [event for batch in self._batches.values() for event in batch]

    def _frame(self, query: str, services: ExitStack) -> DataFrame:
        """The union of the sources of a query."""
        frames = [self._load(source, services) for source in self._setup.sources if source.query == query]
        whole = frames[0]
        for frame in frames[1:]:
            whole = whole.union(frame)
        return whole

    def _load(self, source: SourceSetup, services: ExitStack) -> DataFrame:
        first, last = from_wire(source.subtasks[0].first), from_wire(source.subtasks[-1].end)
        options = {
            "sourceName": source.name,
            "numSubtasks": str(len(source.subtasks)),
            "clockStep": f"{CLOCK_STEP} milliseconds",
            "maxRowsPerBatch": _ALL_ROWS,
            "start": str(first),
            "end": str(last - 1),
            "split": "range" if self._setup.split_range else "repeat",
        }
        for index, subtask in enumerate(source.subtasks):
            options[f"recordsPerMillisecond.{index}"] = str(subtask.records_per_millisecond)
            if not self._setup.split_range:
                options[f"end.{index}"] = str(from_wire(subtask.end) - 1)
        if source.watermark_group is not None:
            options["watermarkGroup"] = source.watermark_group
            options["maxAllowedWatermarkDrift"] = f"{source.max_allowed_watermark_drift} milliseconds"
            members = [
                other for other in self._setup.sources if other.watermark_group == source.watermark_group
            ]
            if len(members) > 1:
                options["coordinator"] = self._address(services)
                options["sourcesInGroup"] = str(len(members))
        return self._session.readStream.format(self._format).options(**options).load()

    def _address(self, services: ExitStack) -> str:
        """The coordination service of this job, started when it is first needed."""
        if self._service is None:
            self._service = services.enter_context(coordination())
        return self._service

    def _start(self, name: str, frame: DataFrame) -> None:
        def take(batch_frame: DataFrame, batch: int) -> None:
            self._take(name, batch, batch_frame)

        writer = frame.writeStream.foreachBatch(take)
        writer = writer.option("checkpointLocation", str(self._folder / name))
        if not self._setup.endless:
            writer = writer.trigger(availableNow=True)
        self._queries[name] = writer.start()

    def _take(self, query: str, batch: int, frame: DataFrame) -> None:
        """Keep a micro-batch; one that is repeated after a restart takes the place of the first."""
        events = list(_events(frame.toArrow()))
        with self._came_out:
            self._batches.pop((query, batch), None)
            self._batches[query, batch] = events
            self._came_out.notify_all()

    def _time(self) -> int:
        """The processing time (ms) of the query that is furthest behind, empty micro-batches counted."""
        return min(
            sum(query == name for query, _ in self._batches) * CLOCK_STEP
            if self._queries[name].isActive
            else self._setup.until
            for name in self._queries
        )

    def _wait(self, reached: Any) -> None:
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


def _events(rows: Any) -> Iterator[LogEvent]:
    """The rows of a micro-batch as runs of consecutive numbers; a number that comes twice makes two runs."""
    if not rows.num_rows:
        return
    frame = rows.to_pandas()
    for (source, planned_at, subtask), part in frame.groupby(["source", "planned_at", "subtask"], sort=True):
        numbers = np.sort(part["number"].to_numpy())
        borders = np.flatnonzero(np.diff(numbers) != 1) + 1
        for run in np.split(numbers, borders):
            yield LogEvent(
                "record", str(source), int(subtask), to_wire(int(run[-1])), int(planned_at), len(run)
            )
