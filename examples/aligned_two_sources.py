"""Two sources that are read again from the beginning, one of them four times as fast as the other.

    python aligned_two_sources.py FOLDER

Windows over both fire when the slower source has come so far. Whatever the faster one has read beyond that
piles up in the state of the windows. In one watermark group the faster source waits: the state is bounded,
however long the sources are. Halfway the slow source stalls for a while. The program runs the job both ways,
prints what was kept, and writes FOLDER/aligned_two_sources.png.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from event_time_plot import Below, Panel, draw, folder_and_length, table
from local_session import local_session
from partitioned_log import finish, pause, write_file
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import array_size, col, lit, when
from watched_query import Rows, watch

from tidegauge_spark import (
    MAX,
    TumblingWindows,
    WindowSettings,
    ensure_coordination,
    operator_input,
    register,
    run_operator_input,
    run_windows,
)

SECOND = 1_000
DRIFT = 120
WINDOW = 60
CLOCK_STEP = 5
STALL = range(8, 13)
"""The micro-batches in which the slow source has nothing."""

PARTITIONS = 2
ROWS_PER_BATCH = {"orders": 400, "payments": 100}
"""Payments are the slow source: there is no more to be had of them at once."""


class Result(NamedTuple):
    """What came out: the batches as lines of the plot, and the figures of the table."""

    panel: Panel
    figures: dict[str, object]


def write_sources(folder: Path, seconds: int) -> None:
    """Write a record a second into each partition of both sources."""
    for source in ROWS_PER_BATCH:
        for partition in range(PARTITIONS):
            times = [second * SECOND for second in range(seconds)]
            columns = {"time": times, "number": list(range(seconds)), "customer": [n % 8 for n in range(seconds)]}
            write_file(folder / source / f"partition-{partition}", "all", columns)
        finish(folder / source)


def job(spark: SparkSession, folder: Path, aligned: bool) -> DataFrame:
    """Both sources, the valve and the windows: one streaming query."""
    frames = []
    for source, rows in ROWS_PER_BATCH.items():
        reader = spark.readStream.format("tidegauge").options(
            path=str(folder / source),
            eventTimeColumn="time",
            sourceName=source,
            numSubtasks=str(PARTITIONS),
            maxRowsPerBatch=str(rows),
            progressColumn="progress",
            inBandWatermarks="true",
            clockStep=f"{CLOCK_STEP} seconds",
            discoveryInterval="0 seconds",
        )
        if aligned:
            reader = reader.options(
                watermarkGroup="shop",
                maxAllowedWatermarkDrift=f"{DRIFT} seconds",
                sourcesInGroup=str(len(ROWS_PER_BATCH)),
            )
        frames.append(reader.load())
    rows = frames[0].union(frames[1])
    subtasks = dict.fromkeys(ROWS_PER_BATCH, PARTITIONS)
    steps = operator_input(rows, subtasks, record_key=col("customer"), value=col("number"))
    # With each watermark we also ask how many records the windows keep.
    asked = steps.where("kind = 'watermark'").withColumns(
        {
            "kind": lit("kept-state"),
            "channel": lit(None).cast("int"),
            "timestamp": lit(None).cast("long"),
        }
    )
    inputs = run_operator_input(steps.union(asked), sum(subtasks.values()))
    windows = run_windows(inputs, WindowSettings(TumblingWindows(WINDOW * SECOND)))
    nothing = lit(None).cast("string")
    return rows.select("progress.kind", "progress.source", "progress.subtask", "progress.timestamp", lit(1)).union(
        windows.select(
            "kind",
            nothing,
            nothing.cast("int"),
            when(col("kind") == "fire", col("window_end")).otherwise(col("timestamp")),
            when(col("kind") == "fire", array_size("values")).otherwise(col("records")).cast("int"),
        )
    ).toDF("kind", "source", "subtask", "timestamp", "records")


def run(spark: SparkSession, folder: Path, aligned: bool, seconds: int) -> Result:
    """Run the job to its end."""

    def ends(batch: int, rows: Rows) -> bool:
        pause(folder / "payments", batch + 1 in STALL)
        return any(row["source"] is None and row["timestamp"] == MAX for row in rows)

    checkpoint = folder / ("aligned" if aligned else "unaligned")
    return told(watch(job(spark, folder, aligned), checkpoint, ends), aligned, seconds)


def told(batches: list[Rows], aligned: bool, seconds: int) -> Result:
    """Work out what there is to see."""
    names = {
        (source, subtask): f"{source} {subtask}" for source in ROWS_PER_BATCH for subtask in range(PARTITIONS)
    }
    panel = Panel("in one watermark group" if aligned else "without alignment")
    panel.lines = {name: [(0.0, 0.0)] for name in names.values()}
    figures: dict[str, int] = defaultdict(int)
    spread = kept_at_most = 0.0
    kept = []
    for batch, rows in enumerate(batches):
        now = float((batch + 1) * CLOCK_STEP)
        for key, name in names.items():
            times = [row["timestamp"] for row in rows if (row["source"], row["subtask"]) == key and row["kind"] == "record"]
            before = panel.lines[name][-1][1]
            if times:
                panel.lines[name].append((now, max(times) / SECOND))
            elif before < seconds - 1:
                panel.lines[name].append((now, before))
                if key[0] == "orders":
                    panel.blocked.append((name, now - CLOCK_STEP, now, before))
        standing = [points[-1][1] for points in panel.lines.values()]
        unfinished = [each for each in standing if each < seconds - 1]
        if unfinished:
            panel.band.append((now, min(standing), min(standing) + DRIFT))
            spread = max(spread, max(standing) - min(standing))
        for row in rows:
            figures[row["kind"], row["source"] is None] += row["records"] or 0
        sizes = [row["records"] for row in rows if row["kind"] == "state-size"]
        kept.append((now, float(sizes[-1] if sizes else kept[-1][1] if kept else 0)))
        kept_at_most = max(kept_at_most, kept[-1][1])
    panel.below = Below(kept)
    fired = sum(row["kind"] == "fire" for rows in batches for row in rows)
    return Result(
        panel,
        {
            "records read": figures["record", False],
            "records in windows that fired": figures["fire", True],
            "late records": sum(row["kind"] == "late" for rows in batches for row in rows),
            "windows fired": fired,
            "sources apart, at most (s)": round(spread),
            "records kept in windows, at most": round(kept_at_most),
        },
    )


def compare(spark: SparkSession, folder: Path, seconds: int) -> dict[str, Result]:
    """Run the job with alignment and without."""
    ensure_coordination(spark)
    register(spark)
    write_sources(folder, seconds)
    return {
        "aligned": run(spark, folder, True, seconds),
        "not aligned": run(spark, folder, False, seconds),
    }


def main() -> None:
    """Run it and show it."""
    output, seconds = folder_and_length(__doc__, "how many seconds of event time there are", 900)
    with local_session() as (spark, folder):
        results = compare(spark, folder, seconds)
    print(table({name: result.figures for name, result in results.items()}))
    draw(
        output / "aligned_two_sources.png",
        "A fast and a slow source: what the fast one reads ahead has to be kept",
        [result.panel for result in results.values()],
        below="records kept in windows",
    )


if __name__ == "__main__":
    main()
