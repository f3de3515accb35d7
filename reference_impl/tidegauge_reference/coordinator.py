"""ALIGN: the source coordinators of one job and what they announce."""

from dataclasses import dataclass, field

from .citation import cite
from .errors import IllegalArgument
from .timestamps import MAX

CoordinatorsState = tuple[tuple[str, tuple[tuple[int, int], ...], frozenset[int]], ...]


@dataclass(slots=True)
class Coordinator:
    """One source's coordinator: its group, its drift (ms), the last report of each subtask (ms)."""

    group: str
    max_allowed_watermark_drift: int
    subtasks: int
    reports: dict[int, int] = field(default_factory=dict)
    finished: set[int] = field(default_factory=set)

    def minimum(self) -> int:
        """The smallest watermark of the subtasks that reported and are not finished; `MAX` without any."""
        waited_for = [
            watermark
            for subtask, watermark in self.reports.items()
            if not cite("ALIGN-5", subtask in self.finished)
        ]
        cite("ALIGN-1", len(waited_for) > 1)
        return min(waited_for, default=MAX)


class Coordinators:
    """The coordinators of a job, by the identity of their source."""

    def __init__(self) -> None:
        self.sources: dict[str, Coordinator] = {}

    def start(self, source: str, group: str, max_allowed_watermark_drift: int, subtasks: int) -> None:
        """A source with alignment begins."""
        if max_allowed_watermark_drift < 0:
            raise IllegalArgument(f"max_allowed_watermark_drift is negative: {max_allowed_watermark_drift}")
        self.sources[source] = Coordinator(group, max_allowed_watermark_drift, subtasks)

    def report(self, source: str, subtask: int, watermark: int) -> None:
        """A subtask says which watermark (ms) it emitted last; it replaces its earlier report."""
        self._source(source).reports[subtask] = watermark

    def finish(self, source: str, subtask: int) -> None:
        """A subtask has read all its records and gets no more."""
        self._source(source).finished.add(subtask)

    def announce(self, source: str) -> list[tuple[int, int]]:
        """The bound (ms) for each subtask of a source; none while nobody in the group has reported."""
        own = self._source(source)
        group = [
            other
            for name, other in self.sources.items()
            if name == source or not cite("ALIGN-3", other.group != own.group)
        ]
        if not any(other.reports for other in group):
            return []
        cite("ALIGN-2", len(group) > 1)
        minimum = min(other.minimum() for other in group)
        cite("ALIGN-4")
        bound = min(minimum + own.max_allowed_watermark_drift, MAX)
        return [(subtask, bound) for subtask in range(own.subtasks)]

    def state(self) -> CoordinatorsState:
        """All of the state, hashable."""
        return tuple(
            (name, tuple(sorted(own.reports.items())), frozenset(own.finished))
            for name, own in self.sources.items()
        )

    def restore(self, saved: CoordinatorsState) -> None:
        """Take over the reports of coordinators that have been started like those of `saved`."""
        for name, reports, finished in saved:
            self._source(name).reports = dict(reports)
            self._source(name).finished = set(finished)

    def _source(self, source: str) -> Coordinator:
        if source not in self.sources:
            raise IllegalArgument(f"no source {source!r} has been started")
        return self.sources[source]
