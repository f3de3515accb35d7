"""A streaming query whose rows and progress the examples look at, micro-batch by micro-batch."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql.streaming.listener import StreamingQueryProgress
from pyspark.sql.streaming.query import StreamingQuery

PATIENCE = 300.0
"""Seconds after which a query is given up."""

Rows = list[dict[str, Any]]


class Batch(NamedTuple):
    """What a micro-batch returned, and what Spark says of it."""

    rows: Rows
    progress: StreamingQueryProgress


def watch(
    frame: DataFrame,
    checkpoint: Path,
    ends: Callable[[int, Rows], bool],
    name: str | None = None,
    mode: str = "append",
) -> list[Batch]:
    """Run a query and return its micro-batches; raise what made it fail.

    ends: called with the number and the rows of each micro-batch, says whether that is the last one. The
    sources of the examples plan the next one only after that, so it may also write what comes next.
    """
    rows_by_batch: dict[int, Rows] = {}
    ended = threading.Event()

    def take(batch: DataFrame, number: int) -> None:
        if not ended.is_set():
            rows_by_batch[number] = batch.toArrow().to_pylist()
            if ends(number, rows_by_batch[number]):
                ended.set()

    writer = frame.writeStream.foreachBatch(take).outputMode(mode)
    if name is not None:
        writer = writer.queryName(name)
    query = writer.option("checkpointLocation", str(checkpoint)).start()
    try:
        deadline = time.monotonic() + PATIENCE
        while query.isActive and not (ended.wait(0.1) and max(rows_by_batch) in _progress_by_batch(query)):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the query did not end within {PATIENCE:.0f} s")
    finally:
        query.stop()
    failure = query.exception()
    if failure is not None:
        raise failure
    progress = _progress_by_batch(query)
    return [Batch(rows, progress[number]) for number, rows in sorted(rows_by_batch.items())]


def _progress_by_batch(query: StreamingQuery) -> dict[int, StreamingQueryProgress]:
    return {progress.batchId: progress for progress in query.recentProgress}
