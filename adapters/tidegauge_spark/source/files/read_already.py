"""The position of a split among the present files, and the check that files that were read have not
changed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Final

from tidegauge_spark.source.files.folder.listing import Listing, SplitFiles, name_checksum
from tidegauge_spark.source.files.folder.log_files import LogFolder, LostFileError, changed
from tidegauge_spark.source.files.folder.sink_log import SINK_LOG
from tidegauge_spark.source.files.position import FilePosition
from tidegauge_spark.source.planning.broken_log import BrokenLogError
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError

_REMEDIES: Final = {
    "name": "give new files names that sort after it",
    "modificationTime": "give new files a later time of modification (touch), and values of partition "
    "columns that sort after those that are read, or name these columns in splitBy",
    SINK_LOG: "files are in the order of its log: name the partition columns in splitBy, or write only such "
    "values of them as do not sort before those that are read",
}
"""The remedy against files that sort before files that are read, by the order of the files."""


def position_in(
    folder: LogFolder, split: str, position: FilePosition, files: SplitFiles, fail_on_data_loss: bool
) -> FilePosition:
    """Return the position of a split among the present files.

    Raises `BrokenLogError` if a file was added that would never be read, because it sorts before one that was
    read, or if a file that was read has changed so that it would be read again. Raises `LostFileError` if the
    file that was read last has vanished before all of it was read, or if all files after it have vanished,
    unless data loss is allowed.
    """
    behind = bisect_right(files.keys, folder.key(position.file, position.modified)) if position.file else 0
    more = behind < len(files.names)
    lost = position.more and not more and fail_on_data_loss
    if not position.file:
        if lost:
            raise vanished_unread(folder, split)
        return position if more == position.more else position._replace(more=more)
    names = files.checksums[behind - 1] if behind and files.checksums else 0
    if behind > position.behind:
        raise _added(
            folder,
            split,
            f"there were {position.behind} files up to {position.file!r}, which is read, now there are "
            f"{behind} ({', '.join(files.names[max(0, behind - 5) : behind])})",
        )
    if behind and files.newest and files.newest[behind - 1] > position.newest:
        late = next(
            name for name, newest in zip(files.names, files.newest, strict=True) if newest > position.newest
        )
        raise _added(
            folder, split, f"{late!r} is newer than all files up to {position.file!r}, which is read"
        )
    if behind == position.behind and names != position.names:
        raise _added(
            folder,
            split,
            f"the {behind} files up to {position.file!r}, which is read, are not those that there were "
            f"({', '.join(files.names[max(0, behind - 5) : behind])})",
        )
    if behind and files.names[behind - 1] == position.file:
        if files.sizes[behind - 1] != position.size:
            file = folder.described(split, position.file)
            raise BrokenLogError(changed(file, position.size, files.sizes[behind - 1]))
    elif folder.layout.by_modification and position.file in files.names:
        raise _touched(folder, split, position.file, f" ({position.modified} ns)")
    elif not position.whole:
        if fail_on_data_loss:
            raise LostFileError(
                f"the file {folder.described(split, position.file)} has vanished after {position.row} of its "
                "rows were read; bring it back, or set failOnDataLoss to false to go on without it"
            )
        position = position._replace(whole=True)
    if folder.layout.by_modification and behind == position.behind - 1:
        gone = names ^ position.names
        for name in files.names[behind:]:
            if name_checksum(name) == gone:
                raise _touched(folder, split, name)
    if lost:
        raise vanished_unread(folder, split)
    if (behind, names, more) == (position.behind, position.names, position.more):
        return position
    return position._replace(behind=behind, names=names, more=more)


def check_unchanged(
    folder: LogFolder, positions: Mapping[str, FilePosition], before: Listing, found: Listing
) -> None:
    """Raise `BrokenLogError` if a file that was read has changed since the last listing.

    The check covers files in order of modification time, which would be read again, or out of order.
    """
    for split, position in positions.items():
        old, new = before.get(split), found.get(split)
        if old is None or new is None or old is new or not (position.file and folder.layout.by_modification):
            continue
        read = bisect_right(old.keys, folder.key(position.file, position.modified))
        if (
            old.names[:read] == new.names[:read]
            and old.modified[:read] == new.modified[:read]
            and old.sizes[:read] == new.sizes[:read]
        ):
            continue
        there = dict(zip(new.names, zip(new.sizes, new.modified, strict=True), strict=True))
        for name, size, modified in zip(old.names[:read], old.sizes[:read], old.modified[:read], strict=True):
            size_now, modified_now = there.get(name, (size, modified))
            if size_now != size:
                raise BrokenLogError(changed(folder.described(split, name), size, size_now))
            if modified_now != modified:
                raise _touched(folder, split, name, f" ({modified} ns)")


def _added(folder: LogFolder, split: str, why: str) -> BrokenLogError:
    return BrokenLogError(
        f"a file was added to the split {split!r} of {folder.path!r} that would never be read: {why}; "
        f"{_REMEDIES[folder.ordered_by]}"
    )


def _touched(folder: LogFolder, split: str, name: str, time: str = "") -> BrokenLogError:
    return BrokenLogError(
        f"the file {folder.described(split, name)} was modified after it was found, or copied without the "
        f"time of its modification, by which files are in order: restore that time{time}, or start with a "
        "new checkpoint folder"
    )


def check_moved(folder: LogFolder, positions: Mapping[str, FilePosition]) -> None:
    """Raise `IllegalOffsetError` if files in order of modification time have other modification times here.

    A split whose last file was removed cannot be checked: the records that were read would be read again.
    """
    for split, files in folder.list().items():
        position = positions.get(split)
        if position is None or not position.file:
            continue
        key = folder.key(position.file, position.modified)
        if files.names and key not in files.keys:
            raise IllegalOffsetError(
                f"the file {folder.described(split, position.file)} is not there with the time of "
                f"modification that it had ({position.modified} ns), so nothing tells which files are read "
                "already: move the files with these times (cp -p, rsync -t), or start with a new checkpoint "
                "folder"
            )


def vanished_unread(folder: LogFolder, split: str) -> LostFileError:
    """Return the error about a split whose unread files have all vanished."""
    return LostFileError(
        f"files of the split {split!r} of {folder.path!r} have vanished before they were read; "
        "bring them back, or set failOnDataLoss to false to go on without them"
    )


def vanished(folder: LogFolder, split: str) -> LostFileError:
    """Return the error about a split whose folder has vanished."""
    return LostFileError(
        f"the folder {folder.path.rstrip('/') + '/' + split!r} of a split has vanished; bring it back, or "
        "set failOnDataLoss to false to go on without it (a folder that is to be removed gets a file "
        "_FINISHED first)"
    )
