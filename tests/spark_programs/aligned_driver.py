"""A driver program to be killed: two aligned sources of one group in one query, rows into Parquet files.

`python -m spark_programs.aligned_driver FOLDER LAST` ends by itself when everything is read. FOLDER keeps the
checkpoint and one file for each batch id, so that a batch that is run again replaces its rows.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pyarrow.parquet as parquet
from pyspark.sql import DataFrame

from spark_programs.queries import spark_queries
from tidegauge_spark import coordination

DRIFT = 2000
SUBTASKS = [("fast", 0), ("fast", 1), ("slow", 0), ("slow", 1)]


def main(folder: Path, last: str) -> None:
    """Run the query to its end."""
    rows = folder / "rows"
    rows.mkdir(exist_ok=True)

    def write(frame: DataFrame, batch: int) -> None:
        unfinished = folder / "unfinished.parquet"
        parquet.write_table(frame.toArrow(), unfinished)
        os.replace(unfinished, rows / f"{batch}.parquet")

    with coordination() as address, spark_queries() as queries:
        common = {
            "numSubtasks": "2",
            "split": "repeat",
            "end": last,
            "watermarkGroup": "group-1",
            "maxAllowedWatermarkDrift": f"{DRIFT} milliseconds",
            "coordinator": address,
            "sourcesInGroup": "2",
            "clockStep": "1 second",
        }
        slow = queries.source(sourceName="slow", recordsPerMillisecond__0="1", **common)
        fast = queries.source(sourceName="fast", **common)
        (
            slow.union(fast)
            .writeStream.foreachBatch(write)
            .option("checkpointLocation", str(folder / "checkpoint"))
            .trigger(availableNow=True)
            .start()
            .awaitTermination()
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
