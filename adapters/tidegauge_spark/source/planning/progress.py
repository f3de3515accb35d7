"""The standing of a source, for the progress of its query and for warnings."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Generic

from tidegauge_spark.source.options.source import SourceOptions
from tidegauge_spark.source.planning.alignment.blocked import BlockedSplit, shown_blocked
from tidegauge_spark.source.planning.alignment.watch import AlignmentWatch, Extent
from tidegauge_spark.source.planning.group import GroupedReader
from tidegauge_spark.source.planning.offset import AnyOffset
from tidegauge_spark.source.planning.standing import SplitStanding, shown


class ProgressReader(GroupedReader, Generic[AnyOffset]):
    """The part of a source coordinator that shows the standing of the source.

    `_blocked` has the splits that the last planning has held back.
    """

    def __init__(self, options: SourceOptions, wall_clock: Callable[[], int]) -> None:
        super().__init__(options, wall_clock)
        self._blocked: tuple[BlockedSplit, ...] = ()
        alignment = options.alignment
        self._watch = None if alignment is None else AlignmentWatch(alignment.drift, options.idle_timeout)

    @abstractmethod
    def _standings(self, offset: AnyOffset) -> Iterator[SplitStanding]:
        """Yield the standing of each split that is neither finished nor idle."""

    @abstractmethod
    def _extent(self, offset: AnyOffset) -> Extent:
        """Return the planned part of the source."""

    def _shown(self, offset: AnyOffset) -> dict[str, Any]:
        """Return the standing of the source and of its group as the progress shows it, as JSON."""
        latest = self._extent(offset).latest
        standing = shown(self._standings(offset), self._moment(offset, offset.now), latest)
        if self._options.alignment is not None or self._blocked:
            standing.update(shown_blocked(self._blocked))
        if self._options.signals is not None:
            standing.update(offset.signals.late.shown())
        return standing if self._member is None else {**standing, **self._member.status()}

    def _watched(self, offset: AnyOffset, planned: AnyOffset) -> None:
        """Warn if alignment gains nothing in this run, or blocks a split for long."""
        if self._watch is None:
            return
        name = self._options.name or offset.source
        standing = shown(self._standings(planned), planned.now)
        self._watch.blocked(name, planned.now, self._blocked, standing["heldBy"])
        if self._member is None or (self._member.known is not None and self._member.known.joined == 1):
            records = self._extent(planned).records - self._extent(offset).records
            self._watch.planned(name, records, self._blocked, standing["drift"] or 0)

    def _moment(self, offset: AnyOffset, now: int) -> int:
        """Return the time (ms) that event times are compared with: that of the virtual clock, or the
        wall-clock time since 1970."""
        return now if self._options.clock_step is not None else offset.started_at + now
