"""The adapter contract: what binds an engine to the kit."""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Literal, cast, get_args

from msgspec import Struct

from .scenario import Scenario, component_of
from .timestamps import timestamp_fields, to_wire
from .transcript import Failure, Observation, Outputs, Transcript
from .vocabulary import (
    Active,
    AnyOutput,
    Error,
    Idle,
    Output,
    Restore,
    Setup,
    Snapshot,
    Step,
    Watermark,
)

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


class Session:
    """An engine that can be stepped one step at a time."""

    def step(self, step: Step) -> Outputs:
        """Do one step; its outputs are complete when this returns."""
        raise NotImplementedError

    def close(self) -> None:
        """Release what the session holds."""


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


def _constructor(struct: type[Struct]) -> Callable[..., AnyOutput]:
    """Builds an output from its fields as an engine gives them: timestamps as 64-bit numbers, lists for
    tuples."""
    names = enumerate(struct.__struct_fields__)
    timestamps = {place for place, name in names if name in timestamp_fields(struct)}

    def build(*fields: Any) -> AnyOutput:
        values = [
            to_wire(value) if place in timestamps else tuple(value) if isinstance(value, list) else value
            for place, value in enumerate(fields)
        ]
        return cast(AnyOutput, struct(*values))

    return build


_OUTPUTS: dict[str, Callable[..., AnyOutput]] = {
    str(struct.__struct_config__.tag): _constructor(struct) for struct in get_args(AnyOutput)
} | {
    "watermark": lambda timestamp: Watermark(to_wire(timestamp)),
    "idle": Idle,
    "active": Active,
}


def read_outputs(raw: Iterable[Any]) -> Outputs:
    """Outputs as an in-process engine returns them: vocabulary structs, or tuples of an output's name and
    its fields, timestamps as 64-bit numbers. Raises `TypeError` for anything else."""
    if not raw:
        return ()
    outputs: list[AnyOutput] = []
    for entry in raw:
        if isinstance(entry, Output):
            outputs.append(entry)  # type: ignore[arg-type]
            continue
        try:
            name, *fields = entry
            outputs.append(_OUTPUTS[name](*fields))
        except (TypeError, ValueError, KeyError, AttributeError):
            known = ", ".join(sorted(_OUTPUTS))
            raise TypeError(
                f"the engine returned {entry!r}; an output is a tuple of a name ({known}) and "
                "its fields, or a struct of tidegauge.vocabulary"
            ) from None
    return tuple(outputs)


def raised(error: Exception) -> Error | None:
    """The output that an engine's exception stands for, if it is one of the closed list: ValueError
    `illegal-argument`, NotImplementedError `unsupported`, RuntimeError `illegal-state`."""
    if isinstance(error, NotImplementedError):
        return Error("unsupported")
    if isinstance(error, ValueError) and not isinstance(error, UnicodeError):
        return Error("illegal-argument")
    if isinstance(error, RuntimeError) and not isinstance(error, RecursionError):
        return Error("illegal-state")
    return None


class InProcessSession(Session):
    """Steps an engine object: its methods are the steps (`components/<name>/binding.py`).

    A snapshot goes through pickle, and `restore` is called on a new engine, so that state which is
    shared or not saved shows.
    """

    def __init__(
        self, make: Callable[[], Any], calls: Mapping[type[Step], Callable[[Any, Any], Any]]
    ) -> None:
        self._make = make
        self._calls = calls
        self._engine = make()
        self._saved = b""

    def step(self, step: Step) -> Outputs:
        """Call the engine's method; an exception of the closed list is an output."""
        call = self._calls.get(type(step))
        if call is None:
            return self._snapshot_or_restore(step)
        try:
            return read_outputs(call(self._engine, step))
        except Exception as error:
            refused = raised(error)
            if refused is None:
                raise
            return (refused,)

    def _snapshot_or_restore(self, step: Step) -> Outputs:
        if isinstance(step, Snapshot):
            self._saved = pickle.dumps(self._engine.snapshot())
        elif isinstance(step, Restore):
            self._engine = self._make()
            self._engine.restore(pickle.loads(self._saved))
        else:
            raise TypeError(f"{step!r} is not a step of this component")
        return ()


class ComponentAdapter(Adapter):
    """The comfortable base for in-process engines: one method a component, named like it, which takes the
    setup and returns an engine object whose methods are the steps. The components claimed are the methods
    defined. An engine with `snapshot()` and `restore(saved)` may be claimed as such in `extras`. The options
    that a run may give it are declared in `known_options`."""

    name = ""
    version = "0"
    extras: tuple[str, ...] = ()
    known_options: tuple[str, ...] = ()
    profile = "core"

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
        """An engine of the component that `setup` builds."""
        from .components.registry import component_by_setup

        component = component_by_setup(setup)
        return InProcessSession(partial(getattr(self, component.name), setup), component.calls)

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        """One engine a scenario, one after the other."""
        from .components.registry import COMPONENTS

        for scenario in scenarios:
            component = COMPONENTS[component_of(scenario)]
            make = partial(getattr(self, component.name), scenario.setup)
            try:
                session = InProcessSession(make, component.calls)
            except Exception as error:
                yield Transcript(scenario.id, (), failure_of(error))
            else:
                yield played(session, scenario)


def played(session: Session, scenario: Scenario) -> Transcript:
    """The transcript of a scenario stepped through a session that observes every step."""
    outputs: list[Outputs] = []
    try:
        outputs.extend(map(session.step, scenario.history))
    except Exception as error:
        return Transcript(scenario.id, tuple(outputs), failure_of(error))
    return Transcript(scenario.id, tuple(outputs))


def failure_of(error: Exception) -> Failure:
    """What an engine's exception that is no answer is in a transcript."""
    kind: Literal["protocol", "exception"] = "protocol" if isinstance(error, TypeError) else "exception"
    return Failure(kind, f"{type(error).__name__}: {error}"[:2000])
