"""Groups differences from the reference, or from a model, by kind: differences of one kind are likely to have
one cause."""

from collections.abc import Callable, Iterable, Sequence

from ...wire.scenario import Scenario
from ..items.kinds import Kind, kind_of
from .evidence import Difference, first_difference
from .model import Played


def by_kind(
    differences: Iterable[Difference], played: Callable[[Scenario], Played]
) -> dict[Kind, list[Difference]]:
    """Return the differences of each kind, the earliest first and then the shortest scenarios.

    Args:
        differences: scenarios in which the engine differs from a model.
        played: returns the outputs of that model in a scenario.
    """
    placed = [(first_difference(each.outputs, played(each.scenario)), each) for each in differences]
    kinds: dict[Kind, list[Difference]] = {}
    for place, difference in sorted(placed, key=_order):
        kind = _kind(difference, played(difference.scenario), place)
        kinds.setdefault(kind, []).append(difference)
    return kinds


def _order(placed: tuple[int, Difference]) -> tuple[int, int, int, str]:
    place, difference = placed
    return place, len(difference.outputs), len(difference.scenario.history), difference.scenario.id


def _kind(difference: Difference, expected: Played, place: int) -> Kind:
    steps: Sequence[object] = difference.scenario.history
    is_a_step = len(steps) == len(expected) and place < len(steps)
    return kind_of(
        steps[place] if is_a_step else None,
        expected[place] if place < len(expected) else (),
        difference.outputs[place] if place < len(difference.outputs) else (),
    )
