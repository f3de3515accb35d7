"""Whether a query stays as it is: memory, checkpoint and batch time over 1,000 small micro-batches.

Two sources over files are aligned in one group, one of them with a silent partition, in front of Spark's
windows; rows go to the sink "noop". Every few batches this looks at all processes: the driver (with the
coordination service), the heap of the JVM after a garbage collection, the Python process of each source, in
which it plans, and the workers of the tasks. Spark keeps 100 batches of its logs, and its own caches fill up
in the meantime: growth is from batch 200 on, by the medians of the first and the last fifth of the looks.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as parquet
from kept_figures import add_record_option, keep
from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import window
from pyspark.sql.streaming import StreamingQuery

from tidegauge_adapters.spark_session.session import running_spark
from tidegauge_spark import coordination, register

PARTITIONS = {"orders": 4, "payments": 2}
ROWS_OF_A_BATCH = 100
"""Of each source: a second of event time a row and partition."""

ROWS_OF_A_FILE = 500
SETTLED = 200
"""The batch from which on nothing may grow."""

LOOK_EVERY = 25
MB = 1 << 20


def write_log(folder: Path, partitions: int, rows: int) -> None:
    """Write so many rows in all, in partitions; the last one is silent if there are more than two."""
    live = partitions - (partitions > 2)
    for partition in range(partitions):
        (folder / f"p{partition}").mkdir(parents=True)
    each = rows // live
    for partition in range(live):
        for first in range(0, each, ROWS_OF_A_FILE):
            numbers = range(first, min(first + ROWS_OF_A_FILE, each))
            times = pa.array([1_700_000_000_000 + 1000 * number for number in numbers])
            table = pa.table({"at": times.cast(pa.timestamp("ms", "UTC")), "number": numbers})
            parquet.write_table(table, folder / f"p{partition}" / f"{first:09}")


def start(session: SparkSession, folder: Path, coordinator: str) -> StreamingQuery:
    """Start the query."""
    group = {
        "watermarkGroup": "shop",
        "maxAllowedWatermarkDrift": "30 seconds",
        "idleTimeout": "1 second",
        "sourcesInQuery": str(len(PARTITIONS)),
        "coordinator": coordinator,
        "maxRowsPerTrigger": str(ROWS_OF_A_BATCH),
        "numSubtasks": "2",
        "eventTimeColumn": "at",
    }

    def source(log: str) -> DataFrame:
        loaded = session.readStream.format("tidegauge").options(**group, path=str(folder / log)).load()
        return loaded.withWatermark("at", "1 minute")

    counts = source("orders").union(source("payments")).groupBy(window("at", "1 minute")).count()
    writer = counts.writeStream.format("noop").option("checkpointLocation", str(folder / "checkpoint"))
    return writer.start()


def looked(query: StreamingQuery, checkpoint: Path) -> dict[str, Any]:
    """Return how all stands: sizes in MB; numbers of files, rows and processes; median batch time (ms)."""
    gateway: Any = SparkContext._gateway
    jvm = psutil.Process(gateway.proc.pid)
    gateway.jvm.System.gc()
    runtime = gateway.jvm.Runtime.getRuntime()
    children = jvm.children(recursive=True)
    planners, workers = [], []
    for child in children:
        place = planners if "python_streaming_source_runner" in " ".join(child.cmdline()) else workers
        place.append(child.memory_info().rss)
    logs, state = (_sizes(checkpoint, names) for names in (("offsets", "commits"), ("state",)))
    progress: Any = query.lastProgress
    return {
        "batch": progress["batchId"],
        "driver": psutil.Process().memory_info().rss / MB,
        "heap": (runtime.totalMemory() - runtime.freeMemory()) / MB,
        "JVM": jvm.memory_info().rss / MB,
        "planners": sum(planners) / MB,
        "workers": sum(workers) / MB,
        "processes": len(children),
        "log files": len(logs),
        "logs": sum(logs) / MB,
        "state files": len(state),
        "state": sum(state) / MB,
        "state rows": progress["stateOperators"][0]["numRowsTotal"],
        "batch ms": statistics.median(
            each["durationMs"]["triggerExecution"] for each in query.recentProgress[-LOOK_EVERY:]
        ),
    }


def _sizes(checkpoint: Path, names: Sequence[str]) -> list[int]:
    """Return the sizes of the files in some folders of a checkpoint (bytes); Spark deletes some meanwhile."""
    sizes = []
    for file in (each for name in names for each in (checkpoint / name).rglob("*")):
        with suppress(FileNotFoundError):
            if file.is_file():
                sizes.append(file.stat().st_size)
    return sizes


def growth(looks: Sequence[dict[str, Any]], name: str) -> float:
    """Return by what ratio a figure has grown, from the first to the last fifth of the looks that count."""
    figures = [float(look[name]) for look in looks if look["batch"] >= SETTLED]
    fifth = max(1, len(figures) // 5)
    return statistics.median(figures[-fifth:]) / max(statistics.median(figures[:fifth]), 1e-9)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each look, and the growth of each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, default=1000, help="default: %(default)s")
    add_record_option(parser)
    given = parser.parse_args(arguments)
    looks: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as temporary, coordination() as address:
        folder = Path(temporary)
        for log, partitions in PARTITIONS.items():
            write_log(folder / log, partitions, (given.batches + 50) * ROWS_OF_A_BATCH)
        session = running_spark().session
        register(session)
        query = start(session, folder, address)
        due = LOOK_EVERY
        while due <= given.batches:
            if (failure := query.exception()) is not None:
                raise failure
            progress: Any = query.lastProgress
            if progress is None or progress["batchId"] < due:
                time.sleep(0.01)
                continue
            looks.append(looked(query, folder / "checkpoint"))
            if len(looks) == 1:
                print("".join(f"{name:>12}" for name in looks[0]), flush=True)
            print("".join(f"{figure:12.1f}" for figure in looks[-1].values()), flush=True)
            due = looks[-1]["batch"] // LOOK_EVERY * LOOK_EVERY + LOOK_EVERY
        query.stop()
    grown = {name: round(growth(looks, name), 3) for name in looks[0] if name != "batch"}
    print(f"growth from batch {SETTLED} to {looks[-1]['batch']}, as a ratio: {grown}")
    keep({"looks": looks, "growth": grown}, given.record)


if __name__ == "__main__":
    main()
