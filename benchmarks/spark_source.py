"""What the aligned source over files costs beside Spark's own file source: the same files, in real queries.

Three things are measured, each of them as the ratio of two queries of one pair, one after the other on the
same machine, and of some pairs the median. The first pair warms up the JVM and does not count.

* The time of a batch, to the sink "noop" and with Spark's own windows behind. Both sources read the same
  batches: two files each, the next of each of two splits. Of a query it is the median of its batches, but for
  the first, which Spark compiles, and the last.
* The start: how much longer a query takes from `start()` to its end than all of its batches, in seconds.
* Row groups that are longer than a batch: the time of a batch of the aligned source if it reads a tenth of a
  row group, as a multiple of that of row groups of which it reads all.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
from kept_figures import add_record_option, keep
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import window
from pyspark.sql.streaming.query import StreamingQuery

from tidegauge_spark import end_coordination, ensure_coordination, register

SPLITS = 2
ROWS_OF_A_FILE = 250_000
ROW_GROUP = 50_000
ROWS_OF_A_BATCH = SPLITS * ROWS_OF_A_FILE
KEYS = 1_000
MICROSECONDS_APART = 1_000
PARTS_OF_A_ROW_GROUP = 10

Frame = Callable[[str], DataFrame]
"""Makes a query whose source is in the watermark group of this name, if it is in any."""


class Taken(NamedTuple):
    """How long a query took: a batch (ms, the median), and what is no batch (s)."""

    batch: float
    start: float


def plain_session(warehouse: Path) -> SparkSession:
    """A session as a user has it: the JVM of the kit's own is one for short lives, where Spark is slow."""
    return (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", 2)
        .config("spark.sql.warehouse.dir", str(warehouse))
        .config("spark.driver.memory", "2g")
        .getOrCreate()
    )


