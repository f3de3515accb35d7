"""Two sources that are read from the beginning, one of them four times as fast as the other.

    python aligned_two_sources.py FOLDER

Windows over both fire when the slower source has come so far. Whatever the faster one has read beyond that
piles up in the state of the windows: the longer the sources, the more. In one watermark group the faster
source waits, and the state is bounded. Halfway the slow source stalls for a while. The program runs the job
both ways, prints how much was kept, and writes FOLDER/aligned_two_sources.png.
"""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from event_time_plot import Panel, draw, folder_and_length, table
from local_session import local_session
from partitioned_log import finish, pause, write_file
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import array, coalesce, col, explode, lit, struct, unix_millis, when
from watched_query import Rows, watch

from tidegauge_spark import (
    TumblingWindows,
    WindowSettings,
    ensure_coordination,
    operator_input,
    register,
    run_operator_input,
    run_windows,
)
from tidegauge_spark.operators.aggregates import count

SECOND = 1_000
DRIFT = 120
WINDOW = 60
CLOCK_STEP = 5
END = 2**63 - 1
"""The watermark of an input that has ended: the greatest number of 64 bits."""

STALL = 4
"""For so many micro-batches the slow source has nothing."""

PARTITIONS = 2
ROWS_PER_BATCH = {"orders": 400, "payments": 100}
"""Payments are the slow source: no more can be had of them at once."""


class Result(NamedTuple):
    """What came out: the lines of the plot, and the figures of the table."""

    panel: Panel
    figures: dict[str, int]


def write_sources(folder: Path, length: int) -> None:
    """Write `length` records into each partition, a second apart in the first, 1.25 s in the second one."""
    numbers = list(range(length))
    for source in ROWS_PER_BATCH:
        for partition in range(PARTITIONS):
            times = [number * (SECOND + 250 * partition) for number in numbers]
            columns = {"time": times, "number": numbers, "customer": [number % 8 for number in numbers]}
            write_file(folder / source / f"partition-{partition}", "all", columns)
        finish(folder / source)


def load(spark: SparkSession, folder: Path, source: str, aligned: bool) -> DataFrame:
    """A source: its records, and in band how far it is."""
    reader = spark.readStream.format("tidegauge").options(
        path=str(folder / source),
        eventTimeColumn="time",
        sourceName=source,
        numSubtasks=str(PARTITIONS),
        maxRowsPerTrigger=str(ROWS_PER_BATCH[source]),
        progressColumn="progress",
        inBandWatermarks="true",
        clockStep=f"{CLOCK_STEP} seconds",  # a virtual clock: every run is the same
        discoveryInterval="0 seconds",
    )
    if aligned:
        reader = reader.options(
            watermarkGroup="shop",
            maxAllowedWatermarkDrift=f"{DRIFT} seconds",
            sourcesInQuery=str(len(ROWS_PER_BATCH)),
        )
    return reader.load()


def job(spark: SparkSession, folder: Path, aligned: bool) -> DataFrame:
    """Both sources, the valve and the windows in one streaming query, and what comes out of them."""
    orders, payments = (load(spark, folder, source, aligned) for source in ROWS_PER_BATCH)
    rows = orders.union(payments)
    subtasks = dict.fromkeys(ROWS_PER_BATCH, PARTITIONS)
    steps = operator_input(rows, subtasks, key="customer")
    inputs = run_operator_input(and_ask(steps), sum(subtasks.values()))
    windows = run_windows(inputs, WindowSettings(TumblingWindows(WINDOW * SECOND)), {"count": count()})
    of_windows = windows.select(
        "kind",
        lit(None).cast("string"),
        lit(None).cast("int"),
        coalesce(unix_millis("window_end"), "watermark"),
        coalesce("count", "records"),
    )
    of_sources = rows.select(
        "progress.kind", "progress.source", "progress.subtask", "progress.timestamp", lit(None).cast("long")
    )
    return of_sources.union(of_windows).toDF("kind", "source", "subtask", "timestamp", "records")


