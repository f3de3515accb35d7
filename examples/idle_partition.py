"""Three partitions: one falls silent, one lags behind, one is as it should be.

    python idle_partition.py FOLDER

The program runs the same windows over the same files in three ways, prints what became of the rows, and
writes FOLDER/idle_partition.png:

* with an idle timeout the windows follow the slowest partition that is not silent, and nothing is lost;
* without it they wait for the silent partition, forever;
* with Spark's own withWatermark they follow whichever partition is furthest ahead: the rows of the one that
  lags come too late, and are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from event_time_plot import Panel, Points, draw, folder_and_length, table
from local_session import local_session
from partitioned_log import write_file
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import collect_list, lit, timestamp_millis, window
from watched_query import Rows, watch

from tidegauge_spark import (
    TumblingWindows,
    WindowSettings,
    operator_input,
    register,
    run_operator_input,
    run_windows,
)
from tidegauge_spark.operators.aggregates import values_of

SECOND = 1_000
PARTITIONS = ("as it should be", "lags behind", "falls silent")
LAG = 20
SILENT_FROM = 20
IDLE_TIMEOUT = 8
SPARK_DELAY = 5
WINDOW = 10
CLOCK_STEP = 4
START = 86_400
"""Second 0 of the plot, in event time (s): rows of 1970-01-01 00:00 are late for Spark's own watermark."""


class Arrival(NamedTuple):
    """A row: in which partition it arrives by when (s), its event time (s) and its number."""

    partition: int
    now: int
    event_time: int
    number: int


class Result(NamedTuple):
    """What came out: the lines of the plot, and the figures of the table."""

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
            times = [(START + row.event_time) * SECOND for row in new]
            columns = {"time": times, "number": [row.number for row in new]}
            write_file(log / f"partition-{partition}", f"{now:06d}", columns)


def job(spark: SparkSession, log: Path, idle_timeout: int | None) -> DataFrame:
    """The source, the valve and the windows in one streaming query; what comes out of windows, and who is
    idle."""
    reader = spark.readStream.format("tidegauge").options(
        path=str(log),
        eventTimeColumn="time",
        sourceName="sensors",
        numSubtasks=str(len(PARTITIONS)),
        progressColumn="progress",
        inBandWatermarks="true",
        clockStep=f"{CLOCK_STEP} seconds",  # a virtual clock: every run is the same
        discoveryInterval="0 seconds",
    )
    if idle_timeout is not None:
        reader = reader.option("idleTimeout", f"{idle_timeout} seconds")
    rows = reader.load()
    inputs = run_operator_input(operator_input(rows, {"sensors": len(PARTITIONS)}), len(PARTITIONS))
    windows = run_windows(
        inputs, WindowSettings(TumblingWindows(WINDOW * SECOND)), {"numbers": values_of("number")}
    )
    statuses = rows.where("progress.kind in ('idle', 'active')").select(
        "progress.kind",
        "progress.subtask",
        lit(None).cast("array<long>"),
        lit(None).cast("long"),
        lit(None).cast("long"),
    )
    return statuses.union(
        windows.select("kind", lit(None).cast("int"), "numbers", "watermark", "record.number")
    ).toDF("kind", "subtask", "numbers", "watermark", "late_number")


def run(spark: SparkSession, folder: Path, length: int, idle_timeout: int | None) -> Result:
    """Run the job while the partitions are written."""
    log, rows = folder / f"log-{idle_timeout}", list(arrivals(length))
    write(log, rows, CLOCK_STEP)

    def ends(batch: int, _: Rows) -> bool:
        write(log, rows, (batch + 2) * CLOCK_STEP)
        return (batch + 1) * CLOCK_STEP >= rows[-1].now

    batches = watch(job(spark, log, idle_timeout), folder / f"checkpoint-{idle_timeout}", ends)
    panel = seen(rows)
    results, late = set[int](), set[int]()
    for batch, out in enumerate(batches):
        now = float((batch + 1) * CLOCK_STEP)
        for row in out:
            if row["kind"] == "result":
                results |= set(row["numbers"])
            elif row["kind"] == "late":
                late.add(row["late_number"])
            elif row["kind"] == "watermark":
                panel.watermark.append((now, row["watermark"] / SECOND - START))
            elif row["kind"] == "idle" and row["subtask"] is not None:
                stands = panel.lines[PARTITIONS[row["subtask"]]][-1][1]
                panel.idle.append((now, float(rows[-1].now), stands))
    panel.watermark.append((float(rows[-1].now), panel.watermark[-1][1]))
    return told(panel, rows, results, late)


