"""The readings of eight gateways in windows of a minute; a gateway sleeps for 20 minutes, another one is late."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.functions import window

from whole_jobs.records import MINUTE, SECOND, START, ExactJob, Record, Result, Written
from whole_jobs.windows import counted, windowed

READINGS: Final = 40_480
SECONDS: Final = 5_210
ASLEEP: Final = range(1_800, 3_000)
SLEEPER, LATE_ONE = 3, 5
LATE: Final = range(2_000, 2_030)
"""The numbers of readings that the late gateway repeats half an hour after they were made."""


class Gateways(ExactJob):
    """A reading each second, out of order within 5 seconds."""

    name = "gateways"
    logs: Mapping[str, int] = {"readings": 8}
    disorder = 5 * SECOND
    batch = 1_500
    subtasks = 2
    late = len(LATE)
    state_point = "the state of Spark's windows is being committed"

    def records(self, run: int) -> Written:
        draw = random.Random(1)
        partitions: dict[int, list[Record]] = {}
        for gateway in range(8):
            seconds = [each for each in range(SECONDS) if gateway != SLEEPER or each not in ASLEEP]
            rows = [Record(START + each * SECOND, f"g{gateway}", each) for each in seconds]
            partitions[gateway] = sorted(rows, key=lambda row: row.at + draw.uniform(0, 5 * SECOND))
        assert sum(map(len, partitions.values())) == READINGS
        late = [Record(START + each * SECOND, f"g{LATE_ONE}", 10_000 + each) for each in LATE]
        partitions[LATE_ONE][4_000:4_000] = late
        return {"readings": partitions}

    def results(self, rows: Mapping[str, DataFrame]) -> DataFrame:
        return counted(rows["readings"].groupBy(window("at", "1 minute"), "key"))

    def expected(self, rows: pd.DataFrame) -> list[Result]:
        return windowed(rows, MINUTE)

    def deadline(self, at: int) -> int:
        return at // MINUTE * MINUTE + MINUTE
