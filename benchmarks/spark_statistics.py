"""What the statistics of Parquet's row groups save the driver of the aligned source over files.

A reader without alignment plans a log to its end, as Spark drives it and without Spark, in turns with the
statistics and without them: then it reads the event times of every row group, as it does where a file has
none. What is planned is the same. It is the processor time of all plannings that is compared.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as parquet
from pyspark.sql.streaming.datasource import ReadMaxRows
from pyspark.sql.types import LongType, StructType

from tidegauge_spark.source.aligned_source import AlignedSource
from tidegauge_spark.source.files.parquet_format import ParquetFormat

SCHEMA = StructType().add("time", LongType()).add("id", LongType())
SPLITS, FILES, ROWS, ROW_GROUP = 8, 5, 1_000_000, 100_000
LOGS = {
    "batches of 1,000,000 rows": {},
    "startingTimestamp at 90 %": {"startingTimestamp": str(FILES * ROWS * 9 // 10)},
}


def planned(folder: Path, options: dict[str, str]) -> tuple[float, list[Any]]:
    """Plan a log to its end; return the processor time (s), and what each batch reads."""
    given = {"path": str(folder), "eventTimeColumn": "time", "eventTimeUnit": "ms", "clockStep": "1 ms"}
    reader: Any = AlignedSource({**given, **options}).streamReader(SCHEMA)
    offset, batches = reader.initialOffset(), []
    began = time.process_time()
    while True:
        offset = json.loads(json.dumps(reader.latestOffset(offset, ReadMaxRows(1_000_000))))
        if not offset["slices"]:
            break
        batches.append(offset["slices"])
    took = time.process_time() - began
    reader.stop()
    return took, batches


@contextmanager
def log() -> Iterator[Path]:
    """Make a log whose event times are a millisecond apart."""
    with tempfile.TemporaryDirectory() as folder:
        for split in range(SPLITS):
            (Path(folder) / str(split)).mkdir()
            for file in range(FILES):
                times = pa.array(range(file * ROWS, (file + 1) * ROWS), pa.int64())
                table = pa.table({"time": times, "id": times})
                parquet.write_table(table, Path(folder) / str(split) / str(file), row_group_size=ROW_GROUP)
        yield Path(folder)


def main() -> None:
    """Print a line for each way to read the log."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5, help="default: %(default)s")
    pairs = parser.parse_args().pairs
    print("| | batches | with statistics s | without s | ratio |\n|---|--:|--:|--:|--:|")
    with log() as folder:
        for name, options in LOGS.items():
            with_them, without = [], []
            for _ in range(pairs):
                took, batches = planned(folder, options)
                with_them.append(took)
                with mock.patch.object(ParquetFormat, "summaries", return_value=()):
                    took, same = planned(folder, options)
                without.append(took)
                assert batches == same
            ratio = statistics.median(b / a for a, b in zip(with_them, without, strict=True))
            shown = f"{statistics.median(with_them):.2f} | {statistics.median(without):.2f} | {ratio:.1f}"
            print(f"| {name} | {len(batches)} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
