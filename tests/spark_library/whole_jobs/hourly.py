"""Three runs on one checkpoint, and a partition whose files come a day behind those of the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.functions import window

from whole_jobs.records import HOUR, SECOND, START, ExactJob, Record, Result, Written
from whole_jobs.windows import counted, windowed

EVERY: Final = 30 * SECOND
DAY: Final = 24 * HOUR
BEHIND: Final = 0
FIRST_HOURS: Final = 2 * HOUR // EVERY
"""How many records of the partition that is behind there are at the first run."""


class Hourly(ExactJob):
    """Windows of an hour over three partitions, under AvailableNow."""

    name = "hourly"
    logs: Mapping[str, int] = {"visits": 3}
    runs = 3
    drift = HOUR
    batch = 500
    state_point = "the state of Spark's windows is being committed"

    def records(self, run: int) -> Written:
        partitions = {partition: day_of(partition, run) for partition in (1, 2)}
        before = day_of(BEHIND, 0)[:FIRST_HOURS] if run == 0 else day_of(BEHIND, run - 1)
        partitions[BEHIND] = before[FIRST_HOURS:] if run == 1 else before
        return {"visits": partitions}

    def results(self, rows: Mapping[str, DataFrame]) -> DataFrame:
        return counted(rows["visits"].groupBy(window("at", "1 hour"), "key"))

    def expected(self, rows: pd.DataFrame) -> list[Result]:
        return windowed(rows, HOUR)

    def deadline(self, at: int) -> int:
        return at // HOUR * HOUR + HOUR


def day_of(partition: int, day: int) -> list[Record]:
    """Return the records of a day."""
    begin = START // HOUR * HOUR + day * DAY
    return [Record(at, f"v{partition}", (at - begin) // EVERY) for at in range(begin, begin + DAY, EVERY)]
