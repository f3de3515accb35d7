"""Smaller numbers in the steps of a history: for components that have no shrinking of their own."""

from typing import Any

from msgspec.structs import asdict, replace

from ..vocabulary import Step


def plainer_numbers(setup: Any, history: tuple[Any, ...]) -> list[tuple[Any, tuple[Step, ...]]]:
    """The history with one number of one step nearer to 0, or a number instead of a named timestamp."""
    candidates = []
    for index, step in enumerate(history):
        for name, value in asdict(step).items():
            for plainer in _plainer(value):
                changed = replace(step, **{name: plainer})
                candidates.append((setup, (*history[:index], changed, *history[index + 1 :])))
    return candidates


def _plainer(value: Any) -> list[int]:
    """Smaller numbers, some by much, so that a few rounds reach the smallest."""
    if value in ("MIN", "MAX"):
        return [0]
    if not isinstance(value, int) or isinstance(value, bool) or value == 0:
        return []
    if value < 0:
        return [-value]
    return sorted({value - (value >> shift) for shift in range(value.bit_length())})
