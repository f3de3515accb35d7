"""The files of an event log: found, looked at before anything is read, and read."""

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Final, Literal

import pyarrow as pa
import pyarrow.json as pj
import pyarrow.parquet as pq

from tidegauge.wire.input_file import check_input
from tidegauge.wire.scenario import BadInput
from tidegauge.wire.unknown_names import listing
from tidegauge.words.numbers import counted

from .names import FORMATS
from .s3_files import S3File, s3_files, s3_key
from .schema import ENDS, problem_with_columns, rows_of

Format = Literal["parquet", "jsonl", "delta"]
_SUFFIXES: Final = {".parquet": "parquet", ".jsonl": "jsonl", ".json": "jsonl"}
_IN_FOLDER_NAMES: Final = ("job", "source")
"""Columns that may be in the names of folders, as Spark's `partitionBy` writes them."""

_BLOCK: Final = 1 << 26
"""The size of a block in which JSON lines are read (bytes)."""

_MOST_BYTES_OF_LINES: Final = 2 << 30
"""The maximum size of a file of JSON lines, which is read whole (bytes). Parquet is read by row groups."""

_BYTES_OF_A_ROW: Final = 120
"""Of JSON lines."""


@dataclass(frozen=True)
class LogFile:
    """A file of a log. `named`: columns in the names of its folders. `rows` is None if it is not known before
    the file is read. `bytes`: its size."""

    path: Path | S3File
    format: Format
    named: tuple[tuple[str, str], ...] = ()
    rows: int | None = None
    bytes: int = 0

    @property
    def rows_about(self) -> int:
        """How many rows it has, or about so many."""
        return self.bytes // _BYTES_OF_A_ROW if self.rows is None else self.rows


@dataclass(frozen=True)
class Found:
    """The files of a log, and the bad ones that were skipped, each with what is wrong with it."""

    files: tuple[LogFile, ...]
    skipped: tuple[str, ...] = ()


def opened(path: Path | S3File) -> Any:
    """Return a file in the form that Arrow's readers accept. Raises `OSError`."""
    return path if isinstance(path, Path) else path.opened()


def find(path: Path, format: str | None, skip_bad: bool) -> Found:
    """All files of the log at a path: a file, or a folder with all that is in it.

    Names that begin with `.` or `_` are passed over, as Spark does. `BadInput` names the first bad file:
    one that is no log, that cannot be read, or whose columns do not fit; with `skip_bad` such files are
    skipped.
    """
    root, paths = paths_of(path, format)
    files, bad = [], []
    for one in paths:
        try:
            files.append(looked_at(one, root, format))
        except BadInput as problem:
            if not skip_bad:
                raise BadInput(f"{problem}; --skip-bad-files reads the others") from problem
            bad.append(str(problem))
    if not files:
        first = f"; the first of {counted(len(bad), 'bad file')}: {bad[0]}" if bad else ""
        raise BadInput(f"{root}: no event log in {listing(FORMATS[:2])[len('known are ') :]} is there{first}")
    return Found(tuple(files), tuple(bad))


def paths_of(path: Path, format: str | None) -> tuple[Path | S3File, Sequence[Path | S3File]]:
    """Return the root of the log at a path, and the paths of its files in order. No file is opened.

    Raises `BadInput` if there is no such file or folder.
    """
    key = s3_key(path)
    if key is not None and format == "delta":
        raise BadInput(f"s3://{key}: tables of Delta are read from local folders only: copy it")
    if key is None and not path.exists():
        raise BadInput(f"{path}: no such file or folder")
    if key is not None:
        return S3File(key, 0), s3_files(key)
    if format == "delta" or (format is None and (path / "_delta_log").is_dir()):
        return path, _of_delta(path)
    if path.is_dir():
        hidden = (".", "_")
        return path, sorted(
            one
            for one in path.rglob("*")
            if (one.is_file() or _leads_nowhere(one))
            and not any(part.startswith(hidden) for part in one.relative_to(path).parts)
        )
    return path, [path]


def _leads_nowhere(path: Path) -> bool:
    """Whether it is a link to what is not there: a bad file, not none."""
    return path.is_symlink() and not path.exists()


def _of_delta(path: Path) -> list[Path]:
    try:
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError
    except ImportError as missing:
        raise BadInput("event logs in Delta tables need more: pip install 'tidegauge[delta]'") from missing
    try:
        return sorted(
            path / Path(one).relative_to(path.resolve()) for one in DeltaTable(str(path)).file_uris()
        )
    except DeltaError as problem:
        raise BadInput(f"{path}: no table of Delta: {' '.join(str(problem).split())}") from problem


