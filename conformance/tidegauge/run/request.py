"""What a run is asked for, and at the same time the one declaration of the options of a run.

The options of `tidegauge run` (`--budget`), the options of the pytest plugin (`--tidegauge-budget`) and the
arguments that the former passes to the latter are all made from the fields below, by `options.py`. Every
pytest session of an environment that has Tidegauge installed imports this module, so it imports little.
"""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Struct

from ..wire.implementation import NO_DEVIATIONS

BUDGETS = ("smoke", "default", "thorough")


@dataclass(frozen=True)
class Told:
    """How a user gives a field: what stands for its value in a help text, what it means, and the name of the
    option where that is not the name of the field. `path`: the value names a file or a folder."""

    value: str
    help: str
    option: str = ""
    path: bool = False


_ADAPTER = Told("NAME", "The engine under test: a registered name, module:Class, or mutant:NAME.")
_OPTIONS = Told("KEY=VALUE", "An option of the adapter.", option="option")
_PROFILE = Told(
    "PROFILE",
    "The profile to measure against, or the file of your own (`tidegauge profile` writes it); default: the "
    "profile that the engine suggests.",
    path=True,
)
_COMPONENTS = Told("COMPONENT", "Judge only this component.", option="component")
_RULES = Told("RULE", "Judge only this rule.", option="rule")
_BUDGET = Told("BUDGET", f"How much to run: {', '.join(BUDGETS[:-1])} or {BUDGETS[-1]}.")
_SEED = Told("SEED", "The seed of the random scenarios.")
_DIAGNOSE = Told(
    "STEPS",
    "The limit of steps in the search for a model of a failing component; 0: no search.",
    option="diagnose-steps",
)
_SCENARIO_SECONDS = Told(
    "SECONDS",
    "The time limit of a scenario for an engine in this process; its process is then killed.",
    option="scenario-seconds",
)
_MEMORY = Told(
    "MIB",
    "The memory limit of a process of the engine and its children; default, 0: the limit that the adapter "
    "declares.",
)
_VECTORS = Told("FOLDER", "A folder with golden vectors of your own.", path=True)
_DEVIATIONS = Told(
    "FILE",
    f"Known deviations of the engine, as TOML; `{NO_DEVIATIONS}`: without those that come with the engine. "
    "See conformance/README.md.",
    path=True,
)
_OUT = Told("FOLDER", "Folder for the journal of the run, its results and its reports.", path=True)


class Request(Struct, frozen=True, kw_only=True):
    """What to judge, against what, and how hard. `components` and `rules`, if empty, mean all."""

    adapter: Annotated[str, _ADAPTER]
    options: Annotated[dict[str, str], _OPTIONS] = {}
    profile: Annotated[str | None, _PROFILE] = None
    components: Annotated[tuple[str, ...], _COMPONENTS] = ()
    rules: Annotated[tuple[str, ...], _RULES] = ()
    budget: Annotated[str, _BUDGET] = "default"
    seed: Annotated[int, _SEED] = 1
    diagnose_steps: Annotated[int, _DIAGNOSE] = 5_000_000
    scenario_seconds: Annotated[int, _SCENARIO_SECONDS] = 30
    memory: Annotated[int, _MEMORY] = 0
    vectors: Annotated[tuple[str, ...], _VECTORS] = ()
    deviations: Annotated[str | None, _DEVIATIONS] = None
    out: Annotated[str, _OUT] = "tidegauge-results"
