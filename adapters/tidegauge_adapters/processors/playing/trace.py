"""A trace is a sequence of events for a processor under test: rows arrive, and time passes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Columns = Mapping[str, Any]
Key = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Arrival:
    """A row arrives. Its event time is a number of ms since 1970, whatever the type of the column is."""

    row: Columns


@dataclass(frozen=True)
class Passage:
    """The watermark rises to `to` (ms). In processing time, the clock advances to `to` instead.

    Attributes:
        to: the new watermark or time (ms).
        with_rows: whether the rows after it share its micro-batch, as in a query that always has data. Spark
            then filters these rows by the watermark before, shows the new one to the processor, and fires
            timers after the rows.
    """

    to: int
    with_rows: bool = False


Trace = tuple[Arrival | Passage, ...]


@dataclass(frozen=True)
class Batch:
    """A micro-batch.

    Attributes:
        segment: the number of passages of time up to and including this micro-batch.
        chunks: the rows. In the form "pandas", each chunk becomes a separate data frame for each key.
        to: the time to which the watermark or the clock rises before the micro-batch; None if time does not
            pass. When the watermark rises and no data waits, Spark adds a micro-batch without rows.
    """

    segment: int
    chunks: tuple[tuple[Arrival, ...], ...] = ()
    to: int | None = None


@dataclass(frozen=True)
class Output:
    """A row that the processor returned.

    Attributes:
        segment: the segment of the trace.
        key: the key.
        row: the columns.
        by_timer: whether the timer handler returned the row.
        in_passage: whether the micro-batch has no rows, only a passage of time.
    """

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
    with_rows: bool = False
    arrivals: list[Arrival] = field(default_factory=list)


def segments(trace: Sequence[Arrival | Passage]) -> list[Segment]:
    """Split a trace at each passage of time."""
    found = [Segment(0, None)]
    for event in trace:
        if isinstance(event, Passage):
            found.append(Segment(len(found), event.to, event.with_rows))
        else:
            found[-1].arrivals.append(event)
    return found


def separated(trace: Trace) -> Trace:
    """Return the trace with each passage in a micro-batch of its own.

    A row between the watermark before and the new one is on time for the filter of Spark and late for a
    processor that compares it with the watermark, so that either result is right.
    """
    if not any(isinstance(event, Passage) and event.with_rows for event in trace):
        return trace
    return tuple(Passage(event.to) if isinstance(event, Passage) else event for event in trace)


def in_batches(
    trace: Sequence[Arrival | Passage],
    rows_in_a_batch: Iterable[int] = (),
    rows_first: bool = False,
) -> list[Batch]:
    """Return the micro-batches of a trace: one for each passage, and one for the rows of each segment.

    Args:
        trace: the events.
        rows_in_a_batch: the numbers of rows of the micro-batches. The last number applies to all further
            micro-batches. By default all rows of a segment share one micro-batch.
        rows_first: whether each passage shares a micro-batch with the rows after it, as in Spark with
            processing time. These rows are handled before the timers.
    """
    sizes = list(rows_in_a_batch)
    batches: list[Batch] = []
    for segment in segments(trace):
        waiting, to = segment.arrivals, segment.to
        if to is not None and not ((rows_first or segment.with_rows) and waiting):
            batches.append(Batch(segment.number, to=to))
            to = None
        while waiting:
            size = (sizes.pop(0) if len(sizes) > 1 else sizes[0]) if sizes else len(waiting)
            batches.append(Batch(segment.number, (tuple(waiting[:size]),), to))
            waiting, to = waiting[size:], None
    return batches
