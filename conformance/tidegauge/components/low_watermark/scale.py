"""Vertices with many tasks, many vertices, and vertices with difficult names."""

from collections.abc import Iterator

from msgspec.structs import replace

from ...wire.steps.low_watermark import LowWatermarkSetup
from ...wire.vocabulary import Step
from ..scale import Scale, Widened
from ..shared.random_source import RandomSource
from ..shared.widening import by_name, by_number, first_of_groups, groups, member

_MOST_VERTICES = 100


def _tasks(random: RandomSource, setup: LowWatermarkSetup, history: tuple[Step, ...], wanted: int) -> Widened:
    """Every vertex gets as many tasks as its first groups have; tasks that join are
    single ones."""
    most = max(vertex.tasks for vertex in setup.vertices)
    sizes = groups(random, most, wanted)
    firsts = first_of_groups(sizes)
    vertices = tuple(
        replace(vertex, tasks=firsts[vertex.tasks], partitions=firsts[vertex.partitions])
        for vertex in setup.vertices
    )
    return LowWatermarkSetup(vertices), tuple(_numbered(setup, history, sizes))


def _numbered(setup: LowWatermarkSetup, history: tuple[Step, ...], sizes: tuple[int, ...]) -> Iterator[Step]:
    by_vertex = {vertex.name: vertex.tasks for vertex in setup.vertices}
    for step in history:
        own = by_vertex.get(getattr(step, "vertex", ""), 0)
        yield from by_number([step], "task", (*sizes[:own], *(1 for _ in history)))


def _vertices(
    random: RandomSource, setup: LowWatermarkSetup, history: tuple[Step, ...], wanted: int
) -> Widened | None:
    """Each vertex becomes many that do the same; a job has no thousand."""
    if wanted > _MOST_VERTICES:
        return None
    names = [vertex.name for vertex in setup.vertices]
    sizes = dict(zip(names, groups(random, len(names), wanted), strict=True))
    many = tuple(
        replace(vertex, name=member(vertex.name, place))
        for vertex in setup.vertices
        for place in range(sizes[vertex.name])
    )
    return LowWatermarkSetup(many), by_name(history, "vertex", sizes)


SCALE = Scale(widen={"tasks": _tasks, "vertices": _vertices}, names=("vertex", "name"))
