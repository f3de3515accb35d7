"""The planned position in a split of files, and the part of it that is read in a batch."""

from __future__ import annotations

from typing import Any, NamedTuple

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.watermark_generators import bounded_watermark


class FilePosition(NamedTuple):
    """The planned position in a split.

    subtask: the subtask that reads it. file, size: the file that was planned last, "" before the first, and
    its size in bytes. whole: whether all of that file is planned. block: where the next block, or the block
    that is planned in part, begins; before: the number of rows of the file before that block. row: the number
    of rows of the file that are planned. behind: the number of files up to this one, included, at the last
    listing. records: the number of rows of the split that are planned. latest: their greatest event time
    (ms), `MIN` if there is none. modified: when the file was modified, if files are in that order (ns since
    1970); newest: the latest such time of the files up to this one. names: the checksum of the names of the
    files that `behind` counts, as in `SplitFiles.checksums`. more: whether there were files after this one.
    finished: whether the split is planned to its end. recent: the most recently planned files, packed by
    `recent_files`; "" in a checkpoint of an earlier version.
    """

    subtask: int
    file: str = ""
    size: int = 0
    whole: bool = True
    block: int = 0
    before: int = 0
    row: int = 0
    behind: int = 0
    records: int = 0
    latest: int = MIN
    modified: int = 0
    newest: int = 0
    names: int = 0
    more: bool = False
    finished: bool = False
    recent: str = ""

    def watermark(self, out_of_orderness: int) -> int:
        """Return the watermark (ms), for records that are out of order by at most this duration (ms)."""
        return bounded_watermark(self.latest, out_of_orderness)

    @property
    def place(self) -> FilePosition:
        """This position without the fields that each listing of the folder can change."""
        return self._replace(behind=0, names=0, more=False)

    @classmethod
    def from_json(cls, stored: Any) -> FilePosition:
        """Return the position from a list of its fields. Raises `ValueError` for other values."""
        position = cls(*stored)
        numbers = (position.size, position.block, position.before, position.row, position.behind)
        if (
            len(stored) not in (len(cls._fields) - 1, len(cls._fields))
            or type(position.file) is not str
            or type(position.recent) is not str
            or type(position.whole) is not bool
            or type(position.more) is not bool
            or type(position.finished) is not bool
            or any(
                type(each) is not int or each < 0 for each in (*numbers, position.subtask, position.records)
            )
            or type(position.latest) is not int
            or any(type(each) is not int for each in (position.modified, position.newest, position.names))
            or not MIN <= position.latest < MAX
            or position.row < position.before
        ):
            raise ValueError(f"not a position in a split: {stored!r}")
        return position


class Slice(NamedTuple):
    """A number of `rows` in consecutive blocks, beginning with row `first` of these blocks.

    file, size: the file and its size in bytes. begin, end: where the blocks begin and end, in row groups or
    bytes.
    """

    file: str
    size: int
    begin: int
    end: int
    first: int
    rows: int

    @classmethod
    def from_json(cls, stored: Any) -> Slice:
        """Return the slice from a list of its fields. Raises `ValueError` for other values."""
        found = cls(*stored)
        if type(found.file) is not str or any(type(each) is not int or each < 0 for each in found[1:]):
            raise ValueError(f"not a slice of rows: {stored!r}")
        return found
