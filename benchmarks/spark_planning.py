"""What a planning of the aligned source over files costs in the driver, by the number of splits.

A reader is driven as Spark drives it, without Spark: offsets pass through JSON, and between two plannings
nothing happens. Every split has one file, of which each batch takes some rows, under alignment. The processor
time is what matters on a machine that does other things as well.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as parquet
from pyspark.sql.streaming.datasource import ReadMaxRows
from pyspark.sql.types import LongType, StructType

from tidegauge_spark import AlignedSource

SCHEMA = StructType().add("time", LongType()).add("id", LongType())
ROWS_OF_A_FILE = 2000
ROWS_OF_A_SPLIT = 50


class Cost(NamedTuple):
    """Of one planning with so many splits: the median of its processor time and of its time (ms), the size of
    the offset (bytes); and the time of the first one, which has to read the files' event times (ms)."""

    splits: int
    processor: float
    time: float
    offset: int
    first: float


def measure(splits: int, batches: int) -> Cost:
    """Plan some batches."""
    with _log(splits) as folder:
        options = {
            "path": str(folder),
            "eventTimeColumn": "time",
            "numSubtasks": str(min(16, splits)),
            "watermarkGroup": "benchmark",
            "maxAllowedWatermarkDrift": "30 seconds",
        }
        reader: Any = AlignedSource(options).streamReader(SCHEMA)
        offset = _through_json(reader.initialOffset())
        processor, elapsed = [], []
        for _ in range(batches + 1):
            began = time.thread_time(), time.perf_counter()
            planned = reader.latestOffset(offset, ReadMaxRows(splits * ROWS_OF_A_SPLIT))
            processor.append((time.thread_time() - began[0]) * 1000)
            elapsed.append((time.perf_counter() - began[1]) * 1000)
            offset = _through_json(planned)
        reader.stop()
    size = len(json.dumps(offset))
    return Cost(splits, statistics.median(processor[1:]), statistics.median(elapsed[1:]), size, elapsed[0])


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each number of splits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("splits", nargs="*", type=int, default=[64, 640, 2500, 10_000])
    parser.add_argument("--batches", type=int, default=20)
    given = parser.parse_args(arguments)
    print(f"{'splits':>7}{'processor ms':>14}{'us a split':>12}{'ms':>10}{'offset kB':>11}{'first ms':>10}")
    for splits in given.splits:
        cost = measure(splits, given.batches)
        print(
            f"{cost.splits:7}{cost.processor:14.2f}{cost.processor / cost.splits * 1000:12.1f}"
            f"{cost.time:10.1f}{cost.offset / 1000:11.1f}{cost.first:10.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
