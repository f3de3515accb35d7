"""Source coordinators that keep one log of what happened, and ask it everything at each announcement."""

from __future__ import annotations

from typing import Any, NamedTuple

MIN, MAX = -(2**63), 2**63 - 1


class Event(NamedTuple):
    """Something that happened to a source, or to one of its subtasks; a report has a watermark (ms)."""

    kind: str
    source: str
    subtask: int = -1
    watermark: int = MIN


class Started(NamedTuple):
    """What a source was started with; its drift is in ms."""

    group: str | None
    drift: int
    subtasks: int


class LogCoordinators:
    """The log of a job."""

    def __init__(self) -> None:
        self._sources: dict[str, Started] = {}
        self._log: list[Event] = []

    def start(self, source: str, name: str, group: str | None, drift: int, subtasks: int) -> None:
        """One more source begins."""
        if source in self._sources or drift < 0 or subtasks < 1:
            raise ValueError(
                f"source {source!r} cannot be started (again) with {drift} ms, {subtasks} subtasks"
            )
        self._sources[source] = Started(group, drift, subtasks)

    def report(self, source: str, subtask: int, watermark: int) -> None:
        """A subtask says which watermark (ms) it emitted last."""
        self._log_of_an_aligned(Event("report", source, subtask, watermark))

    def finish(self, source: str, subtask: int) -> None:
        """A subtask gets no more records."""
        self._log_of_an_aligned(Event("report", source, subtask, MAX))

    def ready(self, source: str, subtask: int) -> None:
        """A subtask runs."""
        self._log_of_a_subtask(Event("ready", source, subtask))

    def failed(self, source: str, subtask: int) -> None:
        """A subtask does not run any more."""
        self._log_of_a_subtask(Event("gone", source, subtask))

    def reset(self, source: str, subtask: int) -> None:
        """A subtask is put back and does not run."""
        self._log_of_a_subtask(Event("gone", source, subtask))

    def restart(self, source: str) -> None:
        """The coordinator is made anew: its subtasks do not run."""
        self._log += [Event("gone", source, subtask) for subtask in range(self._started(source).subtasks)]

    def announce(self, source: str) -> list[tuple[Any, ...]]:
        """The bound of the source to each of its subtasks that runs."""
        told = self._started(source)
        if told.group is None:
            return []
        group = {one for one, started in self._sources.items() if started.group == told.group}
        last_reports = {
            (event.source, event.subtask): event.watermark
            for event in self._log
            if event.kind == "report" and event.source in group and event.watermark != MIN
        }
        if not last_reports:
            return []
        bound = min(min(last_reports.values()) + told.drift, MAX)
        running = {
            event.subtask: event.kind == "ready"
            for event in self._log
            if event.kind != "report" and event.source == source
        }
        return [("announcement", bound, f"{source}/{subtask}") for subtask in running if running[subtask]]

    def _started(self, source: str) -> Started:
        if source not in self._sources:
            raise ValueError(f"no source {source!r}")
        return self._sources[source]

    def _log_of_a_subtask(self, event: Event) -> None:
        if event.subtask not in range(self._started(event.source).subtasks):
            raise ValueError(f"source {event.source!r} has no subtask {event.subtask}")
        self._log.append(event)

    def _log_of_an_aligned(self, event: Event) -> None:
        if self._started(event.source).group is None:
            raise ValueError(f"source {event.source!r} has no alignment")
        self._log_of_a_subtask(event)

    def snapshot(self) -> Any:
        """The sources and the log."""
        return self._sources, self._log

    def restore(self, saved: Any) -> None:
        """Go on from there."""
        self._sources, self._log = saved
