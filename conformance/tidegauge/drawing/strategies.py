"""Hypothesis strategies for scenarios, for the kit's fuzz suites and for tests of your own.

A component whose folder has a `strategies.py` says there what its setups and steps are: `setups()` and
`steps(setup)`. All others leave them to their generator and alphabet.
"""

from functools import partial
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from hypothesis import strategies as st

from .. import components
from ..components.component import Component
from ..components.registry import COMPONENTS
from ..components.shared.random_source import RandomSource
from ..components.within import component_within
from ..wire.scenario import Scenario
from ..wire.shapes import AnyShape


def _own(component: Component) -> ModuleType | None:
    """The strategies of a component's own, if it has any and the engine has all of its features. They are no
    field of `Component`, since only fuzzing may import Hypothesis."""
    module = f"{components.__name__}.{component.name}.strategies"
    return import_module(module) if component.shape is None and find_spec(module) else None


def setups(component: str, shapes: tuple[AnyShape, ...] = ()) -> st.SearchStrategy[Any]:
    """Setups of a component, within its shape if there is one among `shapes`."""
    narrowed = component_within(component, shapes)
    if own := _own(narrowed):
        found: st.SearchStrategy[Any] = own.setups()
        return found
    draw = narrowed.draw_setup
    return st.integers(0, 2**16).map(lambda seed: draw(RandomSource(seed)))


def steps(component: str, setup: Any, shapes: tuple[AnyShape, ...] = ()) -> st.SearchStrategy[Any]:
    """Steps of a component that was built with `setup`."""
    narrowed = component_within(component, shapes)
    if own := _own(narrowed):
        found: st.SearchStrategy[Any] = own.steps(setup)
        return found
    return st.sampled_from(list(narrowed.alphabet(setup)))


def scenarios(component: str, shapes: tuple[AnyShape, ...] = ()) -> st.SearchStrategy[Scenario]:
    """Whole scenarios of a component."""

    def of_setup(setup: Any) -> st.SearchStrategy[Scenario]:
        build = partial(COMPONENTS[component].scenario, id=f"{component}:fuzz", setup=setup)
        histories = st.lists(steps(component, setup, shapes), min_size=1, max_size=20).map(tuple)
        return histories.map(lambda history: build(history=history, groups=_groups(len(history))))

    return setups(component, shapes).flatmap(of_setup)


def _groups(length: int) -> tuple[int, ...]:
    return (length - length // 2, length // 2) if length > 1 else ()
