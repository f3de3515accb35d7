"""What the exact watermark costs: Spark's windows behind `load()` and behind a plain `withWatermark`.

Three queries read the same Parquet files: the aligned source behind `load()`, the aligned source with a plain
`withWatermark`, and Spark's own file source. They take turns in each round, since only figures of one round
compare: the time from `start()` to the end of the query, and the processor time of Spark with its Python
workers. A ratio is that of one round, and what counts is the median over the rounds. The first round warms up
the JVM and does not count.

The second part counts rows in state: a fast source and a slow one in front of Spark's windows and of its
join, aligned and not aligned, with the most rows that the drift allows.
"""

import argparse
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as parquet
from campaign import processor
from kept_figures import add_record_option, keep
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr, window
from spark_source import KEYS, SPLITS, native, plain_session, run_to_end, windows, write_log

from tidegauge_spark import end_coordination, ensure_coordination, load, register

BATCHES: Final = {1_000_000: 10, 10_000_000: 20}
"""In how many micro-batches a query reads so many rows; ten of any other number."""

LOAD, WITH_WATERMARK, SPARKS_FILES = "load", "withWatermark", "Spark's files"

SECONDS_OF_A_SOURCE: Final = 20_000
CUSTOMERS: Final = 8
DRIFT, WINDOW, PAID_WITHIN = 300, 60, 60
FAST, SLOW = 2_000, 500
"""Of the second part, in seconds of event time, of which each has a record: how far the sources may be apart,
how long a window is, how long after an order its payment may come, how much of a source a micro-batch has."""


class Taken(NamedTuple):
    """What a query took: wall clock and processor time (s), and the most rows in its state after a batch."""

    wall: float
    processor: float
    state: int


def aligned(session: SparkSession, log: Path, group: str, rows_of_a_batch: int) -> Any:
    """Return the reader of this library, aligned in a group of its own that never makes it wait."""
    options = {"path": str(log), "eventTimeColumn": "at", "numSubtasks": str(SPLITS)}
    alignment = {"watermarkGroup": group, "maxAllowedWatermarkDrift": "1000 days"}
    return session.readStream.format("tidegauge").options(
        **options, **alignment, maxRowsPerTrigger=rows_of_a_batch
    )


def behind_load(rows: DataFrame) -> DataFrame:
    """Return the windows of `spark_source.windows`, on the watermark that the rows have."""
    return rows.groupBy(window("at", "1 minute"), "customer").sum("amount")


def taken_by(frame: DataFrame, rows: int, checkpoint: Path) -> Taken:
    """Run a query to its end."""
    began, before = time.monotonic(), processor()
    query = run_to_end(frame, checkpoint)
    wall, used = time.monotonic() - began, processor() - before
    progress = query.recentProgress
    read = sum(batch["numInputRows"] for batch in progress)
    told = sum(len(batch["sources"]) for batch in progress)
    assert rows <= read <= rows + told, f"{read} rows: load() adds one for each source and batch, to {rows}"
    return Taken(wall, used, state_rows(progress))


def state_rows(progress: Sequence[Any]) -> int:
    """Return the most rows that the operators of a query have together after a batch."""
    return max(sum(each["numRowsTotal"] for each in batch["stateOperators"]) for batch in progress)


