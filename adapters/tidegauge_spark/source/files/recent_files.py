"""The most recently read files of a split, which detect files that were renamed or compacted.

The offset stores 16 files per split, with 18 bytes for each. A file that was renamed between two runs of a
query is therefore detected as well.
"""

from __future__ import annotations

import struct
from base64 import b64decode, b64encode
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from tidegauge_spark.source.files.folder.listing import SplitFiles
from tidegauge_spark.source.files.folder.log_files import LogFolder
from tidegauge_spark.source.files.position import FilePosition
from tidegauge_spark.source.planning.broken_log import BrokenLogError

MOST_FILES: Final = 16
"""The maximum number of recent files per split in the offset."""

_PACKED: Final = struct.Struct(">6sIq")


class RecentFile(NamedTuple):
    """A file that was read to its end.

    stamp: a number computed from the size and the modification time. rows: the number of rows. latest: the
    greatest event time of the split up to the end of the file (ms).
    """

    stamp: int
    rows: int
    latest: int


class RewrittenFiles(NamedTuple):
    """The recent files of a split that no longer exist, in the order in which they were read."""

    split: str
    gone: tuple[RecentFile, ...]


def stamp_of(size: int, modified: int) -> int:
    """Return a number computed from the size (bytes) and the modification time (ns) of a file.

    The number is 0 if the modification time is in whole seconds or missing, because it then does not
    distinguish two files of the same size.
    """
    return (modified * 31 + size) % (1 << 48) if modified % 1_000_000_000 else 0


def with_file(packed: str, file: RecentFile) -> str:
    """Return the packed recent files with one more file."""
    entry = _PACKED.pack(file.stamp.to_bytes(6), min(file.rows, (1 << 32) - 1), file.latest)
    return b64encode((b64decode(packed) + entry)[-MOST_FILES * _PACKED.size :]).decode()


def unpacked(packed: str) -> tuple[RecentFile, ...]:
    """Return the recent files of a position. Raises `ValueError` if the text is malformed."""
    try:
        entries = _PACKED.iter_unpack(b64decode(packed, validate=True))
    except struct.error as error:
        raise ValueError(f"not a list of files: {packed!r}") from error
    return tuple(RecentFile(int.from_bytes(stamp), rows, latest) for stamp, rows, latest in entries)


def gone_files(folder: LogFolder, split: str, position: FilePosition, files: SplitFiles) -> RewrittenFiles:
    """Return the recent files of a split that are missing in a listing.

    Args:
        folder: the folder of the source.
        split: the name of the split.
        position: the position of the split.
        files: the files of the split in the listing.

    Raises:
        BrokenLogError: an unread file has the size and the modification time of a file that is gone.
    """
    read = bisect_right(files.keys, folder.key(position.file, position.modified)) if position.file else 0
    first = max(0, read - MOST_FILES)
    present = {
        stamp_of(size, written)
        for size, written in zip(files.sizes[first:read], files.written[first:read], strict=True)
    }
    gone = tuple(each for each in unpacked(position.recent) if each.stamp not in present)
    stamps = {each.stamp for each in gone} - {0}
    for name, size, written in (
        zip(files.names[read:], files.sizes[read:], files.written[read:], strict=True) if stamps else ()
    ):
        if stamp_of(size, written) in stamps:
            raise BrokenLogError(
                f"the file {folder.described(split, name)} has the size and the modification time of a file "
                "that was read and removed: it was renamed, and its rows would be read again; give it its "
                "former name, or move it away"
            )
    return RewrittenFiles(split, gone)


def check_compacted(
    folder: LogFolder, rewritten: RewrittenFiles, name: str, contents: Callable[[], tuple[int, int]]
) -> None:
    """Raise `BrokenLogError` if a file contains the rows of files that were read and are gone.

    This is assumed if the file has as many rows as some consecutive missing files together, and the same
    greatest event time. A late file that arrives while read files are deleted has another event time.

    Args:
        folder: the folder of the source.
        rewritten: the files that are gone.
        name: the file that is about to be read.
        contents: reads the number of rows in the file and their greatest event time (ms).
    """
    if not rewritten.gone:
        return
    rows, greatest = contents()
    for run in _runs_to(rewritten.gone, greatest):
        if sum(each.rows for each in run) == rows:
            read = "a file that was" if len(run) == 1 else f"{len(run)} files together that were"
            raise BrokenLogError(
                f"the file {folder.described(rewritten.split, name)} has {rows} rows up to the event time "
                f"{greatest} ms, like {read} read and removed: the rows were copied or compacted, and would "
                "be read again; move the file away, or compact into another folder"
            )


def _runs_to(gone: Sequence[RecentFile], greatest: int) -> list[Sequence[RecentFile]]:
    ends = [end for end, each in enumerate(gone, 1) if each.latest == greatest]
    return [gone[begin:end] for end in ends for begin in range(end)]
