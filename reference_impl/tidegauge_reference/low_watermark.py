"""LOW: the low-watermark service, which lets source subtasks without partitions keep up with the others."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from .choices import smallest
from .citation import cite
from .errors import IllegalArgument
from .policies import CORE, Policies
from .timestamps import MAX, MIN


@dataclass(slots=True)
class Task:
    """One task; `current` is the greatest watermark it has emitted, `notified` what it was told last (ms)."""

    partitions: bool
    current: int = MIN
    notified: int = MIN


@dataclass(slots=True)
class Vertex:
    """A vertex; its round is open as long as a task is awaited. Tasks by number from 0, timestamps in ms."""

    tasks: tuple[Task, ...]
    there: tuple[int, ...]  # who has not left
    name: str
    source: bool
    cooperating: bool
    listening: bool
    result: int = MIN  # the last one
    triggered: int = MIN  # when the newest round was
    awaited: tuple[int, ...] = ()
    replies: tuple[tuple[int, int], ...] = ()


class LowWatermarkService:
    """A job's coordinators and tasks, which share only messages; unknown ones: `IllegalArgument` (LOW-15)."""

    def __init__(self, vertices: list[Vertex], policies: Policies = CORE) -> None:
        self.policies, self.vertices = policies, {vertex.name: vertex for vertex in vertices}
        if len(self.vertices) < max(1, len(vertices)):
            raise IllegalArgument("vertices must be given, each with a name of its own (LOW-15)")

    def trigger(self, timestamp: int) -> list[tuple[Any, ...]]:
        """It is `timestamp` (ms), time for a new round: the coordinators ask their tasks."""
        vertices = self.vertices.values()
        for vertex in vertices:
            # A round that is still open is given up.
            cite("LOW-5")
            vertex.replies = ()
            vertex.awaited = vertex.there if cite("LOW-1", vertex.source and vertex.cooperating) else ()
            vertex.triggered = timestamp
        return [("retrieve-low-watermark", timestamp, f"{v.name}/{n}") for v in vertices for n in v.awaited]

    def reply(self, name: str, task: int, low_watermark: int) -> list[tuple[Any, ...]]:
        """A reply (ms) arrives at the coordinator; the task that sent it may have left since."""
        vertex = self._vertex(name)
        if not cite("LOW-6", task in dict(vertex.replies)) and cite("LOW-5", task not in vertex.awaited):
            return []
        vertex.replies = tuple(sorted({**dict(vertex.replies), task: low_watermark}.items()))
        return self._await_no_more(vertex, task)

    def join(self, name: str) -> list[tuple[Any, ...]]:
        """A task starts, with the next number and without partitions."""
        vertex = self._vertex(name)
        vertex.there, vertex.tasks = (*vertex.there, len(vertex.tasks)), (*vertex.tasks, Task(False))
        return []

    def leave(self, name: str, task: int) -> list[tuple[Any, ...]]:
        """A task is gone for good; what it has replied stays."""
        vertex = self._vertex(name, task)
        vertex.there = tuple(number for number in vertex.there if number != task)
        vertex.tasks[task].partitions = False
        if cite("LOW-4", task in vertex.awaited):
            return self._await_no_more(vertex, task)
        return []

    def _await_no_more(self, vertex: Vertex, task: int) -> list[tuple[Any, ...]]:
        vertex.awaited = tuple(awaited for awaited in vertex.awaited if awaited != task)
        if cite("LOW-3", vertex.awaited != ()):
            return []
        running = [(number, low) for number, low in vertex.replies if not cite("LOW-8", low == MAX)]
        counting = [low for number, low in running if cite("LOW-7", self._counts(vertex, number, low))]
        vertex.replies = ()
        lowest = smallest("LOW-9", counting, default=vertex.result)
        if not cite("LOW-10", lowest > vertex.result):
            return []
        vertex.result = lowest
        told = (f"{vertex.name}/{number}" for number in vertex.there)
        return [("notify-new-low-watermark", lowest, vertex.triggered, task) for task in told]

    def _counts(self, vertex: Vertex, number: int, low_watermark: int) -> bool:
        every = self.policies.low_watermark_counts == "every-subtask-with-partitions"
        return vertex.tasks[number].partitions if every else low_watermark > vertex.result

    def watermark(self, name: str, task: int, timestamp: int) -> list[tuple[Any, ...]]:
        """The task's source has emitted a watermark (ms) of its own."""
        emitting = self._vertex(name, task).tasks[task]
        if cite("LOW-11", timestamp > emitting.current):
            emitting.current = timestamp
        return []

    def partitions(self, name: str, task: int, count: int) -> list[tuple[Any, ...]]:
        """The task has `count` partitions from now on."""
        vertex = self._vertex(name, task)
        vertex.tasks[task].partitions = count > 0
        return self._emit_if_empty(vertex, task)

    def retrieve(self, name: str, task: int, timestamp: int) -> list[tuple[Any, ...]]:
        """The question of the round of `timestamp` (ms) arrives at the task."""
        vertex = self._vertex(name, task)
        if cite("LOW-2", not vertex.cooperating):
            return []
        cite("LOW-11")
        return [("reply-low-watermark", f"{name}/{task}", vertex.tasks[task].current)]

    def notify(self, name: str, task: int, low_watermark: int, timestamp: int) -> list[tuple[Any, ...]]:
        """The result (ms) of the round of `timestamp` (ms) arrives at the task."""
        vertex = self._vertex(name, task)
        vertex.tasks[task].notified = low_watermark
        return self._emit_if_empty(vertex, task)

    def _emit_if_empty(self, vertex: Vertex, number: int) -> list[tuple[Any, ...]]:
        task = vertex.tasks[number]
        if cite("LOW-2", not vertex.cooperating) or cite("LOW-12", not vertex.listening):
            return []
        if cite("LOW-14", task.partitions) or cite("LOW-8", task.notified == MAX):
            return []
        if not cite("LOW-13", task.notified > task.current):
            return []
        task.current = task.notified
        return [("low-watermark", task.notified, f"downstream of {vertex.name}/{number}")]

    def _vertex(self, name: str, *tasks: int) -> Vertex:
        if cite("LOW-15", name not in self.vertices or not set(tasks) <= set(self.vertices[name].there)):
            raise IllegalArgument(f"{name} or its task {tasks} is not there (LOW-15)")
        return self.vertices[name]

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Become the service that `saved` was taken from."""
        cite("LOW-16")
        restored = [Vertex(tuple(Task(*task) for task in tasks), *rest) for tasks, *rest in saved]
        self.vertices = {vertex.name: vertex for vertex in restored}

    def state(self) -> tuple[Any, ...]:
        """All of the state, hashable: equal states behave alike from here on."""
        of_task, of_vertex = attrgetter(*Task.__slots__), attrgetter(*Vertex.__slots__[1:])
        return tuple((tuple(map(of_task, v.tasks)), *of_vertex(v)) for v in self.vertices.values())

    snapshot = state
