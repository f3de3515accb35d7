"""Source coordinators that keep a tournament of the subtasks a source, and tell each time another one first."""

from __future__ import annotations

from typing import Any

MIN, MAX = -(2**63), 2**63 - 1


class SourceCoordinator:
    """One source. `_tree[1]` is the smallest watermark (ms) of its subtasks, leaf `_tree[subtasks + n]` what
    subtask n adds to it (`MAX`: nothing); bit n of `running` says that subtask n runs."""

    def __init__(self, group: str | None, drift: int, subtasks: int) -> None:
        self.group = group
        self.drift = drift
        self.subtasks = subtasks
        self.running = 0
        self.has_reported = False
        self._tree = [MAX] * (2 * subtasks)

    @property
    def minimum(self) -> int:
        """The winner of the tournament."""
        return self._tree[1]

    def heard(self, subtask: int, watermark: int) -> None:
        """Plays the matches again in which the subtask takes part."""
        self.has_reported = True
        place = self.subtasks + subtask
        self._tree[place] = watermark
        while place > 1:
            place //= 2
            self._tree[place] = min(self._tree[2 * place], self._tree[2 * place + 1])

    def told(self) -> list[int]:
        """The subtasks that run."""
        return [number for number in range(self.subtasks) if self.running >> number & 1]


class TournamentCoordinators:
    """The coordinators of a job. Which subtask is told first changes with every announcement of the job; as
    that says nothing to anybody, it is no part of the snapshot."""

    def __init__(self) -> None:
        self._coordinators: dict[str, SourceCoordinator] = {}
        self._announcements = 0

    def start(self, source: str, name: str, group: str | None, drift: int, subtasks: int) -> None:
        """One more source begins."""
        if drift < 0:
            raise ValueError(f"the drift {drift} ms is negative")
        if subtasks < 1:
            raise ValueError(f"{subtasks} subtasks")
        if source in self._coordinators:
            raise ValueError(f"source {source!r} is there already")
        self._coordinators[source] = SourceCoordinator(group, drift, subtasks)

    def report(self, source: str, subtask: int, watermark: int) -> None:
        """A subtask says which watermark (ms) it emitted last."""
        coordinator = self._aligned(source, subtask)
        if watermark > MIN:
            coordinator.heard(subtask, watermark)

    def finish(self, source: str, subtask: int) -> None:
        """A subtask gets no more records."""
        self._aligned(source, subtask).heard(subtask, MAX)

    def ready(self, source: str, subtask: int) -> None:
        """A subtask runs."""
        self._of(source, subtask).running |= 1 << subtask

    def failed(self, source: str, subtask: int) -> None:
        """A subtask does not run any more."""
        self._of(source, subtask).running &= ~(1 << subtask)

    def reset(self, source: str, subtask: int) -> None:
        """A subtask is put back and does not run."""
        self._of(source, subtask).running &= ~(1 << subtask)

    def restart(self, source: str) -> None:
        """The coordinator is made anew: its subtasks do not run."""
        self._of(source).running = 0

    def announce(self, source: str) -> list[tuple[Any, ...]]:
        """The bound of the source to each of its subtasks that runs, another one first each time."""
        own = self._of(source)
        group = [one for one in self._coordinators.values() if one.group == own.group]
        if own.group is None or not any(one.has_reported for one in group):
            return []
        self._announcements += 1
        bound = min(min(one.minimum for one in group) + own.drift, MAX)
        told = own.told()
        first = self._announcements % len(told) if told else 0
        return [("announcement", bound, f"{source}/{number}") for number in told[first:] + told[:first]]

    def _of(self, source: str, subtask: int = 0) -> SourceCoordinator:
        coordinator = self._coordinators.get(source)
        if coordinator is None or not 0 <= subtask < coordinator.subtasks:
            raise ValueError(f"there is no source {source!r} with a subtask {subtask}")
        return coordinator

    def _aligned(self, source: str, subtask: int) -> SourceCoordinator:
        coordinator = self._of(source, subtask)
        if coordinator.group is None:
            raise ValueError(f"source {source!r} is not aligned with anybody")
        return coordinator

    def snapshot(self) -> Any:
        """The coordinators."""
        return self._coordinators

    def restore(self, saved: Any) -> None:
        """Go on from there."""
        self._coordinators = saved
