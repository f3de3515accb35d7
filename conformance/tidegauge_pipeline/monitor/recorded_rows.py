"""Rows that a monitor reads, written as an event log."""

from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tidegauge.wire.scenario import BadInput

from .row_source import RowSource

_SPAN: Final = 60_000
"""The span of processing time (ms) after which a file is complete."""

_MOST_ROWS: Final = 1 << 17
"""The number of rows after which a file is complete."""


class RecordedRows:
    """A `RowSource` that writes the rows of another one into a folder, for `tidegauge check-log`.

    A file has the rows of about a minute. It is written under a name that begins with `_`, which readers
    skip, and then renamed. Raises `BadInput` if the folder is not empty: sequence numbers would repeat.
    """

    def __init__(self, rows: RowSource, folder: Path) -> None:
        self._rows, self._folder = rows, folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if next(folder.iterdir(), None) is not None:
                raise BadInput(f"--out {folder} is not empty: name a new folder for the event log")
        except OSError as problem:
            raise BadInput(f"--out {folder} cannot be written: {problem.strerror}") from problem
        self._waiting: list[Any] = []
        self._files = 0

    @property
    def has_ended(self) -> bool:
        """Whether no more rows will come."""
        return self._rows.has_ended

    def poll(self) -> Any:
        """Return the next rows, and keep them for the log."""
        table = self._rows.poll()
        if len(table):
            self._waiting.append(table)
            first, last = self._waiting[0]["processing_time"][0], table["processing_time"][-1]
            rows = sum(map(len, self._waiting))
            if self.has_ended or rows >= _MOST_ROWS or last.as_py() - first.as_py() >= _SPAN:
                self.flush()
        return table

    def flush(self) -> None:
        """Write the rows that are in no file yet."""
        if not self._waiting:
            return
        table = pa.concat_tables(self._waiting)
        self._waiting = []
        self._files += 1
        name = f"rows-{self._files:06}.parquet"
        try:
            pq.write_table(table, self._folder / f"_{name}")
            (self._folder / f"_{name}").rename(self._folder / name)
        except OSError as problem:
            raise BadInput(
                f"--out {self._folder} cannot be written: {problem.strerror or problem}"
            ) from problem
