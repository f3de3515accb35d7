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
from ..components.registry import COMPONENTS
from ..components.shared.random_source import RandomSource
from ..wire.scenario import Scenario


def _own(component: str) -> ModuleType | None:
    """The strategies of a component's own, if it has any. Not a field of `Component`: only who fuzzes is to
    import Hypothesis."""
    module = f"{components.__name__}.{COMPONENTS[component].name}.strategies"
    return import_module(module) if find_spec(module) else None


def setups(component: str) -> st.SearchStrategy[Any]:
    """Setups of a component."""
    if own := _own(component):
        found: st.SearchStrategy[Any] = own.setups()
        return found
    draw = COMPONENTS[component].draw_setup
    return st.integers(0, 2**16).map(lambda seed: draw(RandomSource(seed)))


def steps(component: str, setup: Any) -> st.SearchStrategy[Any]:
    """Steps of a component that was built with `setup`."""
    if own := _own(component):
        found: st.SearchStrategy[Any] = own.steps(setup)
        return found
    return st.sampled_from(list(COMPONENTS[component].alphabet(setup)))


def scenarios(component: str) -> st.SearchStrategy[Scenario]:
    """Whole scenarios of a component."""

    def of_setup(setup: Any) -> st.SearchStrategy[Scenario]:
        build = partial(COMPONENTS[component].scenario, id=f"{component}:fuzz", setup=setup)
        histories = st.lists(steps(component, setup), min_size=1, max_size=20).map(tuple)
        return histories.map(lambda history: build(history=history, groups=_groups(len(history))))

    return setups(component).flatmap(of_setup)


def _groups(length: int) -> tuple[int, ...]:
    return (length - length // 2, length // 2) if length > 1 else ()
