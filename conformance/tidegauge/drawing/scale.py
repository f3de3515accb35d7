"""Scenarios of scale: many parts, many steps, large numbers, timestamps at the limits of number types, setups
at limits, similar names, and restarts.

They are the same with every seed: a budget takes more or fewer of them, from the front of each kind.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from zlib import crc32

from tidegauge_reference import Policies

from ..components.component import Component
from ..components.leading_watermarks import with_leading_watermarks
from ..components.outside import outside
from ..components.shared.random_source import RandomSource
from ..components.shared.widening import WORDS
from ..components.within import rounded
from ..wire.base_scenario import Origin
from ..wire.scenario import Scenario, problems
from ..wire.timestamps import needs_int64
from ..wire.vocabulary import Restore, Snapshot
from .draft import Draft, Made
from .edges import CALENDAR, at_edge, in_calendar
from .histories import longest_of
from .names import number_of_scenarios, with_alike_names
from .numbers import BEYOND_DOUBLES, UNITS, stretched
from .restarts import in_each_state, restarted, taken_back
from .runs import far, long, over_and_over, repeated, types_of_steps
from .widths import confusions_of, wide

_LONG = 10_000

_TRIES = 40
"""Number of attempts to draw a scenario that fits its kind."""


@dataclass(frozen=True)
class Kind:
    """A kind of scenarios of scale.

    Attributes:
        name: the name of the kind.
        numbers: the number of scenarios in each budget, by the name of the budget.
        make: draws a scenario; returns None if the attempt does not fit the kind.
        needs: the capabilities that every scenario of the kind needs.
    """

    name: str
    numbers: Mapping[str, int]
    make: Callable[[Draft], Made | None]
    needs: tuple[str, ...] = ()


def _numbers(smoke: int, default: int, thorough: int) -> Mapping[str, int]:
    return {"smoke": smoke, "default": default, "thorough": thorough}


_WIDTHS = {
    6: _numbers(4, 40, 200),
    31: _numbers(0, 2, 10),
    32: _numbers(1, 2, 10),
    33: _numbers(4, 12, 60),
    34: _numbers(0, 2, 10),
    63: _numbers(0, 2, 10),
    64: _numbers(1, 2, 10),
    65: _numbers(8, 16, 60),
    66: _numbers(1, 4, 10),
    255: _numbers(0, 1, 4),
    256: _numbers(0, 3, 10),
    257: _numbers(1, 6, 20),
    1000: _numbers(0, 1, 4),
    1024: _numbers(0, 0, 2),
}
_LONG_NUMBERS = {
    100: _numbers(8, 20, 100),
    600: _numbers(1, 3, 10),
    _LONG: _numbers(0, 1, 3),
    3 * _LONG: _numbers(0, 0, 1),
}


def _kinds(component: Component) -> Iterator[Kind]:
    scale = component.scale
    for what in scale.widen:
        for width, numbers in _WIDTHS.items():
            if width > scale.most_parts:
                break
            make = partial(wide, what=what, width=width)
            yield Kind(f"{width}-{what}", _of_width(component, what, width, numbers), make)
    for name, edge in scale.edges.items():
        yield Kind(f"at-{name}", _numbers(3, 12, 60), partial(at_edge, edge=edge))
    for name, unit in UNITS.items():
        needs = ("int64",) if name in BEYOND_DOUBLES else ()
        yield Kind(f"apart-{name}", _numbers(10, 30, 100), partial(stretched, unit=unit), needs)
    if scale.calendar:
        yield Kind("calendar", _numbers(len(CALENDAR), 3 * len(CALENDAR), 200), in_calendar)
    for name in scale.setups:
        yield Kind(f"with-{name}", _numbers(3, 12, 60), partial(_with_setup, name=name))
    if scale.names:
        number = number_of_scenarios(component)
        yield Kind("names", _numbers(number, 2 * number, 10 * number), with_alike_names)
    if "snapshot" in component.extras:
        yield Kind("restarts", _numbers(2, 20, 100), restarted)
        yield Kind("taken-back", _numbers(40, 100, 500), taken_back)
        yield Kind("in-each-state", _numbers(60, 300, 2_000), in_each_state)
    number = len(types_of_steps(component))
    yield Kind("repeated", _numbers(number, 2 * number, 10 * number), repeated)
    yield Kind("over-and-over", _numbers(2, 6, 30), over_and_over)
    if scale.far:
        yield Kind("far", _numbers(2, 6, 30), far, ("int64",))
    for length, numbers in _LONG_NUMBERS.items():
        if length > longest_of(component):
            break
        yield Kind(f"{length}-steps", numbers, partial(long, length=length))


def _of_width(component: Component, what: str, width: int, numbers: Mapping[str, int]) -> Mapping[str, int]:
    """Return the numbers of scenarios of a width. The smoke budget covers each confusion at most once."""
    if width < WORDS[0]:
        return numbers
    confusions = len(confusions_of(component, what, width))
    return {**numbers, "smoke": min(numbers["smoke"], max(2, confusions))}


def _with_setup(draft: Draft, name: str) -> Made:
    return draft.small(draft.component.scale.setups[name])


@lru_cache
def _kinds_by_name(component: Component) -> Mapping[str, Kind]:
    return {kind.name: kind for kind in _kinds(component)}


@lru_cache
def scale_places(component: Component, budget: str) -> tuple[tuple[str, int], ...]:
    """The kind of each scenario of scale that a component may have in a budget, and its index there."""
    kinds = _kinds_by_name(component).values()
    return tuple((kind.name, index) for kind in kinds for index in range(kind.numbers[budget]))


@lru_cache(maxsize=4)
def scale_scenarios(component: Component, budget: str, policies: Policies) -> tuple[Scenario, ...]:
    """The scenarios of scale of a component, in a budget: of some places there is none."""
    places = scale_places(component, budget)
    drawn = (scale_scenario(component, kind, index, policies) for kind, index in places)
    return tuple(one for one in drawn if one is not None)


def scale_scenario(component: Component, kind: str, index: int, policies: Policies) -> Scenario | None:
    """The scenario of a kind that stands at `index`; None if there is no such kind, or nothing that fits."""
    known = _kinds_by_name(component).get(kind)
    if known is None:
        return None
    random = RandomSource(crc32(f"{component.name} {kind}".encode()), index)
    for attempt in range(_TRIES):
        draft = Draft(component, random, policies, index, attempt)
        made = known.make(draft)
        if made is None:
            continue
        setup, history = (rounded(component, made[0]), tuple(rounded(component, step) for step in made[1]))
        history = with_leading_watermarks(component, history)
        if outside(component, setup, history):
            continue
        scenario = _scenario(draft, known, (setup, history))
        if not problems(scenario):
            return scenario
    return None


def _scenario(draft: Draft, kind: Kind, made: Made) -> Scenario:
    setup, history = made
    border = draft.random.between(1, len(history) - 1)
    needs = {*kind.needs}
    if any(isinstance(step, Snapshot | Restore) for step in history):
        needs.add("snapshot")
    if any(map(needs_int64, history)):
        needs.add("int64")
    return draft.component.scenario(
        id=f"{draft.component.name}:scale:{kind.name}{draft.component.mark}:{draft.index}",
        setup=setup,
        history=history,
        origin=Origin("scale", index=draft.index, of=kind.name),
        needs=tuple(sorted(needs)),
        groups=(border, len(history) - border),
    )
