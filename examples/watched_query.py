"""A streaming query whose rows the examples look at, micro-batch by micro-batch."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

PATIENCE = 300.0
"""Seconds after which a query is given up."""

Rows = list[dict[str, Any]]


def watch(
    frame: DataFrame,
    checkpoint: Path,
    ends: Callable[[int, Rows], bool],
    name: str | None = None,
    mode: str = "append",
) -> list[Rows]:
    """Run a query and return its rows, a list for each micro-batch; raise what made it fail.

    ends: called with the number and the rows of each micro-batch, says whether that is the last one. The
    sources of the examples plan the next one only after that, so it may also write what comes next.
    """
    batches: dict[int, Rows] = {}
    ended = threading.Event()

    def take(batch: DataFrame, number: int) -> None:
        if not ended.is_set():
            batches[number] = batch.toArrow().to_pylist()
            if ends(number, batches[number]):
                ended.set()

    writer = frame.writeStream.foreachBatch(take).outputMode(mode)
    if name is not None:
        writer = writer.queryName(name)
    query = writer.option("checkpointLocation", str(checkpoint)).start()
    try:
        waited = 0.0
        while not ended.wait(0.1) and query.isActive:
            waited += 0.1
            if waited > PATIENCE:
                raise TimeoutError(f"the query did not end within {PATIENCE:.0f} s")
    finally:
        query.stop()
    failure = query.exception()
    if failure is not None:
        raise failure
    return [batches[number] for number in sorted(batches)]
