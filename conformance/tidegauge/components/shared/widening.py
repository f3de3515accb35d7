"""A small history made wide: what one part did, now many do.

Each part of the small setup becomes a group of parts, one after the other, which all do the steps of it.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from msgspec.structs import replace

from ...wire.vocabulary import Step
from .random_source import RandomSource

_FEW = 3


def groups(random: RandomSource, parts: int, wanted: int) -> tuple[int, ...]:
    """The sizes of the groups: at most three each, except for one that has all the rest."""
    large = random.below(parts)
    sizes = [random.between(1, _FEW) for _ in range(parts)]
    sizes[large] = 0
    sizes[large] = max(1, wanted - sum(sizes))
    return tuple(sizes)


def first_of_groups(sizes: Sequence[int]) -> list[int]:
    """The number of the first part of each group; at the end how many parts there are."""
    return [0, *accumulate(sizes)]


def by_number(history: Sequence[Step], field: str, sizes: Sequence[int]) -> tuple[Step, ...]:
    """The history, each step with a number of a group under `field` done by all of that group. Numbers of no
    part are of none afterwards."""
    firsts = first_of_groups(sizes)
    wide: list[Step] = []
    for step in history:
        number = getattr(step, field, None)
        if number is None or number < 0:
            wide.append(step)
        elif number >= len(sizes):
            wide.append(replace(step, **{field: firsts[-1] + number - len(sizes)}))
        else:
            wide += [replace(step, **{field: firsts[number] + place}) for place in range(sizes[number])]
    return tuple(wide)


def by_name(history: Sequence[Step], field: str, sizes: Mapping[str, int]) -> tuple[Step, ...]:
    """The history, each step with a name of a group under `field` done by all of that group: by `a-0`,
    `a-1` and so on."""
    wide: list[Step] = []
    for step in history:
        name: Any = getattr(step, field, None)
        if name not in sizes:
            wide.append(step)
        else:
            wide += [replace(step, **{field: member(name, place)}) for place in range(sizes[name])]
    return tuple(wide)


def member(name: str, place: int) -> str:
    """The name of a part of a group: numbers without leading zeros sort otherwise than they are made."""
    return f"{name}-{place}"
