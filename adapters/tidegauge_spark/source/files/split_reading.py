"""The rows that one planning takes from a split, in the order of the files, up to an event time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.files.folder.listing import SplitFiles
from tidegauge_spark.source.files.folder.log_files import LostFileError
from tidegauge_spark.source.files.formats import Block, BlockSummary
from tidegauge_spark.source.files.position import FilePosition, Slice
from tidegauge_spark.source.files.recent_files import RecentFile, stamp_of, with_file
from tidegauge_spark.source.planning.alignment.blocked import Unread
from tidegauge_spark.source.planning.late_rows import LateRows

ROWS_READ_TOGETHER: Final = 65_536
"""The number of rows from which no further block is joined to a slice, which is read into memory as a
whole."""

SummarizeBlock = Callable[[FilePosition], BlockSummary | None]
"""Returns the summary of the block that begins at a position, without loading it; None if there is none."""

LoadBlock = Callable[[FilePosition], Block]
"""Returns the block of a position, with a window that shows its row."""


@dataclass
class FileBudget:
    """The number of files that a batch may still begin."""

    left: int


class SplitReading:
    """A split in a planning: `position` advances with each row taken, `slices` are these rows."""

    def __init__(
        self,
        position: FilePosition,
        files: SplitFiles,
        load: LoadBlock,
        skip_lost: bool = False,
        summarize: SummarizeBlock | None = None,
        check: Callable[[FilePosition], None] | None = None,
    ) -> None:
        """Start at a position; the first `position.behind` files are up to it, the others after it.

        skip_lost: continue after files that have vanished; otherwise they are an error when they are reached.
        summarize: None if every block is loaded from which rows are taken. The rows that are taken are the
        same. check: raises `BrokenLogError` for a file that must not be read; called before its first row is
        read.
        """
        self.position = position
        self.slices: list[Slice] = []
        self.admitted = MAX
        """The greatest event time up to which rows are taken."""
        self.budget: FileBudget | None = None
        """The number of files that this split and others may still begin; None: any number."""
        self.late_until = MIN
        """Rows up to this event time (ms) are late; `late` counts them."""
        self.late = LateRows()
        self.held_back = False
        """Whether a row was left because its event time is later than the admitted one."""
        self._files = files
        self._load = load
        self._skip_lost = skip_lost
        self._summarize = summarize
        self._check = check
        self._loaded = False
        self._summarized = False

    def next_time(self) -> int | None:
        """Return the event time of the split after its next row, None if there is no row.

        Before the first event time it is that first one, if it is in the block: rows without an event time
        come first. Raises `BrokenLogError` if the block cannot be read.
        """
        block = self._block()
        if block is None:
            return None
        position = self.position
        latest = max(position.latest, block.latest(position.row - position.before))
        return block.first_time() if latest == MIN else latest

    def take(self, rows: int) -> int:
        """Take up to this number of further rows; return the number taken. Raises `BrokenLogError` as
        `next_time` does."""
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
            if begins and self._check is not None:
                self._check(self.position)
            if begins and self.budget is not None:
                self.budget.left -= 1
            self._take(block, first, end)
            taken += end - first
            self.held_back = self.position.latest > self.admitted
        return taken

    def skip_before(self, time: int) -> None:
        """Skip the rows before the first row with this event time (ms) or a later one.

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

        The search ends one block after the next row. While summaries are sufficient, no block is needed.
        Where they are sufficient for some blocks only, a block is needed just for the next row, which
        determines the watermark of the split.
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
        """The number of files that are not planned to their ends."""
        return Unread(len(self._files.names) - self.position.behind + (not self.position.whole), "Files")

    @property
    def exhausted(self) -> bool:
        """Whether all that is there has been planned."""
        return self.position.whole and self.position.behind >= len(self._files.names)

    def _block(self) -> Block | None:
        """Return the block of the next row, None if there is no row; skip blocks and files without rows."""
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
            self.position = self._after(block)
        return None

    def _whole_block(self, rows: int) -> BlockSummary | None:
        """Return the block of the next row, if all of it is taken whatever the order of its rows is.

        That is the case if none of its event times is later than the admitted one, and if it has no more than
        this number of rows. Otherwise None: then the block has to be loaded.
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
        if summary.smallest <= self.late_until < summary.greatest:  # only the rows tell which are late
            return None
        self.position = position
        self._summarized = True
        return summary

    def _take(self, block: Block | BlockSummary, first: int, end: int) -> None:
        """Take rows of a block, from `first` to `end`, excluded."""
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
            self.position = self._after(block)

    def _after(self, block: Block | BlockSummary) -> FilePosition:
        """Return the position after a block. If the block ends its file, the position records the file."""
        after = _behind(self.position, block)
        if not after.whole:
            return after
        index = after.behind - 1
        stamp = stamp_of(self._files.sizes[index], self._files.written[index])
        file = RecentFile(stamp, rows=after.row, latest=after.latest)
        return after._replace(recent=with_file(after.recent, file))

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
    """Return the position after the block of a position."""
    row = position.before + block.rows
    return position._replace(whole=block.last, block=block.end, before=row, row=row)
