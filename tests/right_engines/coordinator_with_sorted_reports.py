"""Source coordinators that keep the last reports of each group sorted, so that the minimum is the first."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

MIN, MAX = -(2**63), 2**63 - 1


class SortedCoordinators:
    """`_reports` has one watermark (ms) for each subtask that has reported; `_sorted` the same by group."""

    def __init__(self) -> None:
        self._drifts: dict[str, int] = {}
        self._groups: dict[str, str] = {}
        self._subtasks: set[tuple[str, int]] = set()
        self._running: set[tuple[str, int]] = set()
        self._reports: dict[tuple[str, int], int] = {}
        self._sorted: defaultdict[str, list[int]] = defaultdict(list)

    def start(self, source: str, name: str, group: str | None, drift: int, subtasks: int) -> None:
        """One more source begins."""
        if source in self._drifts:
            raise ValueError(f"source {source!r} was started before")
        if drift < 0 or subtasks <= 0:
            raise ValueError("the drift cannot be negative, and there is at least one subtask")
        self._drifts[source] = drift
        self._subtasks |= {(source, number) for number in range(subtasks)}
        if group is not None:
            self._groups[source] = group

    def report(self, source: str, subtask: int, watermark: int) -> None:
        """A subtask says which watermark (ms) it emitted last."""
        who = self._checked(source, subtask)
        if source not in self._groups:
            raise ValueError(f"source {source!r} does not take part in alignment")
        if watermark == MIN:
            return
        in_order = self._sorted[self._groups[source]]
        if who in self._reports:
            del in_order[bisect_left(in_order, self._reports[who])]
        self._reports[who] = watermark
        insort(in_order, watermark)

    def finish(self, source: str, subtask: int) -> None:
        """The end of a subtask: its last report, of `MAX`."""
        self.report(source, subtask, MAX)

    def ready(self, source: str, subtask: int) -> None:
        """A subtask runs."""
        self._running.add(self._checked(source, subtask))

    def failed(self, source: str, subtask: int) -> None:
        """A subtask does not run any more."""
        self._running.discard(self._checked(source, subtask))

    def reset(self, source: str, subtask: int) -> None:
        """A subtask is put back and does not run."""
        self.failed(source, subtask)

    def restart(self, source: str) -> None:
        """The coordinator is made anew: its subtasks do not run."""
        self._checked(source, 0)
        self._running = {who for who in self._running if who[0] != source}

    def announce(self, source: str) -> Iterator[tuple[Any, ...]]:
        """The bound of the source to each of its subtasks that runs."""
        self._checked(source, 0)
        return self._announced(source)

    def _announced(self, source: str) -> Iterator[tuple[Any, ...]]:
        in_order = self._sorted[self._groups[source]] if source in self._groups else []
        if not in_order:
            return
        bound = MAX if in_order[0] > MAX - self._drifts[source] else in_order[0] + self._drifts[source]
        for one, subtask in sorted(self._running, reverse=True):
            if one == source:
                yield "announcement", bound, f"{source}/{subtask}"

    def _checked(self, source: str, subtask: int) -> tuple[str, int]:
        if (source, subtask) not in self._subtasks:
            raise ValueError(f"there is no {source}/{subtask}")
        return source, subtask

    def snapshot(self) -> Any:
        """What cannot be derived: the sorted reports can."""
        return self._drifts, self._groups, self._subtasks, self._running, self._reports

    def restore(self, saved: Any) -> None:
        """Go on from there."""
        self._drifts, self._groups, self._subtasks, self._running, self._reports = saved
        self._sorted = defaultdict(list)
        for (source, _), watermark in self._reports.items():
            insort(self._sorted[self._groups[source]], watermark)
