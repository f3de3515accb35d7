"""Scenarios of scale: many parts, many steps, moments at the edges of number types, limits, difficult names.

They are the same with every seed: a budget takes more or fewer of them, from the front of each kind.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from zlib import crc32

from msgspec.structs import replace

from tidegauge_reference import Policies

from ..components.component import Component
from ..components.registry import COMPONENTS
from ..components.scale import ROUND_MOMENTS, Scale, Widen
from ..components.shared.naming import names_in, with_names
from ..components.shared.random_source import RandomSource
from ..wire.base_scenario import Origin
from ..wire.scenario import Scenario, problems
from ..wire.timestamps import MAX, MIN, from_wire, needs_int64, timestamp_fields, to_wire
from ..wire.vocabulary import Restore, Setup, Snapshot, Step
from .histories import effective_history

_LONG = 10_000
_MOST_STEPS = 4_000
"""Of a wide history so many steps are taken."""

_CLOSED = 60
"""Percentage of the histories that have closing steps."""

_TRIES = 40
"""So often a kind draws anew what does not fit it."""

NAMES = (
    ("10", "9", "2", "02", "-1"),
    ("a", "A", "a ", "aa", " a"),
    ("x" * 200, "x" * 199 + "y", "x" * 199, "x" * 65, "x" * 64),
    ("\u00e4", "a\u0308", "a", "\u0131", "i"),
    ("\u65e5\u672c", "\u65e5", "\u672c", "z", "Z"),
    ("null", "None", "true", "0", "nan"),
    ("split 10", "split 9", "Split 9", "split-9", "split_9"),
)
"""Numeric, alike, long, beyond ASCII, like words of formats, and in another order than numbers or creation
have: a scenario has names of one of these kinds, then of the next."""


@dataclass(frozen=True)
class Kind:
    """A kind of scenarios of scale, of which there are so many in each budget, by the budget's name."""

    name: str
    numbers: Mapping[str, int]


def _numbers(smoke: int, default: int, thorough: int) -> Mapping[str, int]:
    return {"smoke": smoke, "default": default, "thorough": thorough}


_WIDTHS = {
    6: _numbers(4, 40, 200),
    33: _numbers(1, 20, 100),
    65: _numbers(1, 16, 80),
    256: _numbers(0, 3, 10),
    257: _numbers(0, 6, 20),
    1000: _numbers(0, 1, 4),
    1024: _numbers(0, 0, 2),
}
_LONG_NUMBERS = {_LONG: _numbers(0, 1, 3), 3 * _LONG: _numbers(0, 0, 1)}


def _kinds(component: Component, scale: Scale) -> Iterator[Kind]:
    for what in scale.widen:
        for width, numbers in _WIDTHS.items():
            yield Kind(f"{width}-{what}", numbers)
    for edge in scale.edges:
        yield Kind(f"at-{edge}", _numbers(1, 12, 60))
    for limit in scale.setups:
        yield Kind(f"with-{limit}", _numbers(1, 12, 60))
    if scale.names:
        yield Kind("names", _numbers(3, 30, 150))
    if "snapshot" in component.extras:
        yield Kind("restarts", _numbers(2, 20, 100))
    for length, numbers in _LONG_NUMBERS.items():
        yield Kind(f"{length}-steps", numbers)


@lru_cache
def scale_places(component_name: str, budget: str) -> tuple[tuple[str, int], ...]:
    """The kind of each scenario of scale that a component may have in a budget, and its index there."""
    kinds = _kinds(COMPONENTS[component_name], COMPONENTS[component_name].scale)
    return tuple((kind.name, index) for kind in kinds for index in range(kind.numbers[budget]))


@lru_cache(maxsize=4)
def scale_scenarios(component_name: str, budget: str, policies: Policies) -> tuple[Scenario, ...]:
    """The scenarios of scale of a component, in a budget: of some places there is none."""
    places = scale_places(component_name, budget)
    drawn = (scale_scenario(component_name, kind, index, policies) for kind, index in places)
    return tuple(one for one in drawn if one is not None)


def scale_scenario(component_name: str, kind: str, index: int, policies: Policies) -> Scenario | None:
    """The scenario of a kind that stands at `index`; None if there is no such kind, or nothing that fits."""
    component = COMPONENTS[component_name]
    if kind not in {one.name for one in _kinds(component, component.scale)}:
        return None
    random = RandomSource(crc32(f"{component_name} {kind}".encode()), index)
    for _ in range(_TRIES):
        made = _made(component, kind, random, policies)
        if made is None:
            continue
        setup, history = made
        border = random.between(1, len(history) - 1)
        needs = {"snapshot"} if any(isinstance(step, Snapshot | Restore) for step in history) else set()
        if any(map(needs_int64, history)):
            needs.add("int64")
        scenario = component.scenario(
            id=f"{component_name}:scale:{kind}:{index}",
            setup=setup,
            history=history,
            origin=Origin("scale", index=index, of=kind),
            needs=tuple(sorted(needs)),
            groups=(border, len(history) - border),
        )
        if not problems(scenario):
            return scenario
    return None


