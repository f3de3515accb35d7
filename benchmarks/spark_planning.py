"""What a batch of the aligned source over files costs, by the number of splits: planning it, and reading it.

A reader is driven as Spark drives it, without Spark: offsets pass through JSON, partitions and the reader of
the executors through pickle, and between two plannings nothing happens. Every split has one file, of which
each batch takes some rows, under alignment; whoever reads them has kept nothing of the batch before. The
processor time is what matters on a machine that does other things as well. Each number of splits is
measured in a process of its own, and what that one has grown by is the memory.
"""

import argparse
import json
import multiprocessing
import pickle
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as parquet
from pyspark.cloudpickle import dumps
from pyspark.sql.streaming.datasource import ReadMaxRows
from pyspark.sql.types import LongType, StructType

from tidegauge_spark.source.aligned_source import AlignedSource
from tidegauge_spark.source.files import rows as files_rows
from tidegauge_spark.source.files.limited_cache import LimitedCache

SCHEMA = StructType().add("time", LongType()).add("id", LongType())
SPLITS = [64, 640, 1250, 2500, 5000, 7500, 10_000]
ROWS_OF_A_FILE = 1000  # beyond 2^24 rows the driver forgets event times that it needs again
ROWS_OF_A_SPLIT = 50
MOST_BATCHES = ROWS_OF_A_FILE // ROWS_OF_A_SPLIT - 1


class Cost(NamedTuple):
    """Of one batch with so many splits.

    processor, elapsed: the medians of what a planning takes (ms). read: the median processor time of handing
    out the partitions and reading their rows in one process (ms). offset: the size of the offset (bytes).
    memory: what the process has grown by at most (bytes). first: the time of the first planning, which has to
    list the folders and to read the event times (ms).
    """

    splits: int
    processor: float
    elapsed: float
    read: float
    offset: int
    memory: int
    first: float


def measure(splits: int, batches: int) -> Cost:
    """Plan and read some batches."""
    with _log(splits) as folder:
        before = _resident()
        options = {
            "path": str(folder),
            "eventTimeColumn": "time",
            "numSubtasks": str(min(16, splits)),
            "watermarkGroup": "benchmark",
            "maxAllowedWatermarkDrift": "30 seconds",
        }
        reader: Any = AlignedSource(options).streamReader(SCHEMA)
        offset = _through_json(reader.initialOffset())
        processor, elapsed, read, most = [], [], [], 0
        for _ in range(batches + 1):
            began = time.thread_time(), time.perf_counter()
            planned = reader.latestOffset(offset, ReadMaxRows(splits * ROWS_OF_A_SPLIT))
            processor.append((time.thread_time() - began[0]) * 1000)
            elapsed.append((time.perf_counter() - began[1]) * 1000)
            start, offset = offset, _through_json(planned)
            executed: Any = pickle.loads(dumps(reader))
            files_rows._partly_read = LimitedCache(0)  # as in a new worker
            reading = time.thread_time()
            partitions = pickle.loads(pickle.dumps(reader.partitions(start, offset)))
            rows = sum(batch.num_rows for partition in partitions for batch in executed.read(partition))
            read.append((time.thread_time() - reading) * 1000)
            assert rows == splits * ROWS_OF_A_SPLIT
            most = max(most, _resident() - before)
        reader.stop()
    return Cost(
        splits,
        statistics.median(processor[1:]),
        statistics.median(elapsed[1:]),
        statistics.median(read[1:]),
        len(json.dumps(offset)),
        most,
        elapsed[0],
    )


@contextmanager
def _log(splits: int) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        table = pa.table({"time": range(ROWS_OF_A_FILE), "id": range(ROWS_OF_A_FILE)})
        first = Path(folder) / "_file"
        parquet.write_table(table, first)
        content = first.read_bytes()
        for split in range(splits):
            (Path(folder) / f"{split:05}").mkdir()
            (Path(folder) / f"{split:05}" / "a").write_bytes(content)
        yield Path(folder)


def _through_json(offset: Any) -> Any:
    return json.loads(json.dumps(offset))


def _resident() -> int:
    """Return how much memory this process has (bytes)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("this system does not tell how much memory a process has")


def fitted(costs: Sequence[Cost], values: Sequence[float]) -> tuple[float, float, float]:
    """Return the straight line closest to some values, and how far the values are from it.

    That is: the value without splits, what a split adds, and R squared, the share of their variance that the
    line explains.
    """
    splits = [cost.splits for cost in costs]
    slope, intercept = statistics.linear_regression(splits, values)
    return intercept, slope, statistics.correlation(splits, values) ** 2


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each number of splits, and the straight lines through them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("splits", nargs="*", type=int, default=SPLITS)
    parser.add_argument(
        "--batches", type=int, default=10, help=f"default: %(default)s, at most {MOST_BATCHES}"
    )
    given = parser.parse_args(arguments)
    print(
        "| splits | planning ms | processor ms | us a split | reading ms | memory MB | offset kB | first ms |"
    )
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    costs = []
    for splits in given.splits:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            cost = pool.apply(measure, (splits, min(given.batches, MOST_BATCHES)))
        costs.append(cost)
        print(
            f"| {cost.splits} | {cost.elapsed:.1f} | {cost.processor:.1f} "
            f"| {cost.processor / cost.splits * 1000:.1f} | {cost.read:.0f} | {cost.memory / 1e6:.0f} "
            f"| {cost.offset / 1000:.0f} | {cost.first:.0f} |",
            flush=True,
        )
    if len(costs) > 2:
        for what, unit, values in (
            ("planning, processor", "ms", [cost.processor for cost in costs]),
            ("reading", "ms", [cost.read for cost in costs]),
            ("memory", "MB", [cost.memory / 1e6 for cost in costs]),
        ):
            intercept, slope, explained = fitted(costs, values)
            line = f"{intercept:.1f} {unit}, and {slope * 1000:.1f} {unit} for 1000 splits"
            print(f"{what}: {line}; R2 {explained:.4f}")


if __name__ == "__main__":
    main()
