"""A driver program to be killed: a job whose query writes the rows of each batch into a Parquet file.

`python -m spark_programs.killed_program FOLDER JOB KILL`, where JOB is the argument of a job and KILL a `Planned` as
JSON. Under AvailableNow it ends by itself when everything is read. It must lead a session of processes of its own.
FOLDER keeps the checkpoint and one file for each batch id, so that a batch that is run again replaces its rows.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pyarrow.parquet as parquet
from pyspark import SparkContext, cloudpickle
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StreamingQuery
from whole_jobs.killed_job import KilledExactJob

from spark_programs import kill_points
from spark_programs.aligned_pair import AlignedPair
from spark_programs.kill_points import Kill, KilledSource, kill_in_operators
from spark_programs.shop import Shop
from spark_programs.state_watch import OPERATORS, StateWatch
from tidegauge_adapters.spark_session.session import running_spark
from tidegauge_spark import coordination
from tidegauge_spark.source.aligned_source import informed
from tidegauge_spark.source.registration import register_source

MASTER = "local[2,4]"  # a task may fail three times


class Planned(NamedTuple):
    """A kill to be made.

    point: where. at: when it is passed for which time. worker_dies: in which stage a Python worker dies before it,
    "" for none. delay: how much later it is made (seconds) if it is made by the clock. available_now: the
    trigger.
    """

    point: str
    at: int
    worker_dies: str
    delay: float
    available_now: bool


class Job(Protocol):
    """A query to be killed, with what it reads and what has to come out of it. argument: what names it for the
    program. points: where it can be killed, with their stages and how often a batch passes them."""

    argument: str

    @property
    def points(self) -> Mapping[str, tuple[str, int]]: ...

    def write_log(self, folder: Path) -> None: ...

    def close(self, folder: Path) -> bool: ...

    def frame(self, session: SparkSession, coordinator: str, folder: Path) -> DataFrame: ...

    def check(self, folder: Path, batches: Sequence[tuple[int, Any]]) -> str: ...


def job_of(argument: str) -> Job:
    """Return the job that an argument names."""
    name, *given = argument.split("|")
    if name == "exact":
        return KilledExactJob(*given)
    return AlignedPair(int(given[0])) if name == "pair" else Shop(int(given[0]), given[1])


def start(
    job: Job,
    session: SparkSession,
    coordinator: str,
    folder: Path,
    write: Callable[[DataFrame, int], None],
    available_now: bool,
) -> StreamingQuery:
    """Start the query of a job; it continues from the checkpoint."""
    writer = job.frame(session, coordinator, folder).writeStream.foreachBatch(write)
    if available_now:
        writer = writer.trigger(availableNow=True)
    return writer.option("checkpointLocation", str(folder / "checkpoint")).start()


def replace_rows(folder: Path, batch: int, unfinished: Path) -> None:
    """Let a file be the rows of a batch, at once and as a whole."""
    rows = folder / "rows"
    rows.mkdir(exist_ok=True)
    os.replace(unfinished, rows / f"{batch}.parquet")


def main(folder: Path, job: Job, kill: Kill, planned: Planned) -> None:
    """Run the query to its end."""

    def write(frame: DataFrame, batch: int) -> None:
        table = frame.toArrow()
        kill.passes("read, not written")
        unfinished = folder / "unfinished.parquet"
        parquet.write_table(table, unfinished)
        if kill.is_due("half written"):
            os.truncate(unfinished, unfinished.stat().st_size // 2)
            kill.carry_out()
        replace_rows(folder, batch, unfinished)
        kill.passes("written, not committed")
        if kill.is_due("being committed"):
            threading.Timer(planned.delay, kill.carry_out).start()

    class Source(KilledSource):
        pass

    Source.kill = kill
    cloudpickle.register_pickle_by_value(kill_points)  # Spark's processes have nothing of the tests
    session = running_spark(MASTER, folder / "spark").session
    register_source(session, informed(Source, session))
    kill_in_operators(kill)
    gateway: Any = SparkContext._gateway
    if planned.point in OPERATORS:
        StateWatch(kill, folder / "checkpoint" / "state", gateway.proc.pid).start()
    with coordination() as address:
        start(job, session, address, folder, write, planned.available_now).awaitTermination()


if __name__ == "__main__":
    if os.getsid(0) != os.getpid():
        sys.exit("start this program in a session of its own: it kills all processes of its session")
    given, argument, kill_text = sys.argv[1:]
    folder, planned = Path(given), Planned(*json.loads(kill_text))
    kill = Kill(planned.point, planned.at, os.getpid(), folder / "counts", planned.worker_dies)
    main(folder, job_of(argument), kill, planned)
