"""An event log that grows while it is read: Parquet files that appear, and JSON lines that are appended.

Rows are not kept, only the name of each file that was read, and for JSON lines the offset.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from tidegauge.wire.scenario import BadInput

from ..event_log.files import LogFile, looked_at, paths_of, read_lines, read_whole
from ..event_log.s3_files import S3File
from ..event_log.schema import ROWS

MOST_BYTES: Final = 16 << 20
"""The maximum number of bytes of JSON lines that are read from a file at once. A line must be shorter."""

MOST_ROWS: Final = 1 << 18
"""After this number of rows a poll reads nothing more: the next poll continues."""

_READ: Final = -1
_BAD: Final = -2


class GrowingLog:
    """A `RowSource`: the event log at a path, a file or a folder, also in S3.

    A Parquet file is read when it appears. If it cannot be read, a writer may still be writing it, so the
    next poll reads it again; the file is bad once two such polls find the same size. JSON lines are read up
    to the last complete line; a file that became shorter was replaced, and is read from its beginning.
    """

    def __init__(self, path: Path, skip: Callable[[str], None] | None = None) -> None:
        """Follow a log.

        Args:
            path: a file or a folder, or the URI of one in S3.
            skip: called with the problem of a bad file, which is then skipped; if None, `poll` raises
                `BadInput`.
        """
        self._path = path
        self._skip = skip
        self._offsets: dict[str, int] = {}
        """How far each file has been read (bytes), `_READ` if it is Parquet, `_BAD` if it is skipped."""
        self._unreadable: dict[str, int] = {}
        """The size (bytes) of files that could not be read in the last poll."""
        if isinstance(path, Path) and (path / "_delta_log").is_dir():
            raise BadInput(f"{path}: is a Delta table, which cannot be followed: use check-log")
        paths_of(path, None)

    @property
    def has_ended(self) -> bool:
        """Always False: a log does not show whether it is complete."""
        return False

    def poll(self) -> Any:
        """Return the rows that were written since the last poll, with the columns of `schema.ROWS`."""
        root, paths = paths_of(self._path, None)
        names = {str(path) for path in paths}
        self._offsets = {name: offset for name, offset in self._offsets.items() if name in names}
        tables, rows = [ROWS.empty_table()], 0
        for path in paths:
            try:
                while rows < MOST_ROWS and (table := self._new_rows(path, root)) is not None:
                    tables.append(table)
                    rows += len(table)
                self._unreadable.pop(str(path), None)
            except BadInput as problem:
                self._refuse(path, str(problem))
        return pa.concat_tables(tables)

    def _new_rows(self, path: Path | S3File, root: Path | S3File) -> Any:
        """Return the next rows of a file, None if it has no more."""
        offset = self._offsets.get(str(path), 0)
        if offset < 0 or offset == _size(path):
            return None
        file = looked_at(path, root, None)
        if file.format == "parquet":
            table = read_whole(file)
            self._offsets[str(path)] = _READ
            return table
        begin = 0 if file.bytes < offset else offset
        lines = _whole_lines(file, begin)
        self._offsets[str(path)] = begin + len(lines)
        return read_lines(file, lines) if lines.strip() else None

    def _refuse(self, path: Path | S3File, problem: str) -> None:
        size = _size(path)
        if str(path).endswith(".parquet") and self._unreadable.get(str(path)) != size:
            self._unreadable[str(path)] = size
            return
        self._unreadable.pop(str(path), None)
        if self._skip is None:
            raise BadInput(f"{problem}; --skip-bad-files reads the others")
        self._offsets[str(path)] = _BAD
        self._skip(problem)

    @property
    def waits(self) -> bool:
        """Whether a file could not be read in the last poll, and the next poll decides whether it is bad."""
        return bool(self._unreadable)


def _size(path: Path | S3File) -> int:
    """Return the size of a file in bytes, -1 if it is not there."""
    if isinstance(path, S3File):
        return path.size
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _whole_lines(file: LogFile, offset: int) -> bytes:
    """Return the complete lines of a file from an offset on, at most `MOST_BYTES`."""
    try:
        with file.path.open("rb") if isinstance(file.path, Path) else file.path.opened() as stream:
            stream.seek(offset)
            content = bytes(stream.read(MOST_BYTES))
    except OSError as problem:
        raise BadInput(f"{file.path}: cannot be read: {problem}") from problem
    whole = content[: content.rfind(b"\n") + 1]
    if not whole and len(content) == MOST_BYTES:
        raise BadInput(f"{file.path}: has a line of more than {MOST_BYTES >> 20} MiB")
    return whole
