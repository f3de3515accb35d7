"""The files of a partitioned log: a folder with a sub-folder for each split, files in order of name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import pyarrow.fs as filesystems

from tidegauge_spark.source.planning.broken_log import BrokenLogError

FINISHED: Final = "_FINISHED"
"""An empty file of this name in the folder of a split says that the split gets no more files; beside the
splits it says that there will be no more splits."""

PAUSED: Final = "_PAUSED"
"""An empty file of this name in the folder of a split says that nothing is read of it until it is removed."""

ATTEMPTS: Final = 3


class LostFileError(BrokenLogError):
    """A file has vanished before all of it was read."""


class SplitFiles(NamedTuple):
    """The files of a split: names in ascending order, with their sizes (bytes).

    finished: whether the split gets no more. paused: whether it is not to be read for now.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    finished: bool
    paused: bool = False


class Listing(dict[str, SplitFiles]):
    """The splits that were found, by name.

    ended: whether there will be no other ones. grown: the splits that have further files, which are not to be
    read for now.
    """

    ended: bool = False
    grown: frozenset[str] = frozenset()


class LogFolder:
    """The folder of a source. Paths in it are "split/file"; `path` is a local one, or the URI of another."""

    def __init__(self, path: str) -> None:
        """Raises `BrokenLogError` for a path that is none."""
        self.path = path
        try:
            if "://" in path:
                self._filesystem, root = filesystems.FileSystem.from_uri(path)
            else:
                self._filesystem, root = filesystems.LocalFileSystem(), os.path.abspath(path)
        except (ValueError, OSError) as error:
            raise BrokenLogError(f"the path {path!r} cannot be opened: {error}") from error
        self._root = root.rstrip("/")

    def list(self) -> Listing:
        """Return the files of each split.

        Names that begin with "_" or "." are not looked at, as in Spark. Raises `BrokenLogError` if the folder
        is not there, or has something that would never be read: a file beside the splits, a folder in one.
        """
        found = self._entries()
        splits: dict[str, list[tuple[str, int]]] = {}
        finished: set[str] = set()
        paused: set[str] = set()
        listing = Listing()
        prefix = len(self._root) + 1
        for info in found:
            parts = info.path[prefix:].split("/")
            if parts[-1] == FINISHED and len(parts) == 2:
                finished.add(parts[0])
            if parts[-1] == PAUSED and len(parts) == 2:
                paused.add(parts[0])
            if parts == [FINISHED]:
                listing.ended = True
            if any(part.startswith(("_", ".")) for part in parts):
                continue
            if info.type == filesystems.FileType.NotFound:
                continue  # it was renamed while the folder was listed
            is_folder = info.type == filesystems.FileType.Directory
            if len(parts) == 1 and is_folder:
                splits.setdefault(parts[0], [])
            elif len(parts) == 2 and not is_folder:
                splits.setdefault(parts[0], []).append((parts[1], info.size))
            else:
                raise BrokenLogError(_misplaced(self.path, "/".join(parts), is_folder))
        for split, files in splits.items():
            listing[split] = _split_files(files, split in finished, split in paused)
        return listing

    def _entries(self) -> Any:
        """Return all that is in the folder. What is removed meanwhile can make it fail, but not always."""
        for attempt in range(ATTEMPTS):
            try:
                return self._filesystem.get_file_info(filesystems.FileSelector(self._root, recursive=True))
            except OSError as error:
                if attempt == ATTEMPTS - 1:
                    raise BrokenLogError(
                        f"the folder {self.path!r} cannot be read ({error}): correct the option path"
                    ) from error
        raise AssertionError("unreachable")

    @contextmanager
    def open(self, split: str, name: str, size: int) -> Iterator[Any]:
        """Open a file that had `size` bytes when it was found.

        Raises `LostFileError` if it is not there any more, `BrokenLogError` if its size is another one.
        """
        try:
            file = self._filesystem.open_input_file(f"{self._root}/{split}/{name}")
        except FileNotFoundError as error:
            raise LostFileError(
                f"the file {self.described(split, name)} has vanished before it was read; bring it back, or "
                "set failOnDataLoss to false to go on without it"
            ) from error
        except OSError as error:
            raise BrokenLogError(
                f"the file {self.described(split, name)} cannot be opened: {error}"
            ) from error
        with file:
            if file.size() != size:
                raise BrokenLogError(changed(self.described(split, name), size, file.size()))
            yield file

    def described(self, split: str, name: str) -> str:
        """Return what a message calls a file."""
        return repr(f"{self.path.rstrip('/')}/{split}/{name}")


def changed(file: str, size: int, size_now: int) -> str:
    """Return the message about a file that is not what it was."""
    return (
        f"the file {file} has changed from {size} to {size_now} bytes after it was found: a file must be "
        'complete when it appears; write it under a name that begins with "_" and rename it when it is'
    )


def _split_files(files: list[tuple[str, int]], finished: bool, paused: bool) -> SplitFiles:
    files.sort()
    return SplitFiles(tuple(name for name, _ in files), tuple(size for _, size in files), finished, paused)


def _misplaced(root: str, path: str, is_folder: bool) -> str:
    what = "folder" if is_folder else "file"
    return (
        f"the {what} {path!r} in {root!r} would never be read: there must be one sub-folder for each split, "
        'with files and no folders in it; move it away, or give it a name that begins with "_"'
    )
