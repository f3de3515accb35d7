"""The shop: orders and payments of one group, through Spark's windows and join and through the library's windows.

The library's windows need PySpark 4.1; under PySpark 4.0 the shop has only Spark's windows and join.
Orders are in eight partitions, one of which is silent; payments in four, whose log begins ten minutes before.
All operators are in one query, so that a kill hits all of them. pandas computes the expected results from the
records alone.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, expr, from_json, lit, window
from pyspark.sql.functions import sum as total

from spark_programs.driven_files import write_table
from spark_programs.event_logs import judged
from spark_programs.kill_points import NATIVE_STATE_POINTS, OPERATOR_POINTS, SOURCE_POINTS
from tidegauge_spark import (
    TumblingWindows,
    WindowSettings,
    run_windows,
)
from tidegauge_spark.operators.aggregates import values_of
from tidegauge_spark.operators.operator_input import operator_input, run_operator_input
from tidegauge_spark.spark_version import ROW_PROCESSORS

START = 1_700_000_000_000
SECOND = 1_000
BEHIND = 600 * SECOND
DRIFT, DISORDER, DELAY = 30 * SECOND, 2 * SECOND, 40 * SECOND
"""How far the sources may be apart; payments within their partition; Spark's watermark behind the greatest event
time: the drift, the disorder, and the gap between two records (ms)."""

WINDOW, PATIENCE_OF_AN_ORDER = 30 * SECOND, 30 * SECOND
ORDER_EVERY = 250
PARTITIONS = {"orders": 8, "payments": 4}
SILENT = 7
SUBTASKS = {"orders": 2, "payments": 2}
CUSTOMERS = 5
BATCH = 150
FILE_ROWS = 100
SCHEMA = "at BIGINT, number BIGINT, customer BIGINT"


class Records(NamedTuple):
    """The records of both logs, each with the columns at (ms), number, customer, partition."""

    orders: pd.DataFrame
    payments: pd.DataFrame


def records(seconds: int) -> Records:
    """Return what is written: orders of so many seconds, nine of ten are paid within 25 s; payments before them."""
    draw = random.Random(21)
    orders = pd.DataFrame({"number": range(seconds * SECOND // ORDER_EVERY)})
    orders["at"] = START + orders.number * ORDER_EVERY
    orders["customer"] = orders.number % CUSTOMERS
    orders["partition"] = orders.number % SILENT
    paid = orders[orders.number % 10 != 3]
    payments = paid.assign(
        at=paid["at"] + [draw.randint(5 * SECOND, 25 * SECOND) for _ in range(len(paid))],
        partition=paid.number % PARTITIONS["payments"],
    )
    numbers = range(-BEHIND // SECOND, 0)
    earlier = pd.DataFrame({"number": numbers})
    earlier["at"] = START + earlier.number * SECOND
    earlier["customer"] = earlier.number % CUSTOMERS
    earlier["partition"] = earlier.number % PARTITIONS["payments"]
    payments = pd.concat([earlier, payments], ignore_index=True)
    jumbled = payments["at"] + [draw.randint(0, DISORDER) for _ in range(len(payments))]
    return Records(orders, payments.iloc[jumbled.argsort(kind="stable")])


def closing(seconds: int) -> Records:
    """Return what comes last, a record for each partition, so late that all windows before it are over."""
    found = []
    for log, partitions in PARTITIONS.items():
        of = [each for each in range(partitions) if (log, each) != ("orders", SILENT)]
        closes = pd.DataFrame({"partition": of})
        closes["number"], closes["customer"] = 10**9 + closes.partition, 0
        found.append(closes.assign(at=closes_at(seconds)))
    return Records(*found)


def closes_at(seconds: int) -> int:
    """Return the event time of the records that come last, in a window of their own."""
    return START + math.ceil((seconds * SECOND + 200 * SECOND) / WINDOW) * WINDOW


class Shop:
    """The job, over files, or over topics of Kafka if there is the address of a broker. seconds: of how much event
    time there are orders."""

    points: Final = {**SOURCE_POINTS, **(OPERATOR_POINTS if ROW_PROCESSORS.exists else NATIVE_STATE_POINTS)}

    def __init__(self, seconds: int, broker: str = "") -> None:
        self.seconds, self.broker = seconds, broker
        self.argument = f"shop|{seconds}|{broker}"

    @classmethod
    def long_enough(cls, kills: int, broker: str = "") -> Shop:
        """Return a job that does not end before it is killed so often: twice 30 s a batch, and some more."""
        return cls(60 * kills + 120, broker)

    def write_log(self, folder: Path) -> None:
        """Write all records but the last."""
        if self.broker:
            from kafka_broker import Broker

            for log, partitions in PARTITIONS.items():
                Broker(self.broker).create(topic_of(folder, log), partitions)
        else:
            (folder / "orders" / f"p{SILENT}").mkdir(parents=True)
        self._write(folder, records(self.seconds))

    def close(self, folder: Path) -> bool:
        """Write the last records; return whether there are any: yes."""
        self._write(folder, closing(self.seconds))
        return True

    def _write(self, folder: Path, of: Records) -> None:
        for log, rows in of._asdict().items():
            for partition, mine in rows.groupby("partition"):
                write = self._produce if self.broker else self._write_files
                write(folder, log, int(partition), mine[["at", "number", "customer"]])

    def _write_files(self, folder: Path, log: str, partition: int, rows: pd.DataFrame) -> None:
        split = folder / log / f"p{partition}"
        split.mkdir(parents=True, exist_ok=True)
        numbers = count(sum(1 for _ in split.iterdir()))
        for first in range(0, len(rows), FILE_ROWS):
            table = pa.Table.from_pandas(rows[first : first + FILE_ROWS], preserve_index=False)
            write_table(folder / log, f"p{partition}", f"{next(numbers):06}", table)

    def _produce(self, folder: Path, log: str, partition: int, rows: pd.DataFrame) -> None:
        from kafka_broker import Broker

        values = [json.dumps(row) for row in rows.to_dict("records")]
        Broker(self.broker).produce_values(topic_of(folder, log), partition, values, START)

    def frame(self, session: SparkSession, coordinator: str, folder: Path) -> DataFrame:
        """Return the results of all branches."""
        orders, payments = (self._source(session, coordinator, folder, log) for log in PARTITIONS)
        windows, joined = native(orders, payments)
        rows = windows.union(joined)
        return rows.union(own(orders.union(payments))) if ROW_PROCESSORS.exists else rows

    def _source(self, session: SparkSession, coordinator: str, folder: Path, log: str) -> DataFrame:
        source = session.readStream.format("tidegauge").options(
            sourceName=log,
            numSubtasks=SUBTASKS[log],
            watermarkGroup="shop",
            maxAllowedWatermarkDrift=f"{DRIFT} milliseconds",
            maxOutOfOrderness=f"{DISORDER} milliseconds",
            idleTimeout="1 second",
            coordinator=coordinator,
            sourcesInQuery=len(PARTITIONS),
            maxRowsPerTrigger=BATCH,
            inBandWatermarks="true",
            progressColumn="progress",
            eventLog=str(folder / "events"),
        )
        if not self.broker:
            rows = source.options(path=str(folder / log), eventTimeColumn="at").load()
        else:
            kafka = {"kafka.bootstrap.servers": self.broker, "subscribe": topic_of(folder, log)}
            rows = source.options(
                **kafka, startingOffsets="earliest", eventTimeField="at", eventTimeUnit="ms"
            ).load()
            value = from_json(col("value").cast("string"), SCHEMA)
            rows = rows.select("progress", value.alias("value")).select("progress", "value.*")
        return rows.select("progress", col("at").alias("ms"), "number", "customer")

    def check(self, folder: Path, batches: Sequence[tuple[int, Any]]) -> str:
        """Assert that the rows that came out are those that pandas has, and that alignment has held.

        batches: what was written (Arrow tables). Return what was compared.
        """
        rows = pd.concat([table.to_pandas() for _, table in batches], ignore_index=True)
        wanted = expected(self.seconds)
        if not ROW_PROCESSORS.exists:
            del wanted["own windows"]
        last = closes_at(self.seconds)
        assert set(rows.branch) <= wanted.keys(), rows[~rows.branch.isin(wanted)]
        told = []
        for branch, right in wanted.items():
            mine = rows[(rows.branch == branch) & (rows.start < last)]
            got = sorted(zip(mine.key, mine.start, mine.number, map(_listed, mine["values"]), strict=True))
            assert got == right, difference(branch, got, right)
            told.append(f"{len(right)} of {branch}")
        verdict = judged(folder / "events", DRIFT)
        assert verdict.overall == "pass", verdict
        return ", ".join(told) + " as pandas has them, none missing, double or late"


Expected = dict[str, list[tuple[str, int, int, tuple[int, ...]]]]


def expected(seconds: int) -> Expected:
    """Return what has to come out, by pandas, of each branch: key, start (ms), number, values; in order.

    Windows: count of each source and customer, with the sum of numbers. Join: each order with its payment; or with
    0, if there is none. Own windows: the numbers in each window of a customer.
    """
    orders, payments = records(seconds)
    both = pd.concat([orders.assign(log="orders"), payments.assign(log="payments")])
    both["start"] = both["at"] // WINDOW * WINDOW
    windows = both.groupby(["log", "customer", "start"]).number.agg(["sum", "count"]).reset_index()
    windows["key"] = windows.log + windows.customer.astype(str)
    joined = orders.merge(payments, on="number", how="left", suffixes=("", "_paid"))
    paid = joined.at_paid.notna() & (joined.at_paid <= joined["at"] + PATIENCE_OF_AN_ORDER)
    own_windows = (
        both.groupby(["customer", "start"]).number.agg(lambda each: tuple(sorted(each))).reset_index()
    )
    return {
        "windows": sorted(
            zip(windows.key, windows.start, windows["sum"], zip(windows["count"]), strict=True)
        ),
        "join": sorted(
            zip(
                joined.number.astype(str),
                joined["at"],
                joined.at_paid.where(paid, 0).astype("int64"),
                [()] * len(joined),
                strict=True,
            )
        ),
        "own windows": sorted(
            zip(
                own_windows.customer.astype(str),
                own_windows.start,
                [0] * len(own_windows),
                own_windows.number,
                strict=True,
            )
        ),
    }


def native(orders: DataFrame, payments: DataFrame) -> tuple[DataFrame, DataFrame]:
    """Return Spark's own windows over both logs, and its join of orders with their payments."""
    ordered, paid = (
        rows.where("progress.kind = 'record'")
        .selectExpr("timestamp_millis(ms) AS at", "progress.source AS log", "number", "customer", "ms")
        .withWatermark("at", f"{DELAY} milliseconds")
        for rows in (orders, payments)
    )
    windows = (
        ordered.union(paid)
        .groupBy(window("at", f"{WINDOW} milliseconds"), "log", "customer")
        .agg(total("number").alias("sum"), total(lit(1)).alias("count"))
        .selectExpr(
            "'windows' AS branch",
            "concat(log, customer) AS key",
            "unix_millis(window.start) AS start",
            "sum AS number",
            "array(count) AS values",
        )
    )
    within = expr(f"p.at BETWEEN o.at AND o.at + INTERVAL {PATIENCE_OF_AN_ORDER // SECOND} SECONDS")
    joined = (
        ordered.alias("o")
        .join(paid.alias("p"), (col("o.number") == col("p.number")) & within, "leftOuter")
        .selectExpr(
            "'join' AS branch",
            "cast(o.number AS string) AS key",
            "o.ms AS start",
            "coalesce(p.ms, 0L) AS number",
            "cast(array() AS array<bigint>) AS values",
        )
    )
    return windows, joined


