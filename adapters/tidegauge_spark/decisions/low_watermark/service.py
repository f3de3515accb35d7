"""The low-watermark service of a job: who has no partitions emits the low watermark of its own source.

A source subtask without a partition has no watermark of its own. Silent, it would stall every operator below
it; with `MAX` it could never be given a partition again. So the coordinator of its source asks all subtasks
how far they are, in rounds, and tells everybody the smallest answer.

Timestamps are in ms. Rule ids such as "LOW-1" are of the Tidegauge specification.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.low_watermark.rounds import LowWatermarkRounds, RoundResult, RoundsState
from tidegauge_spark.decisions.low_watermark.task import LowWatermarkTask, LowWatermarkTaskState


class RetrieveLowWatermark(NamedTuple):
    """A task is asked how far it is, in the round of `timestamp`."""

    vertex: str
    task: int
    timestamp: int


class ReplyLowWatermark(NamedTuple):
    """A task answers the coordinator of its vertex how far it is."""

    vertex: str
    task: int
    low_watermark: int


class NotifyNewLowWatermark(NamedTuple):
    """A task is told what the round of `timestamp` has found."""

    vertex: str
    task: int
    low_watermark: int
    timestamp: int


class LowWatermark(NamedTuple):
    """A task without partitions emits the low watermark of the others to the operators below it."""

    vertex: str
    task: int
    timestamp: int


@dataclass(frozen=True)
class Vertex:
    """A vertex of a job, with `tasks` tasks at the start; those numbered below `partitions` have one each.

    source: it reads from outside. cooperating: its tasks know this service. listening: they emit what they
    are told.
    """

    name: str
    tasks: int
    partitions: int
    source: bool = True
    cooperating: bool = True
    listening: bool = True


class VertexState(NamedTuple):
    """What is remembered of a vertex: its rounds, and its tasks that are there, each with its number."""

    rounds: RoundsState
    tasks: Sequence[tuple[int, LowWatermarkTaskState]]


@dataclass
class _Running:
    vertex: Vertex
    rounds: LowWatermarkRounds
    tasks: dict[int, LowWatermarkTask]


class LowWatermarkService:
    """The service of a job with these vertices. Each step returns the messages that it causes.

    That a message is returned does not deliver it: `retrieve`, `reply` and `notify` are what its receiver
    does when it arrives. Where nothing can get lost, as in one process, `round` does it all. A step that
    names a vertex that does not exist or a task that is not there raises `IllegalArgumentError` and changes
    nothing; a reply may come from a task that is gone (LOW-15).
    """

    def __init__(self, vertices: Iterable[Vertex]) -> None:
        self._running = {
            vertex.name: _Running(
                vertex,
                LowWatermarkRounds(vertex.tasks),
                {
                    task: LowWatermarkTask(int(task < vertex.partitions), vertex.listening)
                    for task in range(vertex.tasks)
                },
            )
            for vertex in vertices
        }

    def state(self) -> dict[str, VertexState]:
        """Return what is remembered, by vertex; later steps do not change it. It may go through JSON."""
        return {
            name: VertexState(
                running.rounds.state(), [(n, task.state()) for n, task in running.tasks.items()]
            )
            for name, running in self._running.items()
        }

    def restore(self, state: Mapping[str, VertexState]) -> None:
        """Go on where a service with the same vertices stood (LOW-16)."""
        for name, (rounds, tasks) in state.items():
            running = self._running[name]
            running.rounds = LowWatermarkRounds.restored(rounds)
            listens = running.vertex.listening
            running.tasks = {n: LowWatermarkTask.restored(task, listens) for n, task in tasks}

    def trigger(self, timestamp: int) -> list[RetrieveLowWatermark]:
        """Open a round (ms) of every source whose tasks know the service (LOW-1)."""
        return [
            RetrieveLowWatermark(name, task, timestamp)
            for name, running in self._running.items()
            if running.vertex.source and running.vertex.cooperating
            for task in running.rounds.trigger(timestamp)
        ]

    def join(self, vertex: str) -> list[NotifyNewLowWatermark]:
        """A task starts, without partitions, under the next number of its vertex."""
        running = self._known(vertex)
        running.tasks[running.rounds.join()] = LowWatermarkTask(0, running.vertex.listening)
        return []

    def leave(self, vertex: str, task: int) -> list[NotifyNewLowWatermark]:
        """A task is gone, be it that it failed or that it ended; its round may end by that (LOW-4)."""
        running = self._known(vertex)
        result = running.rounds.leave(task)
        del running.tasks[task]
        return self._notified(running, result)

    def watermark(self, vertex: str, task: int, timestamp: int) -> list[LowWatermark]:
        """The source of a task has emitted a watermark (ms) of its own."""
        self._task(vertex, task).watermark(timestamp)
        return []

    def partitions(self, vertex: str, task: int, count: int) -> list[LowWatermark]:
        """A task has so many partitions from now on; with none it may have to speak for the others."""
        return _emission(vertex, task, self._task(vertex, task).assign(count))

    def retrieve(self, vertex: str, task: int, timestamp: int) -> list[ReplyLowWatermark]:
        """A task is asked how far it is (LOW-11); one that does not know the service ignores it (LOW-2)."""
        known = self._task(vertex, task)
        if not self._running[vertex].vertex.cooperating:
            return []
        return [ReplyLowWatermark(vertex, task, known.current)]

    def reply(self, vertex: str, task: int, low_watermark: int) -> list[NotifyNewLowWatermark]:
        """The coordinator of a vertex gets an answer (ms), the last one of the round perhaps."""
        running = self._known(vertex)
        return self._notified(running, running.rounds.reply(task, low_watermark))

    def notify(self, vertex: str, task: int, low_watermark: int, timestamp: int) -> list[LowWatermark]:
        """A task is told what a round has found (ms); one without partitions emits it (LOW-13)."""
        known = self._task(vertex, task)
        if not self._running[vertex].vertex.cooperating:
            return []
        return _emission(vertex, task, known.notify(low_watermark))

    def round(self, timestamp: int) -> list[LowWatermark]:
        """Hold a round (ms) in which every message arrives at once; return what empty tasks emit."""
        asked = self.trigger(timestamp)
        replies = [reply for message in asked for reply in self.retrieve(*message)]
        notified = [notification for message in replies for notification in self.reply(*message)]
        return [emission for message in notified for emission in self.notify(*message)]

    def _notified(self, running: _Running, result: RoundResult | None) -> list[NotifyNewLowWatermark]:
        """Tell everybody who is there now, be it that nobody asked him (LOW-10)."""
        if result is None:
            return []
        return [NotifyNewLowWatermark(running.vertex.name, task, *result) for task in running.rounds.there]

    def _known(self, vertex: str) -> _Running:
        if vertex not in self._running:
            raise IllegalArgumentError(f"no vertex {vertex!r}; there are {', '.join(self._running)}")
        return self._running[vertex]

    def _task(self, vertex: str, task: int) -> LowWatermarkTask:
        running = self._known(vertex)
        running.rounds.check(task)
        return running.tasks[task]


def _emission(vertex: str, task: int, timestamp: int | None) -> list[LowWatermark]:
    return [] if timestamp is None else [LowWatermark(vertex, task, timestamp)]
