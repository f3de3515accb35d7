"""The files of an event log: the columns, and a file that is there as a whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from tidegauge_spark.places.writable_folder import WritableFolder

VERSION: Final = 1
"""The version of the columns."""

COLUMNS: Final = pa.schema(
    [
        ("job", pa.string()),
        ("source", pa.string()),
        ("subtask", pa.int32()),
        ("sequence", pa.int64()),
        ("kind", pa.string()),
        ("event_time", pa.int64()),
        ("processing_time", pa.int64()),
        ("split", pa.string()),
        ("channel", pa.int32()),
        ("count", pa.int64()),
        ("version", pa.int32()),
    ]
)
"""The columns of an event log, times in ms."""


class EventLogError(RuntimeError):
    """An event log cannot be written: the text names the file, what is wrong, and the remedy."""


@dataclass(frozen=True)
class LogRow:
    """What a subtask did: one row of a log, but for its number and its time.

    event_time: ms, None: there is none. split: "": the subtask as a whole. channel: the input that the row
    came in by, None: none. count: how many records it stands for.
    """

    subtask: int
    kind: str
    event_time: int | None = None
    split: str = ""
    channel: int | None = None
    count: int = 1


def table_of(job: str, source: str, at: int, rows: Iterable[LogRow], before: Sequence[int]) -> pa.Table:
    """Return rows that happened at one processing time (ms), by subtask, numbered in their order.

    before: how many rows each subtask has in the log already; a subtask that is not in there has none.
    """
    ordered = sorted(rows, key=lambda row: row.subtask)
    columns: dict[str, list[object]] = {name: [] for name in COLUMNS.names}
    number, subtask = 0, -1
    for row in ordered:
        if row.subtask != subtask:
            subtask = row.subtask
            number = before[subtask] if subtask < len(before) else 0
        number += 1
        own = {**vars(row), "job": job, "source": source, "sequence": number, "version": VERSION}
        for name, values in columns.items():
            values.append(own.get(name, at))
    return pa.table(columns, schema=COLUMNS)


def write_whole(folder: WritableFolder, name: str, table: pa.Table) -> None:
    """Write a file of Parquet that replaces one of the same name at once. Raises `EventLogError`."""
    from pyarrow import parquet  # a query without an event log does not need it

    content = pa.BufferOutputStream()
    parquet.write_table(table, content)
    with writing(folder):
        folder.write(name, content.getvalue())


@contextmanager
def writing(folder: WritableFolder) -> Iterator[None]:
    """Convert an error of the store into an `EventLogError`."""
    try:
        yield
    except OSError as error:
        raise EventLogError(
            f"the event log {folder.place!r} cannot be written: {error}; make its folder writable, or name "
            "another one"
        ) from error
