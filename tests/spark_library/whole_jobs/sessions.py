"""Sessions of visitors: Spark's session windows over four partitions, one of which is silent for 20 minutes."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.functions import session_window

from whole_jobs.records import SECOND, START, ExactJob, Record, Result, Written
from whole_jobs.windows import counted, summed

GAP: Final = 30 * SECOND
SPAN: Final = 3_600 * SECOND
SILENT: Final = range(1_000 * SECOND, 2_200 * SECOND)
VISITORS: Final = 5


class Sessions(ExactJob):
    """Each visitor clicks some times, at most 20 seconds apart, and comes back after 40 seconds or more."""

    name = "sessions"
    logs: Mapping[str, int] = {"clicks": 4}
    batch = 200
    subtasks = 2
    state_point = "the state of sessions is being committed"

    def records(self, run: int) -> Written:
        draw = random.Random(4)
        partitions = {}
        for partition in range(4):
            clicks = []
            for visitor in range(VISITORS):
                at = draw.randint(0, 60 * SECOND)
                while at < SPAN:
                    for _ in range(draw.randint(1, 12)):
                        clicks.append(Record(START + at, f"p{partition} v{visitor}", len(clicks)))
                        at += draw.randint(1, 20 * SECOND)
                    at += draw.randint(40 * SECOND, 300 * SECOND)
            if partition == 0:
                clicks = [click for click in clicks if click.at - START not in SILENT]
            partitions[partition] = sorted(clicks)
        return {"clicks": partitions}

    def results(self, rows: Mapping[str, DataFrame]) -> DataFrame:
        groups = rows["clicks"].groupBy(session_window("at", f"{GAP // SECOND} seconds"), "key")
        return counted(groups, "session_window")

    def expected(self, rows: pd.DataFrame) -> list[Result]:
        rows = rows.sort_values(["key", "at"])
        begins = rows.groupby("key")["at"].diff().isna() | (rows.groupby("key")["at"].diff() >= GAP)
        starts = rows["at"].where(begins).groupby(rows.key).ffill().astype("int64")
        return summed(rows.assign(start=starts))
