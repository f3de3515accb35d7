"""Widening of scenarios: each part of the wide setup gets the steps of one part of the small setup.

Most wide parts get the steps of the small part with the fewest steps. The other small parts go to places that
engines confuse or forget: the first part, the last part, and two parts with numbers that are equal modulo 32,
64 or 256.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ...wire.vocabulary import Step
from .random_source import RandomSource

WORDS = (32, 64, 256)
"""The numbers of parts that fit into a word of 32 bits, into one of 64 bits, and into the values of a
byte."""

Layout = tuple[int, ...]
"""For each part of the wide setup, the part of the small setup that provides its steps."""


def layout(random: RandomSource, steps_of: Sequence[int], wanted: int) -> Layout:
    """Return a layout of many parts.

    Args:
        random: the source of the choices.
        steps_of: the number of steps of each small part.
        wanted: the number of wide parts; at least the number of small parts.
    """
    parts = range(len(steps_of))
    background = min(parts, key=lambda part: (steps_of[part] == 0, steps_of[part], part))
    others = [part for part in parts if part != background]
    laid_out = [background] * wanted
    free = [place for place in dict.fromkeys(_special(random, wanted)) if place < wanted]
    while others:
        part = others.pop(random.below(len(others)))
        place = free.pop(0) if free else random.below(wanted)
        laid_out[place] = part
    if background not in laid_out:
        laid_out[wanted // 2] = background
    return tuple(laid_out)


def with_a_twin(parts: int) -> Layout:
    """Return the layout that contains the first part twice and every other part once."""
    return 0, *range(parts)


def _special(random: RandomSource, wanted: int) -> list[int]:
    """Return places that engines confuse or forget, in the order in which small parts are placed there."""
    words = [word for word in WORDS if word < wanted]
    ends = [wanted - 1, 0] if random.chance(50) else [0, wanted - 1]
    if not words:
        return ends
    word = words[-1] if random.chance(70) else random.pick(words)
    low = random.below(min(word, wanted - word))
    if random.chance(15):
        return [word - 1, *ends]
    return [low + word, low, *ends] if random.chance(70) else [*ends, low + word, low]


def steps_by(history: Sequence[Step], field: str, names: Sequence[Any]) -> list[int]:
    """Return the number of steps that name each part in `field`."""
    named = [getattr(step, field, None) for step in history]
    return [named.count(name) for name in names]


def by_number(
    history: Sequence[Step], field: str, laid_out: Layout, parts: int, **owner: str
) -> tuple[Step, ...]:
    """Return the steps on the wide setup. Each step of a small part is repeated for all its wide parts.

    Args:
        history: the steps on the small setup.
        field: the field with the number of the part.
        laid_out: the small part of each wide part.
        parts: the number of small parts. A number beyond them stays beyond the wide parts.
        owner: the owner of the parts, such as `source="orders"`. If it is given, only its steps change.
    """
    wide: list[Step] = []
    for step in history:
        own = all(getattr(step, name, "") == value for name, value in owner.items())
        number = getattr(step, field, None) if own else None
        if number is None or number < 0:
            wide.append(step)
        elif number >= parts:
            wide.append(replace(step, **{field: len(laid_out) + number - parts}))
        else:
            wide += [replace(step, **{field: place}) for place, part in enumerate(laid_out) if part == number]
    return tuple(wide)


def by_name(history: Sequence[Step], field: str, members: Mapping[str, Sequence[str]]) -> tuple[Step, ...]:
    """Return the steps on the wide setup. Each step of a small part is repeated for all its wide parts.

    Args:
        history: the steps on the small setup.
        field: the field with the name of the part.
        members: the names of the wide parts, by the name of their small part.
    """
    wide: list[Step] = []
    for step in history:
        name: Any = getattr(step, field, None)
        if name not in members:
            wide.append(step)
        else:
            wide += [replace(step, **{field: member}) for member in members[name]]
    return tuple(wide)


def members_of(names: Sequence[str], laid_out: Layout) -> dict[str, list[str]]:
    """Return the names of the wide parts of each small part: `a-0`, `a-1` and so on.

    The alphabetical order of the names is not the order in which the parts are created: `a-10` precedes
    `a-2`.
    """
    members: dict[str, list[str]] = {name: [] for name in names}
    for place, part in enumerate(laid_out):
        members[names[part]].append(f"{names[0]}-{place}")
    return members