def looked_at(path: Path | S3File, root: Path | S3File, format: str | None) -> LogFile:
    """Return a file of the log at `root` with its format and size; of Parquet the footer is read.

    Raises `BadInput` if the file is no event log, or cannot be read.
    """
    known = _SUFFIXES.get(PurePath(str(path)).suffix)
    if format in (None, "jsonl" if known == "jsonl" else "parquet") and known is None:
        raise BadInput(f"{path}: no event log: the name ends in none of {', '.join(_SUFFIXES)}")
    if format is not None and known != ("parquet" if format == "delta" else format):
        raise BadInput(f"{path}: no file in the format {format}")
    named = tuple(
        (name, value)
        for part in PurePath(str(path)).relative_to(str(root)).parts[:-1]
        for name, _, value in [part.partition("=")]
        if name in _IN_FOLDER_NAMES
    )
    size = _size(path, _MOST_BYTES_OF_LINES if known == "jsonl" else sys.maxsize)
    if known == "jsonl":
        return LogFile(path, "jsonl", named, None, size)
    try:
        with pq.ParquetFile(opened(path)) as file:
            schema, rows = file.schema_arrow, file.metadata.num_rows
    except (pa.ArrowException, OSError) as problem:
        raise BadInput(f"{path}: cannot be read as Parquet: {_line(problem)}") from problem
    for name, _ in named:
        schema = schema.append(pa.field(name, pa.string()))
    if (wrong := problem_with_columns(schema, str(path))) is not None:
        raise BadInput(wrong)
    return LogFile(path, "parquet", named, rows, size)


def _size(path: Path | S3File, most_bytes: int) -> int:
    """Return the size of a file in bytes. Raises `BadInput`."""
    if isinstance(path, S3File):
        if path.size > most_bytes:
            raise BadInput(f"{path} cannot be read: larger than {most_bytes >> 20} MiB")
        return path.size
    if _leads_nowhere(path):
        raise BadInput(f"{path}: is a link to {path.readlink()}, which is not there")
    try:
        return check_input(path, most_bytes)
    except OSError as problem:
        raise BadInput(f"{path} cannot be read: {problem.strerror}") from problem


def _line(problem: BaseException) -> str:
    return " ".join(str(problem).split())[:300]


def read_whole(file: LogFile) -> Any:
    """The rows of a file, with the columns of `schema.ROWS`; `BadInput` names what is wrong, as `find`
    does."""
    return _read(
        file,
        lambda: (
            _json(file) if file.format == "jsonl" else pq.read_table(opened(file.path), partitioning=None)
        ),
    )


def read_lines(file: LogFile, lines: bytes) -> Any:
    """Return the rows in some whole lines of a file of JSON lines."""
    return _read(file, lambda: _parsed(lambda: pa.BufferReader(lines)))


def read_group(file: LogFile, group: int) -> Any:
    """The rows of one row group of a Parquet file."""
    return _read(file, lambda: pq.ParquetFile(opened(file.path)).read_row_group(group))


def _read(file: LogFile, table: Callable[[], Any]) -> Any:
    try:
        return rows_of(_with_named(table(), file), str(file.path))
    except (pa.ArrowException, OSError) as problem:
        raise BadInput(f"{file.path}: cannot be read: {_line(problem)}") from problem


def _json(file: LogFile) -> Any:
    if not file.bytes:
        raise BadInput(f"{file.path}: is empty")
    return _parsed(lambda: file.path.open("rb") if isinstance(file.path, Path) else file.path.opened())


_END: Final = re.compile(rb'("(?:event_time|processing_time)"\s*:\s*)"(MIN|MAX)"')
"""An end of time as a text. In a text of JSON the quotes are escaped, so that nothing else matches."""


def _parsed(lines: Callable[[], Any]) -> Any:
    """Return JSON lines as a table. `lines` opens them."""
    options = pj.ReadOptions(block_size=_BLOCK)
    try:
        with lines() as stream:
            return pj.read_json(stream, options)
    except pa.ArrowInvalid as problem:
        # Arrow infers one type for a column, and refuses numbers beside "MAX", which the schema allows.
        if "changed from" not in str(problem):
            raise
    with lines() as stream:
        numbers = _END.sub(lambda match: match[1] + ENDS[match[2].decode()].encode(), stream.read())
    return pj.read_json(pa.BufferReader(numbers), options)


def _with_named(table: Any, file: LogFile) -> Any:
    for name, value in file.named:
        table = table.append_column(name, pa.repeat(value, len(table)))
    return table