def own(rows: DataFrame) -> DataFrame:
    """Return the library's windows behind its valve."""
    inputs = run_operator_input(operator_input(rows, SUBTASKS, 2, key="customer"), sum(SUBTASKS.values()))
    settings = WindowSettings(TumblingWindows(WINDOW))
    results = run_windows(inputs, settings, {"values": values_of("number")})
    return results.where("kind NOT IN ('watermark', 'idle', 'active')").selectExpr(
        "if(kind = 'result' AND NOT retraction, 'own windows', kind) AS branch",
        "cast(customer AS string) AS key",
        "unix_millis(window_start) AS start",
        "0L AS number",
        "values",
    )


def topic_of(folder: Path, log: str) -> str:
    return f"{folder.name}-{log}"


def _listed(values: Any) -> tuple[int, ...]:
    return tuple(int(each) for each in values)


def difference(branch: str, got: list[Any], right: list[Any]) -> str:
    """Say how two lists of results differ, with some examples."""
    missing, more = sorted(set(right) - set(got)), sorted(set(got) - set(right))
    double = len(got) - len(set(got))
    return (
        f"{branch}: {len(got)} results, {len(right)} expected; {len(missing)} missing, such as {missing[:3]}; "
        f"{len(more)} more, such as {more[:3]}; {double} double"
    )
