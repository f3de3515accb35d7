"""An event log judged in this process: part after part."""

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from tidegauge.wire.scenario import BadInput

from .alignment import STEPS, Alignment, spread, steps_of
from .alignment import together as steps_together
from .chunks import Chunk, Part
from .findings import OperatorFindings, together
from .fold import Fold
from .order import in_order

_BATCH = 1 << 19


class Judge:
    """Judges parts of a log, one after the other. `skips`: bad files are counted in `bad`, not raised."""

    def __init__(self, alignment: Alignment | None = None, skips: bool = False) -> None:
        self._alignment = alignment
        self._skips = skips
        self._fold = Fold()
        self._steps = STEPS.empty_table()
        self.bad: dict[str, str] = {}
        self.rows = 0

    def add(self, part: Part, done: Callable[[Chunk], None] = lambda chunk: None) -> None:
        """Judge a part; `done` is told of each chunk that is read. Raises `BadInput` of a bad file."""
        waiting, rows = [], 0
        for chunk in part.chunks:
            table = self.read(chunk)
            waiting.append(table)
            rows += len(table)
            if part.is_in_order and rows >= _BATCH:  # a recorder may write many small files
                self.add_rows(in_order(pa.concat_tables(waiting)))
                waiting, rows = [], 0
            done(chunk)
        if waiting:
            self.add_rows(in_order(pa.concat_tables(waiting)))

    def add_rows(self, table: Any) -> None:
        """Judge rows that are in order, and come after those before."""
        self.rows += len(table)
        for begin in range(0, len(table), _BATCH):
            self._fold.add(table.slice(begin, _BATCH))
        if self._alignment is not None:
            self._steps = steps_together(pa.concat_tables([self._steps, steps_of(table, self._alignment)]))

    def read(self, chunk: Chunk) -> Any:
        """The rows of a chunk; none, if its file is bad and bad files are skipped."""
        try:
            return chunk.read()
        except BadInput as problem:
            if not self._skips:
                raise BadInput(f"{problem}; --skip-bad-files reads the others") from problem
            self.bad[str(chunk.file.path)] = str(problem)
            return chunk.empty()

    def steps(self) -> Any:
        """What the alignment of sources is judged by, as far as it was read."""
        return self._steps

    def findings(self) -> list[OperatorFindings]:
        """What the rows show, but for the alignment of sources."""
        return together(self._fold.findings())


def judged(judge: Judge, alignment: Alignment | None) -> list[OperatorFindings]:
    """What all rows show, the alignment of sources too."""
    spreads = [] if alignment is None else spread([judge.steps()], alignment)
    return together([*judge.findings(), *spreads])


def judged_rows(table: Any, alignment: Alignment | None = None) -> list[OperatorFindings]:
    """What the rows of a log show, in whatever order they are."""
    judge = Judge(alignment)
    judge.add_rows(in_order(table))
    return judged(judge, alignment)


def judged_parts(
    parts: Sequence[Part], alignment: Alignment | None, skips: bool, done: Callable[[Chunk], None]
) -> tuple[list[OperatorFindings], list[str]]:
    """What the parts of a log show, and what is wrong with files that were skipped."""
    judge = Judge(alignment, skips)
    for part in parts:
        judge.add(part, done)
    if not judge.rows and judge.bad:
        raise BadInput(f"no file of the log could be read; the first: {next(iter(judge.bad.values()))}")
    return judged(judge, alignment), list(judge.bad.values())
