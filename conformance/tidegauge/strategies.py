"""Hypothesis strategies for scenarios, for the kit's fuzz suites and for tests of your own."""

from functools import partial
from typing import Any

from hypothesis import strategies as st

from .components.registry import COMPONENTS
from .components.valve.strategies import valve_setups, valve_steps
from .scenario import Scenario

_SETUPS = {"valve": valve_setups}
_STEPS = {"valve": valve_steps}


def setups(component: str) -> st.SearchStrategy[Any]:
    """Setups of a component."""
    return _SETUPS[component]()


def steps(component: str, setup: Any) -> st.SearchStrategy[Any]:
    """Steps of a component that was built with `setup`."""
    return _STEPS[component](setup)


def scenarios(component: str) -> st.SearchStrategy[Scenario]:
    """Whole scenarios of a component."""

    def of_setup(setup: Any) -> st.SearchStrategy[Scenario]:
        build = partial(COMPONENTS[component].scenario, id=f"{component}:fuzz", setup=setup)
        histories = st.lists(steps(component, setup), min_size=1, max_size=20).map(tuple)
        return histories.map(lambda history: build(history=history, groups=_groups(len(history))))

    return setups(component).flatmap(of_setup)


def _groups(length: int) -> tuple[int, ...]:
    return (length - length // 2, length // 2) if length > 1 else ()
