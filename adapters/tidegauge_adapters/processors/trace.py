"""What happens to a processor under test: rows arrive, and time passes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Columns = Mapping[str, Any]
Key = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Arrival:
    """A row arrives; its event time is a number of ms since 1970, whatever the type of the column."""

    row: Columns


@dataclass(frozen=True)
class Passage:
    """The watermark rises to `to` (ms); without event time, the clock of processing time does."""

    to: int


Trace = tuple[Arrival | Passage, ...]


@dataclass(frozen=True)
class Batch:
    """A micro-batch.

    Attributes:
        segment: how many passages of time came before it, or with it.
        chunks: the rows. In the form "pandas", each chunk is a data frame of its own for each key.
        to: the time to which the watermark or the clock rises before; None where it stays. Spark adds a
            micro-batch without rows for it.
    """

    segment: int
    chunks: tuple[tuple[Arrival, ...], ...] = ()
    to: int | None = None


@dataclass(frozen=True)
class Output:
    """A row that the processor returned: in which segment, for which key, and whether for a timer, in a
    micro-batch with rows or in that of a passage of time."""

    segment: int
    key: Key
    row: dict[str, Any]
    by_timer: bool = False
    in_passage: bool = False


@dataclass
class Segment:
    """The rows between two passages of time, and the passage before them."""

    number: int
    to: int | None
    arrivals: list[Arrival] = field(default_factory=list)


def segments(trace: Sequence[Arrival | Passage]) -> list[Segment]:
    """Cut a trace where time passes."""
    found = [Segment(0, None)]
    for event in trace:
        if isinstance(event, Passage):
            found.append(Segment(len(found), event.to))
        else:
            found[-1].arrivals.append(event)
    return found


def in_batches(
    trace: Sequence[Arrival | Passage],
    rows_in_a_batch: Iterable[int] = (),
    rows_first: bool = False,
) -> list[Batch]:
    """Return the micro-batches of a trace: one for each passage, and one for the rows of each segment.

    Args:
        trace: what happens.
        rows_in_a_batch: the number of rows of each batch instead, the last one for all that follow.
        rows_first: whether a passage shares a batch with the rows after it, which are handled before the
            timers, as Spark does where the time is that of the clock.
    """
    sizes = list(rows_in_a_batch)
    batches: list[Batch] = []
    for segment in segments(trace):
        waiting, to = segment.arrivals, segment.to
        if to is not None and not (rows_first and waiting):
            batches.append(Batch(segment.number, to=to))
            to = None
        while waiting:
            size = (sizes.pop(0) if len(sizes) > 1 else sizes[0]) if sizes else len(waiting)
            batches.append(Batch(segment.number, (tuple(waiting[:size]),), to))
            waiting, to = waiting[size:], None
    return batches
