"""Whole jobs on a real Spark: `tidegauge_spark` in streaming queries, and what comes out as event log."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pyspark.sql.datasource import DataSource

from tidegauge import Transcript
from tidegauge.engine.errors import failure_of
from tidegauge.wire.steps.job import JobScenario
from tidegauge_spark.source.registration import register_source

from ...spark_session.checksums import without_checksums
from ...spark_session.session import RunningSpark, running_spark
from .running_job import CLOCK_STEP, RunningJob
from .sequence_job import SequenceJob
from .windowed_job import WindowedJob

__all__ = ["CLOCK_STEP", "StreamingJobs"]

_PARTITIONS = "spark.sql.shuffle.partitions"
"""One is enough: a job has some hundred records a micro-batch, and what takes time is the number of tasks."""

_AT_A_TIME = 3
"""A job waits as much as it computes."""


class StreamingJobs:
    """Runs jobs with `source` on `master`."""

    def __init__(self, source: type[DataSource], master: str, parent: Path | None) -> None:
        self._source = source
        self._master = master
        self._parent = parent

    def transcripts(self, scenarios: Iterable[JobScenario]) -> Iterator[Transcript]:
        """The event log of each job, as the outputs of its only step; several jobs at a time, in no
        particular order."""
        spark = running_spark(self._master, self._parent)
        register_source(spark.session, self._source)
        partitions = spark.session.conf.get(_PARTITIONS)
        spark.session.conf.set(_PARTITIONS, "1")
        try:
            with without_checksums(spark.session), ThreadPoolExecutor(_AT_A_TIME) as pool:
                longest_first = sorted(scenarios, key=_shortness)
                yield from pool.map(lambda job: self._transcript(spark, job), longest_first)
        finally:
            spark.session.conf.set(_PARTITIONS, partitions or "2")

    def _transcript(self, spark: RunningSpark, scenario: JobScenario) -> Transcript:
        folder = spark.folder.subfolder("job")
        kind: type[RunningJob] = SequenceJob if scenario.setup.window is None else WindowedJob
        job = kind(spark.session, self._source.name(), scenario.setup, folder)
        try:
            job.run()
            events = job.events()
        except Exception as error:
            return Transcript(scenario.id, (), failure_of(error))
        finally:
            job.stop()
            shutil.rmtree(folder, ignore_errors=True)
        return Transcript(scenario.id, (tuple(events),))


def _shortness(scenario: JobScenario) -> tuple[bool, int]:
    """Less for a job that takes longer: its windows take most of the time, then its number of micro-batches.
    A long job that began last would run alone, on one core."""
    return scenario.setup.window is None, -scenario.setup.until
