"""Smaller numbers in the steps of a history: for components that have no shrinking of their own."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import asdict, replace

from ...wire.vocabulary import Step


def plainer_numbers(setup: Any, history: tuple[Any, ...]) -> list[tuple[Any, tuple[Step, ...]]]:
    """The history with one number of one step nearer to 0, or a number instead of a named timestamp."""
    candidates = []
    for index, step in enumerate(history):
        for name, value in asdict(step).items():
            for plainer in _plainer(value):
                changed = replace(step, **{name: plainer})
                candidates.append((setup, (*history[:index], changed, *history[index + 1 :])))
    return candidates


def without_number(history: Sequence[Step], name: str, unwanted: int, **owner: str) -> tuple[Step, ...]:
    """Without the steps that have this number under `name`; those after it move up. With an owner, such as
    `source="orders"`: only among its steps."""
    renumbered: list[Step] = []
    for step in history:
        own = all(getattr(step, field, "") == value for field, value in owner.items())
        number = getattr(step, name, -1) if own else -1
        if number != unwanted:
            renumbered.append(replace(step, **{name: number - 1}) if number > unwanted else step)
    return tuple(renumbered)


def with_fewer(number: int, history: Sequence[Step], field: str) -> list[tuple[int, tuple[Step, ...]]]:
    """Of so many parts the first 1, 2, 4 and so on, with the steps that name these under `field`, or none."""
    counts = [1 << power for power in range(number.bit_length()) if 1 << power < number]
    return [(kept, tuple(step for step in history if getattr(step, field, -1) < kept)) for kept in counts]


def _plainer(value: Any) -> list[int]:
    """Smaller numbers, some by much, so that a few rounds reach the smallest."""
    if value in ("MIN", "MAX"):
        return [0]
    if not isinstance(value, int) or isinstance(value, bool) or value == 0:
        return []
    if value < 0:
        return [-value]
    return sorted({value - (value >> shift) for shift in range(value.bit_length())})
