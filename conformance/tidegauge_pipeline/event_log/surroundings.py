"""The rows around one that breaks a property: what a reader looks at next."""

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from tidegauge.wire.scenario import BadInput

from .chunks import Chunk, Part
from .counts import Example
from .schema import NONE, ROWS

WIDTH: Final = 4
"""So many rows are shown before and after it."""


class NearbyRow(Struct, frozen=True, omit_defaults=True):
    """A row of a log, as it is shown. Times in ms."""

    sequence: int
    processing_time: int
    kind: str
    event_time: int | None = None
    split: str = ""
    channel: int | None = None
    count: int = 1


def surroundings(parts: Sequence[Part], job: str, source: str, example: Example) -> tuple[NearbyRow, ...]:
    """The rows around the one of an example, in order, and the row that it contradicts."""
    if example.sequence < 0:
        return ()
    begin, end = example.sequence - WIDTH, example.sequence + WIDTH
    spans = [(begin, end)] + ([] if example.because is None else [(example.because, example.because)])
    key = job, source, example.subtask
    tables = [ROWS.empty_table()]
    for part in parts:
        for chunk in part.chunks:
            if part.is_sortable and _may_hold(chunk, key, spans):
                tables += _found(chunk, key, spans)
    rows = pa.concat_tables(tables).sort_by("sequence").to_pylist()
    return tuple(_nearby(row) for row in rows)


def _may_hold(chunk: Chunk, key: tuple[str, str, int], spans: Sequence[tuple[int, int]]) -> bool:
    if chunk.low is None or chunk.high is None:
        return True
    near = any(first <= chunk.last and chunk.first <= last for first, last in spans)
    return near and chunk.low <= key <= chunk.high


def _found(chunk: Chunk, key: tuple[str, str, int], spans: Sequence[tuple[int, int]]) -> list[Any]:
    try:
        table = chunk.read()
    except BadInput:
        return []  # a bad file that was skipped
    job, source, subtask = key
    here = pc.and_(pc.equal(table["subtask"], subtask), pc.equal(table["source"], source))
    table = table.filter(pc.and_(here, pc.equal(table["job"], job)))
    return [
        table.filter(
            pc.and_(pc.greater_equal(table["sequence"], first), pc.less_equal(table["sequence"], last))
        )
        for first, last in _apart(spans)
    ]


def _apart(spans: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """The spans without one that is within the first."""
    (first, last), *others = spans
    return [spans[0], *(one for one in others if not first <= one[0] <= last)]


def _nearby(row: dict[str, Any]) -> NearbyRow:
    return NearbyRow(
        sequence=row["sequence"],
        processing_time=row["processing_time"],
        kind=row["kind"],
        event_time=row["event_time"],
        split=row["split"],
        channel=None if row["channel"] == NONE else row["channel"],
        count=row["count"],
    )
