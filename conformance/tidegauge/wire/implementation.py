"""What an adapter says of its engine."""

from typing import Literal

from msgspec import Struct

from .shapes import AnyShape
from .transcript import Observation

Layer = Literal["in-process", "tester", "streaming", "cluster"]

CHEAP_LAYERS: tuple[Layer, ...] = ("in-process", "tester")
"""The layers on which a scenario takes much less than a second, since no query has to start."""

NO_DEVIATIONS = "none"
"""In place of a file of known deviations: without those that come with the engine."""

PROFILE_FILE = ".toml"
"""The end of the name of a file with a profile. Other names are those of profiles of the specification."""


class Implementation(Struct, frozen=True, kw_only=True):
    """Who is under test and how it can be observed.

    `capabilities`: the components it claims, and extras: `snapshot`, `int64`; of jobs `alignment`, `restart`,
    `job-idleness`, `job-backpressure`, `job-windows`, `job-out-of-orderness`; of backlog `watermark-lag`.
    `profile`: what it suggests to be measured against; the run decides. `profile_file`: the file with its
    author's profile, if the adapter ships one; a run without `--profile` uses this profile.
    `observes`: at each step, at the end
    of each group of steps, or at the end of the scenario. `layer`: where its code runs; `layers`: the
    components whose code runs elsewhere. `options`: those it was given, part of its identity. `overshoot`:
    how far it may run past a bound, in its own words, `overshoot_ms` the same in ms of event time;
    `reaction_ms`: the processing time it needs to obey a new bound. `one_process`: it is too heavy to be
    started in more than one worker. `at_most`: where a scenario costs it seconds, how many of an item of each
    suite `layer` is given, of the shrinker's candidates in a round (`shrinking`), of the failing scenarios of
    an item that are shrunk (`counterexamples`), how often a scenario restores (`restores`), and how many
    steps the long scenarios of a component have (`endurance`). `seconds`: what an item of each suite takes
    with the default budget on two free cores (s): a run says at its start how long it will take.
    `memory_mib`: what one of its processes with all that it starts may take; more than that ends it.
    `refuses`: whether it refuses steps that no runtime sends; if not, it is not given them. `deviations`: the
    file of known deviations that comes with it; the run decides, as of the profile.
    `shapes`: the features of the components that have fewer than the chapters describe. `by_adapter`: the
    rules that the adapter keeps in place of the engine, each with what it does. `remark`: what a reader of
    the report must know.
    """

    name: str
    version: str
    capabilities: tuple[str, ...]
    profile: str = "core"
    profile_file: str = ""
    observes: Observation = "step"
    layer: Layer = "in-process"
    layers: dict[str, Layer] = {}
    options: dict[str, str] = {}
    overshoot: str | None = None
    overshoot_ms: int = 0
    reaction_ms: int = 0
    one_process: bool = False
    at_most: dict[str, int] = {}
    seconds: dict[str, float] = {}
    memory_mib: int = 2048
    refuses: bool = True
    deviations: str = ""
    shapes: tuple[AnyShape, ...] = ()
    by_adapter: dict[str, str] = {}
    remark: str = ""

    def claims(self) -> frozenset[str]:
        """Its capabilities; to refuse steps that no runtime sends is one, too."""
        return frozenset((*self.capabilities, "refuses") if self.refuses else self.capabilities)

    def layer_of(self, component: str) -> Layer:
        """Where the code of a component runs."""
        return self.layers.get(component, self.layer)

    def elsewhere(self) -> str:
        """Which components run on which other layers, in words."""
        components: dict[Layer, list[str]] = {}
        for component, layer in self.layers.items():
            components.setdefault(layer, []).append(component)
        return "; ".join(f"{layer}: {', '.join(names)}" for layer, names in components.items())