def _made(
    component: Component, kind: str, random: RandomSource, policies: Policies
) -> tuple[Setup, tuple[Step, ...]] | None:
    """A setup and a history of a kind; None if what was drawn does not fit it."""
    scale = component.scale
    first, _, rest = kind.partition("-")
    setup = component.draw_setup(random)
    if first == "with":
        setup = scale.setups[rest]
    if kind.endswith("-steps"):
        return setup, effective_history(component, random, setup, int(first), policies, scale.ends)
    history = effective_history(component, random, setup, random.between(5, 24), policies)
    if random.chance(_CLOSED):
        history += scale.closing(setup, history)
    if first == "at":
        return _at_edge(scale, random, setup, history, scale.edges[rest])
    if kind == "names":
        return _renamed(scale, random, setup, history)
    if kind == "restarts":
        return setup, _restarted(random, history)
    if first == "with":
        return setup, history
    return _wide(scale.widen[rest], random, setup, history, int(first))


def _wide(
    widen: Widen, random: RandomSource, setup: Setup, history: tuple[Step, ...], width: int
) -> tuple[Setup, tuple[Step, ...]] | None:
    made = widen(random, setup, history, width)
    return None if made is None else (made[0], made[1][:_MOST_STEPS])


def _at_edge(
    scale: Scale, random: RandomSource, setup: Setup, history: tuple[Step, ...], edge: int
) -> tuple[Setup, tuple[Step, ...]] | None:
    """The history with its event time moved, so that one of its moments is at the edge, or a few ms off."""
    moments = sorted({moment for step in history for moment in _moments(step)})
    if not moments:
        return None
    outer = edge in (MIN + 1, MAX - 1)
    if outer:
        outermost = moments[0] if edge < 0 else moments[-1]
        by = edge - outermost + random.between(0, ROUND_MOMENTS) * (1 if edge < 0 else -1)
    else:
        by = edge - random.pick(moments) + random.between(-1, 1)
    if moments[0] + by <= MIN or moments[-1] + by >= MAX:
        return None
    return setup, tuple(_moved(step, by, {} if outer else scale.moved) for step in history)


def _moments(step: Step) -> list[int]:
    """The timestamps of a step that are moments of event time."""
    found = (getattr(step, name) for name in timestamp_fields(type(step)))
    return [from_wire(one) for one in found if one is not None and one not in ("MIN", "MAX")]


def _moved(step: Step, by: int, fields: Mapping[str, tuple[int, int]]) -> Step:
    """The step with its moments `by` ms later, and the fields that move with them as far as they can."""
    moved: dict[str, Any] = {
        name: to_wire(from_wire(at) + by)
        for name in timestamp_fields(type(step))
        if (at := getattr(step, name)) is not None and at not in ("MIN", "MAX")
    }
    for name, (least, most) in fields.items():
        if hasattr(step, name):
            moved[name] = min(max(least, getattr(step, name) + by), most)
    return replace(step, **moved) if moved else step


def _renamed(
    scale: Scale, random: RandomSource, setup: Setup, history: tuple[Step, ...]
) -> tuple[Setup, tuple[Step, ...]] | None:
    """The same with other names, which are drawn from `NAMES`."""
    known = sorted({name for one in (setup, *history) for name in names_in(one, scale.names)})
    if not known:
        return None
    kind = random.below(len(NAMES))
    free: list[str] = []
    others = {}
    for name in known:
        if not free:
            free = list(NAMES[kind % len(NAMES)])
            kind += 1
        others[name] = free.pop(random.below(len(free)))
    return with_names(setup, scale.names, others), tuple(
        with_names(step, scale.names, others) for step in history
    )


def _restarted(random: RandomSource, history: tuple[Step, ...]) -> tuple[Step, ...]:
    """The history with two to four restarts, some from a snapshot that was used already."""
    restarted: list[Step] = [*history]
    for _ in range(random.between(2, 4)):
        place = random.between(0, len(restarted))
        saved = [] if Snapshot() in restarted[:place] and random.chance(60) else [Snapshot()]
        restarted[place:place] = [*saved, Restore()]
    return tuple(restarted)
