"""The records of a reader that one run of a query has read, from the progress of its batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

Ends = Mapping[str, int]
"""The next offset of each partition, by its name, "topic-partition"."""

UNKNOWN: Final = -1
"""In place of an offset: the query's first offset is unknown."""


class ReaderBatch(NamedTuple):
    """A batch of one use of the reader: the offsets before and after it, and the latest ones when it was
    planned.

    start: None in the first batch of a query. latest: None if Spark does not report it.
    """

    start: Ends | None
    end: Ends
    latest: Ends | None


@dataclass
class ReaderFollower:
    """Collects the largest event times of the records that a run has read.

    look_up: is called with ranges of offsets that were read without being observed, as after a kill or where
    an event of Spark was lost. known: the offsets up to which the companion knew the reader before.
    """

    look_up: Callable[[dict[str, tuple[int, int]]], None]
    known: Ends
    maxima: dict[str, int] = field(default_factory=dict)
    ends: Ends = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    _seen: dict[str, int] | None = None
    _pending: list[tuple[Ends, Mapping[str, int]]] = field(default_factory=list)

    def batch(self, uses: Sequence[ReaderBatch], maxima: Mapping[str, int]) -> None:
        """Take a completed batch.

        If a query reads the same topics twice, the two uses may be at different offsets. Event times count
        once both uses are past them.

        Args:
            uses: the uses of the topics in the query, at least one.
            maxima: the largest event time of each partition in this batch (ms).
        """
        self._look_up_gaps(uses)
        self.ends = _combined(min, [use.end for use in uses])
        self._pending.append((_combined(max, [use.end for use in uses]), maxima))
        while self._pending and self._is_reached(self._pending[0][0]):
            _, reached = self._pending.pop(0)
            self.add(reached)
        self.unread = tuple(
            sorted(
                {
                    name
                    for use in uses
                    for name, end in use.end.items()
                    if (use.latest or {}).get(name, 0) > end
                }
            )
        )

    def add(self, maxima: Mapping[str, int]) -> None:
        """Add event times of records before the ends."""
        for name, time in maxima.items():
            self.maxima[name] = max(time, self.maxima.get(name, time))

    def _is_reached(self, place: Ends) -> bool:
        return all(self.ends.get(name, UNKNOWN) >= end for name, end in place.items())

    def _look_up_gaps(self, uses: Sequence[ReaderBatch]) -> None:
        seen = dict(self.known) if self._seen is None else self._seen
        starts = _combined(min, [use.start for use in uses if use.start is not None])
        gaps = {
            name: (seen.get(name, UNKNOWN), start)
            for name, start in starts.items()
            if start > seen.get(name, UNKNOWN)
        }
        self._seen = {**seen, **_combined(max, [use.end for use in uses])}
        if gaps:
            self.look_up(gaps)


def _combined(pick: Callable[[list[int]], int], places: Sequence[Ends]) -> dict[str, int]:
    names = {name for place in places for name in place}
    return {name: pick([place[name] for place in places if name in place]) for name in names}
