"""What the kit must know of a component; one instance in each `components/<name>/binding.py`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from tidegauge_reference import Policies

from ..mutants.mutant import Mutant
from ..wire.scenario import Scenario
from ..wire.shapes import AnyShape
from ..wire.vocabulary import Setup, Step
from .endurance import Endurance
from .narrowing import Narrowing
from .property import Property
from .scale import Scale
from .shared.random_source import RandomSource
from .shared.simplification import plainer_numbers


@dataclass(frozen=True)
class CoverScope:
    """A small world whose reachable states are all covered: a setup and every step possible in it. Where
    states have no end (time goes on), only those that `longest` steps reach."""

    name: str
    setup: Setup
    alphabet: tuple[Step, ...]
    longest: int | None = None


@dataclass(frozen=True)
class WithoutOutputs:
    """The call of a step that never outputs anything: only its method may return None."""

    call: Callable[[Any, Any], Any]

    def __call__(self, engine: Any, step: Any) -> Any:
        """What the method returned; no outputs for None."""
        returned = self.call(engine, step)
        return [] if returned is None else returned


def _not_drawn(*_: Any) -> Any:
    raise NotImplementedError("scenarios of this component are not drawn")


@dataclass(frozen=True, eq=False)
class Component:
    """A component of the specification, bound to the reference and to its generators.

    `title` is what a reader knows it by ("a valve"). `calls` turn a step into a method call on an engine
    of the reference. `module` is its module, and `build` makes an engine from it, or from a changed
    copy of it. `scenario` is the struct of its scenarios; `extras` the capabilities of an engine with all its
    steps. `drawn`: the seeded generator draws scenarios, by the choices of `draw_setup` and of `draw_step`
    (which has the reference's engine at hand). `kinds`: where there are several kinds of setup, the steps of
    each. `alphabet`: a few steps that are possible on any setup, for
    the fuzzers. `covers` are the scopes of the state cover by budget, `world` makes others of any size by
    their names, `scale` says what a world is that is not small, `endurance` how it is kept busy for long;
    `simplify` makes smaller setups and histories for the shrinker, `fewer` such with a part of many parts.
    `mutants` are engines with one defect each, which the suites must catch. `narrowing` says how its
    scenarios are narrowed to the `shape` of an engine; of a narrowed component `mark` stands in the ids of
    its scenarios, and `not_drawn` are the steps that the engine lacks (`components.within`). `whole_state`:
    whether reference engines with equal states make the same decisions under some policies.
    """

    name: str
    title: str
    setup: type[Setup]
    scenario: Callable[..., Scenario]
    calls: Mapping[type[Step], Callable[[Any, Any], Any]]
    kinds: Mapping[type[Setup], tuple[type[Step], ...]] = field(default_factory=dict, kw_only=True)
    module: ModuleType
    build: Callable[[Any, Any, Policies], Any]
    extras: tuple[str, ...] = ("snapshot", "int64")
    drawn: bool = False
    draw_setup: Callable[[RandomSource], Setup] = _not_drawn
    draw_step: Callable[[RandomSource, Any], Step] = _not_drawn
    alphabet: Callable[[Any], Sequence[Step]] = _not_drawn
    covers: Mapping[str, tuple[CoverScope, ...]] = field(default_factory=dict)
    world: Callable[[str], CoverScope | None] = lambda name: None
    simplify: Callable[[Any, tuple[Any, ...]], list[tuple[Any, tuple[Step, ...]]]] = plainer_numbers
    fewer: Callable[[Any, tuple[Any, ...]], list[tuple[Any, tuple[Step, ...]]]] = lambda setup, history: []
    properties: tuple[Property, ...] = ()
    scale: Scale = field(default_factory=Scale)
    endurance: tuple[Endurance, ...] = ()
    mutants: tuple[Mutant, ...] = ()
    narrowing: Narrowing = field(default_factory=Narrowing)
    shape: AnyShape | None = None
    mark: str = ""
    whole_state: Callable[[Policies], bool] = lambda policies: True
    not_drawn: frozenset[type[Step]] = frozenset()

    def steps_of(self, kind: type[Setup]) -> tuple[type[Step], ...]:
        """The steps of an engine with a setup of this kind."""
        return self.kinds.get(kind, tuple(self.calls))

    @property
    def drawn_steps(self) -> tuple[type[Step], ...]:
        """The steps that scenarios can contain."""
        return tuple(step for step in self.calls if step not in self.not_drawn)

    def reference(self, setup: Any, policies: Policies) -> Any:
        """The reference's engine."""
        return self.build(self.module, setup, policies)
