"""Window histories side by side in one Spark query, whose one watermark they share.

Histories have watermarks of their own, but all of them rise: the query's watermark goes through the values of
all, in order, and the other steps of a history are fed while the query stands at the history's own value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tidegauge.wire.steps.window import WatermarkStep
from tidegauge.wire.vocabulary import Step

from .courses import Course


@dataclass(frozen=True)
class Placed:
    """A step of a history that raises no watermark, and its index there."""

    history: str
    index: int
    step: Step


@dataclass
class Portion:
    """One micro-batch: the steps that are fed, and the value (ms) that the watermark rises to after it. The
    query is started again from its checkpoint before it, or not."""

    placed: list[Placed] = field(default_factory=list)
    rises_to: int | None = None
    restarted: bool = False


@dataclass
class Stay:
    """What a history does while its watermark has one value, in parts between restarts; `left_by`: the step
    that raises it."""

    parts: list[list[tuple[int, Step]]] = field(default_factory=lambda: [[]])
    left_by: int | None = None


def moment_of(step: Step) -> int | None:
    """The moment (ms) up to which all has arrived, as a step says; None for one that says nothing of it."""
    if isinstance(step, WatermarkStep) and isinstance(step.timestamp, int):
        return step.timestamp
    return None


def raised_to(moment: int) -> int:
    """Spark's watermark (ms) when all up to a moment (ms) has arrived: it says "all before", a ms more."""
    return moment + 1


def stays(course: Course) -> dict[int | None, Stay]:
    """By the watermark (ms; None: there is none yet) what a history does, in order."""
    current: int | None = None
    found = {current: Stay()}
    for entry in course.steps:
        if entry is None:
            found[current].parts.append([])
            continue
        index, step = entry
        moment = moment_of(step)
        if moment is not None and (current is None or moment > current):
            found[current].left_by = index
            current = moment
            found[current] = Stay()
        else:
            found[current].parts[-1].append((index, step))
    return found


def schedule(histories: Mapping[str, Course]) -> list[Portion]:
    """The micro-batches that put all histories through one query."""
    by_history = {name: stays(course) for name, course in histories.items()}
    values = sorted({value for found in by_history.values() for value in found if value is not None})
    portions: list[Portion] = []
    for value, following in pairwise([None, *values, None]):
        present = {name: found[value] for name, found in by_history.items() if value in found}
        for number in range(max((len(stay.parts) for stay in present.values()), default=1)):
            portion = Portion(restarted=number > 0)
            for name, stay in present.items():
                for index, step in stay.parts[number] if number < len(stay.parts) else ():
                    portion.placed.append(Placed(name, index, step))
            portions.append(portion)
        portions[-1].rises_to = following
    return portions


def raising_steps(found: Mapping[int | None, Stay]) -> Sequence[tuple[int, int]]:
    """The values (ms) that a history's watermark rises to, ascending, each with the index of the step."""
    stays_in_order = list(found.items())
    return [
        (value, stay.left_by)
        for (_, stay), (value, _) in pairwise(stays_in_order)
        if value is not None and stay.left_by is not None
    ]
