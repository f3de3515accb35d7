"""Folders with the layout of Spark: files with part numbers, perhaps in folders of partition columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import pyarrow.fs as filesystems

from tidegauge_spark.source.files.folder.listing import FINISHED, PAUSED, FoundFile, Listing, in_order
from tidegauge_spark.source.files.folder.partition_columns import values_in
from tidegauge_spark.source.files.formats import found_name
from tidegauge_spark.source.options.layout import COLUMNS, ONE_SPLIT, PART_NUMBER, Layout
from tidegauge_spark.source.planning.broken_log import BrokenLogError

WHOLE_FOLDER: Final = "all"
"""The name of the split if there is only one."""

_TEMPORARY: Final = "_temporary"
_STAGING: Final = ".spark-staging-"
_MAGIC: Final = "__magic"
"""The folder of Hadoop's magic committer, which completes the uploads of a job one by one."""
_PART: Final = re.compile(r"part-([0-9]{5,9})-")

Splits = dict[str, list[FoundFile]]


def is_hidden(name: str) -> bool:
    """Return whether Spark ignores a file or folder of this name."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_")


def is_of_a_job(name: str) -> bool:
    """Return whether a folder of this name belongs to a Spark job that has not committed its files."""
    return name == _TEMPORARY or name.startswith((_STAGING, _MAGIC))


def spark_listing(
    entries: Iterable[tuple[str, Any]],
    root: str,
    layout: Layout,
    committed: Mapping[str, FoundFile] | None,
) -> Listing:
    """Return the splits of a folder that Spark has written.

    entries: the entries of the folder, by their paths in it. root: the name of the folder in messages.
    committed: the files in the log of Spark's sink by their names, see `sink_log`; None if there is no such
    log.

    Raises `BrokenLogError` for an entry that would never be read, or could be read in part or twice.
    """
    listing, splits = Listing(), Splits()
    listing.root = root
    marked: dict[str, set[str | None]] = {FINISHED: set(), PAUSED: set()}
    columns: tuple[str, ...] | None = None
    hidden: dict[str, bool] = {}
    split_of: dict[str, str] = {}
    for path, info in entries:
        folder, _, name = path.rpartition("/")
        if folder not in hidden:
            hidden[folder] = any(map(is_hidden, folder.split("/")))
        if hidden[folder]:
            continue
        is_folder = info.type == filesystems.FileType.Directory
        if is_folder and is_of_a_job(name):
            listing.being_written = True
        if name in marked:
            marked[name].add(_split_of_folder(path, root, layout))
        if is_hidden(name) or is_folder or info.type == filesystems.FileType.NotFound:
            continue
        if folder not in split_of:  # computed once per folder: it is the same for all its files
            columns = _checked_columns(path, root, layout, columns)
            split_of[folder] = WHOLE_FOLDER if layout.kind == ONE_SPLIT else "/".join(_folders(path, layout))
        found = FoundFile(path, info.size, info.mtime_ns or 0)
        file = found if committed is None else committed_file(committed, path)
        if file is not None:
            split = _part_number(path, root) if layout.kind == PART_NUMBER else split_of[folder]
            splits.setdefault(split, []).append(file)
    for split in {each for found in marked.values() for each in found if each is not None}:
        splits.setdefault(split, [])
    listing.ended = None in marked[FINISHED]
    for split, files in splits.items():
        finished, paused = (bool(marked[each] & {split, None}) for each in (FINISHED, PAUSED))
        listing[split] = in_order(files, layout, finished, paused)
    return listing


def committed_file(committed: Mapping[str, FoundFile], path: str) -> FoundFile | None:
    """Return the entry of a file in the log of a sink, None if there is none.

    The folder may have been elsewhere when the log was written. The name of a file is unique (it contains a
    UUID), so its folder is compared only as a safeguard.
    """
    found = committed.get(path.rpartition("/")[2])
    if found is None or not f"/{found.name}".endswith(f"/{path}"):
        return None
    return found._replace(name=path)


def _checked_columns(
    path: str, root: str, layout: Layout, columns: tuple[str, ...] | None
) -> tuple[str, ...]:
    """Return the partition columns of a file; they have to be the same for all files."""
    for folder in path.split("/")[:-1]:
        column, equals, value = folder.partition("=")
        if not (column and equals and value):
            raise BrokenLogError(
                f"the file {path!r} in {root!r} would never be read: the folder {folder!r} does not name a "
                'partition column, as in "region=eu"; move it away, or give it a name that begins with "_"'
            )
    own = tuple(column for column, _ in values_in(path))
    if columns is not None and own != columns:
        raise BrokenLogError(
            f"the file {path!r} in {root!r} has the partition columns {_names(own)}, others have "
            f"{_names(columns)}: all files must have the same; move it away"
        )
    for wanted in layout.columns:
        if found_name(own, wanted) is None:
            raise BrokenLogError(
                f"the file {path!r} in {root!r} has no partition column {wanted!r}, which splitBy names; it "
                f"has {_names(own)}"
            )
    return own


def _names(columns: Iterable[str]) -> str:
    return ", ".join(columns) or "none"


def _part_number(path: str, root: str) -> str:
    part = _PART.match(path.rpartition("/")[2])
    if part is None:
        raise BrokenLogError(
            f'the file {path!r} in {root!r} has no part number, as in "part-00000-....parquet", which '
            f"splitBy {PART_NUMBER} needs: move it away, or set splitBy to another value"
        )
    return part[1]


def _folders(path: str, layout: Layout) -> Iterator[str]:
    """Yield the folders in a path that determine its split, in the order of splitBy."""
    columns = [column for column, _ in values_in(path)]
    folders = dict(zip(columns, path.split("/"), strict=False))
    for wanted in layout.columns:
        name = found_name(columns, wanted)
        if name is not None:
            yield folders[name]


def _split_of_folder(path: str, root: str, layout: Layout) -> str | None:
    """Return the split that a marker file says is finished or paused, None: all splits."""
    folder, _, name = path.rpartition("/")
    if not folder:
        return None
    if layout.kind == COLUMNS and len(folder.split("/")) == len(list(_folders(path, layout))):
        return "/".join(_folders(path, layout))
    raise BrokenLogError(
        f"the file {path!r} in {root!r} says nothing about a split, since its folder is not a whole one: put "
        f"{name} into {root!r}, where it is about all splits, or remove it"
    )


def partition_values(listing: Listing) -> dict[str, set[str]]:
    """Return the partition columns of the files, with their values as written in the folder names."""
    found: dict[str, set[str]] = {}
    for files in listing.values():
        for name in files.names:
            for column, raw in values_in(name):
                found.setdefault(column, set()).add(raw)
    return found
