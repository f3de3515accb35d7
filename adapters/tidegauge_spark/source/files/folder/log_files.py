"""The files of a partitioned log: a folder, in the layout of the options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import pyarrow.fs as filesystems

from tidegauge_spark.places.place import is_local, opened_place, reason_of
from tidegauge_spark.places.s3 import FROM_ENVIRONMENT, S3Settings
from tidegauge_spark.source.files.folder.listing import (
    FINISHED,
    PAUSED,
    FoundFile,
    Key,
    Listing,
    file_key,
    in_order,
)
from tidegauge_spark.source.files.folder.partition_columns import values_in
from tidegauge_spark.source.files.folder.sink_log import SINK_LOG, SinkLog
from tidegauge_spark.source.files.folder.spark_folders import is_of_a_job, spark_listing
from tidegauge_spark.source.files.folder.table_folders import check_above, check_no_table
from tidegauge_spark.source.options.layout import SUB_FOLDERS, Layout
from tidegauge_spark.source.planning.broken_log import BrokenLogError, first_line

ATTEMPTS: Final = 3


class LostFileError(BrokenLogError):
    """A file has vanished before all of it was read."""


class LogFolder:
    """The folder of a source; `path` is a place of `tidegauge_spark.places`.

    With a sub-folder for each split the path of a file is "split/file"; in a folder with the layout of Spark
    it is the name of the file.
    """

    def __init__(self, path: str, layout: Layout = SUB_FOLDERS, s3: S3Settings = FROM_ENVIRONMENT) -> None:
        """s3: the connection settings for S3. Raises `BrokenLogError` if the path cannot be opened."""
        self.path, self.layout, self._s3 = path, layout, s3
        try:
            self._filesystem, root = opened_place(path, s3)
        except (ValueError, OSError) as error:
            raise BrokenLogError(f"the path {path!r} cannot be opened: {self._reason(error)}") from error
        self._root = root.rstrip("/")
        log = f"{self.path.rstrip('/')}/{SINK_LOG}"
        self._sink_log = SinkLog(self._content, repr(log))
        self._is_checked = False

    def list(self) -> Listing:
        """Return the files of each split.

        Names that begin with "_" or "." are ignored, as in Spark. Raises `BrokenLogError` if the folder does
        not exist, is a table or part of a table, or has an entry that would never be read: a file beside the
        splits, or a folder in a split.
        """
        if not self._is_checked:
            self._entries(self._root, recursive=False)  # fails early if the store does not answer
            check_above(self.path, self._filesystem, self._root)
            self._is_checked = True
        if not self.layout.of_spark:
            return self._sub_folders()
        committed = self._committed()  # before the files are listed, so that they exist then
        being_written = self._being_written()  # a job that ends during the listing has moved some of them
        listing = spark_listing(self._entries_by_path(), self.path, self.layout, committed)
        listing.being_written |= being_written
        return listing

    @property
    def shows_empty_splits(self) -> bool:
        """Whether splits without files are listed. S3 has no folders, only objects."""
        return is_local(self.path) and not self.layout.of_spark

    @property
    def ordered_by(self) -> str:
        """The order of the files of a folder: "name", "modificationTime", or `SINK_LOG`."""
        if not self.layout.by_modification:
            return "name"
        return SINK_LOG if self._sink_log.found else "modificationTime"

    def values_in(self, name: str) -> Sequence[tuple[str, str]]:
        """Return the partition columns of a file with their values: see `partition_columns.values_in`."""
        return values_in(name) if self.layout.of_spark else ()

    def key(self, name: str, modified: int) -> Key:
        """Return the sort key of a file in a split: see `file_key`."""
        return file_key(self.layout, name, modified)

    def _being_written(self) -> bool:
        """Return whether a Spark job has not committed the files that it writes to the folder itself."""
        return any(
            is_of_a_job(info.path.rpartition("/")[2])
            for info in self._entries(self._root, recursive=False)
            if info.type == filesystems.FileType.Directory
        )

    def _committed(self) -> dict[str, FoundFile] | None:
        """Return the files that a streaming query of Spark has committed, None if no query has written the
        folder."""
        folder = f"{self._root}/{SINK_LOG}"
        names = [info.path.rpartition("/")[2] for info in self._entries(folder, allow_missing=True)]
        if not names and self._filesystem.get_file_info(folder).type == filesystems.FileType.NotFound:
            return None
        return self._sink_log.committed(names)

    def _content(self, name: str) -> bytes:
        try:
            with self._filesystem.open_input_stream(f"{self._root}/{SINK_LOG}/{name}") as file:
                content: bytes = file.read()
                return content
        except OSError as error:
            raise BrokenLogError(
                f"the file {name} of the log {f'{self.path}/{SINK_LOG}'!r} cannot be read: "
                f"{self._reason(error)}"
            ) from error

    def _sub_folders(self) -> Listing:
        splits: dict[str, list[FoundFile]] = {}
        finished: set[str] = set()
        paused: set[str] = set()
        listing = Listing()
        for path, info in self._entries_by_path():
            parts = path.split("/")
            if parts[-1] == FINISHED and len(parts) == 2:
                finished.add(parts[0])
            if parts[-1] == PAUSED and len(parts) == 2:
                paused.add(parts[0])
            if parts == [FINISHED]:
                listing.ended = True
            if path.startswith(("_", ".")) or "/_" in path or "/." in path:
                continue
            if info.type == filesystems.FileType.NotFound:
                continue  # it was renamed while the folder was listed
            is_folder = info.type == filesystems.FileType.Directory
            if is_folder and "=" in parts[-1]:
                raise BrokenLogError(_partitioned(self.path, parts[-1]))
            if len(parts) == 1 and is_folder:
                splits.setdefault(parts[0], [])
            elif len(parts) == 2 and not is_folder:
                splits.setdefault(parts[0], []).append(FoundFile(parts[1], info.size, info.mtime_ns or 0))
            else:
                raise BrokenLogError(_misplaced(self.path, path, is_folder))
        for split, files in splits.items():
            listing[split] = in_order(files, self.layout, split in finished, split in paused)
        return listing

    def _entries_by_path(self) -> Sequence[tuple[str, Any]]:
        """Return all entries that the layout admits, each with its path relative to the folder.

        Raises `BrokenLogError` if the folder is a table or contains a table.
        """
        prefix = len(self._root) + 1
        entries = [(info.path[prefix:], info) for info in self._entries(self._root)]
        check_no_table(self.path, (path for path, _ in entries))
        if not self.layout.patterns:
            return entries
        return [
            (path, info)
            for path, info in entries
            if info.type == filesystems.FileType.Directory or self.layout.sees(path.rpartition("/")[2])
        ]

    def _entries(self, folder: str, allow_missing: bool = False, recursive: bool = True) -> Any:
        """Return the entries of a folder. Entries that are removed meanwhile may make a listing fail, so it
        is retried.

        allow_missing: return nothing if the folder does not exist. recursive: whether folders in it are
        listed.
        """
        selector = filesystems.FileSelector(folder, allow_not_found=allow_missing, recursive=recursive)
        for attempt in range(ATTEMPTS):
            try:
                return self._filesystem.get_file_info(selector)
            except OSError as error:
                reason = reason_of(error, self.path, self._s3)
                if reason is not None:
                    raise BrokenLogError(f"the folder {self.path!r} cannot be read: {reason}") from error
                if attempt == ATTEMPTS - 1:
                    raise BrokenLogError(
                        f"the folder {self.path!r} cannot be read ({error}): correct the option path"
                    ) from error
        raise AssertionError("unreachable")

    @contextmanager
    def open(self, split: str, name: str, size: int) -> Iterator[Any]:
        """Open a file that had `size` bytes when it was found.

        Raises `LostFileError` if the file has vanished, `BrokenLogError` if its size has changed.
        """
        try:
            file = self._filesystem.open_input_file(f"{self._root}/{self._path(split, name)}")
        except FileNotFoundError as error:
            raise LostFileError(
                f"the file {self.described(split, name)} has vanished before it was read; bring it back, or "
                "set failOnDataLoss to false to go on without it"
            ) from error
        except OSError as error:
            raise BrokenLogError(
                f"the file {self.described(split, name)} cannot be opened: {self._reason(error)}"
            ) from error
        with file:
            if file.size() != size:
                raise BrokenLogError(changed(self.described(split, name), size, file.size()))
            try:
                yield file
            except BrokenLogError as error:  # an unavailable store does not mean a damaged file
                cause = error.__cause__
                reason = reason_of(cause, self.path, self._s3) if isinstance(cause, OSError) else None
                if reason is None:
                    raise
                raise BrokenLogError(
                    f"the file {self.described(split, name)} cannot be read: {reason}"
                ) from cause

    def described(self, split: str, name: str) -> str:
        """Return the name of a file for messages."""
        return repr(f"{self.path.rstrip('/')}/{self._path(split, name)}")

    def _reason(self, error: Exception) -> str:
        """Return the reason why a file or folder cannot be read, in one line."""
        reason = reason_of(error, self.path, self._s3) if isinstance(error, OSError) else None
        return reason or first_line(error)

    def _path(self, split: str, name: str) -> str:
        return name if self.layout.of_spark else f"{split}/{name}"


def changed(file: str, size: int, size_now: int) -> str:
    """Return the message about a file that has changed."""
    return (
        f"the file {file} has changed from {size} to {size_now} bytes after it was found: a file must be "
        'complete when it appears; write it under a name that begins with "_" and rename it when it is'
    )


def _misplaced(root: str, path: str, is_folder: bool) -> str:
    what = "folder" if is_folder else "file"
    return (
        f"the {what} {path!r} in {root!r} would never be read: there must be one sub-folder for each split, "
        'with files and no folders in it; move it away, or give it a name that begins with "_" (of a folder '
        "that Spark has written splitBy says what a split is)"
    )


def _partitioned(root: str, folder: str) -> str:
    column = folder.partition("=")[0]
    return (
        f"the folder {folder!r} in {root!r} names a partition column: set splitBy, to {column!r} if each "
        'value is a split, to "partNumber" if each number in the names of the files is one'
    )
