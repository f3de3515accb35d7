"""Differences by kind: those of one kind are likely to have one cause."""

from collections.abc import Iterable, Sequence

from ...wire.transcript import Outputs
from .evidence import Difference, first_difference
from .model import Played


def by_kind(left: Iterable[Difference], current: dict[str, Played]) -> dict[object, list[Difference]]:
    """Differences by the kinds of step and of outputs at which they begin, the earliest first."""

    def place(one: Difference) -> int:
        return first_difference(one.outputs, current[one.scenario.id])

    kinds: dict[object, list[Difference]] = {}
    for one in sorted(left, key=lambda one: (place(one), len(one.outputs), one.scenario.id)):
        kinds.setdefault(_kind(one, current[one.scenario.id], place(one)), []).append(one)
    return kinds


def _kind(one: Difference, expected: Played, place: int) -> object:
    def types(outputs: Sequence[Outputs]) -> tuple[type, ...]:
        return tuple(map(type, outputs[place])) if place < len(outputs) else ()

    steps: Sequence[object] = one.scenario.history
    step = type(steps[place]) if len(steps) == len(expected) and place < len(steps) else None
    return step, types(expected), types(one.outputs)
