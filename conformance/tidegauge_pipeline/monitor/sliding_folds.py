"""The findings about running jobs, over a sliding window of processing time.

The rows of different subtasks interleave, so each subtask has a fold of its own. The statistics of each part
of the window are summed by operator; the window is the sum of its parts. Memory grows with the number of
subtasks and the number of parts, not with the log.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa

from ..event_log.counts import Histogram
from ..event_log.findings import OperatorFindings
from ..event_log.job.job_findings import Finding, findings_of
from ..event_log.job.signs import Signs
from ..event_log.order import in_order
from ..event_log.rows import Numbers, Rows
from .subtask import Subtask

PARTS: Final = 10
"""The number of parts of a window. A finding ends at most a tenth of the window late."""

MOST_SUBTASKS: Final = 10_000
"""The maximum number of subtasks that are kept. The one without rows for the longest time is dropped."""

SubtaskKey = tuple[str, str, int]
"""Job, source and subtask."""

_OperatorKey = tuple[str, str]


class SlidingFolds:
    """Folds the rows of running jobs, and returns the findings of the last `window` ms."""

    def __init__(self, window: int, most_subtasks: int = MOST_SUBTASKS) -> None:
        self._length = max(1, window // PARTS)
        self._most_subtasks = most_subtasks
        self._subtasks: dict[SubtaskKey, Subtask] = {}
        self._window: deque[tuple[int, dict[_OperatorKey, OperatorFindings]]] = deque()
        self._lasting: dict[_OperatorKey, OperatorFindings] = {}

    @property
    def subtasks(self) -> Mapping[SubtaskKey, Subtask]:
        """The subtasks that have rows; the one whose rows are the oldest comes first."""
        return self._subtasks

    def add(self, table: Any, now: int) -> Iterator[int]:
        """Fold new rows in steps, and yield the processing time (ms) at the end of each step.

        Each step folds the rows of one part of the window. A log that is read late therefore shows the same
        findings in the same order as while it grew.

        Args:
            table: rows with the columns of `schema.ROWS`, those of each subtask in their order.
            now: the time (ms). A later row has a wrong clock, and would move the window past all other rows.
                It is treated as a row of `now`.
        """
        if not len(table):
            return
        table = in_order(table)
        parts = self._parts_of(table, now)
        for part in np.unique(parts):
            self._move_to(int(part))
            self._fold(table.filter(pa.array(parts == part)))
            yield int(part + 1) * self._length

    def advance(self, now: int) -> None:
        """Move the window to a time (ms) if no rows came."""
        self._move_to(now // self._length)

    def _parts_of(self, table: Any, now: int) -> Numbers:
        """Return the part of the window to which each row belongs.

        The order of the rows of a subtask takes precedence over its clock: a row never belongs to an
        earlier part than the row before it.
        """
        parts: Numbers = np.minimum(table["processing_time"].to_numpy(), now) // self._length
        parts = np.maximum(parts, self._newest)
        for begin, end in _spans(table):
            parts[begin:end] = np.maximum.accumulate(parts[begin:end])
        return parts

    @property
    def _newest(self) -> int:
        return self._window[-1][0] if self._window else np.iinfo(np.int64).min

    def _move_to(self, part: int) -> None:
        if part > self._newest:
            self._window.append((part, {}))
        while self._window and self._window[0][0] <= self._newest - PARTS:
            self._window.popleft()

    def _fold(self, table: Any) -> None:
        for key, rows in _by_subtask(table):
            subtask = self._subtasks.pop(key, None) or Subtask()
            self._subtasks[key] = subtask  # at the end: dropped last
            for operator in subtask.add(rows):
                self._count(operator)
        while len(self._subtasks) > self._most_subtasks:
            dropped = next(iter(self._subtasks))
            del self._subtasks[dropped]
            if not any(key[:2] == dropped[:2] for key in self._subtasks):
                self._lasting.pop(dropped[:2], None)

    def _count(self, operator: OperatorFindings) -> None:
        """Add the statistics of new rows to the newest part of the window, and what outlasts the window."""
        key = operator.job, operator.source
        lasting = self._lasting.setdefault(key, OperatorFindings(*key))
        lasting.has_channels |= operator.has_channels
        lasting.has_splits |= operator.has_splits
        lasting.kinds.update(dict.fromkeys(operator.kinds, 0))
        # An input that has been silent for longer than the window may hold back the watermark.
        lasting.signs.add(Signs(parts=operator.signs.parts, pauses=operator.signs.pauses))
        operator.signs.parts, operator.signs.pauses = {}, Histogram()
        self._window[-1][1].setdefault(key, OperatorFindings(*key)).add(operator)

    def findings(self) -> tuple[Finding, ...]:
        """Return the findings in the window."""
        operators: dict[_OperatorKey, OperatorFindings] = {}
        for _, part in self._window:
            for key, operator in part.items():
                operators.setdefault(key, OperatorFindings(*key)).add(operator)
        for key, operator in operators.items():
            operator.signs.stall = None
            if key in self._lasting:
                operator.add(self._lasting[key])
        begin = (self._newest - PARTS) * self._length
        for (job, source, _), subtask in self._subtasks.items():
            if subtask.stall is not None and subtask.at >= begin and (job, source) in operators:
                operators[job, source].signs.add(Signs(stall=subtask.stall))
        return findings_of([operators[key] for key in sorted(operators)])


def _by_subtask(table: Any) -> Iterator[tuple[SubtaskKey, Any]]:
    """Yield the rows of each subtask from rows in the order of subtasks."""
    for begin, end in _spans(table):
        row = table.slice(begin, 1).to_pylist()[0]
        yield (row["job"], row["source"], row["subtask"]), table.slice(begin, end - begin)


def _spans(table: Any) -> Iterator[tuple[int, int]]:
    """Yield the first row of each subtask, and the row after its last."""
    borders = np.append(np.flatnonzero(Rows(table).begins_subtask), len(table))
    yield from pairwise(borders.tolist())