def cost(session: SparkSession, folder: Path, rows: int, rounds: int) -> dict[str, Any]:
    """Measure the three queries over so many rows, in turns."""
    log, batch = folder / f"log-{rows}", rows // BATCHES.get(rows, 10)
    write_log(log, rows, rows_of_a_file=batch // SPLITS)
    ways: dict[str, Callable[[str], DataFrame]] = {
        LOAD: lambda own: behind_load(load(aligned(session, log, own, batch))),
        WITH_WATERMARK: lambda own: windows(aligned(session, log, own, batch).load()),
        SPARKS_FILES: lambda _: windows(native(session, log)),
    }
    measured: list[dict[str, Taken]] = []
    for number in range(rounds + 1):
        turn = number % len(ways)
        order = [*list(ways)[turn:], *list(ways)[:turn]]
        taken = {}
        for way in order:
            own = f"{rows} {number} {way}"
            taken[way] = taken_by(ways[way](own), rows, folder / own)
        if number:  # the first round warms up the JVM
            measured.append(taken)
            print(f"{rows:,} rows, round {number}: {ways_of(taken)}", flush=True)
    return {
        "query": "windows",
        "rows": rows,
        "rounds": [{way: each._asdict() for way, each in taken.items()} for taken in measured],
        **{
            f"wall s, {way}": round(statistics.median(taken[way].wall for taken in measured), 2)
            for way in ways
        },
        **{f"{other} / load": speed(measured, other, "wall") for other in (WITH_WATERMARK, SPARKS_FILES)},
        **{
            f"{other} / load, processor": speed(measured, other, "processor")
            for other in (WITH_WATERMARK, SPARKS_FILES)
        },
        **{f"state rows, {way}": max(taken[way].state for taken in measured) for way in ways},
        "state rows allowed": KEYS * open_windows(rows // SPLITS // 1000 / BATCHES.get(rows, 10)),
    }


def ways_of(taken: dict[str, Taken]) -> str:
    """Return what a round took, as a line."""
    return ", ".join(f"{way} {each.wall:.2f} s ({each.processor:.1f} s)" for way, each in taken.items())


def speed(measured: Sequence[dict[str, Taken]], other: str, by: str) -> dict[str, float]:
    """Return the speed of the query behind `load()` as a multiple of that of another way: the median, and the
    smallest and the largest of a round."""
    ratios = [getattr(taken[other], by) / getattr(taken[LOAD], by) for taken in measured]
    ends = {"median": statistics.median(ratios), "least": min(ratios), "most": max(ratios)}
    return {name: round(ratio, 2) for name, ratio in ends.items()}


def open_windows(seconds: float) -> int:
    """Return how many windows are open at most if event times are so far apart."""
    return math.ceil(seconds / WINDOW) + 1


def write_sources(folder: Path) -> None:
    """Write two logs with a record for each second: orders, and payments, each of which is for the order of a
    second before."""
    for log in ("orders", "payments"):
        (folder / log / "partition-0").mkdir(parents=True)
        numbers = range(SECONDS_OF_A_SOURCE)
        times = pa.array([number * 1_000_000 for number in numbers], pa.timestamp("us", "UTC"))
        ids = pa.array([number - (log == "payments") for number in numbers], pa.int64())
        table = pa.table({"at": times, "id": ids, "customer": [number % CUSTOMERS for number in numbers]})
        parquet.write_table(table, folder / log / "partition-0" / "0.parquet")


def windows_of_both(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Return Spark's windows over both sources."""
    return orders.union(payments).groupBy(window("at", f"{WINDOW} seconds"), "customer").count()


def paid_orders(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Return Spark's left outer join of orders with the payments that follow them."""
    within = expr(f"o.id = p.id AND p.at BETWEEN o.at AND o.at + INTERVAL {PAID_WITHIN} SECONDS")
    return orders.alias("o").join(payments.alias("p"), within, "left_outer").select("o.id", "p.at")


def rows_in_state(session: SparkSession, folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the most rows in state of windows and join, aligned and not aligned.

    What the drift allows: while the slower source moves on by a micro-batch, Spark has the watermark of the
    batch before, and the faster source is the drift ahead. At the start there is no watermark until both have
    records; that is the drift once more. Windows have a row for each customer and window in that span. The
    join has the orders of that span and those that may still be paid, and the payments in it that are read.
    """
    write_sources(folder)
    span = SLOW + 2 * DRIFT
    operators: dict[str, tuple[Callable[[DataFrame, DataFrame], DataFrame], int]] = {
        "windows": (windows_of_both, CUSTOMERS * open_windows(span)),
        "join": (paid_orders, PAID_WITHIN + span + SLOW + DRIFT),
    }
    for name, (operator, allowed) in operators.items():
        found = {}
        for is_aligned in (True, False):
            own = f"state {name} {is_aligned}"
            group = {
                "watermarkGroup": own,
                "maxAllowedWatermarkDrift": f"{DRIFT} seconds",
                "sourcesInQuery": "2",
            }
            sources = [
                load(
                    session.readStream.format("tidegauge").options(
                        path=str(folder / log),
                        eventTimeColumn="at",
                        maxRowsPerTrigger=most,
                        **(group if is_aligned else {}),
                    )
                )
                for log, most in (("orders", FAST), ("payments", SLOW))
            ]
            found[is_aligned] = taken_by(operator(*sources), 2 * SECONDS_OF_A_SOURCE, folder / own).state
        yield {
            "query": f"state of {name} over two sources",
            "aligned": found[True],
            "not aligned": found[False],
            "allowed by the drift": allowed,
        }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what was measured, a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rows", type=int, nargs="*", default=list(BATCHES), help="of a query; default: %(default)s"
    )
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--no-state", action="store_true", help="leave out the second part")
    add_record_option(parser)
    given = parser.parse_args(arguments)
    figures = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        session = plain_session(folder / "warehouse")
        ensure_coordination(session)
        register(session)
        for rows in given.rows:
            figures.append(cost(session, folder, rows, given.rounds))
            print({name: each for name, each in figures[-1].items() if name != "rounds"}, flush=True)
        for state in () if given.no_state else rows_in_state(session, folder):
            figures.append(state)
            print(state, flush=True)
        end_coordination(session)
    keep(figures, given.record)


if __name__ == "__main__":
    main()
