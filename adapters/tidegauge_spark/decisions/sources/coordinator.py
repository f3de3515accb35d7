"""The decisions of source coordinators, in plain Python: who holds the others back, how far they may read.

A *group* is the set of sources that wait for one another. Each subtask of a source says which watermark it
emitted last; the bound of a source is the smallest watermark in its group plus the drift that the source
allows. Timestamps and drifts are in ms. Rule ids such as "ALIGN-4" are of the Tidegauge specification.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.timestamps import MAX, MIN


class Announcement(NamedTuple):
    """A subtask of a source is told its bound (ms): it reads on up to there."""

    source: str
    subtask: int
    bound: int


class SourceState(NamedTuple):
    """What is known of a source.

    group: None if it is not aligned. drift: ms. reports: the last report of each subtask (ms), `MIN` where
    there was none. running: whether each subtask can be told its bound.
    """

    name: str
    group: str | None
    drift: int
    reports: tuple[int, ...]
    running: tuple[bool, ...]


def minimum_of(watermarks: Iterable[int]) -> int:
    """Return the smallest of the watermarks (ms) of subtasks, of sources, or of both (ALIGN-1, ALIGN-2).

    `MIN` stands for one who has not reported, who is left out (ALIGN-6); the answer is `MIN` if nobody has.
    `MAX` stands for one who is finished or idle; the answer is `MAX` if all who have reported are, since
    then nobody is waited for (ALIGN-5, ALIGN-7).
    """
    return min((watermark for watermark in watermarks if watermark != MIN), default=MIN)


def drift_above(minimum: int, drift: int) -> int:
    """Return how far a source may read (ms): its drift (ms) above a minimum (ms, ALIGN-4).

    It is `MAX` at most (TIME-1). Both the coordinators and the planners of a query compute the bound here.
    """
    return min(MAX, minimum + drift)


def bound_of(minimum: int, drift: int) -> int | None:
    """Return how far a source may read (ms), by the minimum of its group and its own drift (ms).

    It is None as long as there is no minimum: `MIN`, no subtask has reported (ALIGN-10).
    """
    return None if minimum == MIN else drift_above(minimum, drift)


def announced(source: str, bound: int, running: Sequence[bool]) -> list[Announcement]:
    """Return the bound (ms) of a source for each of its subtasks that runs (ALIGN-9).

    Both the coordinators and the planners of a query announce by this.
    """
    return [Announcement(source, subtask, bound) for subtask, runs in enumerate(running) if runs]


@dataclass
class _Source:
    name: str
    group: str | None
    drift: int
    reports: list[int]
    running: list[bool]


class SourceCoordinators:
    """The coordinators of all sources of a job, or of several jobs that share groups.

    A source goes by its identity, not by its name, which may be that of another source (ALIGN-12). A step
    whose arguments cannot be raises `IllegalArgumentError` and changes nothing (ALIGN-13).
    """

    def __init__(self) -> None:
        self._sources: dict[str, _Source] = {}

    @classmethod
    def restored(cls, state: dict[str, SourceState]) -> SourceCoordinators:
        """Return coordinators that go on where those with this state stood."""
        coordinators = cls()
        for identity, (name, group, drift, reports, running) in state.items():
            coordinators._sources[identity] = _Source(name, group, drift, list(reports), list(running))
        return coordinators

    def state(self) -> dict[str, SourceState]:
        """Return what is known of each source, by identity; later steps do not change it.

        It may go through JSON on its way to `restored`.
        """
        return {
            identity: SourceState(
                source.name, source.group, source.drift, tuple(source.reports), tuple(source.running)
            )
            for identity, source in self._sources.items()
        }

    def start(self, source: str, name: str, group: str | None, drift: int, subtasks: int) -> None:
        """A source begins: in a group or, with None, without alignment. Its subtasks do not run yet.

        drift: how far its subtasks may be ahead of the slowest of the group (ms, 0 is allowed).
        """
        if source in self._sources:
            raise IllegalArgumentError(f"source {source!r} has been started; each has its own identity")
        if drift < 0:
            raise IllegalArgumentError(f"a drift is not negative: {drift} ms, of source {source!r}")
        if subtasks < 1:
            raise IllegalArgumentError(f"a source has at least one subtask: {subtasks}, of source {source!r}")
        self._sources[source] = _Source(name, group, drift, [MIN] * subtasks, [False] * subtasks)

    def report(self, source: str, subtask: int, watermark: int) -> None:
        """A subtask says which watermark (ms) it emitted last, be it lower than before (ALIGN-8).

        `MAX` says that nobody has to wait for it. `MIN` is no watermark and so no report (ALIGN-6).
        """
        known = self._known(source, subtask)
        if known.group is None:
            raise IllegalArgumentError(f"source {source!r} is not aligned, nobody wants its reports")
        if watermark != MIN:
            known.reports[subtask] = watermark

    def finish(self, source: str, subtask: int) -> None:
        """A subtask has read the last of its records: it is not waited for, unless it reports again."""
        self.report(source, subtask, MAX)

    def ready(self, source: str, subtask: int) -> None:
        """A subtask runs from now on and can be told its bound."""
        self._known(source, subtask).running[subtask] = True

    def failed(self, source: str, subtask: int) -> None:
        """A subtask does not run any more. Its last report stays in force (ALIGN-11)."""
        self._known(source, subtask).running[subtask] = False

    def reset(self, source: str, subtask: int) -> None:
        """A subtask was put back to a checkpoint; as with a failure, it has to get ready again."""
        self.failed(source, subtask)

    def restart(self, source: str) -> None:
        """The coordinator of a source was made anew, and all its subtasks were reset (ALIGN-11)."""
        known = self._known(source)
        known.running = [False] * len(known.running)

    def leave(self, source: str) -> None:
        """A source is gone for good: it is not waited for, and its identity is free."""
        self._known(source)
        del self._sources[source]

    def announce(self, source: str) -> list[Announcement]:
        """Return the bound of a source, for each of its subtasks that runs (ALIGN-9).

        Nothing is announced without alignment, and before the first report in the group (ALIGN-10).
        """
        known = self._known(source)
        bound = None if known.group is None else bound_of(self.minimum(known.group), known.drift)
        if bound is None:
            return []
        return announced(source, bound, known.running)

    def minima(self, group: str) -> dict[str, int]:
        """Return the smallest watermark of each source in a group (ms), by identity: see `minimum_of`."""
        return {
            identity: minimum_of(source.reports)
            for identity, source in self._sources.items()
            if source.group == group  # ALIGN-3
        }

    def minimum(self, group: str) -> int:
        """Return the smallest watermark that was reported in a group (ms): see `minimum_of`."""
        return minimum_of(self.minima(group).values())

    def _known(self, source: str, subtask: int = 0) -> _Source:
        """Return a source that has this subtask. Raises `IllegalArgumentError` (ALIGN-13)."""
        if source not in self._sources:
            raise IllegalArgumentError(f"no source {source!r} has been started")
        known = self._sources[source]
        # To Python a negative index is a subtask counted from the end.
        if not 0 <= subtask < len(known.reports):
            raise IllegalArgumentError(f"source {source!r} has no subtask {subtask} of {len(known.reports)}")
        return known
