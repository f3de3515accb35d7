"""Detects folders of Delta, Hudi and Iceberg tables, to reject them.

Such a folder still has files whose rows the table has replaced or deleted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import pyarrow.fs as filesystems

from tidegauge_spark.source.planning.broken_log import BrokenLogError

_MARKS: Final = {"_delta_log": "Delta", ".hoodie": "Hudi", ".hoodie_partition_metadata": "Hudi"}
"""The files and folders that exist only in tables, with the format of the table."""

_ICEBERG_METADATA: Final = "metadata"
_ICEBERG_FILE: Final = ".metadata.json"
_ICEBERG_DATA: Final = "data"

_MAYBE_MARK: Final = re.compile(rf"{'|'.join(map(re.escape, _MARKS))}|{re.escape(_ICEBERG_FILE)}$")
"""A quick check: most paths do not match, and need not be split into parts."""

_MOST_ANCESTORS: Final = 6
"""How many folders above the folder of a source are checked: five of partition columns, and `data`."""


def check_no_table(root: str, paths: Iterable[str]) -> None:
    """Raise `BrokenLogError` if a folder is a table or contains a table.

    Args:
        root: the path of the folder, for messages.
        paths: the relative paths of all files and folders in the folder.
    """
    for path in paths:
        if not _MAYBE_MARK.search(path):
            continue
        parts = path.split("/")
        if not _MARKS.keys().isdisjoint(parts):
            mark = next(part for part in parts if part in _MARKS)
            raise _table(root, "/".join(parts[: parts.index(mark)]), _MARKS[mark], mark)
        if path.endswith(_ICEBERG_FILE) and parts[-2:-1] == [_ICEBERG_METADATA]:
            raise _table(root, "/".join(parts[:-2]), "Iceberg", f"{_ICEBERG_METADATA}/{parts[-1]}")


def check_above(root: str, filesystem: Any, folder: str) -> None:
    """Raise `BrokenLogError` if a folder is part of a table: the folder `data`, or a partition.

    Args:
        root: the path of the folder, for messages.
        filesystem: the filesystem of the folder.
        folder: the path of the folder in the filesystem.
    """
    for _ in range(_MOST_ANCESTORS):
        above, _, name = folder.rpartition("/")
        if not above or (name.startswith(("_", ".")) and "=" not in name):
            return  # tables ignore folders whose names begin with "_" or "."
        for mark, table_format in _MARKS.items():
            if _exists(filesystem, f"{above}/{mark}"):
                raise _part(root, above, table_format, mark)
        if name == _ICEBERG_DATA and (metadata := _iceberg_metadata(filesystem, above)) is not None:
            raise _part(root, above, "Iceberg", metadata)
        folder = above


def _exists(filesystem: Any, path: str) -> bool:
    try:
        found: bool = filesystem.get_file_info(path).type != filesystems.FileType.NotFound
    except OSError:
        return False  # an unreadable folder counts as no table
    return found


def _iceberg_metadata(filesystem: Any, table: str) -> str | None:
    """Return a metadata file of an Iceberg table, None if the folder is not an Iceberg table."""
    selector = filesystems.FileSelector(f"{table}/{_ICEBERG_METADATA}", allow_not_found=True)
    try:
        names = [info.path.rpartition("/")[2] for info in filesystem.get_file_info(selector)]
    except OSError:
        return None
    return next((f"{_ICEBERG_METADATA}/{name}" for name in names if name.endswith(_ICEBERG_FILE)), None)


def _table(root: str, below: str, table_format: str, mark: str) -> BrokenLogError:
    folder = f"{root.rstrip('/')}/{below}" if below else root
    return BrokenLogError(
        f"the folder {folder!r} is a {_described(table_format, mark)}: {_remedy(table_format)}"
    )


def _part(root: str, table: str, table_format: str, mark: str) -> BrokenLogError:
    return BrokenLogError(
        f"the folder {root!r} is a part of {table!r}, a {_described(table_format, mark)}: "
        f"{_remedy(table_format)}"
    )


def _described(table_format: str, mark: str) -> str:
    return f"{table_format} table (it has {mark}), with files that are not part of it any more"


def _remedy(table_format: str) -> str:
    return f'read it by format("{table_format.lower()}")'
