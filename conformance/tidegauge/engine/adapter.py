"""The adapter contract: what binds an engine to the kit.

`import tidegauge` imports this module, and pytest does that in every session, for the plugin. The components,
which take most of the time, are therefore imported where they are first needed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..wire.implementation import Implementation
from ..wire.scenario import Scenario, component_of
from ..wire.shapes import AnyShape
from ..wire.transcript import Transcript
from ..wire.vocabulary import Setup, Step
from .errors import NO_REFUSALS, Refusals, check_refusals
from .in_process import InProcessSession, UnmadeSession
from .interruption import from_outside
from .session import Session, played

Calls = Mapping[type[Step], Callable[[Any, Any], Any]]
"""How an engine is asked for each kind of step."""


class Adapter:
    """Base of all adapters. `options` are the `--option key=value` of the run; an adapter refuses those
    it does not know with `ValueError`."""

    ahead = False
    """Whether a call of `run` takes seconds whatever it is given. If so, the kit gives it the scenarios of
    many items at once; then `run` must bear several threads at a time, and `progress` and `interrupt` must
    be there."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.options = dict(options)

    def describe(self) -> Implementation:
        """Who is under test; must not start anything heavy."""
        raise NotImplementedError

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        """Put any number of scenarios through the engine; transcripts are matched by scenario id."""
        raise NotImplementedError

    def inexpressible(self, scenario: Scenario) -> str | None:
        """Return what a scenario contains that the engine has no words for and that no shape can say; None
        if the scenario can be put through the engine. Such scenarios are left out and counted, and a rule
        whose defects would show only there is not tested: declare features in `Implementation.shapes`."""
        return None

    def session(self, setup: Setup) -> Session | None:
        """A new instance of the engine, which is stepped; None if this one cannot be stepped. The kit steps
        sessions of the same adapter alternately, too, so each needs a state of its own."""
        return None

    def hints(self, scenario: Scenario) -> Sequence[str]:
        """Return sentences that explain a counterexample in the terms of the engine, such as what its code
        returned. The report shows them below the counterexample. They change no verdict."""
        return ()

    def stand_in(self) -> "Adapter | None":
        """Return an adapter that runs the same engine in a faster way; None if there is none. Counterexamples
        are shrunk with it, and this adapter then runs the smallest scenario. The kit does not close it."""
        return None

    def progress(self) -> int:
        """A number that changes as long as calls of `run` get on. Only for an adapter that is `ahead`."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """End the calls of `run` that other threads have begun: they raise soon. `run` works again after it.
        Only for an adapter that is `ahead`."""
        raise NotImplementedError

    def close(self) -> None:
        """Release everything; the kit calls it once at the end."""


class ComponentAdapter(Adapter):
    """The comfortable base for in-process engines: one method a component, named like it, which takes the
    setup and returns an engine object whose methods are the steps (`contract`; `tidegauge init` writes them
    out). The components claimed are the methods defined. An engine with `snapshot()` and `restore(saved)` may
    be claimed as such in `extras`. The options that a run may give it are declared in `known_options`.

    An engine refuses a step by raising `tidegauge.IllegalArgument`, `IllegalState` or `Unsupported`. `errors`
    maps exceptions of its own to these (`{ValueError: IllegalArgument}`); the most specific class counts.
    Nothing maps by default: whatever else an engine raises is an error and never an answer. One that relies
    on its runtime for what no runtime sends says `refuses = False`, and is not given it. An engine with fewer
    features than the chapters describe declares them, `shapes = (WindowShape(assigners=("tumbling",)),)`:
    scenarios are drawn within them. `profile_file` and `deviations` name the files of the engine's profile
    and known deviations; a run without `--profile` and `--deviations` uses these files. `by_adapter` states
    what the adapter does in place of the engine, for each rule that is kept in this way.
    """

    name = ""
    version = "0"
    extras: tuple[str, ...] = ()
    known_options: tuple[str, ...] = ()
    profile = "core"
    profile_file = ""
    deviations = ""
    errors: Refusals = NO_REFUSALS
    refuses = True
    shapes: tuple[AnyShape, ...] = ()
    by_adapter: Mapping[str, str] = {}

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        check_refusals(self.errors)
        self._known_calls: dict[str, Calls] = {}

    def describe(self) -> Implementation:
        """The class attributes, and the components whose methods are defined."""
        from ..components.registry import COMPONENTS

        claimed = tuple(name for name in COMPONENTS if callable(getattr(self, name, None)))
        if isinstance(self.extras, str):
            raise TypeError(f"extras is {self.extras!r}; it must be a tuple, such as ({self.extras!r},)")
        return Implementation(
            name=self.name or type(self).__name__,
            version=self.version,
            capabilities=claimed + self.extras,
            profile=self.profile,
            profile_file=self.profile_file,
            deviations=self.deviations,
            refuses=self.refuses,
            shapes=self.shapes,
            by_adapter=dict(self.by_adapter),
            options=self.options,
        )

    def inexpressible(self, scenario: Scenario) -> str | None:
        """What no runtime sends, if the engine does not refuse it."""
        if self.refuses:
            return None
        from .never_sent import never_sent

        return never_sent(scenario, self.profile)

    def session(self, setup: Setup) -> Session:
        """An engine of the component that `setup` builds. Where it cannot be made, each step raises why."""
        from ..components.registry import component_by_setup

        return self._session(component_by_setup(setup).name, setup)

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        """One engine a scenario, one after the other."""
        for scenario in scenarios:
            yield played(self._session(component_of(scenario), scenario.setup), scenario)

    def _session(self, name: str, setup: Setup) -> Session:
        try:
            return InProcessSession(lambda: getattr(self, name)(setup), self._calls(name), self.errors)
        except BaseException as error:
            if from_outside(error):
                raise
            return UnmadeSession(error)

    def method_problems(self, setup: Setup) -> list[str]:
        """Which methods of an engine with that setup do not exist or take other arguments; nothing of an
        engine that cannot be made."""
        from ..components.registry import component_by_setup
        from ..components.within import component_within
        from .contract import method_problems

        component = component_within(component_by_setup(setup).name, self.describe().shapes)
        try:
            engine = getattr(self, component.name)(setup)
        except BaseException as error:
            if from_outside(error):
                raise
            return []
        return list(method_problems(component, engine, setup))

    def _calls(self, name: str) -> Calls:
        if name not in self._known_calls:
            from ..components.registry import COMPONENTS
            from .contract import calls_of

            self._known_calls[name] = calls_of(COMPONENTS[name])
        return self._known_calls[name]
