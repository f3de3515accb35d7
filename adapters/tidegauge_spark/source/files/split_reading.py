"""What one planning takes of a split: rows in the order of the files, up to an event time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.files.folder.listing import SplitFiles
from tidegauge_spark.source.files.folder.log_files import LostFileError
from tidegauge_spark.source.files.formats import Block, BlockSummary
from tidegauge_spark.source.files.position import FilePosition, Slice
from tidegauge_spark.source.planning.alignment.blocked import Unread
from tidegauge_spark.source.planning.late_rows import LateRows

ROWS_READ_TOGETHER: Final = 65_536
"""With so many rows no further block is joined to a slice, which is read into memory as a whole."""

SummarizeBlock = Callable[[FilePosition], BlockSummary | None]
"""Returns what is known without loading of the block that begins at a position, None if nothing is."""

LoadBlock = Callable[[FilePosition], Block]
"""Returns the block that a position is in, with a window that shows its row."""


@dataclass
class FileBudget:
    """How many files a batch may still begin."""

    left: int


class SplitReading:
    """A split that is being planned: `position` moves on with each row taken, `slices` are these rows."""

    def __init__(
        self,
        position: FilePosition,
        files: SplitFiles,
        load: LoadBlock,
        skip_lost: bool = False,
        summarize: SummarizeBlock | None = None,
    ) -> None:
        """Start at a position; `position.behind` of the files are up to it, the others after it.

        skip_lost: go on behind files that have vanished; otherwise they are an error when they are reached.
        summarize: None if every block is loaded of which rows are taken. What is taken is the same.
        """
        self.position = position
        self.slices: list[Slice] = []
        self.admitted = MAX
        """The greatest event time up to which rows are taken."""
        self.budget: FileBudget | None = None
        """How many files may still be begun, by this split and others; None: any number."""
        self.late_until = MIN
        """Up to which event time (ms) rows are late; `late` counts them."""
        self.late = LateRows()
        self.held_back = False
        """Whether a row is left because its event time is later than what is admitted."""
        self._files = files
        self._load = load
        self._skip_lost = skip_lost
        self._summarize = summarize
        self._loaded = False
        self._summarized = False

    def next_time(self) -> int | None:
        """Return the event time that the next row brings the split to, None if there is no row.

        Before the first event time it is that one, if it is in the block: rows without one come first.
        Raises `BrokenLogError` if its block cannot be read.
        """
        block = self._block()
        if block is None:
            return None
        position = self.position
        latest = max(position.latest, block.latest(position.row - position.before))
        return block.first_time() if latest == MIN else latest

    def take(self, rows: int) -> int:
        """Take up to so many rows more; return how many. Raises `BrokenLogError` as `next_time` does."""
        taken = 0
        self.held_back = self.position.latest > self.admitted
        while taken < rows and self.position.latest <= self.admitted:
            block = self._whole_block(rows - taken) or self._block()
            if block is None:
                break
            begins = self.position.row == 0
            if begins and self.budget is not None and not self.budget.left:
                break
            first = self.position.row - self.position.before
            end = block.rows
            if isinstance(block, Block):
                end = min(block.until, first + rows - taken)
                if self.admitted != MAX:
                    end = block.admitted(self.admitted, first, end)
            if end == first:
                self.held_back = True
                break
            if begins and self.budget is not None:
                self.budget.left -= 1
            self._take(block, first, end)
            taken += end - first
            self.held_back = self.position.latest > self.admitted
        return taken

    def skip_before(self, time: int) -> None:
        """Leave out what comes before the first row with this event time (ms) or a later one.

        Raises `BrokenLogError` as `next_time` does.
        """
        self.admitted = time - 1
        self.take(MAX)
        self.admitted = MAX
        self.slices.clear()
        self.late = LateRows()
        self.position = self.position._replace(records=0, latest=MIN)

    def needs(self, known: Callable[[FilePosition], Block | None]) -> FilePosition | None:
        """Return the position in the first block that is needed next and not known, None if there is none.

        It looks no further than one block behind the next row. As long as summaries do, no block is needed;
        where they do for some, one is needed for the next row only, which tells how far the split is.
        """
        if self._summarize is not None and not self._loaded:
            return None
        position = self.position
        if not position.whole:
            block = known(position)
            if block is None:
                return position
            if self._summarized:
                return None
            position = _behind(position, block)
        if position.whole:
            return self._in_next_file(position) if position.behind < len(self._files.names) else None
        return position

    @property
    def unread(self) -> Unread:
        """How many files are not planned to their end."""
        return Unread(len(self._files.names) - self.position.behind + (not self.position.whole), "Files")

    @property
    def exhausted(self) -> bool:
        """Whether all that is there has been planned."""
        return self.position.whole and self.position.behind >= len(self._files.names)

    def _block(self) -> Block | None:
        """Return the block of the next row, None if there is no row; move on behind what has none."""
        while not self.exhausted:
            if self.position.whole:
                self.position = self._in_next_file(self.position)
            position = self.position
            self._loaded = True
            try:
                block = self._load(position)
            except LostFileError:
                if not self._skip_lost:
                    raise
                self.position = position._replace(whole=True)
                continue
            if position.row - position.before < block.rows:
                return block
            self.position = _behind(position, block)
        return None

    def _whole_block(self, rows: int) -> BlockSummary | None:
        """Return the block of the next row, if all of it is taken whatever the order of its rows is.

        That is so if none of its event times is later than what is admitted, and it is one of no more than so
        many rows. None in all other cases: then the block has to be loaded.
        """
        if self._summarize is None or self.exhausted:
            return None
        position = self._in_next_file(self.position) if self.position.whole else self.position
        if position.row != position.before:
            return None
        try:
            summary = self._summarize(position)
        except LostFileError:
            return None
        if summary is None or summary.rows > rows or summary.greatest > self.admitted:
            return None
        if summary.smallest <= self.late_until < summary.greatest:  # which rows are late, only these tell
            return None
        self.position = position
        self._summarized = True
        return summary

    def _take(self, block: Block | BlockSummary, first: int, end: int) -> None:
        """Take rows of a block, from the `first` up to `end`."""
        position, rows = self.position, end - first
        if self.late_until != MIN:
            self.late = self.late.plus(LateRows(block.late(first, end, self.late_until)))
        self.position = position._replace(
            row=position.row + rows,
            records=position.records + rows,
            latest=max(position.latest, block.latest(end - 1)),
        )
        last = self.slices[-1] if self.slices and self.slices[-1].file == position.file else None
        if last is not None and last.end == block.end:
            self.slices[-1] = last._replace(rows=last.rows + rows)
        elif last is not None and last.rows < ROWS_READ_TOGETHER:
            self.slices[-1] = last._replace(end=block.end, rows=last.rows + rows)
        else:
            self.slices.append(Slice(position.file, position.size, block.begin, block.end, first, rows))
        if end == block.rows:
            self.position = _behind(self.position, block)

    def _in_next_file(self, position: FilePosition) -> FilePosition:
        index = position.behind
        return position._replace(
            file=self._files.names[index],
            size=self._files.sizes[index],
            whole=False,
            block=0,
            before=0,
            row=0,
            behind=index + 1,
            modified=self._files.modified[index],
            newest=max(position.newest, self._files.modified[index]),
            names=self._files.checksums[index] if self._files.checksums else 0,
            more=index + 1 < len(self._files.names),
        )


def _behind(position: FilePosition, block: Block | BlockSummary) -> FilePosition:
    """Return the position at the end of the block that a position is in."""
    row = position.before + block.rows
    return position._replace(whole=block.last, block=block.end, before=row, row=row)