def and_ask(steps: DataFrame) -> DataFrame:
    """With each watermark, ask the windows how many records they keep."""
    nothing = {"channel": lit(None).cast("int"), "timestamp": lit(None).cast("long")}
    columns = {name: col(name) for name in steps.columns}
    step, question = (
        struct(*(value.alias(name) for name, value in each.items()))
        for each in (columns, {**columns, "kind": lit("kept-state"), **nothing})
    )
    both = when(col("kind") == "watermark", array(step, question)).otherwise(array(step))
    return steps.select(explode(both).alias("step")).select(
        *(col(f"step.{field.name}").alias(field.name, metadata=field.metadata) for field in steps.schema)
    )


def run(spark: SparkSession, folder: Path, aligned: bool, length: int) -> Result:
    """Run the job to its end; halfway the slow source stalls."""
    half = length * PARTITIONS // ROWS_PER_BATCH["payments"] // 2

    def ends(batch: int, rows: Rows) -> bool:
        pause(folder / "payments", half <= batch + 1 < half + STALL)
        return any(row["source"] is None and row["timestamp"] == END for row in rows)

    return told(watch(job(spark, folder, aligned), folder / f"checkpoint-{aligned}", ends), length)


def told(batches: list[Rows], length: int) -> Result:
    """Work out what there is to see."""
    names = {
        (source, number): f"{source} {number}" for source in ROWS_PER_BATCH for number in range(PARTITIONS)
    }
    left = dict.fromkeys(names, length)
    standing = dict.fromkeys(names, 0.0)
    panel = Panel(lines={name: [(0.0, 0.0)] for name in names.values()}, below=[(0.0, 0.0)])
    apart = 0.0
    for batch, rows in takewhile(lambda _: any(left.values()), enumerate(batches)):
        now = float((batch + 1) * CLOCK_STEP)
        slowest = min(standing[key] for key in names if left[key])
        panel.band.append((now, slowest, slowest + DRIFT))
        for key in [key for key in names if left[key]]:
            times = [row["timestamp"] for row in rows if row["kind"] == "record" and _origin(row) == key]
            if not times and key[0] == "orders":
                panel.blocked.append((now - CLOCK_STEP, now, standing[key]))
            standing[key] = max(times, default=standing[key] * SECOND) / SECOND
            panel.lines[names[key]].append((now, standing[key]))
            left[key] -= len(times)
        apart = max([apart, *(max(standing.values()) - standing[key] for key in names if left[key])])
        kept = [row["records"] for row in rows if row["kind"] == "state-size"]
        panel.below.append((now, float(kept[-1] if kept else panel.below[-1][1])))
    everything = [row for rows in batches for row in rows]
    figures = {
        "records read": sum(row["kind"] == "record" for row in everything),
        "records in results": sum(row["records"] for row in everything if row["kind"] == "result"),
        "late records": sum(row["kind"] == "late" for row in everything),
        "subtasks apart, at most (s)": round(apart),
        "records kept, at most": round(max(kept for _, kept in panel.below)),
    }
    return Result(panel, figures)


def _origin(row: dict[str, object]) -> tuple[object, object]:
    return row["source"], row["subtask"]


def compare(spark: SparkSession, folder: Path, length: int) -> dict[str, Result]:
    """Run the job with alignment and without."""
    ensure_coordination(spark)
    register(spark)
    write_sources(folder, length)
    return {"aligned": run(spark, folder, True, length), "not aligned": run(spark, folder, False, length)}


def main() -> None:
    """Run it, print the table, and draw the plot."""
    output, length = folder_and_length(__doc__, "records in each partition", 600)
    with local_session() as (spark, folder):
        results = compare(spark, folder, length)
    print(table({name: result.figures for name, result in results.items()}))
    draw(
        output / "aligned_two_sources.png",
        "What the fast source reads ahead of the slow one has to be kept",
        {
            f"{name}: at most {result.figures['records kept, at most']} records kept": result.panel
            for name, result in results.items()
        },
        below="records kept\nin windows",
    )


if __name__ == "__main__":
    main()
