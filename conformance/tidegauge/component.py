"""What the kit must know of a component; one instance in each `components/<name>/binding.py`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tidegauge_reference import Policies

from .generation.random_source import RandomSource
from .property import Property
from .scenario import Scenario
from .vocabulary import Setup, Step


@dataclass(frozen=True)
class CoverScope:
    """A small world whose reachable states are all covered: a setup and every step possible in it."""

    name: str
    setup: Setup
    alphabet: tuple[Step, ...]


def _not_drawn(*_: Any) -> Any:
    raise NotImplementedError("scenarios of this component are not drawn")


@dataclass(frozen=True)
class Component:
    """A component of the specification, bound to the reference and to its generators.

    `calls` turn a step into a method call on an engine object; `reference` builds the reference's engine;
    `scenario` is the struct of its scenarios. `drawn`: the seeded generator draws scenarios, by the choices
    of `draw_setup` and of `draw_step` (which has the reference's engine at hand). `covers` are the scopes of
    the state cover by budget; `simplify` makes smaller setups and histories for the shrinker.
    """

    name: str
    setup: type[Setup]
    scenario: Callable[..., Scenario]
    calls: Mapping[type[Step], Callable[[Any, Any], Any]]
    reference: Callable[[Any, Policies], Any]
    drawn: bool = False
    draw_setup: Callable[[RandomSource], Setup] = _not_drawn
    draw_step: Callable[[RandomSource, Any], Step] = _not_drawn
    covers: Mapping[str, tuple[CoverScope, ...]] = field(default_factory=dict)
    simplify: Callable[[Any, tuple[Any, ...]], list[tuple[Any, tuple[Step, ...]]]] = lambda setup, history: []
    properties: tuple[Property, ...] = ()
