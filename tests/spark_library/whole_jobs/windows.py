"""Windows of Spark, and the same by pandas."""

from __future__ import annotations

import pandas as pd
from pyspark.sql import DataFrame, GroupedData

from whole_jobs.records import Result


def counted(groups: GroupedData, window: str = "window") -> DataFrame:
    """Return the results of groups of windows and keys."""
    sums = groups.agg({"*": "count", "id": "sum"})
    return sums.selectExpr(
        "key", f"unix_millis({window}.start) AS start", "`count(1)` AS count", "`sum(id)` AS total"
    )


def windowed(rows: pd.DataFrame, size: int) -> list[Result]:
    """Return what tumbling windows of a size (ms) have, by pandas."""
    return summed(rows.assign(start=rows["at"] // size * size))


def summed(rows: pd.DataFrame) -> list[Result]:
    """Return count and sum of ids by key and start."""
    sums = rows.groupby(["key", "start"]).id.agg(["count", "sum"]).reset_index()
    return [Result(*row) for row in sums.itertuples(index=False, name=None)]