def run_spark(spark: SparkSession, folder: Path, length: int) -> Result:
    """Run windows with Spark's own watermark while the partitions are written."""
    log, rows = folder / "log-spark", list(arrivals(length))
    write(log, rows, CLOCK_STEP)
    files = spark.readStream.schema("time long, number long").option("recursiveFileLookup", True)
    timed = files.parquet(str(log)).withColumn("at", timestamp_millis("time"))
    timed = timed.withWatermark("at", f"{SPARK_DELAY} seconds")
    windows = timed.groupBy(window("at", f"{WINDOW} seconds")).agg(collect_list("number").alias("numbers"))
    writer = windows.writeStream.format("memory").queryName("windows")
    query = writer.option("checkpointLocation", str(folder / "checkpoint-spark")).start()
    panel = seen(rows)
    watermark = 0
    try:
        for now in range(CLOCK_STEP, rows[-1].now + 1, CLOCK_STEP):
            query.processAllAvailable()
            reached = query.lastProgress.eventTime["watermark"]
            watermark = round(datetime.fromisoformat(reached).timestamp()) - START
            panel.watermark.append((float(now), float(watermark)))
            write(log, rows, now + CLOCK_STEP)
    finally:
        query.stop()
    results = {number for row in spark.table("windows").collect() for number in row.numbers}
    # What is not in the result of a window that has been is lost: Spark has no late output.
    over = {row.number for row in rows if (row.event_time // WINDOW + 1) * WINDOW <= watermark}
    return told(panel, rows, results, over - results)


def seen(rows: list[Arrival]) -> Panel:
    """Return a panel with what arrives in the partitions."""
    lines: dict[str, Points] = {name: [] for name in PARTITIONS}
    for number, name in enumerate(PARTITIONS):
        last = {row.now: row.event_time for row in rows if row.partition == number}
        lines[name] = [(float(now), float(event_time)) for now, event_time in last.items()]
    return Panel(lines)


def told(panel: Panel, rows: list[Arrival], results: Set[int], lost: Set[int]) -> Result:
    """Count what became of the rows."""
    panel.late = [(float(row.now), float(row.event_time)) for row in rows if row.number in lost]
    figures = {
        "rows": len(rows),
        "rows in results": len(results),
        "rows lost, since too late": len(lost),
        "rows that wait in open windows": len(rows) - len(results) - len(lost),
        "windows have come to (s)": round(panel.watermark[-1][1]),
    }
    return Result(panel, figures)


def compare(spark: SparkSession, folder: Path, length: int) -> dict[str, Result]:
    """Run the windows in the three ways."""
    register(spark)
    return {
        "idle timeout": run(spark, folder, length, IDLE_TIMEOUT),
        "no idle timeout": run(spark, folder, length, None),
        "Spark's withWatermark": run_spark(spark, folder, length),
    }


def main() -> None:
    """Run it, print the table, and draw the plot."""
    output, length = folder_and_length(__doc__, "seconds of processing time", 72)
    with local_session() as (spark, folder):
        results = compare(spark, folder, length)
    print(table({name: result.figures for name, result in results.items()}))
    verdicts = ("windows go on, {lost} rows lost", "windows stop at {end} s", "{lost} rows lost")
    titles = [
        f"{name}: "
        + verdict.format(
            lost=result.figures["rows lost, since too late"], end=result.figures["windows have come to (s)"]
        )
        for (name, result), verdict in zip(results.items(), verdicts, strict=True)
    ]
    draw(
        output / "idle_partition.png",
        "One partition falls silent, one lags behind: whom do the windows follow?",
        dict(zip(titles, [result.panel for result in results.values()], strict=True)),
    )


if __name__ == "__main__":
    main()
