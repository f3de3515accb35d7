"""A streaming query fed with files, and what Spark itself says of each of its micro-batches."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAYS_OF_400_YEARS = 146_097
_STREAMING = "org.apache.spark.sql.execution.streaming"
_SETTINGS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.streaming.minBatchesToRetain": "100000",
    "spark.sql.streaming.numRecentProgressUpdates": "100000",
    "spark.sql.streaming.stateStore.providerClass": f"{_STREAMING}.state.HDFSBackedStateStoreProvider",
}


def native_session(session: SparkSession, policy: str) -> SparkSession:
    """A session of its own with Spark's usual state store, and `policy` for several watermarks in a query."""
    own = session.newSession()
    for name, value in {**_SETTINGS, "spark.sql.streaming.multipleWatermarkPolicy": policy}.items():
        own.conf.set(name, value)
    return own


@dataclass
class MicroBatch:
    """What is known of a micro-batch: the number of files read by its end, the `watermark` that it ran with
    (ms), how many rows operators dropped for being late and how many they `kept`, and the rows that came
    out."""

    number: int
    files: int = 0
    watermark: int = 0
    dropped: int = 0
    kept: int = 0
    rows: list[Row] = field(default_factory=list)

    def note(self, progress: Any) -> None:
        """Keep what the progress of the query says of the micro-batch."""
        self.watermark = milliseconds_of(progress["eventTime"]["watermark"])
        operators = progress["stateOperators"]
        self.dropped = sum(operator["numRowsDroppedByWatermark"] for operator in operators)
        self.kept = sum(operator["numRowsTotal"] for operator in operators)


def end_offset(progress: Any) -> Any:
    """Return the offset at which a micro-batch ends, None if no micro-batch ran.

    A query also reports progress when it is idle or has no input yet.
    """
    if "watermark" not in progress["eventTime"]:
        return None
    # Before 4.2 `endOffset` of the progress is the text of a Python dict, not JSON.
    return json.loads(progress.json)["sources"][0]["endOffset"]


class NativeQuery:
    """Rows of `schema` through `plan`, `files` files a micro-batch, from files in `folder`. Where an operator
    keeps state Spark adds a micro-batch without data whenever the watermark has moved."""

    def __init__(
        self,
        session: SparkSession,
        folder: Path,
        schema: str,
        plan: Callable[[DataFrame], DataFrame],
        files: int = 1,
    ) -> None:
        self.checkpoint = folder / "checkpoint"
        self._folder = folder
        self._input = folder / "input"
        self._input.mkdir(parents=True)
        reader = session.readStream.schema(schema).option("maxFilesPerTrigger", files)
        self._output = plan(reader.json(str(self._input)))
        self._query: StreamingQuery | None = None
        self._batches: dict[int, MicroBatch] = {}
        self._written = 0

    @property
    def batches(self) -> list[MicroBatch]:
        """The micro-batches of all runs that have been stopped, in their order."""
        return [self._batches[number] for number in sorted(self._batches)]

    def write(self, rows: list[dict[str, Any]]) -> None:
        """Add the file of the next micro-batch."""
        hidden = self._input / f".{self._written}"
        hidden.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
        os.utime(hidden, (_FIRST_FILE + self._written, _FIRST_FILE + self._written))  # files are read by age
        hidden.rename(self._input / f"{self._written}.json")
        self._written += 1

    def read_all(self) -> None:
        """Run until all files are read, from the checkpoint if there is one."""
        self.start(availableNow=True)
        self.wait()
        self.stop()

    def start(self, **trigger: bool) -> None:
        """Start, from the checkpoint if there is one, with a `trigger` of PySpark."""
        writer = self._output.writeStream.outputMode("append").foreachBatch(self._take)
        writer = writer.option("checkpointLocation", str(self.checkpoint))
        self._query = (writer.trigger(**trigger) if trigger else writer).start()

    def wait(self) -> None:
        """Until a query that ends by itself has ended."""
        assert self._query is not None
        self._query.awaitTermination()

    def feed(self, *files: list[dict[str, Any]]) -> None:
        """Files, until nothing is left to do, the micro-batch without data included."""
        assert self._query is not None
        for rows in files:
            self.write(rows)
        self._query.processAllAvailable()

    def stop(self) -> None:
        """Stop, keeping what Spark says of the micro-batches of this run."""
        query, self._query = self._query, None
        if query is None:
            return
        for progress in query.recentProgress:
            offset = end_offset(progress)
            if offset is None:
                continue
            batch = self._batches.setdefault(progress["batchId"], MicroBatch(progress["batchId"]))
            batch.files = offset["logOffset"] + 1
            batch.note(progress)
        query.stop()

    def end(self) -> None:
        """Stop, and remove all files."""
        if self._query is not None:
            self._query.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _take(self, frame: DataFrame, number: int) -> None:
        self._batches[number] = MicroBatch(number, rows=frame.collect())


_FIRST_FILE = 1_000_000_000


def milliseconds_of(text: str) -> int:
    """A moment as progress reports have it, `1970-01-01T00:00:10.000Z`, also beyond the year 9999."""
    year, rest = text.split("-", 1)
    cycles, plain = divmod(int(year) - 1970, 400)
    moment = datetime.fromisoformat(f"{plain + 1970}-{rest}")
    return (moment - _EPOCH) // timedelta(milliseconds=1) + cycles * _DAYS_OF_400_YEARS * 86_400_000
