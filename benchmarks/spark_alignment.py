"""What alignment costs when nobody has to wait: the same source aligned and not, in turn, in real queries.

Rows go to the sink "noop". The rows a second of a query are the median of its batches, but for the first,
which Spark compiles, and the last. What counts is the ratio of a pair, one after the other on the same
machine, and of some pairs the median.
"""

import argparse
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
from pyspark.sql import SparkSession

from tidegauge_adapters.spark_session.session import running_spark
from tidegauge_spark import coordination, register

SUBTASKS = 2
ROW_GROUP = 50_000
ROWS_OF_A_FILE = 250_000
ROWS_OF_A_BATCH = 500_000


def sequences(rows: int) -> dict[str, str]:
    """Return the options of number sequences of so many rows in all."""
    return {"split": "repeat", "end": str(rows // SUBTASKS - 1)}


def files(folder: Path, rows: int) -> dict[str, str]:
    """Write a log of so many rows in all, a split for each subtask; return the options to read it."""
    for split in range(SUBTASKS):
        (folder / str(split)).mkdir(parents=True)
        for first in range(0, rows // SUBTASKS, ROWS_OF_A_FILE):
            numbers = pa.array(range(first, min(first + ROWS_OF_A_FILE, rows // SUBTASKS)))
            table = pa.table({"time": numbers, "number": numbers})
            parquet.write_table(table, folder / str(split) / f"{first:09}", row_group_size=ROW_GROUP)
    return {"path": str(folder), "eventTimeColumn": "time"}


def rows_a_second(session: SparkSession, options: Mapping[str, str], rows: int, checkpoint: str) -> float:
    """Run a query to its end; return the median of its batches, which are of the same size but the last."""
    common = {"numSubtasks": str(SUBTASKS), "maxRowsPerTrigger": str(ROWS_OF_A_BATCH)}
    source = session.readStream.format("tidegauge").options(**common, **options).load()
    query = (
        source.writeStream.format("noop")
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    batches = query.recentProgress
    assert sum(batch["numInputRows"] for batch in batches) == rows
    return statistics.median(
        float(batch["numInputRows"] / batch["durationMs"]["triggerExecution"] * 1000)
        for batch in batches[1:-1]
        if batch["numInputRows"]
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each pair, and the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=8_000_000, help="of a query; default: %(default)s")
    parser.add_argument("--pairs", type=int, default=7, help="default: %(default)s")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary, coordination() as address:
        folder = Path(temporary)
        session = running_spark().session
        register(session)
        kinds = {"sequences": sequences(given.rows), "Parquet files": files(folder / "log", given.rows)}
        print(f"{'source':15}{'pair':>5}{'rows/s not aligned':>20}{'aligned':>12}{'ratio':>8}", flush=True)
        for kind, options in kinds.items():
            ratios = []
            for pair in range(given.pairs + 1):
                group = {
                    "watermarkGroup": f"{kind} {pair}",
                    "maxAllowedWatermarkDrift": "1000 days",
                    "coordinator": address,
                }
                rates = {}
                for aligned in (False, True) if pair % 2 else (True, False):
                    chosen = {**options, **(group if aligned else {})}
                    checkpoint = str(folder / f"{kind} {pair} {aligned}")
                    rates[aligned] = rows_a_second(session, chosen, given.rows, checkpoint)
                if pair == 0:
                    continue  # the first pair warms up the JVM
                ratios.append(rates[True] / rates[False])
                print(
                    f"{kind:15}{pair:5}{rates[False]:20,.0f}{rates[True]:12,.0f}{ratios[-1]:8.2f}", flush=True
                )
            print(f"{kind:15} median {statistics.median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}")


if __name__ == "__main__":
    main()
