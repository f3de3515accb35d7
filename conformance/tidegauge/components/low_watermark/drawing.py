"""Random jobs, and steps that matter to their low-watermark service."""

from typing import Any

from ...wire.steps.low_watermark import (
    JobVertex,
    JoinStep,
    LeaveStep,
    LowWatermarkSetup,
    NotifyStep,
    PartitionsStep,
    ReplyStep,
    RetrieveStep,
    TriggerStep,
    WatermarkStep,
)
from ...wire.timestamps import MAX, MIN, to_wire
from ...wire.vocabulary import Step
from ..shared.moments import EPOCHS
from ..shared.random_source import RandomSource

_NAMES = ("shop/orders", "shop/payments", "shop/join")
_TASKS = (1, 2, 2, 3, 3, 4)


def draw_setup(random: RandomSource) -> LowWatermarkSetup:
    """One to three vertices, the first a listening source, with fewer partitions than tasks or as many."""
    vertices: list[JobVertex] = []
    for name in _NAMES[: random.pick((1, 1, 2, 3))]:
        tasks = random.pick(_TASKS)
        first = not vertices
        vertices.append(
            JobVertex(
                name,
                tasks,
                random.between(0, tasks),
                source=first or random.chance(60),
                cooperating=first or random.chance(60),
                listening=first or random.chance(50),
            )
        )
    return LowWatermarkSetup(tuple(vertices))


def draw_step(random: RandomSource, service: Any) -> Step:
    """A step for the service as it stands: `service` is the reference's engine."""
    vertex = random.pick(list(service.vertices.values()))
    if random.chance(55):
        vertex = service.vertices[_NAMES[0]]
    name = vertex.name if random.chance(99) else "shop/nowhere"
    if vertex.awaited and random.chance(6):
        return _of_a_task_without_a_query(random, vertex, name)
    if vertex.replies and vertex.there and random.chance(_leaving(vertex)):
        return LeaveStep(name, random.pick(vertex.there))
    if not vertex.there and random.chance(60):
        return JoinStep(name)
    if vertex.awaited and random.chance(45):
        task = random.pick(vertex.awaited)
        return ReplyStep(name, task, _reply(random, vertex, task))
    kind = random.below(100)
    if kind < 20:
        return TriggerStep(random.between(0, 3) * 1000)
    if kind < 27:
        return JoinStep(name)
    task = _task(random, vertex)
    if kind < 32:
        return LeaveStep(name, task)
    if kind < 48:
        return WatermarkStep(name, task, _timestamp(random, vertex))
    if kind < 58:
        return PartitionsStep(name, task, random.pick((0, 0, 1, 2)))
    if kind < 68:
        return RetrieveStep(name, task, to_wire(vertex.triggered))
    if kind < 81:
        return ReplyStep(name, task, _reply(random, vertex, task))
    low_watermark = to_wire(vertex.result) if random.chance(40) else _timestamp(random, vertex)
    return NotifyStep(name, task, low_watermark, to_wire(vertex.triggered))


def _leaving(vertex: Any) -> int:
    """Return the percentage of steps in which a task leaves while a round with replies is open.

    After the first task has left, the percentage rises. Often all tasks leave, so that no task is present to
    be notified of the result.
    """
    return 40 if len(vertex.there) < len(vertex.awaited) + len(vertex.replies) else 5


def _of_a_task_without_a_query(random: RandomSource, vertex: Any, name: str) -> Step:
    """While a round is open a task joins, or replies although it joined after the query: with a low watermark
    between the last result and the other replies, so that it would decide the round."""
    replied = dict(vertex.replies)
    awaited = set(vertex.awaited)
    unasked = [task for task in vertex.there if task not in awaited and task not in replied]
    if not unasked:
        return JoinStep(name)
    if vertex.result == MIN:
        return ReplyStep(name, random.pick(unasked), _timestamp(random, vertex))
    return ReplyStep(name, random.pick(unasked), to_wire(min(MAX, int(vertex.result) + 1)))


def _task(random: RandomSource, vertex: Any) -> int:
    """Mostly a task that is there, now and then one that has left or never was."""
    there: tuple[int, ...] = vertex.there
    if there and random.chance(97):
        return random.pick(there)
    return random.between(-1, len(vertex.tasks))


def _reply(random: RandomSource, vertex: Any, task: int) -> int | str:
    """What the task would reply, or any other low watermark."""
    if task in range(len(vertex.tasks)) and random.chance(30):
        return to_wire(vertex.tasks[task].current)
    return _timestamp(random, vertex)


def _timestamp(random: RandomSource, vertex: Any) -> int | str:
    """Around the last result or what a task has; now and then the end of input, or nothing yet."""
    if random.chance(8):
        return to_wire(MIN if random.chance(25) else MAX)
    chosen = random.below(1 + len(vertex.tasks))  # there may be hundreds
    known = vertex.tasks[chosen - 1].current if chosen else vertex.result
    if known in (MIN, MAX):
        known = random.pick(EPOCHS)
    return to_wire(int(known) + random.between(-2, 5))