def write_log(
    folder: Path, rows: int, row_group: int = ROW_GROUP, rows_of_a_file: int = ROWS_OF_A_FILE
) -> None:
    """Write a log of so many rows in all. The splits have the same event times, in order.

    Spark's own source reads files in order of modification: the first ones of all splits are the oldest.
    """
    for split in range(SPLITS):
        (folder / f"split-{split}").mkdir(parents=True)
    oldest = time.time() - 86_400
    for place, first in enumerate(range(0, rows // SPLITS, rows_of_a_file)):
        numbers = np.arange(first, min(first + rows_of_a_file, rows // SPLITS))
        times = pa.array(numbers * MICROSECONDS_APART, pa.timestamp("us", "UTC"))
        table = pa.table({"at": times, "customer": numbers % KEYS, "amount": numbers})
        for split in range(SPLITS):
            file = folder / f"split-{split}" / f"part-{first:09}.parquet"
            parquet.write_table(table, file, row_group_size=row_group)
            os.utime(file, times=(oldest + place, oldest + place))


def aligned(session: SparkSession, folder: Path, group: str, most: int = ROWS_OF_A_BATCH) -> DataFrame:
    """The source of this library, aligned in a group of its own that never makes it wait."""
    options = {"path": str(folder), "eventTimeColumn": "at", "numSubtasks": str(SPLITS)}
    alignment = {"watermarkGroup": group, "maxAllowedWatermarkDrift": "1000 days"}
    source = session.readStream.format("tidegauge").options(**options, **alignment)
    return source.option("maxRowsPerTrigger", most).load()


def native(session: SparkSession, folder: Path) -> DataFrame:
    """Spark's own source over the same files."""
    source = session.readStream.schema("at timestamp, customer long, amount long").format("parquet")
    return source.option("maxFilesPerTrigger", SPLITS).option("recursiveFileLookup", "true").load(str(folder))


def windows(rows: DataFrame) -> DataFrame:
    """Spark's own windows."""
    late = rows.withWatermark("at", "10 seconds")
    return late.groupBy(window("at", "1 minute"), "customer").sum("amount")


def unchanged(rows: DataFrame) -> DataFrame:
    """The rows as they come."""
    return rows


def run_to_end(rows: DataFrame, checkpoint: Path) -> StreamingQuery:
    """Return a query that has read all there was, and kept nothing of it."""
    writer = rows.writeStream.format("noop").option("checkpointLocation", str(checkpoint))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    return query


def took(rows: DataFrame, expected: int, checkpoint: Path) -> Taken:
    """Run a query to its end."""
    began = time.monotonic()
    query = run_to_end(rows, checkpoint)
    wall = time.monotonic() - began
    batches = [
        (batch["numInputRows"], batch["durationMs"]["triggerExecution"]) for batch in query.recentProgress
    ]
    assert sum(number for number, _ in batches) == expected, batches
    full = [duration for number, duration in batches[1:-1] if number]
    return Taken(statistics.median(full), wall - sum(duration for _, duration in batches) / 1000)


def in_turns(
    pairs: int, folder: Path, rows: int, name: str, first: Frame, second: Frame
) -> list[tuple[Taken, Taken]]:
    """Measure two queries of so many rows, in turns, so many times and once before.

    Each run has a name of its own, which begins with `name`.
    """
    found = []
    for pair in range(pairs + 1):
        order = (first, second) if pair % 2 else (second, first)
        taken = {}
        for frame in order:
            own = f"{name}-{pair}-{'first' if frame is first else 'second'}"
            taken[frame] = took(frame(own), rows, folder / own)
        found.append((taken[first], taken[second]))
    return found[1:]


def beside_spark(
    session: SparkSession,
    folder: Path,
    rows: int,
    pairs: int,
    name: str,
    behind: Callable[[DataFrame], DataFrame],
) -> dict[str, Any]:
    """Measure batches and starts beside Spark's own source, with something behind both."""
    log = folder / "log"
    measured = in_turns(
        pairs,
        folder,
        rows,
        name,
        lambda own: behind(aligned(session, log, own)),
        lambda _: behind(native(session, log)),
    )
    return {
        "query": name,
        "rows": rows,
        "batch ms, aligned": statistics.median(one.batch for one, _ in measured),
        "batch ms, Spark": statistics.median(other.batch for _, other in measured),
        "Spark / aligned": [round(other.batch / one.batch, 2) for one, other in measured],
        "median": round(statistics.median(other.batch / one.batch for one, other in measured), 2),
        "start s more": round(statistics.median(one.start - other.start for one, other in measured), 2),
    }


def long_row_groups(session: SparkSession, folder: Path, rows: int, pairs: int) -> dict[str, Any]:
    """Measure batches of a tenth of a row group of each split, beside those of a whole one."""
    part = ROWS_OF_A_FILE // PARTS_OF_A_ROW_GROUP
    write_log(folder / "long", rows, ROWS_OF_A_FILE)
    write_log(folder / "short", rows, part)
    measured = in_turns(
        pairs,
        folder,
        rows,
        "groups",
        lambda own: aligned(session, folder / "long", own, SPLITS * part),
        lambda own: aligned(session, folder / "short", own, SPLITS * part),
    )
    return {
        "query": "row groups of ten batches",
        "rows": rows,
        "batch ms, long": statistics.median(one.batch for one, _ in measured),
        "batch ms, short": statistics.median(other.batch for _, other in measured),
        "long / short": [round(one.batch / other.batch, 2) for one, other in measured],
        "median": round(statistics.median(one.batch / other.batch for one, other in measured), 2),
    }


def measured_parts(session: SparkSession, folder: Path, rows: int, pairs: int) -> Iterator[dict[str, Any]]:
    """Yield the figures of each query."""
    write_log(folder / "log", rows)
    yield beside_spark(session, folder, rows, pairs, "noop", unchanged)
    yield beside_spark(session, folder, rows, pairs, "windows", windows)
    yield long_row_groups(session, folder, rows // 4, pairs)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what was measured, a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="of a query; default: %(default)s")
    parser.add_argument("--pairs", type=int, default=5, help="default: %(default)s")
    add_record_option(parser)
    given = parser.parse_args(arguments)
    found = []
    with tempfile.TemporaryDirectory() as temporary:
        session = plain_session(Path(temporary) / "warehouse")
        ensure_coordination(session)
        register(session)
        folder = Path(temporary)
        for figures in measured_parts(session, folder, given.rows, given.pairs):
            print(figures, flush=True)
            found.append(figures)
        end_coordination(session)
    keep(found, given.record)


if __name__ == "__main__":
    main()
