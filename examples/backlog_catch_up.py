"""A job that starts ten minutes behind, and has to catch up.

    python backlog_catch_up.py FOLDER

It counts rows by machine and publishes the new totals after each micro-batch. Ten minutes of rows wait for
it, and more arrive all the time. With a threshold for the lag of the watermark it knows of its backlog: the
source reads larger batches then, and the sink publishes nothing until the job has caught up, since no user
wants to see the totals of ten minutes ago rise. The program runs the job both ways, on a virtual clock on
which a micro-batch takes 5 s whatever its size, prints what it took, and writes FOLDER/backlog_catch_up.png.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any, NamedTuple

from event_time_plot import Panel, draw, folder_and_length, table
from local_session import local_session
from partitioned_log import write_file
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import coalesce, col, count, lit, struct
from pyspark.sql.functions import max as greatest
from watched_query import Batch, Rows, watch

from tidegauge_spark import WATERMARK_LAG_CONF, BacklogChange, BacklogListener, register

SECOND = 1_000
THRESHOLD = 30
CLOCK_STEP = 5
PARTITIONS = 2
ROWS_PER_SECOND = 2
MACHINES = 8
ROWS_PER_BATCH, ROWS_PER_BATCH_IN_BACKLOG = 100, 1_000
AFTERWARDS = 3
"""The number of micro-batches that the program runs after the job has caught up."""


class Result(NamedTuple):
    """The lines of the plot, the figures of the table, and the changes that the listener was notified of."""

    panel: Panel
    figures: dict[str, int]
    changes: list[BacklogChange]


class Sink:
    """Publishes totals: each new one at once, or, while they are backlog, the last ones when it is over.

    What waits is kept in memory here. A job that may be restarted keeps it where it publishes.
    """

    def __init__(self) -> None:
        self.published: list[dict[Any, int]] = []
        self._waiting: dict[Any, int] = {}

    def take(self, rows: Rows) -> None:
        """Take the totals that a micro-batch has changed."""
        self._waiting.update({row["machine"]: row["rows"] for row in rows})
        publish = not any(row["backlog"] for row in rows)
        self.published.append(self._waiting if publish else {})
        self._waiting = {} if publish else self._waiting


def write(log: Path, since: int, until: int) -> None:
    """Write what arrives in each partition from one second to another."""
    for partition in range(PARTITIONS):
        numbers = range(since * ROWS_PER_SECOND, until * ROWS_PER_SECOND)
        times = [number * SECOND // ROWS_PER_SECOND for number in numbers]
        columns = {"time": times, "machine": [(number + partition) % MACHINES for number in numbers]}
        write_file(log / f"partition-{partition}", f"{until:06d}", columns)


def job(spark: SparkSession, log: Path, knows_backlog: bool) -> DataFrame:
    """Totals by machine, each with whether it is of backlog."""
    reader = spark.readStream.format("tidegauge").options(
        path=str(log),
        eventTimeColumn="time",
        maxRowsPerTrigger=ROWS_PER_BATCH,
        progressColumn="progress",
        clockStep=f"{CLOCK_STEP} seconds",  # a virtual clock: every run is the same
        discoveryInterval="0 seconds",
    )
    if knows_backlog:
        reader = reader.option("maxRowsPerTriggerInBacklog", ROWS_PER_BATCH_IN_BACKLOG)
    # Until the source has said something, it may be that there is a backlog.
    backlog = coalesce("progress.backlog", lit(True)) if knows_backlog else lit(False)
    latest = greatest(struct(col("progress.planned_at"), backlog.alias("backlog")))
    totals = reader.load().groupBy("machine")
    return totals.agg(count("*").alias("rows"), latest["backlog"].alias("backlog"))


def run(spark: SparkSession, folder: Path, behind: int, knows_backlog: bool) -> Result:
    """Run the job until it has caught up."""
    if knows_backlog:
        spark.conf.set(WATERMARK_LAG_CONF, f"{THRESHOLD} seconds")
    else:
        spark.conf.unset(WATERMARK_LAG_CONF)
    register(spark)  # it takes the threshold from the Spark conf
    log = folder / f"log-{knows_backlog}"
    write(log, -behind, 0)
    write(log, 0, CLOCK_STEP)
    sink, lags = Sink(), list[float]()
    totals: dict[Any, int] = {}

    def ends(batch: int, rows: Rows) -> bool:
        now = (batch + 1) * CLOCK_STEP
        sink.take(rows)
        totals.update({row["machine"]: row["rows"] for row in rows})
        lags.append(now + behind - sum(totals.values()) / PARTITIONS / ROWS_PER_SECOND)
        write(log, now, now + CLOCK_STEP)
        return len(lags) > AFTERWARDS and lags[-1 - AFTERWARDS] <= THRESHOLD

    changes: list[BacklogChange] = []
    over = threading.Event()

    def changed(change: BacklogChange) -> None:
        changes.append(change)
        if not change.backlog:
            over.set()

    listener = BacklogListener(changed)
    spark.streams.addListener(listener)
    try:
        frame = job(spark, log, knows_backlog)
        batches = watch(frame, folder / f"checkpoint-{knows_backlog}", ends, "totals", "update")
        if knows_backlog:
            over.wait(30)  # Spark tells its listeners when it has time
    finally:
        spark.streams.removeListener(listener)
    return seen(batches, sink, behind, changes)


def seen(batches: list[Batch], sink: Sink, behind: int, changes: list[BacklogChange]) -> Result:
    """Return the lines of the plot, and the figures of the table."""
    panel = Panel(lines={"job": [(0.0, -float(behind))]}, below=[(0.0, 0.0)], now=True)
    for number, (batch, published) in enumerate(zip(batches, sink.published, strict=True)):
        now = float((number + 1) * CLOCK_STEP)
        watermark = json.loads(batch.progress.sources[0].latestOffset)["watermark"]
        panel.lines["job"].append((now, watermark / SECOND))
        panel.below.append((now, panel.below[-1][1] + len(published)))
    moments = [float((change.batch_id + 1) * CLOCK_STEP) for change in changes]
    panel.backlog = list(zip(moments[::2], moments[1::2], strict=False))  # into backlog, and out of it
    caught_up = len(batches) - AFTERWARDS
    totals = {row["machine"]: row["rows"] for batch in batches for row in batch.rows}
    figures = {
        "micro-batches until it has caught up": caught_up,
        "results published until the next one": round(panel.below[caught_up + 1][1]),
        "rows counted in the end": sum(totals.values()),
    }
    return Result(panel, figures, changes)


def compare(spark: SparkSession, folder: Path, behind: int) -> dict[str, Result]:
    """Run the job with a threshold for the lag and without."""
    return {
        "knows of its backlog": run(spark, folder, behind, True),
        "does not": run(spark, folder, behind, False),
    }


def main() -> None:
    """Run it, print the table, and draw the plot."""
    output, behind = folder_and_length(__doc__, "seconds by which the job is behind", 600)
    with local_session() as (spark, folder):
        results = compare(spark, folder, behind)
    print(table({name: result.figures for name, result in results.items()}))
    for change in next(iter(results.values())).changes:
        status = "in backlog" if change.backlog else "caught up"
        print(f"BacklogListener, micro-batch {change.batch_id}: {status}")
    draw(
        output / "backlog_catch_up.png",
        f"{behind} s behind: larger batches and no results until it has caught up",
        {
            f"{name}: {result.figures['micro-batches until it has caught up']} micro-batches, "
            f"{result.figures['results published until the next one']} results": result.panel
            for name, result in results.items()
        },
        below="results published",
    )


if __name__ == "__main__":
    main()
