"""Hypothesis strategies for scenarios, for the kit's fuzz suites and for tests of your own."""

from collections.abc import Callable
from functools import partial
from typing import Any

from hypothesis import strategies as st

from ..components.registry import COMPONENTS
from ..components.shared.random_source import RandomSource
from ..components.valve.strategies import valve_setups, valve_steps
from ..wire.scenario import Scenario

_Strategy = st.SearchStrategy[Any]

_OF_THEIR_OWN: dict[str, tuple[Callable[[], _Strategy], Callable[[Any], _Strategy]]] = {
    "valve": (valve_setups, valve_steps),
}
"""Strategies for setups and steps of components that do not leave them to their generator and alphabet."""


def setups(component: str) -> st.SearchStrategy[Any]:
    """Setups of a component."""
    if component in _OF_THEIR_OWN:
        return _OF_THEIR_OWN[component][0]()
    draw = COMPONENTS[component].draw_setup
    return st.integers(0, 2**16).map(lambda seed: draw(RandomSource(seed)))


def steps(component: str, setup: Any) -> st.SearchStrategy[Any]:
    """Steps of a component that was built with `setup`."""
    if component in _OF_THEIR_OWN:
        return _OF_THEIR_OWN[component][1](setup)
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
