"""A driver program to be killed: windows over Spark's own Kafka source, with the watermark of `watermark_of`.

`python -m spark_programs.companion_program FOLDER SERVERS TOPIC POINT BATCH`: the session of processes of
the program is killed at a point (`POINTS`) of a batch. FOLDER keeps the checkpoint and one file for each
batch id, so that a batch that is run again replaces its rows.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pyarrow.parquet as parquet
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, window
from pyspark.sql.streaming import StreamingQuery

from spark_programs.kill_points import kill_session
from tidegauge_adapters.spark_session.session import running_spark
from tidegauge_spark import watermark_of

POINTS: Final = ("planned", "written", "committed")
"""Before the rows of the batch are written; before it is committed; after that, before its progress is
seen."""


def start(
    session: SparkSession, folder: Path, servers: str, topic: str, written: Callable[[int], None]
) -> StreamingQuery:
    """Start the query, which continues from its checkpoint and ends when everything is read."""
    (folder / "rows").mkdir(exist_ok=True)
    reader = session.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
    reader = reader.options(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=150)
    counts = watermark_of(reader).groupBy(window("timestamp", "1 minute"), "partition").count()
    rows = counts.select((col("window.start").cast("long") * 1000).alias("start"), "partition", "count")

    def write(frame: DataFrame, batch: int) -> None:
        unfinished = folder / "unfinished"
        parquet.write_table(frame.toArrow(), unfinished)
        written(-1 - batch)
        os.replace(unfinished, folder / "rows" / f"{batch}.parquet")
        written(batch)

    writer = rows.writeStream.foreachBatch(write).trigger(availableNow=True)
    return writer.option("checkpointLocation", str(folder / "checkpoint")).start()


def main(folder: Path, servers: str, topic: str, point: str, batch: int) -> None:
    """Run the query until the kill."""

    def kill() -> None:
        (folder / f"killed-{point}").touch()
        kill_session(os.getpid())

    def kill_when_committed() -> None:
        while not (folder / "checkpoint" / "commits" / str(batch)).exists():
            time.sleep(0.001)
        kill()

    def written(number: int) -> None:
        if (point, number) in (("planned", -1 - batch), ("written", batch)):
            kill()

    (folder / "spark").mkdir(exist_ok=True)
    session = running_spark(parent=folder / "spark").session
    if point == "committed":
        threading.Thread(target=kill_when_committed, daemon=True).start()
    start(session, folder, servers, topic, written).awaitTermination()


if __name__ == "__main__":
    if os.getsid(0) != os.getpid():
        sys.exit("start this program in a session of its own: it kills all processes of its session")
    given, servers, topic, point, batch = sys.argv[1:]
    main(Path(given), servers, topic, point, int(batch))
