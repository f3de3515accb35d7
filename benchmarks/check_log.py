"""What checking an event log costs, beside reading it only: in this process, and on Spark beside an identity.

The log has eight subtasks of one job, each in a file of its own: nine records, then a watermark, and at times
an idle subtask. One row is wrong: a watermark falls. Each check must find and name it, and nothing else.
Every pair is measured in one run, in turns; processor time is that of all processes, those of Spark too.
Memory is the most that a process of its own has taken.
"""

import argparse
import multiprocessing
import resource
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
from campaign import took
from kept_figures import add_record_option, keep

from tidegauge_pipeline.event_log.chunks import parts_of
from tidegauge_pipeline.event_log.files import find
from tidegauge_pipeline.event_log.findings import OperatorFindings
from tidegauge_pipeline.event_log.in_process import judged_parts
from tidegauge_pipeline.event_log.verdicts import results_of
from tidegauge_pipeline.on_spark.check import judged_on_spark
from tidegauge_pipeline.on_spark.session import session

SUBTASKS = 8
ROWS_OF_A_GROUP = 1 << 20
KINDS = ("record", "watermark", "idle", "active")
WRONG_SUBTASK = 5


def write_log(folder: Path, rows: int) -> None:
    """Write a log of so many rows, of which one breaks a property."""
    wrong = wrong_row(rows)
    for subtask in range(SUBTASKS):
        with parquet.ParquetWriter(folder / f"subtask-{subtask}.parquet", _group(0, 0, 1).schema) as writer:
            own = rows // SUBTASKS
            for first in range(0, own, ROWS_OF_A_GROUP):
                group = _group(subtask, first, min(ROWS_OF_A_GROUP, own - first))
                if subtask == WRONG_SUBTASK and 0 <= wrong - 1 - first < len(group):
                    group = _with_fall(group, wrong - 1 - first)
                writer.write_table(group)


def wrong_row(rows: int) -> int:
    """The number of the watermark that falls, two thirds through the log of its subtask."""
    return rows // SUBTASKS * 2 // 30 * 10


def _with_fall(group: pa.Table, at: int) -> pa.Table:
    times = group["event_time"].to_pylist()
    times[at] -= 60_000
    return group.set_column(group.schema.get_field_index("event_time"), "event_time", pa.array(times))


def _group(subtask: int, first: int, number: int) -> pa.Table:
    at = np.arange(first, first + number)
    kind = np.where(at % 10 == 9, 1, 0)
    kind[at % 1000 == 500] = 2
    kind[at % 1000 == 501] = 3
    times = 1_700_000_000_000 + at * 10
    return pa.table(
        {
            "job": pa.repeat("shop", number),
            "source": pa.repeat("orders", number),
            "subtask": pa.repeat(pa.scalar(subtask, pa.int32()), number),
            "sequence": at + 1,
            "kind": pa.array(KINDS).take(pa.array(kind)),
            "event_time": pa.array(times - 5, mask=kind > 1),
            "processing_time": times + 500,
        }
    )


def read_only(folder: Path) -> None:
    """Read all columns, and do nothing."""
    for path in sorted(folder.iterdir()):
        with parquet.ParquetFile(path) as opened:
            for group in range(opened.num_row_groups):
                opened.read_row_group(group)


def check(folder: Path) -> int:
    """Check the log in this process."""
    parts = parts_of(find(folder, None, skip_bad=False).files)
    found, _ = judged_parts(parts, None, False, lambda chunk: None)
    return found_rows(found)


def found_rows(found: Sequence[OperatorFindings]) -> int:
    """How many rows were judged; fails unless the one that is wrong was found, and no other."""
    rows = sum(one.rows for one in found)
    (broken,) = (one for one in results_of("", 1, found, files=SUBTASKS).properties if one.verdict == "fail")
    (first,) = broken.count.first
    assert (broken.property, broken.count.broken) == ("log-watermark-increases", 1)
    assert (first.subtask, first.sequence) == (WRONG_SUBTASK, wrong_row(rows))
    return rows


def most_memory(folder: str) -> float:
    """The most memory (MB) that a process takes which checks a log."""
    check(Path(folder))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def in_turns(
    pairs: int, ours: Callable[[], Any], bare: Callable[[], Any]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """What both take (s, and s of the processor): medians, measured in turns. The first turn of each warms
    it up."""
    taken = [(took(ours), took(bare)) for _ in range(pairs + 1)][1:]
    own, other = zip(*taken, strict=True)
    return _medians(own), _medians(other)


def _medians(taken: Sequence[tuple[float, float]]) -> tuple[float, float]:
    wall, processor = zip(*taken, strict=True)
    return statistics.median(wall), statistics.median(processor)


def identity(spark: Any, folder: Path) -> None:
    """Put all rows through Python workers that do nothing."""
    frame = spark.read.parquet(str(folder))
    frame.mapInArrow(lambda batches: batches, frame.schema).write.format("noop").mode("overwrite").save()


def measured(rows: int, pairs: int, with_spark: bool) -> dict[str, Any]:
    """All figures of one size; without pairs the memory only."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_log(folder, rows)
        figures: dict[str, Any] = {"rows": rows}
        if pairs:
            (ours, cost), (bare, least) = in_turns(pairs, lambda: check(folder), lambda: read_only(folder))
            figures |= {"check s": ours, "read s": bare, "rows/s": rows / ours, "read / check": bare / ours}
            figures |= {"rows/s of the processor": rows / cost, "read / check, by it": least / cost}
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            figures["memory MB"] = pool.apply(most_memory, (name,))
        if pairs and with_spark:
            parts = parts_of(find(folder, None, skip_bad=False).files)
            with session("local[2]") as spark:
                (ours, cost), (bare, least) = in_turns(
                    pairs,
                    lambda: found_rows(judged_on_spark(spark, parts, None, False)[0]),
                    lambda: identity(spark, folder),
                )
            figures |= {
                "Spark check s": ours,
                "Spark identity s": bare,
                "Spark rows/s": rows / ours,
                "identity / check": bare / ours,
                "Spark rows/s of the processor": rows / cost,
                "identity / check, by it": least / cost,
            }
    return figures


def _line(figures: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} {value:,.3g}" if value < 100 else f"{name} {value:,.0f}" for name, value in figures.items()
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of each size, and keep them as JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", type=int, default=[1_000_000, 10_000_000])
    parser.add_argument("--pairs", type=int, default=3, help="0: memory only")
    parser.add_argument("--without-spark", action="store_true")
    add_record_option(parser)
    given = parser.parse_args(arguments)
    figures = []
    for rows in given.rows:
        figures.append(measured(rows, given.pairs, not given.without_spark))
        print(_line(figures[-1]), flush=True)
    keep(figures, given.record)


if __name__ == "__main__":
    main()
