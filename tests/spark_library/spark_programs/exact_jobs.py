"""Logs with gaps, and Spark's own operators over them on the exact watermark: what comes out, batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
from pyspark.sql import DataFrame, Row
from pyspark.sql.functions import window
from pyspark.sql.streaming import StreamingQuery

from spark_programs.driven_files import write_table
from spark_programs.queries import PATIENCE, SparkQueries, wait_until
from tidegauge_spark import load
from tidegauge_spark.spark_version import READ_LIMITS

START = datetime(2025, 10, 9, 9, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
Windows = Counter[tuple[datetime, str]]


def at(second: float) -> datetime:
    return START + timedelta(seconds=second)


def write(log: Path, split: str, seconds: Iterable[float], name: str = "0") -> None:
    """Write records with the columns at and p, the name of their split."""
    times = [at(second) for second in seconds]
    columns = {"at": pa.array(times, pa.timestamp("us", tz="UTC")), "p": [split] * len(times)}
    write_table(log, split, name, pa.table(columns))


def finish(log: Path) -> None:
    """Say that the log gets no more records."""
    for folder in (*(each for each in log.iterdir() if each.is_dir()), log):
        (folder / "_FINISHED").touch()


def records(log: Path) -> list[tuple[datetime, str]]:
    """Return event time and split of all records that are in a log now."""
    tables = [parquet.read_table(file) for file in log.glob("*/[0-9]*")]
    return [(row["at"].astimezone(UTC), row["p"]) for table in tables for row in table.to_pylist()]


def expected(rows: Iterable[tuple[datetime, str]]) -> Windows:
    """Return how many records each window of a minute has to have, by its begin and split."""
    return Counter((at_.replace(second=0, microsecond=0), split) for at_, split in rows)


def exact(queries: SparkQueries, log: Path, **options: Any) -> DataFrame:
    """Return the records of a log on the exact watermark, a hundred rows a batch unless it is said otherwise."""
    given = {"path": str(log), "eventTimeColumn": "at", "maxRowsPerTrigger": 100, **options}
    return load(queries.session.readStream.format("tidegauge").options(**given))


def aligned(group: str, **more: Any) -> dict[str, Any]:
    return {"watermarkGroup": group, "maxAllowedWatermarkDrift": "1 minute", **more}


def counts(rows: DataFrame) -> DataFrame:
    """Return the records of each minute and split."""
    return rows.groupBy(window("at", "1 minute"), "p").count()


class Job:
    """A query over several runs from one checkpoint; its sink holds one result for each batch."""

    def __init__(self, queries: SparkQueries, checkpoint: str) -> None:
        self.checkpoint = queries.folder / checkpoint
        self.batches: dict[int, list[Row]] = {}
        self.query: StreamingQuery | None = None

    def start(self, frame: DataFrame, mode: str = "append", available_now: bool = True) -> StreamingQuery:
        def take(rows: DataFrame, batch: int) -> None:
            self.batches[batch] = rows.collect()

        writer = frame.writeStream.outputMode(mode).foreachBatch(take)
        writer = writer.option("checkpointLocation", str(self.checkpoint))
        if available_now:
            writer = writer.trigger(availableNow=True)
        self.query = writer.start()
        return self.query

    def run(self, frame: DataFrame, mode: str = "append") -> Job:
        """Run the query until it has read everything; raise the error that made it fail.

        It runs under AvailableNow, except before PySpark 4.2: there AvailableNow is one batch, in which no row
        can be late.
        """
        self.start(frame, mode, available_now=READ_LIMITS.exists)
        self.wait()
        return self

    def wait(self, is_complete: Callable[[], bool] = lambda: True) -> None:
        """Wait until the query has read everything; raise the error that made it fail.

        is_complete: the condition for stopping a query that does not end by itself (before PySpark 4.2).
        """
        assert self.query is not None
        if READ_LIMITS.exists:
            assert self.query.awaitTermination(PATIENCE), self.query.lastProgress
            return
        self.query.processAllAvailable()
        wait_until(is_complete, self.query)
        self.query.stop()

    @property
    def rows(self) -> list[Row]:
        return [row for batch in sorted(self.batches) for row in self.batches[batch]]

    @property
    def fired(self) -> Windows:
        """What windows have fired, by their begin and split; one that fires twice is an error."""
        found = [((row.window.start.astimezone(UTC), row.p), row["count"]) for row in self.rows]
        assert len(dict(found)) == len(found)
        return Counter(dict(found))

    @property
    def dropped(self) -> int:
        return sum(each.numRowsDroppedByWatermark for one in self._progress() for each in one.stateOperators)

    @property
    def watermarks(self) -> list[str]:
        return [one.eventTime["watermark"] for one in self._progress()]

    def _progress(self) -> Iterator[Any]:
        assert self.query is not None
        yield from self.query.recentProgress
