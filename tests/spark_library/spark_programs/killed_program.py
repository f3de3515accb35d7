"""A driver program to be killed: files and number sequences of one group in one query, rows into Parquet files.

`python -m spark_programs.killed_program FOLDER LAST POINT AT WORKER_DIES DELAY` ends by itself when everything
is read. It must lead a session of processes of its own. FOLDER keeps the checkpoint and one file for each batch
id, so that a batch that is run again replaces its rows.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as parquet
from pyspark import cloudpickle
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StreamingQuery

from spark_programs import kill_points
from spark_programs.driven_files import write_parquet
from spark_programs.kill_points import Kill, KilledSource
from tidegauge_adapters.spark_session.session import running_spark
from tidegauge_spark import coordination

DRIFT = 2000
FILE_MILLISECONDS = 1000
MASTER = "local[2,4]"  # a task may fail three times


def expected(last: int) -> dict[tuple[str, int], list[int]]:
    """Return the event times that come out, by source and subtask, in order; `last` is even."""
    return {
        ("files", 0): list(range(last + 1)),
        ("files", 1): list(range(0, last + 1, 2)),
        ("numbers", 0): list(range(last + 1)),
        ("numbers", 1): list(range(last + 1)),
    }


def write_log(folder: Path, last: int) -> None:
    """Write the files of the source "files", a split for each subtask."""
    for split, subtask in (("x", 0), ("y", 1)):
        times = expected(last)["files", subtask]
        step = FILE_MILLISECONDS // (times[1] - times[0])
        for first in range(0, len(times), step):
            chunk = times[first : first + step]
            write_parquet(folder, split, f"{chunk[0]:09}", chunk, row_group=300)


def start(
    session: SparkSession, coordinator: str, folder: Path, last: int, write: Callable[[DataFrame, int], None]
) -> StreamingQuery:
    """Start the query; it goes on from the checkpoint."""
    group = {
        "numSubtasks": "2",
        "watermarkGroup": "group-1",
        "maxAllowedWatermarkDrift": f"{DRIFT} milliseconds",
        "coordinator": coordinator,
        "sourcesInGroup": "2",
        "clockStep": "1 second",
        "eventLog": str(folder / "events"),
    }
    slow = {"split": "repeat", "end": str(last), "recordsPerMillisecond.0": "1", "sourceName": "numbers"}
    log = {"eventTimeColumn": "time", "progressColumn": "progress", "sourceName": "files"}
    numbers = session.readStream.format("tidegauge").options(**group, **slow).load()
    files = session.readStream.format("tidegauge").options(**group, **log).load(str(folder / "log"))
    origin = ("progress.source", "progress.subtask")
    both = numbers.union(
        files.selectExpr(*origin, "time AS number", "progress.timestamp", "progress.planned_at")
    )
    writer = both.writeStream.foreachBatch(write).trigger(availableNow=True)
    return writer.option("checkpointLocation", str(folder / "checkpoint")).start()


def replace_rows(folder: Path, batch: int, unfinished: Path) -> None:
    """Let a file be the rows of a batch, at once and as a whole."""
    rows = folder / "rows"
    rows.mkdir(exist_ok=True)
    os.replace(unfinished, rows / f"{batch}.parquet")


def main(folder: Path, last: int, kill: Kill, delay: float) -> None:
    """Run the query to its end. delay: seconds between the end of a batch in the sink and "being committed"."""

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
            threading.Timer(delay, kill.carry_out).start()

    class Source(KilledSource):
        pass

    Source.kill = kill
    cloudpickle.register_pickle_by_value(kill_points)  # Spark's processes have nothing of the tests
    session = running_spark(MASTER, folder / "spark").session
    session.dataSource.register(Source)
    with coordination() as address:
        start(session, address, folder, last, write).awaitTermination()


if __name__ == "__main__":
    if os.getsid(0) != os.getpid():
        sys.exit("start this program in a session of its own: it kills all processes of its session")
    given, last, point, at, worker_dies, delay = sys.argv[1:]
    folder = Path(given)
    kill = Kill(point, int(at), os.getpid(), folder / "counts", worker_dies == "True")
    main(folder, int(last), kill, float(delay))
