"""Scenarios with two similar names. Both are in use, and the outputs change if an engine confuses them.

A few plain scenarios serve for all pairs of names: whether a confusion changes the outputs does not depend on
the names themselves.
"""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple
from zlib import crc32

from tidegauge_reference import Policies

from ..components.component import Component
from ..components.shared.alike_names import Pair
from ..components.shared.naming import names_in, with_names
from ..components.shared.random_source import RandomSource
from ..wire.vocabulary import Setup, Step
from .confusion import played
from .draft import Draft, Made

_COMMON = 8
"""Number of pairs, from the front, that engines confuse most often. They are also used with each type of step
alone."""

_PLAIN = 4
"""Number of plain scenarios per namespace."""

_TRIES = 60
"""Largest number of attempts to draw a plain scenario."""

_RELAXED = 25
"""From this attempt on, the scenario has to detect only one way to confuse the names."""

_LONGEST = 20
"""Largest number of steps of a plain scenario before the closing steps."""

Types = tuple[type[Step], ...] | None
"""Types of steps; None stands for all types."""


class _Place(NamedTuple):
    """The subject of a scenario.

    Attributes:
        fields: the fields that contain names of one namespace.
        pair: the two similar names.
        types: the types of the steps in which the engine confuses the names.
        number: the number of the plain scenario to use.
    """

    fields: tuple[str, ...]
    pair: Pair
    types: Types
    number: int


class _Plain(NamedTuple):
    """A scenario whose outputs change if an engine confuses two of its names.

    Attributes:
        setup: the setup.
        steps: the steps.
        first: one of the two names.
        second: the other of the two names.
        rest: all other names in the scenario.
    """

    setup: Setup
    steps: tuple[Step, ...]
    first: str
    second: str
    rest: tuple[str, ...] = ()


@cache
def _places(component: Component) -> tuple[_Place, ...]:
    """Return the subjects of a component: each pair for steps of all types, then the common pairs for each
    type of step alone."""
    scale = component.scale
    pairs = tuple(scale.alike.values())
    together = [
        _Place(fields, pair, None, number % _PLAIN)
        for fields in scale.names
        for number, pair in enumerate(pairs)
    ]
    apart = [
        _Place(fields, pair, (kind,), 0)
        for fields in scale.names
        for kind in component.drawn_steps
        if {*fields} & {*kind.__struct_fields__} and not scale.names_come_out
        for pair in pairs[:_COMMON]
    ]
    return (*together, *apart)


def number_of_scenarios(component: Component) -> int:
    """Return the number of scenarios that cover each pair of names in each namespace, and the common pairs
    for each type of step."""
    return len(_places(component))


def with_alike_names(draft: Draft) -> Made | None:
    """Return a scenario with two similar names, one pair after the other; None if there is no plain scenario
    for the pair."""
    places, scale = _places(draft.component), draft.component.scale
    again, at = divmod(draft.index, len(places))
    place = places[at]
    number = place.number + again * _PLAIN
    plain = _plain(draft.component, draft.policies, place.fields, place.types, number)
    if plain is None:
        return None
    swapped = (at + again) % 2 == 1 and not scale.kept_name
    first, second = reversed(place.pair) if swapped else place.pair
    others = {name: f"another-{at}" for at, name in enumerate(plain.rest) if name in place.pair}
    others |= {plain.first: first, plain.second: second}
    named = partial(with_names, fields=place.fields, others=others)
    return named(plain.setup), tuple(map(named, plain.steps))


@lru_cache(maxsize=256)
def _plain(
    component: Component, policies: Policies, fields: tuple[str, ...], types: Types, number: int
) -> _Plain | None:
    """Draw the plain scenario with this number; None if no attempt succeeds."""
    stream = " ".join([component.name, *fields, *(kind.__name__ for kind in types or ())])
    random = RandomSource(crc32(stream.encode()), number)
    for attempt in range(_TRIES):
        draft = Draft(component, random, policies, number, attempt)
        plain = _drawn(draft, fields)
        if plain is not None and (component.scale.names_come_out or _matters(draft, plain, fields, types)):
            return plain
    return None


def _drawn(draft: Draft, fields: tuple[str, ...]) -> _Plain | None:
    """Draw a scenario and choose two of its names; None if the scenario has no names.

    If one name has a special meaning, a similar name replaces it: an engine may confuse the similar name with
    the special one.
    """
    setup, steps = draft.small(longest=_LONGEST)
    known = sorted({name for struct in (setup, *steps) for name in names_in(struct, fields)})
    kept = draft.component.scale.kept_name
    if kept:
        named = partial(with_names, fields=fields, others={kept: kept * 2})
        return _Plain(named(setup), tuple(map(named, steps)), kept * 2, kept) if kept in known else None
    if not known:
        return None
    first = known.pop(draft.random.below(len(known)))
    second = known.pop(draft.random.below(len(known))) if known else first * 2
    return _Plain(setup, steps, first, second, tuple(known))


def _matters(draft: Draft, plain: _Plain, fields: tuple[str, ...], types: Types) -> bool:
    """Return whether the outputs change if an engine confuses the two names in steps of these types.

    There are two confusions: the engine takes the first name for the second, or it executes each step with
    both names. A change of the names in the outputs does not count.
    """
    setup, steps, first, second, _ = plain
    taken_for = partial(with_names, fields=fields, others={first: second})
    swapped = partial(with_names, fields=fields, others={first: second, second: first})
    flags = [types is None or type(step) in types for step in steps]
    with_other = [(taken_for(step) if flag else step,) for step, flag in zip(steps, flags, strict=True)]
    with_both = [(step, swapped(step)) if flag else (step,) for step, flag in zip(steps, flags, strict=True)]

    def outputs(setup: Setup, each: Sequence[Sequence[Step]]) -> Any:
        return _renamed(played(draft.component, draft.policies, setup, each), {first: second})

    expected = outputs(setup, [(step,) for step in steps])
    mistaken = outputs(taken_for(setup), with_other) if types is None else None
    if mistaken is not None:
        return bool(expected != mistaken)
    # The reference rejects the setup if its parts must have different names: then only the steps are
    # mistaken.
    if expected == outputs(setup, with_other):
        return False
    return draft.attempt >= _RELAXED or bool(expected != outputs(setup, with_both))


def _renamed(played: Any, others: Mapping[str, str]) -> Any:
    """Return outputs of the reference with other names. A name is a whole text, the part before a slash, or
    the part after `downstream of`."""
    if isinstance(played, list):
        return [_renamed(part, others) for part in played]
    if isinstance(played, tuple):
        return tuple(_renamed(part, others) for part in played)
    if not isinstance(played, str):
        return played
    if played in others:
        return others[played]
    receiver, slash, number = played.rpartition("/")
    words, downstream, name = receiver.rpartition("downstream of ")
    return f"{words}{downstream}{others.get(name, name)}{slash}{number}"
