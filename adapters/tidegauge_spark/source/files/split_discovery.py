"""Which splits there are, and which of their files are new: looked up again at most once in an interval."""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from tidegauge_spark.source.files.listing import Listing, SplitFiles, name_checksum
from tidegauge_spark.source.files.log_files import LogFolder, LostFileError, changed
from tidegauge_spark.source.files.position import FilePosition
from tidegauge_spark.source.files.sink_log import SINK_LOG
from tidegauge_spark.source.planning.broken_log import BrokenLogError
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError

Splits = Listing

_LOG: Final = logging.getLogger(__name__)

JOB_PATIENCE: Final = 60
"""How often AvailableNow looks, once a second, whether a job that writes to the folder has ended."""

_REMEDIES: Final = {
    "name": "give new files names that sort after it",
    "modificationTime": "give new files a later time of modification (touch), and values of partition "
    "columns that sort after those that are read, or name these columns in splitBy",
    SINK_LOG: "files are in the order of its log: name the partition columns in splitBy, or write only such "
    "values of them as do not sort before those that are read",
}
"""What helps against files that sort before what is read; by what they are in order."""


class SplitDiscovery:
    """Lists the folder of a source now and then, beside the planning if it may."""

    def __init__(
        self,
        list_folder: Callable[[], Splits],
        interval: int,
        in_background: bool,
        sleep: Callable[[float], None],
    ) -> None:
        """interval: how long a listing is good (ms). in_background: whether to list beside the planning.
        sleep: waits so many seconds."""
        self._list, self._sleep = list_folder, sleep
        self._interval = interval
        self._worker = ThreadPoolExecutor(1, "tidegauge-discovery") if in_background else None
        self._found: Splits | None = None
        self._found_at: int | None = None
        self.looked_at = 0
        """The processing time (ms) at which the listing that `splits` returned last was begun."""
        self._coming: Future[Splits] | None = None
        self._held_back = False
        self._last: Splits | None = None
        self._shown = self._seen = Splits()

    def freeze(self) -> None:
        """Show what is there now, and nothing that appears later (AvailableNow).

        Later looks only tell which splits have more meanwhile (`Listing.grown`). Waits for a job of Spark
        that writes here, and raises `BrokenLogError` if that takes too long.
        """
        found = self._list()
        for _ in range(JOB_PATIENCE):
            if not found.being_written:
                break
            self._hold_back(found)
            self._sleep(1)
            found = self._list()
        if found.being_written:
            raise BrokenLogError(
                f"a job of Spark is writing to {found.root!r}, and has not ended for {JOB_PATIENCE} seconds: "
                "start the query when it has, or remove the folder _temporary or .spark-staging-... that a "
                "killed one has left"
            )
        self._last = self._found = found
        self._held_back = False
        self._found_at = None

    def splits(self, now: int) -> Splits | None:
        """Return what there is at a processing time (ms), None as long as it is not known, since a job of
        Spark is writing. Raises `BrokenLogError` if it cannot be listed."""
        if self._found_at is None:
            self._found_at = self.looked_at = now
            if self._found is None:
                self._find(self._list(), now)
        if self._coming is not None and self._coming.done():
            self._find(self._coming.result(), self._found_at)
            self._coming = None
        if self._coming is None and now - self._found_at >= max(1, self._interval):
            self._found_at = now
            if self._worker is None:
                self._find(self._list(), now)
            else:
                self._coming = self._worker.submit(self._list)
        if self._last is None or self._found is None:
            return self._found
        return self._only_last(self._last, self._found)

    def _find(self, found: Splits, begun_at: int) -> None:
        """Take a listing that was begun at a time (ms), unless a job of Spark has not committed yet.

        It moves its files one after the other to where they are found: an earlier one may come later. Until
        then it is not known whether a split is empty.
        """
        if not found.being_written:
            self._held_back = False
            self._found, self.looked_at = found, begun_at
        else:
            self._hold_back(found)

    def _hold_back(self, found: Splits) -> None:
        """Say once that a listing is not taken."""
        if not self._held_back:
            self._held_back = True
            _LOG.warning(
                "%s: a job of Spark is writing here; its files are read when it has ended, or when the "
                "folder _temporary or .spark-staging-... that a killed one has left is removed",
                found.root,
            )

    def _only_last(self, last: Splits, found: Splits) -> Splits:
        """Return the last listing that is read of, another object after each look."""
        if found is not self._seen:
            self._seen = found
            self._shown = Splits(last)
            self._shown.ended = last.ended
            self._shown.grown = frozenset(
                split
                for split, files in last.items()
                if split in found and found[split].keys[-1:] > files.keys[-1:]
            )
        return self._shown

    def stop(self) -> None:
        """Look no more."""
        if self._worker is not None:
            self._worker.shutdown(wait=False, cancel_futures=True)


def position_in(
    folder: LogFolder, split: str, position: FilePosition, files: SplitFiles, fail_on_data_loss: bool
) -> FilePosition:
    """Return where a split stands among the files that are there now.

    Raises `BrokenLogError` if a file was added that would never be read, since it sorts before one that was
    read, or if a file that was read has changed so that it would be read again, and `LostFileError` if the
    one that was read last has vanished before all of it was read, unless that may be.
    """
    behind = bisect_right(files.keys, folder.key(position.file, position.modified)) if position.file else 0
    more = behind < len(files.names)
    if not position.file:
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
    if (behind, names, more) == (position.behind, position.names, position.more):
        return position
    return position._replace(behind=behind, names=names, more=more)


def check_unchanged(
    folder: LogFolder, positions: Mapping[str, FilePosition], before: Splits, found: Splits
) -> None:
    """Raise `BrokenLogError` if a file that was read is another one than at the look before.

    That is seen where files are in order of modification, since it would be read again, or out of order.
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
    """Raise `IllegalOffsetError` if files that are in order of modification have other such times here.

    It cannot be seen of a split whose last file was removed: what is read of it already would be read again.
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
    """Return the error about a split of which no file is there any more, though some were not read."""
    return LostFileError(
        f"the files of the split {split!r} of {folder.path!r} have vanished before all of them were read; "
        "bring them back, or set failOnDataLoss to false to go on without them"
    )


def vanished(folder: LogFolder, split: str) -> LostFileError:
    """Return the error about a split whose folder is not there any more."""
    return LostFileError(
        f"the folder {folder.path.rstrip('/') + '/' + split!r} of a split has vanished; bring it back, or "
        "set failOnDataLoss to false to go on without it (a folder that is to be removed gets a file "
        "_FINISHED first)"
    )
