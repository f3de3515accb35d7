"""Changes of a database that are delivered at least once, and again within 20 seconds: duplicates are dropped."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

import pandas as pd
from pyspark.sql import DataFrame

from whole_jobs.records import MINUTE, SECOND, START, ExactJob, Record, Result, Written

SECONDS: Final = 1_800
GAP: Final = range(300, 1_200)
REDELIVERED, OVERTAKEN = 15 * SECOND, 15 * SECOND
"""How much later a change is delivered again, and how long that takes at most."""


class Changes(ExactJob):
    """Four tables, one of which does not change for a quarter of an hour.

    A third of the changes comes a second time: with the same event time, or with that of a delivery which is itself
    overtaken by others. `dropDuplicates` knows the former, `dropDuplicatesWithinWatermark` the latter.
    """

    name = "changes"
    logs: Mapping[str, int] = {"changes": 4}
    disorder = 16 * SECOND
    drift = 2 * MINUTE
    batch = 500
    state_point = "the state of deduplication is being committed"

    def records(self, run: int) -> Written:
        draw = random.Random(2)
        partitions = {}
        for partition in range(4):
            delivered: list[tuple[int, Record]] = []
            for second in range(SECONDS):
                if partition == 0 and second in GAP:
                    continue
                at = START + second * SECOND
                for key in ("same time", "new time"):
                    delivered.append((at, Record(at, f"{key} {partition}", second)))
                    if draw.random() < 1 / 3:
                        again = at + draw.randint(1 * SECOND, REDELIVERED)
                        shown, comes = at, again
                        if key == "new time":
                            shown, comes = again, again + draw.randint(0, OVERTAKEN)
                        delivered.append((comes, Record(shown, f"{key} {partition}", second)))
            partitions[partition] = [record for _, record in sorted(delivered, key=lambda each: each[0])]
        return {"changes": partitions}

    def results(self, rows: Mapping[str, DataFrame]) -> DataFrame:
        changes = rows["changes"]
        by_time = changes.where("key LIKE 'same%'").dropDuplicates(["at", "key", "id"])
        within = changes.where("key LIKE 'new%'").dropDuplicatesWithinWatermark(["key", "id"])
        result = ("key", "unix_millis(at) AS start", "1L AS count", "id AS total")
        # Whichever delivery is first in a micro-batch comes out, so its event time is not compared.
        untimed = ("key", f"{START}L AS start", "1L AS count", "id AS total")
        return by_time.selectExpr(*result).union(within.selectExpr(*untimed))

    def expected(self, rows: pd.DataFrame) -> list[Result]:
        once = rows.drop_duplicates(["key", "id"])
        same = once.key.str.startswith("same")
        starts = once["at"].where(same, START)
        return [Result(key, start, 1, id_) for key, start, id_ in zip(once.key, starts, once.id, strict=True)]
