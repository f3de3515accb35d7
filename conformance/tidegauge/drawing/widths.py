"""Scenarios with many parts, of which a few are active: the first, the last, and two whose numbers collide in
a word of 32 or 64 bits or in a byte."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import get_type_hints

from msgspec.structs import replace

from ..components.component import Component
from ..components.shared.widening import WORDS
from ..wire.vocabulary import Step
from .confusion import Mistaken, shows
from .draft import Draft, Made

_LONGEST = 16
"""Largest number of steps of the small scenario before the closing steps."""

_SMALL_ONES = 6
"""Largest number of small scenarios that are drawn to find one that is worth widening."""

_LAYOUTS = 3
"""Largest number of attempts to widen a small scenario; the parts that are active differ."""

_RELAXED = 12
"""From this attempt on, the scenario has to detect only one way to confuse the parts."""

_NUMBERED = re.compile(r"(.*-)(\d+)")


@dataclass(frozen=True)
class Confusion:
    """A confusion of parts.

    Attributes:
        types: the types of the steps in which the engine confuses parts.
        ways: the ways to mistake these steps; a scenario must detect each of them.
    """

    types: tuple[type[Step], ...]
    ways: tuple[Mistaken, ...]


def wide(draft: Draft, what: str, width: int) -> Made | None:
    """Return a scenario with many parts that detects a confusion of parts, each confusion in turn.

    Args:
        draft: the inputs for the drawing.
        what: the name of the parts in the `Scale.widen` of the component.
        width: the number of parts.

    Returns:
        The setup and the steps; None if they do not detect the confusion, or if there are too many steps.
    """
    scale = draft.component.scale
    confusions = confusions_of(draft.component, what, width)
    if not confusions:
        return scale.widen[what](draft.random, *draft.small(longest=_LONGEST), width)
    confusion = confusions[draft.index % len(confusions)]
    # A wide scenario takes long to play, so the small one must be suitable first.
    drawn = (draft.small(longest=_LONGEST) for _ in range(_SMALL_ONES))
    small = next((made for made in drawn if _matters(draft, made, scale.parts[what], confusion)), None)
    if small is None:
        return None
    ways = confusion.ways[:1] if draft.attempt >= _RELAXED else confusion.ways
    for _ in range(_LAYOUTS):
        made = scale.widen[what](draft.random, *small, width)
        if made is None or len(made[1]) > _most_steps(width):
            return None
        if shows(draft.component, draft.policies, *made, *ways):
            return made
    return None


def _most_steps(width: int) -> int:
    """Return the largest number of steps. Longer scenarios cost much and detect little more."""
    return (3 * width if width < WORDS[-1] - 1 else 2 * width) + _LONGEST


def _matters(draft: Draft, small: Made, field: str, confusion: Confusion) -> bool:
    """Return whether an output changes if the engine ignores the steps of one part, limited to steps of the
    confused types."""
    setup, steps = small
    parts = dict.fromkeys(getattr(step, field) for step in steps if hasattr(step, field))
    ignoring = (partial(_ignoring, field=field, part=part, types=confusion.types) for part in parts)
    return any(shows(draft.component, draft.policies, setup, steps, way) for way in ignoring)


def _ignoring(step: Step, field: str, part: int | str, types: tuple[type[Step], ...]) -> Sequence[Step]:
    return () if type(step) in types and getattr(step, field) == part else (step,)


def confusions_of(component: Component, what: str, width: int) -> list[Confusion]:
    """Return the confusions of an engine that keeps this number of parts in words of 32 or 64 bits, or their
    numbers in bytes.

    The engine ignores the steps of all parts beyond the word, of the last part, or of the last part within
    the word. If parts have numbers, the engine takes a part beyond the word for the part with the same number
    modulo the word, in steps of all types or of one type. In steps of one type, the engine may also execute a
    step for all parts with the same number modulo the word.
    """
    field = component.scale.parts.get(what)
    if field is None:
        return []
    types = tuple(step for step in component.drawn_steps if field in step.__struct_fields__)
    last = Confusion(types, (partial(_without, field=field, first=width - 1, behind=width),))
    words = [word for word in WORDS if word < width]
    if not words:
        return [last]
    word = words[-1]
    beyond = Confusion(types, (partial(_without, field=field, first=word, behind=width),))
    if any(get_type_hints(step)[field] is not int for step in types):
        return [beyond, last]
    taken_for = partial(_taken_for, field=field, word=word)
    shared = partial(_shared, field=field, word=word, width=width)
    of_one_type = [
        Confusion((kind,), (partial(taken_for, types=(kind,)), partial(shared, types=(kind,))))
        for kind in types
        if len(types) > 1
    ]
    last_of_the_word = Confusion(types, (partial(_without, field=field, first=word - 1, behind=word),))
    together = Confusion(types, (partial(taken_for, types=types),))
    return [together, beyond, last, *of_one_type, last_of_the_word]


def _taken_for(step: Step, field: str, word: int, types: tuple[type[Step], ...]) -> Sequence[Step]:
    number = _number(step, field)
    if number < word or type(step) not in types:
        return (step,)
    return (replace(step, **{field: number % word}),)


def _shared(step: Step, field: str, word: int, width: int, types: tuple[type[Step], ...]) -> Sequence[Step]:
    number = _number(step, field)
    if number < 0 or type(step) not in types:
        return (step,)
    others = [other for other in range(number % word, width, word) if other != number]
    return (step, *(replace(step, **{field: other}) for other in others))


def _without(step: Step, field: str, first: int, behind: int) -> Sequence[Step]:
    return () if first <= _number(step, field) < behind else (step,)


def _number(step: Step, field: str) -> int:
    """Return the number of the part that a step names; -1 if it names none."""
    name = getattr(step, field, None)
    if isinstance(name, int):
        return name
    numbered = _NUMBERED.fullmatch(name or "")
    return int(numbered[2]) if numbered else -1
