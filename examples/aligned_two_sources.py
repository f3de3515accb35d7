"""Two sources that are read from the beginning, one of them four times as fast as the other.

    python aligned_two_sources.py FOLDER

Spark's windows over both fire when the slower source has come so far. The rows that the faster one has read
beyond that pile up in their state: the longer the sources, the more. In one watermark group the faster source
waits, and the drift bounds the state. The program runs the job both ways, prints the rows in state, and
writes FOLDER/aligned_two_sources.png.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from event_time_plot import Panel, draw, folder_and_length, table
from local_session import local_session
from partitioned_log import finish, write_file
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import window
from pyspark.sql.streaming.listener import StreamingQueryProgress

from tidegauge_spark import ensure_coordination, load, register

SECOND = 1_000
DRIFT = 60
WINDOW = 10
CLOCK_STEP = 5
STEPS = (1_000, 1_250)
"""The time between two rows of each partition, in ms."""

ROWS_PER_BATCH = {"orders": 400, "payments": 100}
"""Payments are the slow source: it gives no more rows at once."""


class Result(NamedTuple):
    """The lines of the plot, and the figures of the table."""

    panel: Panel
    figures: dict[str, int]


def write_sources(folder: Path, length: int) -> None:
    """Write `length` rows into each partition of both sources."""
    customers = [number % 8 for number in range(length)]
    for source in ROWS_PER_BATCH:
        for partition, step in enumerate(STEPS):
            columns = {"time": [number * step for number in range(length)], "customer": customers}
            write_file(folder / source / f"partition-{partition}", "all", columns)
        finish(folder / source)  # no more files: the last windows fire


def read(spark: SparkSession, folder: Path, source: str, aligned: bool) -> DataFrame:
    """Return the rows of a source, with its exact watermark on the column `time`."""
    reader = spark.readStream.format("tidegauge").options(
        path=str(folder / source),
        eventTimeColumn="time",
        maxRowsPerTrigger=ROWS_PER_BATCH[source],
        clockStep=f"{CLOCK_STEP} seconds",  # a virtual clock: every run is the same
    )
    if aligned:
        reader = reader.options(
            watermarkGroup="shop",
            maxAllowedWatermarkDrift=f"{DRIFT} seconds",
            sourcesInQuery=len(ROWS_PER_BATCH),
        )
    return load(reader)


def run(spark: SparkSession, folder: Path, aligned: bool, length: int) -> Result:
    """Count the rows of both sources by window and customer, up to their end."""
    orders, payments = (read(spark, folder, source, aligned) for source in ROWS_PER_BATCH)
    counts = orders.union(payments).groupBy(window("time", f"{WINDOW} seconds"), "customer").count()
    name = "counts_aligned" if aligned else "counts_not_aligned"
    writer = counts.writeStream.format("memory").queryName(name).trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(folder / name)).start()
    query.awaitTermination()
    panel, apart = seen(query.recentProgress, length)
    figures = {
        "rows": len(ROWS_PER_BATCH) * len(STEPS) * length,
        "rows in results": spark.table(name).groupBy().sum("count").head()[0],
        "sources apart, at most (s)": round(apart),
        "rows in state, at most": round(max(rows for _, rows in panel.below)),
    }
    return Result(panel, figures)


def seen(batches: list[StreamingQueryProgress], length: int) -> tuple[Panel, float]:
    """Return the lines of the plot, and how far the sources were apart at most (s)."""
    panel = Panel(lines={source: [(0.0, 0.0)] for source in ROWS_PER_BATCH}, below=[(0.0, 0.0)])
    apart = 0.0
    for progress in batches:
        now = float((progress.batchId + 1) * CLOCK_STEP)
        panel.below.append((now, float(progress.stateOperators[0].numRowsTotal)))
        slowest, furthest = [], []
        for source, line in zip(progress.sources, panel.lines.values(), strict=True):
            shown = json.loads(source.latestOffset)
            if shown["watermark"] is None:  # before its first row, and when it has been read to its end
                shown = {"watermark": length * max(STEPS) if line[-1][1] else 0, "drift": 0}
            slowest.append(shown["watermark"] / SECOND)
            furthest.append(slowest[-1] + shown["drift"] / SECOND)
            line.append((now, slowest[-1]))
        panel.band.append((now, min(slowest), min(slowest) + DRIFT))
        apart = max(apart, max(furthest) - min(slowest))
    return panel, apart


def compare(spark: SparkSession, folder: Path, length: int) -> dict[str, Result]:
    """Run the job with alignment and without."""
    ensure_coordination(spark)  # where the sources of a group meet
    register(spark)
    write_sources(folder, length)
    return {"aligned": run(spark, folder, True, length), "not aligned": run(spark, folder, False, length)}


def main() -> None:
    """Run it, print the table, and draw the plot."""
    output, length = folder_and_length(__doc__, "rows in each partition", 600)
    with local_session() as (spark, folder):
        results = compare(spark, folder, length)
    print(table({name: result.figures for name, result in results.items()}))
    draw(
        output / "aligned_two_sources.png",
        "What the fast source reads ahead of the slow one piles up in the state of the windows",
        {
            f"{name}: at most {result.figures['rows in state, at most']} rows in state": result.panel
            for name, result in results.items()
        },
        below="rows in state",
    )


if __name__ == "__main__":
    main()
