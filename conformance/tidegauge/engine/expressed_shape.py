"""The features that an adapter expresses, where it hides more scenarios than its declared shape explains.

An adapter that answers `inexpressible` for most scenarios would be tested by the few others. Scenarios are
therefore drawn within the shape that its answers suggest. Features outside that shape are not excused: a
rule whose mutants show only with these features is not tested.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, get_args, get_type_hints

from msgspec.structs import replace

from tidegauge_reference import CORE

from ..components.component import Component
from ..components.registry import COMPONENTS
from ..components.shared.random_source import RandomSource
from ..components.within import component_within, within
from ..drawing.histories import draw_history
from ..wire.implementation import Implementation
from ..wire.scenario import Scenario
from ..wire.shapes import SHAPES, AnyShape, component_of_shape, shape_of
from .adapter import Adapter, ComponentAdapter
from .contained import own_adapter
from .never_sent import never_sent

_SEED = 7
_DRAWN = 200
"""Number of scenarios drawn to estimate the expressible fraction."""

_SEARCHED = 4_000
"""Largest number of scenarios that are drawn to find the first expressible one."""

_MOST_HIDDEN = 0.5
"""The shape is narrowed only if the adapter expresses less than this fraction of the scenarios."""

_BETTER = 0.05
"""A feature is left out if the expressible fraction then grows by at least this much."""


def drawn_shapes(adapter: Adapter, implementation: Implementation) -> tuple[AnyShape, ...]:
    """Return the shapes within which scenarios are drawn for an engine: those that it declares, narrowed to
    what its adapter expresses where that is less than half of the scenarios."""
    if type(own_adapter(adapter)).inexpressible in (Adapter.inexpressible, ComponentAdapter.inexpressible):
        return implementation.shapes
    claimed = [name for name in implementation.capabilities if name in SHAPES and COMPONENTS[name].drawn]
    narrower = [expressed_shape(adapter, implementation, name) for name in claimed]
    replaced = {component_of_shape(shape) for shape in narrower if shape is not None}
    kept = [shape for shape in implementation.shapes if component_of_shape(shape) not in replaced]
    return (*kept, *(shape for shape in narrower if shape is not None))


def expressed_shape(adapter: Adapter, implementation: Implementation, name: str) -> AnyShape | None:
    """Return the declared shape without the features that the adapter does not express.

    The result is None if the adapter expresses at least half of the scenarios anyway, or if no scenario is
    found that it expresses.
    """
    expressed = partial(_expressed_part, adapter, implementation)
    declared = component_within(name, implementation.shapes)
    if expressed(declared) >= _MOST_HIDDEN:
        return None
    shape: AnyShape = shape_of(name, implementation.shapes) or SHAPES[name]()
    example = next(_expressible(adapter, implementation, declared), None)
    if example is None:
        return None
    shape = _with_expressible_choices(adapter, implementation, shape, example)
    part = expressed(within(COMPONENTS[name], shape))
    while part < 1:
        narrower = {each: expressed(within(COMPONENTS[name], each)) for each in _narrower(shape, example)}
        best = max(narrower, key=lambda each: narrower[each], default=shape)
        if narrower.get(best, 0) < part + _BETTER:
            break
        shape, part = best, narrower[best]
    return shape


def _drawn(component: Component, implementation: Implementation, number: int) -> Iterator[Scenario]:
    claimed = set(implementation.capabilities)
    for index in range(number):
        scenario = draw_history(component, _SEED, index, CORE)
        if set(scenario.needs) <= claimed:
            yield scenario


def _expressible(
    adapter: Adapter, implementation: Implementation, component: Component
) -> Iterator[Scenario]:
    for scenario in _drawn(component, implementation, _SEARCHED):
        if _is_expressed(adapter, implementation, scenario):
            yield scenario


def _expressed_part(adapter: Adapter, implementation: Implementation, component: Component) -> float:
    drawn = list(_drawn(component, implementation, _DRAWN))
    return sum(_is_expressed(adapter, implementation, scenario) for scenario in drawn) / max(1, len(drawn))


def _with_expressible_choices(
    adapter: Adapter, implementation: Implementation, shape: AnyShape, example: Scenario
) -> AnyShape:
    """Return the shape without the choices that make an expressible example inexpressible."""
    kept: dict[str, tuple[Any, ...]] = {}
    for field, hint in get_type_hints(type(shape)).items():
        choices = getattr(shape, field)
        if not isinstance(choices, tuple) or not get_args(get_args(hint)[0]) or field == "without_steps":
            continue
        expressible = tuple(
            choice
            for choice in choices
            if isinstance(choice, str)
            and _is_expressed(
                adapter, implementation, _with_choice(example, replace(type(shape)(), **{field: (choice,)}))
            )
        )
        if expressible:
            kept[field] = expressible
    return replace(shape, **kept)


def _is_expressed(adapter: Adapter, implementation: Implementation, scenario: Scenario) -> bool:
    """Return whether an adapter expresses a scenario, apart from steps that no runtime sends."""
    if adapter.inexpressible(scenario) is None:
        return True
    return not implementation.refuses and never_sent(scenario, implementation.profile) is not None


def _with_choice(example: Scenario, shape: AnyShape) -> Scenario:
    narrowing = COMPONENTS[component_of_shape(shape)].narrowing
    return replace(example, setup=narrowing.conformed(example.setup, shape, RandomSource(0)))


def _narrower(shape: AnyShape, example: Scenario) -> Iterator[AnyShape]:
    """Yield each shape that lacks one more feature."""
    for field in shape.__struct_fields__:
        value = getattr(shape, field)
        if value is True:
            yield replace(shape, **{field: False})
        elif value == "explicit":
            yield replace(shape, **{field: "none"})
        elif field == "allowed_lateness" and not value:
            lateness: int = getattr(example.setup, field)
            yield replace(shape, **{field: (lateness,)})
        elif field == "longest_history" and value is None:
            yield from (replace(shape, longest_history=length) for length in (100, 30, 10))
    component = COMPONENTS[component_of_shape(shape)]
    for step in component.calls:
        tag = str(step.__struct_config__.tag)
        if tag not in shape.without_steps and len(shape.without_steps) < len(component.calls) - 1:
            yield replace(shape, without_steps=(*shape.without_steps, tag))
