"""Three partitions: one falls silent, one lags behind, one is as it should be.

    python idle_partition.py FOLDER

The program puts the same windows of Spark over the same files behind three watermarks, prints what became of
the rows, and writes FOLDER/idle_partition.png:

* `load` with an idle timeout: the windows follow the slowest partition that is not silent. No row is lost.
* `load` without it: the windows wait for the silent partition, forever.
* `withWatermark`: the windows follow whichever partition is furthest ahead. The rows of the one that lags
  come too late, and are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from event_time_plot import Panel, draw, folder_and_length, table
from local_session import local_session
from partitioned_log import write_file
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import collect_list, window
from watched_query import Batch, Rows, watch

from tidegauge_spark import load, register

PARTITIONS = ("as it should be", "lags behind", "falls silent")
LAG = 20
SILENT_FROM = 20
IDLE_TIMEOUT = 8
SPARK_DELAY = 5
WINDOW = 10
CLOCK_STEP = 4
START = 86_400
"""Second 0 of the plot, in event time (s): Spark's watermark begins at 1970-01-01 00:00."""


class Arrival(NamedTuple):
    """A row: in which partition it arrives by when (s), its event time (s) and its number."""

    partition: int
    now: int
    event_time: int
    number: int


class Result(NamedTuple):
    """The lines of the plot, and the figures of the table."""

    panel: Panel
    figures: dict[str, int]


def arrivals(length: int) -> Iterator[Arrival]:
    """Yield a row a second and partition, those of a clock step together."""
    for second in range(length // CLOCK_STEP * CLOCK_STEP):
        now = (second // CLOCK_STEP + 1) * CLOCK_STEP
        yield Arrival(0, now, second, 3 * second)
        yield Arrival(1, now, second - LAG, 3 * second + 1)
        if second < SILENT_FROM:
            yield Arrival(2, now, second, 3 * second + 2)


def write(log: Path, rows: list[Arrival], now: int) -> None:
    """Write what arrives in the clock step that ends now."""
    for partition in range(len(PARTITIONS)):
        new = [row for row in rows if (row.partition, row.now) == (partition, now)]
        if new:
            times = [datetime.fromtimestamp(START + row.event_time, UTC) for row in new]
            columns = {"at": times, "number": [row.number for row in new]}
            write_file(log / f"partition-{partition}", f"{now:06d}", columns)


def exact(spark: SparkSession, log: Path, **idleness: str) -> DataFrame:
    """Return the rows with the smallest watermark of their partitions."""
    reader = spark.readStream.format("tidegauge").options(
        path=str(log),
        eventTimeColumn="at",
        clockStep=f"{CLOCK_STEP} seconds",  # a virtual clock: every run is the same
        discoveryInterval="0 seconds",
    )
    return load(reader.options(**idleness))


def delayed(spark: SparkSession, log: Path) -> DataFrame:
    """Return the rows with Spark's own watermark: the largest event time that was seen, less a delay."""
    files = spark.readStream.schema("at timestamp, number long").option("recursiveFileLookup", True)
    return files.parquet(str(log)).withWatermark("at", f"{SPARK_DELAY} seconds")


def windows(rows: DataFrame) -> DataFrame:
    """Return the numbers of the rows in each window."""
    return rows.groupBy(window("at", f"{WINDOW} seconds")).agg(collect_list("number").alias("numbers"))


def run(rows: DataFrame, log: Path, arriving: list[Arrival]) -> Result:
    """Run the windows over the rows of a log while its partitions are written."""
    steps = arriving[-1].now // CLOCK_STEP

    def ends(batch: int, _: Rows) -> bool:
        write(log, arriving, (batch + 2) * CLOCK_STEP)
        return batch + 1 == steps

    return seen(watch(windows(rows), log.with_name(f"{log.name}-checkpoint"), ends), arriving)


def seen(batches: list[Batch], arriving: list[Arrival]) -> Result:
    """Return what became of the rows."""
    panel = Panel(lines={})
    for number, name in enumerate(PARTITIONS):
        furthest = {row.now: row.event_time for row in arriving if row.partition == number}
        panel.lines[name] = [(float(now), float(event_time)) for now, event_time in furthest.items()]
    panel.silent = [(float(SILENT_FROM), float(arriving[-1].now), panel.lines[PARTITIONS[2]][-1][1])]
    for number, batch in enumerate(batches):
        reached = datetime.fromisoformat(batch.progress.eventTime["watermark"]).timestamp() - START
        if reached > -START:
            panel.watermark.append((float((number + 1) * CLOCK_STEP), reached))
    watermark = panel.watermark[-1][1]
    fired = {number for batch in batches for row in batch.rows for number in row["numbers"]}
    # Spark counts what it drops by window, not by row. Whatever its window has fired without is lost.
    due = {row.number for row in arriving if (row.event_time // WINDOW + 1) * WINDOW <= watermark}
    lost = due - fired
    panel.late = [(float(row.now), float(row.event_time)) for row in arriving if row.number in lost]
    figures = {
        "rows": len(arriving),
        "rows in results": len(fired),
        "rows lost, since too late": len(lost),
        "rows that wait in open windows": len(arriving) - len(fired) - len(lost),
        "watermark at the end (s)": round(watermark),
    }
    return Result(panel, figures)


def compare(spark: SparkSession, folder: Path, length: int) -> dict[str, Result]:
    """Run the windows behind the three watermarks."""
    register(spark)
    arriving = list(arrivals(length))
    logs = [folder / name for name in ("timeout", "no-timeout", "delay")]
    for log in logs:
        write(log, arriving, CLOCK_STEP)
    rows = {
        "load, idle timeout": exact(spark, logs[0], idleTimeout=f"{IDLE_TIMEOUT} seconds"),
        "load, no idle timeout": exact(spark, logs[1]),
        "withWatermark": delayed(spark, logs[2]),
    }
    return {name: run(frame, log, arriving) for (name, frame), log in zip(rows.items(), logs, strict=True)}


def main() -> None:
    """Run it, print the table, and draw the plot."""
    output, length = folder_and_length(__doc__, "seconds of processing time", 72)
    with local_session() as (spark, folder):
        results = compare(spark, folder, length)
    print(table({name: result.figures for name, result in results.items()}))
    outcomes = ("windows go on, {lost} rows lost", "windows stop at {end} s", "{lost} rows lost")
    titles = [
        f"{name}: "
        + outcome.format(
            lost=result.figures["rows lost, since too late"], end=result.figures["watermark at the end (s)"]
        )
        for (name, result), outcome in zip(results.items(), outcomes, strict=True)
    ]
    draw(
        output / "idle_partition.png",
        "One partition falls silent, one lags behind: which one do the windows follow?",
        dict(zip(titles, [result.panel for result in results.values()], strict=True)),
    )


if __name__ == "__main__":
    main()
