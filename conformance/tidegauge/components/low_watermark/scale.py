"""Scale of the low-watermark component: vertices with many tasks, many vertices, and vertices with similar
names."""

from msgspec.structs import replace

from ...wire.steps.low_watermark import JobVertex, JoinStep, LeaveStep, LowWatermarkSetup, PartitionsStep
from ...wire.vocabulary import Step
from ..scale import Scale, Widened
from ..shared.alike_names import ALIKE
from ..shared.random_source import RandomSource
from ..shared.widening import Layout, by_name, by_number, layout, members_of, steps_by

_MOST_VERTICES = 100


def _tasks(
    random: RandomSource, setup: LowWatermarkSetup, history: tuple[Step, ...], wanted: int
) -> Widened | None:
    """Widen one vertex to many tasks; the other vertices do not change. A task that joins stays one task."""
    chosen = random.pick(setup.vertices)
    if any(isinstance(step, JoinStep) and step.vertex == chosen.name for step in history[:1]):
        return None
    own = [step for step in history if getattr(step, "vertex", "") == chosen.name]
    laid_out = layout(random, steps_by(own, "task", range(chosen.tasks)), wanted)
    many, first = _with_partitions(chosen, laid_out)
    vertices = tuple(many if vertex is chosen else vertex for vertex in setup.vertices)
    steps = by_number(history, "task", laid_out, chosen.tasks, vertex=chosen.name)
    return LowWatermarkSetup(vertices), (*first, *steps)


def _with_partitions(vertex: JobVertex, laid_out: Layout) -> tuple[JobVertex, list[Step]]:
    """Return the vertex with many tasks, and steps that set the partitions of some of them.

    The setup either gives all tasks partitions or none, whichever is right for more tasks. The steps correct
    the other tasks, so that each wide task has partitions if its small task has.
    """
    have = [part < vertex.partitions for part in laid_out]
    most_have = have.count(True) * 2 > len(have)
    wide = replace(vertex, tasks=len(laid_out), partitions=len(laid_out) if most_have else 0)
    others = [task for task, has in enumerate(have) if has is not most_have]
    return wide, [PartitionsStep(vertex.name, task, int(not most_have)) for task in others]


def _vertices(
    random: RandomSource, setup: LowWatermarkSetup, history: tuple[Step, ...], wanted: int
) -> Widened | None:
    """Replace each vertex by many vertices with the same steps. The result is None beyond 100 vertices: no
    job has a thousand."""
    if wanted > _MOST_VERTICES:
        return None
    names = [vertex.name for vertex in setup.vertices]
    laid_out = layout(random, steps_by(history, "vertex", names), wanted)
    many = tuple(
        replace(setup.vertices[part], name=f"{names[0]}-{place}") for place, part in enumerate(laid_out)
    )
    return LowWatermarkSetup(many), by_name(history, "vertex", members_of(names, laid_out))


def _undone(step: Step) -> Step | None:
    if isinstance(step, PartitionsStep):
        return PartitionsStep(step.vertex, step.task, int(not step.count))
    return None


SCALE = Scale(
    widen={"tasks": _tasks, "vertices": _vertices},
    parts={"tasks": "task", "vertices": "vertex"},
    names=(("vertex", "name"),),
    alike=ALIKE,
    durations={"count": (0, 2**31 - 1)},
    undone=_undone,
    lasting=lambda step: isinstance(step, JoinStep | LeaveStep),
)
