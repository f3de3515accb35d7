"""Components within the shape of an engine: all scenarios are drawn from the features that the engine has."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from re import sub
from typing import Any
from zlib import crc32

from msgspec import structs

from tidegauge_reference import CORE

from ..wire.scenario import Scenario, component_of
from ..wire.shapes import AnyShape, Shape, shape_mark, shape_of
from ..wire.vocabulary import Setup, Step
from .component import Component, CoverScope
from .endurance import FIRST_MOMENT, Endurance
from .leading_watermarks import with_leading_watermarks
from .outside import name_fields, name_outside, outside, step_outside
from .registry import COMPONENTS
from .scale import Scale
from .shared.naming import names_in, with_names
from .shared.random_source import RandomSource
from .shared.times import with_times

_TRIES = 10_000
"""Largest number of steps that are drawn to find one within the shape."""

_SPREAD = 50
"""Percentage of the records whose timestamps vary by the durations of the shape."""

_JITTER = (-2, -1, 0, 0, 0, 0, 1, 1, 2, 3)
"""The multiples of a coarse resolution by which drawn timestamps vary."""

_SETUPS_LOOKED_AT = 200
"""Number of setups that are drawn to learn which kinds of setups a shape has."""

_SIZE_OF_ROUNDS = 10
"""The duration (ms) that the rounds of long scenarios assume."""

_ROUNDS_LOOKED_AT = 60

_LONGER_NUMBERS = 60
"""The number of characters by which the text of a state may grow, since its numbers become longer."""

_LARGEST = 2**53 - 1


def component_within(name: str, shapes: tuple[AnyShape, ...]) -> Component:
    """Return a component, narrowed to its shape if there is one among `shapes`."""
    shape = shape_of(name, shapes)
    return COMPONENTS[name] if shape is None else within(COMPONENTS[name], shape)


def outside_of_shapes(scenario: Scenario, shapes: tuple[AnyShape, ...]) -> str:
    """Return the first feature of a scenario that the declared shapes lack; empty if there is none."""
    return outside(component_within(component_of(scenario), shapes), scenario.setup, scenario.history)


@cache
def within(component: Component, shape: AnyShape) -> Component:
    """Return a component whose scenarios all stay within a shape."""
    narrowed = replace(
        component,
        shape=shape,
        mark=shape_mark(shape),
        draw_setup=partial(_draw_setup, component, shape),
        draw_step=partial(_draw_step, component, shape),
        alphabet=partial(_alphabet, component, shape),
        covers=_covers(component, shape),
        world=lambda name: None,
        simplify=partial(_smaller, component, shape, component.simplify),
        fewer=partial(_smaller, component, shape, component.fewer),
        scale=_scale(component, shape),
        endurance=tuple(_endurance(component, shape)),
        extras=tuple(extra for extra in component.extras if shape.snapshots or extra != "snapshot"),
    )
    source = RandomSource(0)
    setups = [narrowed.draw_setup(source) for _ in range(_SETUPS_LOOKED_AT)]
    every = (component.draw_setup(source) for _ in range(_SETUPS_LOOKED_AT))
    known = {type(step) for setup in every for step in component.alphabet(setup)}
    drawn = {type(step) for setup in setups for step in narrowed.alphabet(setup)}
    kinds = {kind: steps for kind, steps in component.kinds.items() if kind in set(map(type, setups))}
    return replace(narrowed, kinds=kinds, not_drawn=frozenset(known - drawn))


def fitted(component: Component, scenario: Scenario) -> Scenario:
    """Return a scenario that lies within the shape of a narrowed component and otherwise does the same.

    Times are converted to the resolution and the durations of the shape, names are changed, steps that the
    shape lacks are removed, and the watermarks that the contract requires are added. The id gets the mark of
    the shape. The result is the scenario itself if it lies within the shape already, or if no such scenario
    exists.
    """
    shape = component.shape
    if shape is None or not outside(component, scenario.setup, scenario.history):
        return scenario
    full, unit = COMPONENTS[component.name], shape.resolution_ms
    small = _fitting(full, shape, scenario.setup, _units)
    setup = component.narrowing.conformed(small, shape, RandomSource(0))
    steps = (_fitting(full, shape, step, _units) for step in scenario.history)
    stretched = [component.narrowing.stretched(step, small, setup, unit) for step in steps]
    history = with_leading_watermarks(component, _inside(full, shape, stretched, setup))
    if not history or type(setup) is not type(scenario.setup) or outside(component, setup, history):
        return scenario
    return structs.replace(
        scenario, id=f"{scenario.id}{component.mark}", setup=setup, history=history, groups=()
    )


def rounded(component: Component, struct: Any) -> Any:
    """Return a setup or a step whose times and names fit the shape of a narrowed component: times are rounded
    down to its resolution, durations to one unit at least."""
    return struct if component.shape is None else _fitting(component, component.shape, struct, _down)


def _down(unit: int, value: int) -> int:
    return max(value // unit * unit, unit) if value > 0 else -(-value // unit * unit)


def _floor(unit: int, value: int) -> int:
    return value // unit * unit


def _units(unit: int, value: int) -> int:
    """Return a number of ms as the same number of units; if that exceeds 2^53 - 1, round it down instead."""
    return value * unit if abs(value * unit) <= _LARGEST else value // unit * unit


def _shortened(longest: int, duration: int) -> int:
    return min(max(-longest, duration), longest)


def _fitting(component: Component, shape: Shape, struct: Any, fit: Callable[[int, int], int]) -> Any:
    """Return the struct with times in multiples of the resolution (`fit` converts durations), and with
    durations and names that the shape allows."""
    unit = shape.resolution_ms
    if unit > 1:
        moment = _units if fit is _units else _floor
        struct = with_times(
            struct, partial(moment, unit), partial(fit, unit), component.narrowing.milliseconds
        )
    if shape.longest_duration is not None:
        shortened = partial(_shortened, shape.longest_duration // unit * unit)
        struct = with_times(struct, lambda value: value, shortened, component.narrowing.milliseconds)
    return _with_fitting_names(component, shape, struct)


def _with_fitting_names(component: Component, shape: Shape, struct: Any) -> Any:
    fields = name_fields(component)
    names = {name: _fitting_name(shape, name) for name in names_in(struct, fields)}
    return with_names(struct, fields, names) if any(map(partial(name_outside, shape), names)) else struct


def _fitting_name(shape: Shape, name: str) -> str:
    """Return a name that the shape allows. A name outside the shape is changed and gets a checksum, so that
    equal names stay equal."""
    if not name_outside(shape, name):
        return name
    plain = sub("[^A-Za-z0-9]", "-", name) if shape.name_characters != "any" else name
    longest = shape.longest_name or len(plain) + 4
    return f"{plain[: max(0, longest - 3)]}{crc32(name.encode()) % 900 + 100}"[:longest]


def _draw_setup(component: Component, shape: Shape, random: RandomSource) -> Setup:
    drawn = _fitting(component, shape, component.draw_setup(random), _units)
    return component.narrowing.conformed(drawn, shape, random)


def _draw_step(component: Component, shape: Shape, random: RandomSource, engine: Any) -> Step:
    for _ in range(_TRIES):
        step = _varied(component, shape, component.draw_step(random, engine), random)
        if not step_outside(component, shape, step, engine):
            return step
    raise RuntimeError(f"no step of the component {component.name} lies within {shape}")


def _varied(component: Component, shape: Shape, step: Step, random: RandomSource) -> Step:
    """Return the step with times in multiples of the resolution.

    Drawn timestamps lie close together. Where the shape has long durations, timestamps of records are moved
    by up to twice the longest duration, otherwise all records would fall into one window.
    """
    unit, spread = shape.resolution_ms, component.narrowing.spread_ms(shape)
    by = random.between(-spread, 2 * spread) if spread and random.chance(_SPREAD) else 0
    by = by if step.__struct_config__.tag == "record" else 0

    def moment(value: int) -> int:
        moved = value + by
        return moved if unit == 1 else moved // unit * unit + unit * random.pick(_JITTER)

    def duration(value: int) -> int:
        if unit == 1 or value <= 0:
            return value * unit
        return value // unit * unit + unit * abs(random.pick(_JITTER))

    if unit > 1 or by:
        step = with_times(step, moment, duration, component.narrowing.milliseconds)
    made: Step = _with_fitting_names(component, shape, step)
    return made


def _inside(component: Component, shape: Shape, steps: Sequence[Step], setup: Setup) -> tuple[Step, ...]:
    return tuple(step for step in steps if not step_outside(component, shape, step, setup))


def _alphabet(component: Component, shape: Shape, setup: Setup) -> tuple[Step, ...]:
    steps = [_fitting(component, shape, step, _units) for step in component.alphabet(setup)]
    return _inside(component, shape, steps, setup)


def _covers(component: Component, shape: AnyShape) -> dict[str, tuple[CoverScope, ...]]:
    """Return the state covers within the shape by budget, at least one per budget."""
    covers = {budget: _scopes(component, shape, scopes) for budget, scopes in component.covers.items()}
    every = [scope for scopes in covers.values() for scope in scopes]
    return {budget: scopes or tuple(every[:1]) for budget, scopes in covers.items()}


def _scopes(component: Component, shape: AnyShape, scopes: tuple[CoverScope, ...]) -> tuple[CoverScope, ...]:
    """Return the scopes of state covers within the shape, each once."""
    narrowing = component.narrowing
    scope_of: dict[tuple[Setup, tuple[Step, ...]], CoverScope] = {}
    for scope in scopes:
        fitting = _fitting(component, shape, scope.setup, _units)
        setup = narrowing.conformed(fitting, shape, RandomSource(0))
        fitted_steps = (_fitting(component, shape, step, _units) for step in scope.alphabet)
        steps = [narrowing.stretched(step, fitting, setup, shape.resolution_ms) for step in fitted_steps]
        alphabet = _inside(component, shape, steps, setup)
        is_like = type(setup) is type(scope.setup)
        if is_like and alphabet and not narrowing.setup_outside(setup, shape):
            name = scope.name if setup == scope.setup else narrowing.scope_name(setup) or scope.name
            narrowed = replace(scope, name=name, setup=setup, alphabet=alphabet)
            scope_of.setdefault((setup, alphabet), narrowed)
    narrowed_scopes = tuple(scope_of.values())
    names = [scope.name for scope in narrowed_scopes]
    return tuple(
        replace(scope, name=f"{_numbered(names, number)}{shape_mark(shape)}")
        for number, scope in enumerate(narrowed_scopes)
    )


def _numbered(names: Sequence[str], number: int) -> str:
    """Return the name at an index. The second and later of equal names get a number."""
    earlier = names[:number].count(names[number])
    return f"{names[number]}-{earlier + 1}" if earlier else names[number]


def _smaller(
    component: Component,
    shape: AnyShape,
    smaller: Callable[[Any, Any], list[tuple[Any, tuple[Step, ...]]]],
    setup: Setup,
    history: tuple[Step, ...],
) -> list[tuple[Any, tuple[Step, ...]]]:
    narrowed = within(component, shape)
    return [candidate for candidate in smaller(setup, history) if not outside(narrowed, *candidate)]


def _scale(component: Component, shape: Shape) -> Scale:
    scale = component.scale
    without = _lacking_steps(component, shape)

    def undone(step: Step) -> Step | None:
        opposite = scale.undone(step)
        return None if type(opposite) in without else opposite

    def closing(setup: Any, history: tuple[Step, ...]) -> tuple[Step, ...]:
        steps = [_fitting(component, shape, step, _down) for step in scale.closing(setup, history)]
        return _inside(component, shape, steps, setup)

    return replace(
        scale,
        setups=_setups(component, shape, scale.setups),
        calendar=_setups(component, shape, scale.calendar),
        most_parts=component.narrowing.most_parts(shape),
        far=tuple(step for step in scale.far if type(step) not in without),
        far_setup=None if scale.far_setup is None else _conformed(component, shape, scale.far_setup),
        undone=undone,
        closing=closing,
    )


def _lacking_steps(component: Component, shape: Shape) -> set[type[Step]]:
    """Return the step types that do not occur within the shape."""
    setup = _draw_setup(component, shape, RandomSource(0))
    present = set(map(type, _alphabet(component, shape, setup)))
    return {type(step) for step in component.alphabet(setup)} - present


def _conformed(component: Component, shape: Shape, setup: Any) -> Setup:
    fitting = _fitting(component, shape, setup, _down)
    return component.narrowing.conformed(fitting, shape, RandomSource(0))


def _setups(component: Component, shape: Shape, setups: Mapping[str, Setup]) -> dict[str, Setup]:
    """Return the named setups within the shape, each once."""
    names: dict[Setup, str] = {}
    for name, setup in setups.items():
        conformed = _conformed(component, shape, setup)
        if not component.narrowing.setup_outside(conformed, shape):
            names.setdefault(conformed, name)
    return {name: setup for setup, name in names.items()}


def _endurance(component: Component, shape: AnyShape) -> Iterator[Endurance]:
    """Yield the distinct long scenarios within the shape, except scenarios in which the reference's own
    state grows from round to round."""
    present: set[tuple[Setup, tuple[Step, ...]]] = set()
    for endurance in component.endurance:
        fitting = _fitting(component, shape, endurance.setup, _units)
        setup = component.narrowing.conformed(fitting, shape, RandomSource(0))
        steps = partial(_round, component, shape, endurance, setup)
        opening = _later(component, shape, endurance.opening, setup)
        key = setup, (*opening, *steps(0))
        is_like = type(setup) is type(endurance.setup) and not component.narrowing.setup_outside(setup, shape)
        if is_like and steps(0) and key not in present:
            present.add(key)
            narrowed = replace(endurance, setup=setup, round=steps, opening=opening)
            if _is_bounded(component, narrowed):
                yield narrowed


def _round(
    component: Component, shape: AnyShape, endurance: Endurance, setup: Setup, number: int
) -> tuple[Step, ...]:
    steps = _later(component, shape, endurance.round(number), setup)
    return with_leading_watermarks(replace(component, shape=shape), steps)


def _later(component: Component, shape: Shape, steps: Sequence[Step], setup: Setup) -> tuple[Step, ...]:
    """Return the steps of a long scenario with times that are as far apart as the durations of the shape
    demand."""
    unit = shape.resolution_ms
    times = max(unit, -(-component.narrowing.spread_ms(shape) // _SIZE_OF_ROUNDS // unit) * unit)

    def time(value: int) -> int:
        start = FIRST_MOMENT // unit * unit if value > FIRST_MOMENT // 2 else 0
        return start + (value - (FIRST_MOMENT if start else 0)) * times

    fields = component.narrowing.milliseconds
    moved = [with_times(step, time, time, fields) if times > 1 else step for step in steps]
    return _inside(component, shape, [_fitting(component, shape, step, _down) for step in moved], setup)


def _is_bounded(component: Component, endurance: Endurance) -> bool:
    """Return whether the state of the reference is as large after many rounds as after a few."""
    engine = component.reference(endurance.setup, CORE)
    sizes = []
    for number in range(_ROUNDS_LOOKED_AT):
        for step in (*(endurance.opening if not number else ()), *endurance.round(number)):
            with suppress(ValueError, RuntimeError):
                component.calls[type(step)](engine, step)
        sizes.append(len(str(engine.state())))
    return sizes[-1] <= sizes[_ROUNDS_LOOKED_AT // 4] + _LONGER_NUMBERS
