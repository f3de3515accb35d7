"""A streaming query over the log of a scenario, and the outputs of each micro-batch from its progress."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from tidegauge_spark import load
from tidegauge_spark.source.planning.said_watermark import LAST

from ..spark_native.query import MicroBatch, end_offset
from .scenario_log import END_OF_FEEDS, FORMAT, Feed, write_feeds

END_OF_TIME: Final = LAST
"""Spark's watermark (ms) after a source that is finished for good."""


@dataclass
class ExactBatch(MicroBatch):
    """The micro-batch of a feed.

    next_watermark: the watermark that Spark has found in it, for later micro-batches (ms). said: the signals
    of the source, in order, each as its kind and its timestamp.
    """

    next_watermark: int = 0
    said: list[tuple[str, int | None]] = field(default_factory=list)


class ExactRows:
    """Rows of a log through `load(reader)` and `plan`, for one query after the other.

    Loading a source costs more than running a micro-batch, because Spark starts Python processes for it. The
    rows are therefore loaded once, and each query finds its feeds in the same file.
    """

    def __init__(
        self,
        session: SparkSession,
        folder: Path,
        plan: Callable[[DataFrame], DataFrame],
        options: Mapping[str, str],
        collects: bool,
    ) -> None:
        """options: the options of the source. collects: whether the output rows are collected."""
        self._folder, self._collects = folder, collects
        self._feeds = folder / "feeds.jsonl"
        write_feeds(self._feeds, (), 0)
        reader = session.readStream.format(FORMAT).options(**options).option("feeds", str(self._feeds))
        self._frame = plan(load(reader))
        self._queries = 0

    def query(self, feeds: Sequence[Feed], restarts: Sequence[int]) -> ExactQuery:
        """Return a query, run to its end. restarts: the feeds before which it fails and is restarted from its
        checkpoint."""
        self._queries += 1
        query = ExactQuery(self._folder / f"checkpoint-{self._queries}")
        bounds = [0, *restarts, len(feeds)]
        for first, end in pairwise(bounds):
            write_feeds(self._feeds, feeds[:end], first)
            query.run(self._frame, end, self._collects)
        return query


class ExactQuery:
    """A query that has been run: its checkpoint, and the micro-batch of each feed.

    There are fewer micro-batches than feeds if the source was finished before the last feed.
    """

    def __init__(self, checkpoint: Path) -> None:
        self.checkpoint = checkpoint
        self._rows: dict[int, list[Row]] = {}
        self._batches: dict[int, ExactBatch] = {}

    @property
    def batches(self) -> list[ExactBatch]:
        """The micro-batches, in order."""
        return [self._batches[number] for number in sorted(self._batches)]

    def remove(self) -> None:
        """Remove the checkpoint."""
        shutil.rmtree(self.checkpoint, ignore_errors=True)

    def run(self, rows: DataFrame, end: int, collects: bool) -> None:
        """Run from the checkpoint, if there is one, to the feed `end`, where the log ends the query."""
        writer = rows.writeStream.option("checkpointLocation", str(self.checkpoint))
        writer = writer.foreachBatch(self._take) if collects else writer.format("noop")
        query = writer.outputMode("append").start()
        try:
            query.processAllAvailable()
            self._note(query)
        except StreamingQueryException as error:
            self._note(query)
            if END_OF_FEEDS not in str(error) or len(self._batches) != end:
                raise
        finally:
            query.stop()

    def _note(self, query: StreamingQuery) -> None:
        for progress in query.recentProgress:
            offset = end_offset(progress)
            if offset is None:
                continue
            number = progress["batchId"]
            batch = self._batches[number] = ExactBatch(
                number, files=number + 1, rows=self._rows.get(number, [])
            )
            batch.note(progress)
            batch.next_watermark = self._committed(number)
            batch.said = [
                (kind, time) for said in offset["signals"]["said"].values() for kind, time, *_ in said
            ]

    def _committed(self, number: int) -> int:
        """Return the watermark that Spark stores in the checkpoint with a micro-batch (ms)."""
        commit = (self.checkpoint / "commits" / str(number)).read_text(encoding="utf-8")
        return int(json.loads(commit.splitlines()[1])["nextBatchWatermarkMs"])

    def _take(self, frame: DataFrame, number: int) -> None:
        self._rows[number] = frame.collect()
