"""One pass over an event log in order: batch after batch, with a few rows kept of the subtask that is not
yet over.

What is kept does not grow with the log: of a stretch its first and last row, the last of each class of
rows, and of each channel and split the few rows in `parts.to_keep`.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from .counts import Count
from .examples import examples_of
from .findings import OperatorFindings
from .job.signs import SignsFold
from .job.watermark_course import watermark_course_of
from .parts import to_keep
from .properties import PROPERTIES, LogProperty, Seen
from .rows import Indexes, Rows
from .schema import KINDS, ROWS, UNKNOWN
from .trouble import Trouble, between_rows, doubled, of_rows

_CLASSES = ("watermarks", "statuses", "inputs", "blocks", "flags", "fires", "reports")


class Fold:
    """Judges an event log that comes in batches, in the order of job, source, subtask and sequence."""

    def __init__(self, properties: Sequence[LogProperty] = PROPERTIES) -> None:
        self._properties = properties
        self._kept = ROWS.empty_table()
        self._found: dict[tuple[str, str], OperatorFindings] = {}
        self._signs = SignsFold()

    def add(self, table: Any) -> None:
        """Judge the next rows: a table with the columns of `ROWS`."""
        if not len(table):
            return
        whole = Rows(pa.concat_tables([self._kept, table]), len(self._kept))
        twice = doubled(whole)
        rows = Rows(whole.table.filter(pa.array(~twice)), whole.old) if twice.any() else whole
        self._count_troubles(whole, of_rows(whole, twice))
        self._count_troubles(rows, between_rows(rows))
        self._count(whole)
        self._add_signs(rows)
        for one in self._properties:
            self._judge(one.name, rows, one.look(rows))
        self._kept = rows.table.take(pa.array(_kept(rows)))

    def findings(self) -> Iterator[OperatorFindings]:
        """What was found so far, of each operator."""
        yield from self._found.values()

    def take(self) -> list[OperatorFindings]:
        """Return what was found since the last call, of each operator, and forget it.

        The rows that later rows are compared with are kept.
        """
        found = list(self._found.values())
        self._found = {}
        return found

    def _of(self, rows: Rows, index: int) -> OperatorFindings:
        key = (rows.table["job"][index].as_py(), rows.table["source"][index].as_py())
        return self._found.setdefault(key, OperatorFindings(*key))

    def _count(self, rows: Rows) -> None:
        """Rows, subtasks, kinds and times of each operator."""
        borders = np.append(_borders(rows), len(rows))
        for begin, end in pairwise(borders):
            found = self._of(rows, int(begin))
            mine = slice(max(begin, rows.old), end)
            number = end - mine.start
            if number <= 0:
                continue
            found.rows += int(number)
            found.subtasks += int(rows.begins_subtask[mine].sum())
            times = rows.processing_time[mine]
            found.begin = min(int(times.min()), int(times[0]) if found.begin is None else found.begin)
            found.end = max(int(times.max()), int(times[0]) if found.end is None else found.end)
            found.has_channels |= bool((rows.channel[mine] >= 0).any())
            found.has_splits |= bool(((rows.split[mine] >= 0) & (rows.kind[mine] != _RECORD)).any())
            for kind, many in zip(KINDS, np.bincount(rows.kind[mine] - UNKNOWN)[1:], strict=False):
                if many:
                    found.kinds[kind] = found.kinds.get(kind, 0) + int(many)

    def _add_signs(self, rows: Rows) -> None:
        """Add the signs of the new rows to the findings of each operator."""
        borders = np.append(_borders(rows), len(rows))
        for begin, end in pairwise(borders):
            mine = slice(max(int(begin), rows.old), int(end))
            if mine.start < mine.stop:
                found = self._of(rows, int(begin))
                found.signs.add(self._signs.of(rows, (found.job, found.source), mine))
                found.watermark_course.add(watermark_course_of(rows, mine))

    def _count_troubles(self, rows: Rows, troubles: Iterable[Trouble]) -> None:
        for name, where, far, says in troubles:
            for operator, mine in _by_operator(rows, where):
                some = where[mine]
                count = Count(0, len(some), 0, int(far[mine].max(initial=0)), examples_of(rows, some, says))
                self._of(rows, operator).troubles.setdefault(name, Count()).add(count)

    def _judge(self, name: str, rows: Rows, seen: Seen) -> None:
        for operator, mine in _by_operator(rows, seen.about):
            self._of(rows, operator).properties.setdefault(name, Count()).about += len(seen.about[mine])
        for operator, mine in _by_operator(rows, seen.broken):
            broken, because = seen.broken[mine], seen.because[mine]
            long = np.where(because >= 0, rows.processing_time[broken] - rows.processing_time[because], 0)
            count = Count(
                0,
                len(broken),
                int(seen.far[mine].max(initial=0)),
                int(long.max(initial=0)),
                examples_of(rows, broken, name, because, seen.far[mine]),
            )
            self._of(rows, operator).properties[name].add(count)


_RECORD = KINDS.index("record")


def _borders(rows: Rows) -> Indexes:
    """The first row of each operator."""
    return np.flatnonzero(rows.begins_operator)


def _by_operator(rows: Rows, some: Indexes) -> Iterator[tuple[int, slice]]:
    """For each operator among some rows, in order: a row of it, and which of them are its own."""
    if not len(some):
        return
    operator = rows.operator[some]
    begins = np.flatnonzero(np.diff(operator, prepend=-1))
    for begin, end in zip(begins, [*begins[1:], len(some)], strict=True):
        yield int(some[begin]), slice(int(begin), int(end))


def _kept(rows: Rows) -> Indexes:
    """The rows that later ones are compared with, all of the last stretch."""
    start = int(rows.start[-1])
    kept = [np.array([start, len(rows) - 1])]
    for name in _CLASSES:
        some: Indexes = getattr(rows, name)
        kept.append(some[some >= start][-1:])
    kept += [
        to_keep(rows, start, rows.channel),
        to_keep(rows, start, rows.split),
        _latest_window(rows, start),
    ]
    return np.unique(np.concatenate(kept))


def _latest_window(rows: Rows, start: int) -> Indexes:
    """Of the windows that fired since the last watermark, that which ends last."""
    since = max([start, *rows.watermarks[rows.watermarks >= start][-1:]])
    fires = rows.fires[rows.fires >= since]
    last: Indexes = fires[[np.argmax(rows.event_time[fires])]] if len(fires) else fires
    return last
