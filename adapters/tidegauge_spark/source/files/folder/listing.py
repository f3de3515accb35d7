"""The result of listing the folder of a source: splits, and their files in the order of reading."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from itertools import accumulate
from operator import xor
from typing import Any, Final, NamedTuple

from tidegauge_spark.source.files.folder.partition_columns import folder_order
from tidegauge_spark.source.options.layout import Layout

FINISHED: Final = "_FINISHED"
"""An empty file of this name in the folder of a split says that the split gets no more files; beside the
splits, that there will be no more splits."""

PAUSED: Final = "_PAUSED"
"""An empty file of this name in the folder of a split holds the split back until the file is removed."""

Key = tuple[Any, ...]
"""The sort key of the files of a split: see `file_key`."""


class FoundFile(NamedTuple):
    """A file of a split: its name, unique in the split; its size in bytes; when it was modified (ns since
    1970)."""

    name: str
    size: int
    modified: int


class SplitFiles(NamedTuple):
    """The files of a split: names in the order in which they are read, with their sizes (bytes).

    finished: whether the split gets no more files. paused: whether the split is held back. modified: when the
    files were modified (ns since 1970), 0 if that does not matter. keys: the sort keys of the files. newest,
    checksums: if the files are in order of modification time, for each file and the files before it the
    latest such time, and the checksum of their names (`name_checksum`, combined by exclusive or). written:
    the modification times of the files, regardless of the file order.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    finished: bool
    paused: bool = False
    modified: tuple[int, ...] = ()
    keys: tuple[Key, ...] = ()
    newest: tuple[int, ...] = ()
    checksums: tuple[int, ...] = ()
    written: tuple[int, ...] = ()


class Listing(dict[str, SplitFiles]):
    """The splits that were found, by name.

    ended: whether there will be no other splits. grown: the splits that have further files, which are not
    read in this run. being_written: whether a Spark job has not committed its files yet. root: the name of
    the folder in messages.
    """

    ended: bool = False
    grown: frozenset[str] = frozenset()
    being_written: bool = False
    root: str = ""


def in_order(files: Iterable[FoundFile], layout: Layout, finished: bool, paused: bool) -> SplitFiles:
    """Return the files of a split in the order that the layout says."""
    ordered = sorted((file_key(layout, each.name, each.modified), each) for each in files)
    names = tuple(each.name for _, each in ordered)
    modified = tuple(each.modified if layout.by_modification else 0 for _, each in ordered)
    return SplitFiles(
        names=names,
        sizes=tuple(each.size for _, each in ordered),
        finished=finished,
        paused=paused,
        modified=modified,
        keys=tuple(key for key, _ in ordered),
        newest=tuple(accumulate(modified, max)) if layout.by_modification else (),
        checksums=tuple(accumulate(map(name_checksum, names), xor)) if layout.by_modification else (),
        written=tuple(each.modified for _, each in ordered),
    )


def name_checksum(name: str) -> int:
    """Return the checksum of the name of a file."""
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=6).digest(), "big")


def file_key(layout: Layout, name: str, modified: int) -> Key:
    """Return the sort key of a file: the values of its partition columns, its modification time if that
    counts, its name. The key does not depend on other files, or on whether the file still exists."""
    values = folder_order(name.rpartition("/")[0]) if layout.of_spark else ()
    return values, modified if layout.by_modification else 0, name
