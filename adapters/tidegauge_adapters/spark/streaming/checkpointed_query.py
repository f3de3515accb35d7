"""A streaming query that is fed batch by batch, and restarted from its checkpoint in between."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.types import StructType

from ...required_pyspark import to_arrow_in_utc
from ...spark_session.session import note_micro_batch

Rows = list[dict[str, Any]]

_NO_WORKER = "Python worker failed to connect back"
"""What Spark says if a worker was not there after 10 s, whatever it was to run: the machine is too busy."""

_MOST_STARTS = 5
"""So many times a query is started for a batch if a worker is not there in time."""

_TOO_BUSY = (
    f"Spark could not start a Python worker within 10 s, {_MOST_STARTS} times: the machine is too busy; run "
    "this when less runs beside it"
)


class QueryFailed(Exception):
    """A micro-batch failed, and the whole query with it; the message is its cause."""


class CheckpointedQuery:
    """Rows of `schema` through `operator`, a parquet file a micro-batch. Everything is in `folder`.

    What came out is kept by micro-batch, so that one which is repeated after a restart counts once.
    """

    def __init__(
        self,
        session: SparkSession,
        folder: Path,
        schema: StructType,
        operator: Callable[[DataFrame], DataFrame],
    ) -> None:
        self._session = session
        self._schema = schema
        self._operator = operator
        self._input = folder / "input"
        self._input.mkdir()
        self._checkpoint = folder / "checkpoint"
        self._saved = folder / "saved"
        self._query: StreamingQuery | None = None
        self._files: list[Path] = []
        self._files_saved = 0
        self._restores = 0
        self._cause = ""
        self._batches: dict[tuple[int, int], pa.Table] = {}

    def start(self) -> None:
        """Start the query, from its checkpoint if it has one."""
        reader = self._session.readStream.schema(self._schema).option("maxFilesPerTrigger", 1)
        writer = self._operator(reader.parquet(str(self._input))).writeStream.outputMode("append")
        writer = writer.foreachBatch(self._collect).option("checkpointLocation", str(self._checkpoint))
        self._query = writer.start()

    def feed(self, rows: Rows, batches: int = 1) -> None:
        """Put one micro-batch through, of so many `batches`: those that Spark adds have no rows.

        Raises `QueryFailed`, and `RuntimeError` where that says nothing of the processors.
        """
        known = len(self._batches)
        path = self._input / f"{self._restores}-{len(self._files)}.parquet"
        hidden = path.with_name(f".{path.name}")
        pq.write_table(pa.Table.from_pylist(rows, schema=to_arrow_in_utc(self._schema)), hidden)
        hidden.rename(path)
        self._files.append(path)
        for start in range(1, _MOST_STARTS + 1):
            assert self._query is not None
            try:
                self._query.processAllAvailable()
                break
            except StreamingQueryException as error:
                self._query = None
                cause = self._cause or root_cause(error)
                if _NO_WORKER not in cause:
                    raise QueryFailed(cause) from None
                if start == _MOST_STARTS:
                    raise RuntimeError(_TOO_BUSY) from None
                self._cause = ""
                self.start()  # what was not committed is repeated
        if len(self._batches) != known + batches:
            came = len(self._batches) - known
            raise QueryFailed(self._cause or f"{came} micro-batches came of one file")

    def stop(self) -> None:
        """Stop the query; its checkpoint stays."""
        query, self._query = self._query, None
        if query is not None:
            query.stop()

    def save(self) -> None:
        """Keep a copy of the checkpoint; the query is stopped."""
        shutil.rmtree(self._saved, ignore_errors=True)
        shutil.copytree(self._checkpoint, self._saved)
        self._files_saved = len(self._files)

    def restore(self) -> None:
        """Go back to the copy: what was fed since never happened. The query is stopped."""
        shutil.rmtree(self._checkpoint)
        self._saved.rename(self._checkpoint)
        for path in self._files[self._files_saved :]:
            path.unlink()
        del self._files[self._files_saved :]
        self._restores += 1

    def answers(self) -> Rows:
        """All rows that came out, those of batches that were undone included."""
        return [row for table in self._batches.values() for row in table.to_pylist()]

    def in_order(self) -> list[tuple[int, Rows]]:
        """What came out of each micro-batch, with the watermark (ms) by which Spark ran it: as the checkpoint
        says, for a query that never went back."""
        found = []
        for (_, number), table in sorted(self._batches.items(), key=lambda batch: batch[0]):
            _, metadata, *_ = (self._checkpoint / "offsets" / str(number)).read_text("utf-8").splitlines()
            found.append((int(json.loads(metadata)["batchWatermarkMs"]), table.to_pylist()))
        return found

    def _collect(self, frame: DataFrame, batch: int) -> None:
        try:
            self._batches[self._restores, batch] = frame.toArrow()
            note_micro_batch()
        except Exception as error:  # raised here, it would be logged as well; `feed` misses the batch
            self._cause = self._cause or root_cause(error)  # what follows it, in an added batch, says less
            if _NO_WORKER in self._cause:
                raise


def rows_by_key(rows: Iterable[dict[str, Any]], column: str, keys: Iterable[str]) -> dict[str, Rows]:
    """The rows of each of `keys`, which are in `column`. Raises `QueryFailed` for a row of any other key."""
    found: dict[str, Rows] = {key: [] for key in keys}
    strange = set()
    for row in rows:
        if row[column] in found:
            found[row[column]].append(row)
        else:
            strange.add(repr(row[column]))
    if strange:
        raise QueryFailed(
            f"output rows have {', '.join(sorted(strange)[:3])} in the key column {column!r}, as no input "
            "row has; put the key there that the processor was called with"
        )
    return found


def root_cause(error: Exception) -> str:
    """What is at the bottom of Spark's stack of exceptions, in one line."""
    at: Any = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    found = f"{type(error).__name__}: {error}".partition("\n")[0]
    while at is not None:
        lines = [line.strip() for line in (at.getMessage() or "").splitlines()]
        lines = [line for line in lines if line and not line.startswith("SQLSTATE")]
        if lines:
            words = lines[-1] if any("Traceback (most recent" in line for line in lines) else lines[0]
            found = f"{at.getClass().getSimpleName()}: {words}"
        at = at.getCause()
    return found
