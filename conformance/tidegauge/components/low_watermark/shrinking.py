"""Smaller jobs: fewer vertices, fewer tasks at the start, smaller numbers."""

from msgspec.structs import replace

from ...wire.steps.low_watermark import JobVertex, LowWatermarkSetup
from ...wire.vocabulary import Step
from ..shared.simplification import plainer_numbers, with_fewer, without_number

Candidate = tuple[LowWatermarkSetup, tuple[Step, ...]]


def simplify(setup: LowWatermarkSetup, history: tuple[Step, ...]) -> list[Candidate]:
    """Candidates that do the same with less."""
    candidates: list[Candidate] = []
    for unwanted in setup.vertices:
        others = tuple(vertex for vertex in setup.vertices if vertex != unwanted)
        if others:
            kept = tuple(step for step in history if getattr(step, "vertex", "") != unwanted.name)
            candidates.append((LowWatermarkSetup(others), kept))
        if unwanted.tasks > 1:
            candidates += (_without(setup, history, unwanted, task) for task in range(unwanted.tasks))
        if unwanted.partitions:
            fewer = replace(unwanted, partitions=unwanted.partitions - 1)
            candidates.append((_exchanged(setup, unwanted, fewer), history))
    return candidates + plainer_numbers(setup, history)


def fewer(setup: LowWatermarkSetup, history: tuple[Step, ...]) -> list[Candidate]:
    """Vertices with the first of many tasks."""
    candidates: list[Candidate] = []
    for kept, steps in with_fewer(max(vertex.tasks for vertex in setup.vertices), history, "task"):
        narrow = (
            replace(vertex, tasks=min(kept, vertex.tasks), partitions=min(kept, vertex.partitions))
            for vertex in setup.vertices
        )
        candidates.append((LowWatermarkSetup(tuple(narrow)), steps))
    return candidates


def _exchanged(setup: LowWatermarkSetup, old: JobVertex, new: JobVertex) -> LowWatermarkSetup:
    return LowWatermarkSetup(tuple(new if vertex == old else vertex for vertex in setup.vertices))


def _without(
    setup: LowWatermarkSetup, history: tuple[Step, ...], vertex: JobVertex, unwanted: int
) -> Candidate:
    """Without one of the first tasks of a vertex; those after it move up."""
    held = vertex.partitions - (unwanted < vertex.partitions)
    fewer = replace(vertex, tasks=vertex.tasks - 1, partitions=held)
    return _exchanged(setup, vertex, fewer), without_number(history, "task", unwanted, vertex=vertex.name)
