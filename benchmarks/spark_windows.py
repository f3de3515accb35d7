"""What the library's valve and windows cost in streaming queries, beside two others over the same rows.

The others are two chained `transformWithStateInPandas` that hand on each row as it came, and Spark's own
windows. Rows are read from Parquet files, a file for each micro-batch; results go to the sink "noop". What
counts is the ratio of a round, one query after the other on the same machine, and of several rounds the
median: of the batches' time, and of the processor time of Spark with its Python workers.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
from campaign import processor
from kept_figures import add_record_option, keep
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, lit, pmod, window, xxhash64
from pyspark.sql.streaming.stateful_processor import (
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

from tidegauge_spark import TumblingWindows, WindowSettings, run_windows
from tidegauge_spark.operators import aggregates
from tidegauge_spark.operators.operator_input import operator_input, run_operator_input

BATCHES = 4
SUBTASKS = 2
CUSTOMERS = 1_000
SECONDS = 1_200
"""Of event time: a batch has a fourth of it."""
MINUTE = 60_000
ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PROGRESS = pa.struct(
    [("source", pa.string()), ("subtask", pa.int32()), ("kind", pa.string()), ("timestamp", pa.int64())]
)

SCHEMA = (
    "at timestamp, customer bigint, cents bigint, "
    "progress struct<source: string, subtask: int, kind: string, timestamp: bigint>"
)


class Identity(StatefulProcessor):
    """Hands on what comes."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare a state, which each operator has."""
        self._state = handle.getValueState("seen", "seen boolean")

    def handleInputRows(
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,
    ) -> Iterator[pd.DataFrame]:
        """Hand on the rows of a key."""
        self._state.update((True,))
        yield from rows


def write(folder: Path, rows: int) -> None:
    """Write records of two source subtasks, and at the end of each file how far these have come."""
    draw = np.random.default_rng(1)
    folder.mkdir()
    for batch in range(BATCHES):
        span = SECONDS * 1000 // BATCHES
        times = batch * span + np.sort(draw.integers(0, span, rows // BATCHES))
        subtasks = np.arange(len(times)) % SUBTASKS
        progress = [
            {"source": "orders", "subtask": subtask, "kind": "record", "timestamp": moment}
            for subtask, moment in zip(subtasks.tolist(), times.tolist(), strict=True)
        ]
        told = [
            {"source": "orders", "subtask": subtask, "kind": "watermark", "timestamp": (batch + 1) * span - 1}
            for subtask in range(SUBTASKS)
        ]
        nothing = [None] * SUBTASKS
        table = pa.table(
            {
                "at": pa.array([*times.tolist(), *nothing], pa.timestamp("ms", "UTC")),
                "customer": pa.array(
                    [*draw.integers(0, CUSTOMERS, len(times)).tolist(), *nothing], pa.int64()
                ),
                "cents": pa.array([*draw.integers(0, 10_000, len(times)).tolist(), *nothing], pa.int64()),
                "progress": pa.array([*progress, *told], PROGRESS),
            }
        )
        parquet.write_table(table, folder / f"{batch}.parquet", row_group_size=rows // BATCHES // 2)


def library(rows: DataFrame) -> DataFrame:
    """Valve and windows of the library."""
    steps = operator_input(rows, {"orders": SUBTASKS}, SUBTASKS, key="customer")
    return run_windows(
        run_operator_input(steps, SUBTASKS),
        WindowSettings(TumblingWindows(MINUTE)),
        {"orders": aggregates.count(), "revenue": aggregates.sum_of("cents")},
    )


def identities(rows: DataFrame) -> DataFrame:
    """Two operators that do nothing, with the key that the library's have."""
    told = col("progress")
    flat = rows.select(
        pmod(xxhash64("customer"), lit(SUBTASKS)).cast("string").alias("key"),
        told["kind"].alias("kind"),
        told["subtask"].alias("channel"),
        told["timestamp"].alias("timestamp"),
        "at",
        "customer",
        "cents",
    )
    for _ in range(2):
        flat = flat.groupBy("key").transformWithStateInPandas(Identity(), flat.schema, "Append", "None")
    return flat


def native(rows: DataFrame) -> DataFrame:
    """Windows of Spark."""
    records = rows.where("progress.kind = 'record'").withWatermark("at", "0 seconds")
    return records.groupBy(window("at", "1 minute"), "customer").agg({"*": "count", "cents": "sum"})


KINDS = {"library": library, "identities": identities, "native": native}


def measured(session: SparkSession, log: Path, kind: str, checkpoint: str) -> dict[str, float]:
    """Run a query to its end; return the time of its batches and the processor time, in s."""
    rows = session.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(log))
    before, started = processor(), time.monotonic()
    writer = KINDS[kind](rows).writeStream.format("noop").option("checkpointLocation", checkpoint)
    query = writer.outputMode("append").trigger(availableNow=True).start()
    query.awaitTermination()
    batches = [batch for batch in query.recentProgress if batch["numInputRows"]]
    assert len(batches) == BATCHES
    return {
        "batches": statistics.fsum(batch["durationMs"]["triggerExecution"] / 1000 for batch in batches),
        "processor": processor() - before,
        "wall": time.monotonic() - started,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each round, and the medians of the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="of a query; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    add_record_option(parser)
    given = parser.parse_args(arguments)
    rounds: list[dict[str, dict[str, float]]] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write(folder / "log", given.rows)
        session = (
            SparkSession.builder.master(f"local[{SUBTASKS}]")
            .config("spark.sql.shuffle.partitions", SUBTASKS)
            .config("spark.sql.streaming.stateStore.providerClass", ROCKS_DB)
            .config("spark.ui.enabled", "false")
            .config("spark.log.level", "ERROR")
            .getOrCreate()
        )
        print(f"{'round':>5}" + "".join(f"{kind:>12}{'cpu':>7}" for kind in KINDS), flush=True)
        for number in range(given.rounds + 1):
            order = list(KINDS) if number % 2 else list(KINDS)[::-1]
            found = {
                kind: measured(session, folder / "log", kind, str(folder / f"{kind} {number}"))
                for kind in order
            }
            if number == 0:
                continue  # the first round warms up the JVM
            rounds.append(found)
            figures = (f"{found[kind]['batches']:12.2f}{found[kind]['processor']:7.1f}" for kind in KINDS)
            print(f"{number:5}" + "".join(figures), flush=True)
        session.stop()
    ratios = {}
    for other in ("identities", "native"):
        for measure in ("batches", "processor", "wall"):
            each = [found["library"][measure] / found[other][measure] for found in rounds]
            ratios[f"{measure}, library to {other}"] = {
                "median": statistics.median(each),
                "least": min(each),
                "most": max(each),
            }
    for name, ratio in ratios.items():
        print(f"{name}: {ratio['median']:.2f} ({ratio['least']:.2f} to {ratio['most']:.2f})")
    record = {
        "benchmark": "spark_windows",
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "rows": given.rows,
        "rounds": rounds,
        "ratios": ratios,
    }
    keep(record, given.record)


if __name__ == "__main__":
    main()
