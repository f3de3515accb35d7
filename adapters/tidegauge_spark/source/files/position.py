"""How far a split of files is planned, and what of it is read in a batch."""

from __future__ import annotations

from typing import Any, NamedTuple

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.watermark_generators import bounded_watermark


class FilePosition(NamedTuple):
    """How far a split is planned.

    subtask: who reads it. file, size: the file that was planned last, "" before the first, and its bytes.
    whole: whether all of that file is planned. block: where the block begins that is planned next, or in
    part; before: how many rows of the file come before that block. row: how many rows of the file are
    planned. behind: how many files were there, up to this one, when it was looked at. records: how many rows
    of the split are planned. latest: the greatest event time of them (ms), `MIN` if there is none. modified:
    when the file was modified, if files are in that order (ns since 1970); newest: the latest such time of
    the files up to this one. names: the names of the files that `behind` counts, as `SplitFiles.checksums`
    has them. more: whether there were files after this one. finished: whether the split is planned to its
    end.
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

    def watermark(self, out_of_orderness: int) -> int:
        """Return the watermark (ms): what is up to there has come, unless it is later than the bound (ms)."""
        return bounded_watermark(self.latest, out_of_orderness)

    @property
    def place(self) -> FilePosition:
        """This position without what each look at the folder can change."""
        return self._replace(behind=0, names=0, more=False)

    @classmethod
    def from_json(cls, stored: Any) -> FilePosition:
        """Return the position that a list of its fields holds. Raises `ValueError` for what is none."""
        position = cls(*stored)
        numbers = (position.size, position.block, position.before, position.row, position.behind)
        if (
            len(stored) != len(cls._fields)
            or type(position.file) is not str
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
            raise ValueError(f"no position in a split: {stored!r}")
        return position


class Slice(NamedTuple):
    """So many `rows` of some blocks that follow one another, from the `first` of these rows on.

    file, size: the file and its bytes. begin, end: where the blocks begin and end, in row groups or bytes.
    """

    file: str
    size: int
    begin: int
    end: int
    first: int
    rows: int

    @classmethod
    def from_json(cls, stored: Any) -> Slice:
        """Return the slice that a list of its fields holds. Raises `ValueError` for what is none."""
        found = cls(*stored)
        if type(found.file) is not str or any(type(each) is not int or each < 0 for each in found[1:]):
            raise ValueError(f"no rows of a block: {stored!r}")
        return found
