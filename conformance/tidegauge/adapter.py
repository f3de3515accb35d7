"""The adapter contract: what binds an engine to the kit."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from msgspec import Struct

from .engine_errors import NO_REFUSALS, Refusals, check_refusals, failure_of, raised
from .engine_outputs import read_outputs
from .in_process import InProcessSession, UnmadeSession
from .interruption import from_outside
from .scenario import Scenario, component_of
from .session import Session, played
from .transcript import Observation, Transcript
from .vocabulary import Setup

__all__ = [
    "Adapter",
    "ComponentAdapter",
    "Implementation",
    "InProcessSession",
    "Layer",
    "Session",
    "UnmadeSession",
    "failure_of",
    "played",
    "raised",
    "read_outputs",
]

Layer = Literal["in-process", "tester", "streaming", "cluster"]


class Implementation(Struct, frozen=True, kw_only=True):
    """Who is under test and how it can be observed.

    `capabilities`: the components it claims, and extras: `snapshot`, `int64`; of jobs `alignment`, `restart`,
    `job-idleness`, `job-windows`, `job-out-of-orderness`; of backlog `watermark-lag`. `profile`: what it
    suggests to be measured against; the run decides. `observes`: at each step, at the end of each group of
    steps, or at the end of the scenario. `layer`: where its code runs; `layers`: the components whose code
    runs elsewhere. `options`: those it was given, part of its identity. `overshoot`: how far it may run past
    a bound, in its own words, `overshoot_ms` the same in ms of event time; `reaction_ms`: the processing time
    it needs to obey a new bound. `one_process`: it is too heavy to be started in more than one worker.
    `at_most`: where a scenario costs it seconds, how many of an item of each suite `layer` is given, of the
    shrinker's candidates in a round (`shrinking`), and how often a scenario restores (`restores`).
    `deviations`: the file of known deviations that comes with it; the run decides, as of the profile.
    `remark`: what a reader of the report must know.
    """

    name: str
    version: str
    capabilities: tuple[str, ...]
    profile: str = "core"
    observes: Observation = "step"
    layer: Layer = "in-process"
    layers: dict[str, Layer] = {}
    options: dict[str, str] = {}
    overshoot: str | None = None
    overshoot_ms: int = 0
    reaction_ms: int = 0
    one_process: bool = False
    at_most: dict[str, int] = {}
    deviations: str = ""
    remark: str = ""

    def layer_of(self, component: str) -> Layer:
        """Where the code of a component runs."""
        return self.layers.get(component, self.layer)

    def elsewhere(self) -> str:
        """Which components run on which other layers, in words."""
        components: dict[Layer, list[str]] = {}
        for component, layer in self.layers.items():
            components.setdefault(layer, []).append(component)
        return "; ".join(f"{layer}: {', '.join(names)}" for layer, names in components.items())


class Adapter:
    """Base of all adapters. `options` are the `--option key=value` of the run; an adapter refuses those
    it does not know with `ValueError`."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.options = dict(options)

    def describe(self) -> Implementation:
        """Who is under test; must not start anything heavy."""
        raise NotImplementedError

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        """Put any number of scenarios through the engine; transcripts are matched by scenario id."""
        raise NotImplementedError

    def inexpressible(self, scenario: Scenario) -> str | None:
        """What a scenario holds that the engine has no words for ("allowed lateness"), so that it cannot be
        put through it at all; None if it can be. Such scenarios are left out and counted."""
        return None

    def session(self, setup: Setup) -> Session | None:
        """An interactive engine, or None if this one cannot be stepped."""
        return None

    def close(self) -> None:
        """Release everything; the kit calls it once at the end."""


class ComponentAdapter(Adapter):
    """The comfortable base for in-process engines: one method a component, named like it, which takes the
    setup and returns an engine object whose methods are the steps. The components claimed are the methods
    defined. An engine with `snapshot()` and `restore(saved)` may be claimed as such in `extras`. The options
    that a run may give it are declared in `known_options`.

    An engine refuses a step by raising `tidegauge.IllegalArgument`, `IllegalState` or `Unsupported`. `errors`
    maps exceptions of its own to these (`{ValueError: IllegalArgument}`); the most specific class counts.
    Nothing maps by default: whatever else an engine raises is an error and never an answer.
    """

    name = ""
    version = "0"
    extras: tuple[str, ...] = ()
    known_options: tuple[str, ...] = ()
    profile = "core"
    errors: Refusals = NO_REFUSALS

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        check_refusals(self.errors)

    def describe(self) -> Implementation:
        """The class attributes, and the components whose methods are defined."""
        from .components.registry import COMPONENTS

        claimed = tuple(name for name in COMPONENTS if callable(getattr(self, name, None)))
        return Implementation(
            name=self.name or type(self).__name__,
            version=self.version,
            capabilities=claimed + self.extras,
            profile=self.profile,
            options=self.options,
        )

    def session(self, setup: Setup) -> Session:
        """An engine of the component that `setup` builds. Where it cannot be made, each step raises why."""
        from .components.registry import component_by_setup

        return self._session(component_by_setup(setup).name, setup)

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        """One engine a scenario, one after the other."""
        for scenario in scenarios:
            yield played(self._session(component_of(scenario), scenario.setup), scenario)

    def _session(self, name: str, setup: Setup) -> Session:
        from .components.registry import COMPONENTS

        calls = COMPONENTS[name].calls
        try:
            return InProcessSession(lambda: getattr(self, name)(setup), calls, self.errors)
        except BaseException as error:
            if from_outside(error):
                raise
            return UnmadeSession(error)
