"""Folders of files for the aligned source, and readers of them driven as Spark drives them, without Spark."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
from pyspark.cloudpickle import dumps
from pyspark.sql.types import LongType, StructType

from spark_programs.driven_query import DrivenQuery, Offset, WallClock
from tidegauge_spark.source.aligned_source import AlignedSource
from tidegauge_spark.source.files.position import FilePosition
from tidegauge_spark.source.files.reader import AlignedFilesReader
from tidegauge_spark.source.options.source import parse_options
from tidegauge_spark.source.planning.progress_rows import PROGRESS_SCHEMA

PLAIN = StructType().add("time", LongType()).add("id", LongType())
SCHEMA = StructType([*PLAIN.fields]).add("progress", PROGRESS_SCHEMA)
VIRTUAL = {"clockStep": "1 second"}
"""The options of a query whose clock goes on by a second at each planning."""


def write_parquet(
    folder: Path, split: str, name: str, times: Sequence[int | None], row_group: int | None = None
) -> Path:
    """Write a file of rows with an event time (ms) and an id, which is the number of the row."""
    table = pa.table({"time": pa.array(times, pa.int64()), "id": pa.array(range(len(times)), pa.int64())})
    return write_table(folder, split, name, table, row_group)


def write_table(folder: Path, split: str, name: str, table: Any, row_group: int | None = None) -> Path:
    """Write a file that is complete when it appears."""
    (folder / split).mkdir(parents=True, exist_ok=True)
    unfinished = folder / split / f"_{name}"
    parquet.write_table(table, unfinished, row_group_size=row_group)
    return unfinished.rename(folder / split / name)


def write_json(folder: Path, split: str, name: str, records: Iterable[Any]) -> Path:
    """Write a file of JSON lines."""
    (folder / split).mkdir(parents=True, exist_ok=True)
    file = folder / split / name
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def aligned(drift: int, **more: str) -> dict[str, str]:
    """Return the options of a source whose splits may be `drift` ms apart; one round a planning."""
    return {
        "watermarkGroup": "g",
        "maxAllowedWatermarkDrift": f"{drift} milliseconds",
        "updateInterval": "1 millisecond",
        **more,
    }


class DrivenFiles(DrivenQuery):
    """A streaming query over files; `rows` is what an idempotent sink holds of a split."""

    def __init__(
        self,
        folder: Path | str,
        clock: WallClock | None = None,
        available_now: bool = True,
        schema: StructType = SCHEMA,
        **options: str,
    ) -> None:
        self._schema = schema
        self._rows: dict[int, list[dict[str, Any]]] = {}
        defaults = {"path": str(folder), "eventTimeColumn": "time", "progressColumn": "progress"}
        super().__init__(clock, available_now, **{**defaults, **options})

    def finished(self, split: str) -> bool:
        """Return whether a split is planned to its end."""
        return FilePosition.from_json(self.offset["splits"][split]).finished

    def _new_reader(self) -> Any:
        options = {name.replace("__", "."): value for name, value in self.options.items() if value}
        reader = files_reader(self._schema, self.clock, **options)
        if self.available_now:
            reader.prepareForTriggerAvailableNow()
        return reader

    def execute(self) -> None:
        self._rows[len(self.log) - 1] = read_rows(self.reader, self.before, self.log[-1])

    def commit(self) -> None:
        """Let Spark write that the last batch is done: a restart does not run it again."""
        self.reader.commit(self.offset)
        self.committed = len(self.log)

    def rows(self, split: str | None = None) -> list[dict[str, Any]]:
        """Return the rows of a split, or of all, in the order of the batches."""
        return [
            row
            for batch in sorted(self._rows)
            for row in self._rows[batch]
            if split in (None, row["progress"]["split"])
        ]

    def times(self, split: str) -> list[int | None]:
        """Return the event times that came out of a split."""
        return [row["time"] for row in self.rows(split)]

    def batch_times(self, batch: int = -1) -> dict[str, list[int | None]]:
        """Return the event times of a batch, by split."""
        found: dict[str, list[int | None]] = {}
        for row in self._rows[sorted(self._rows)[batch]]:
            found.setdefault(row["progress"]["split"], []).append(row["time"])
        return found

    def planned(self) -> dict[str, int]:
        """Return how many records of each split are planned."""
        return {split: position[8] for split, position in self.offset["splits"].items()}


def query_of_inferred(folder: Path, **options: str) -> DrivenFiles:
    """Return a query with the columns of the first file."""
    given = {"path": str(folder), "eventTimeColumn": "time", "progressColumn": "progress", **options}
    return DrivenFiles(folder, schema=AlignedSource(given).schema(), **options)


def files_reader(schema: StructType, clock: WallClock | None = None, **options: str) -> AlignedFilesReader:
    """Return a reader for options."""
    parsed = parse_options(options)
    if clock is None:
        return AlignedFilesReader(parsed, schema)
    return AlignedFilesReader(parsed, schema, clock, clock.sleep)


def read_rows(reader: AlignedFilesReader, start: Offset, end: Offset) -> list[dict[str, Any]]:
    """Return the rows between two offsets, as the executors read them."""
    executed: AlignedFilesReader = pickle.loads(dumps(reader))
    partitions = pickle.loads(pickle.dumps(reader.partitions(start, end)))
    return [
        row for partition in partitions for batch in executed.read(partition) for row in batch.to_pylist()
    ]
