"""Orders with their payments: a left outer join of two sources, each of which has a partition with a gap."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.functions import expr

from whole_jobs.records import SECOND, START, ExactJob, Record, Result, Written

SECONDS: Final = 1_800
PAID_WITHIN: Final = 30 * SECOND
GAPS: Final = {"orders": range(400, 1_000), "payments": range(400, 1_100)}
"""When the first partition of each log is silent (s): the join follows the slower log, so both are at once."""


class Orders(ExactJob):
    """Payments come within 25 seconds or never; those of the gap never. Their log begins ten minutes earlier."""

    name = "orders"
    logs: Mapping[str, int] = {"orders": 3, "payments": 2}
    batch = 300
    state_point = "the state of the join is being committed"

    def records(self, run: int) -> Written:
        draw = random.Random(3)
        orders: dict[int, list[Record]] = {each: [] for each in range(3)}
        payments = {
            each: [Record(START - s * SECOND, "paid", -s) for s in range(600, 0, -1)] for each in range(2)
        }
        paid: dict[int, list[Record]] = {0: [], 1: []}
        for second in range(SECONDS):
            for partition in range(3):
                if partition == 0 and second in GAPS["orders"]:
                    continue
                number = second * 3 + partition + 1
                order = Record(START + second * SECOND, f"order {partition}", number)
                orders[partition].append(order)
                at = order.at + draw.randint(0, 25 * SECOND)
                silent = number % 2 == 0 and (at - START) // SECOND in GAPS["payments"]
                if number % 10 and not silent:
                    paid[number % 2].append(Record(at, "paid", number))
        return {"orders": orders, "payments": {each: payments[each] + sorted(paid[each]) for each in paid}}

    def results(self, rows: Mapping[str, DataFrame]) -> DataFrame:
        within = expr(
            f"o.id = p.id AND p.at BETWEEN o.at AND o.at + INTERVAL {PAID_WITHIN // SECOND} SECONDS"
        )
        joined = rows["orders"].alias("o").join(rows["payments"].alias("p"), within, "left_outer")
        paid = "coalesce(unix_millis(p.at), 0L) AS total"
        return joined.selectExpr(
            "concat(o.key, ' ', o.id) AS key", "unix_millis(o.at) AS start", "1L AS count", paid
        )

    def expected(self, rows: pd.DataFrame) -> list[Result]:
        orders, payments = rows[rows.log == "orders"], rows[rows.log == "payments"]
        joined = orders.merge(payments[["id", "at"]], on="id", how="left", suffixes=("", "_paid"))
        names = joined.key + " " + joined.id.astype(str)
        paid = joined.at_paid.fillna(0).astype("int64")
        return [Result(key, at, 1, total) for key, at, total in zip(names, joined["at"], paid, strict=True)]
