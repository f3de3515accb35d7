"""What is wrong with a log itself, before it says anything of the engine. Nothing is dropped without a
count."""

from collections.abc import Iterator

import numpy as np

from .rows import Flags, Indexes, Numbers, Rows
from .schema import UNKNOWN

_NEED_EVENT_TIME = ("watermark", "fire", "report", "announcement")

Trouble = tuple[str, Indexes, Numbers, str]
"""Its name, the rows, how far each is off (ms), and a sentence about a row."""


def doubled(rows: Rows) -> Flags:
    """Rows with the number of a row before them."""
    twice: Flags = (np.diff(rows.sequence, prepend=0) == 0) & ~rows.begins_subtask
    twice[: rows.old] = False
    return twice


def of_rows(rows: Rows, twice: Flags) -> Iterator[Trouble]:
    """The troubles of single rows among those that are new."""
    new = np.arange(len(rows)) >= rows.old
    yield _trouble("duplicate", twice, None, "has the number of another row")
    unknown = (rows.kind == UNKNOWN) & new
    yield _trouble("unknown-kind", unknown, None, "is of the kind {kind!r}")
    incomplete = rows.is_kind(*_NEED_EVENT_TIME) & ~rows.has_event_time & new
    yield _trouble("incomplete", incomplete, None, "is a {kind} without an event time")


def between_rows(rows: Rows) -> Iterator[Trouble]:
    """The troubles between a new row and the one before it; of rows without duplicates."""
    follows = ~rows.begins_subtask & (np.arange(len(rows)) >= rows.old)
    step = np.diff(rows.sequence, prepend=0)
    yield _trouble("gap", follows & (step > 1), None, "follows a gap in the sequence")
    back = -np.diff(rows.processing_time, prepend=0)
    yield _trouble("clock-back", follows & (back > 0), back, "is earlier than the row before it")


def _trouble(name: str, where: Flags, far: Numbers | None, says: str) -> Trouble:
    some = np.flatnonzero(where)
    return name, some, np.zeros(len(some), dtype=np.int64) if far is None else far[some], says
