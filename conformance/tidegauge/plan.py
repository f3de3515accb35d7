"""Which test items a run consists of: (component, suite, chunk), each one call of the adapter or a few."""

from dataclasses import dataclass

from tidegauge_reference import Policies
from tidegauge_spec import load_registry

from .adapter import Implementation
from .components.job.jobs import JOBS
from .components.registry import COMPONENTS
from .generation.cover import state_cover
from .request import Request
from .vectors import load_vectors

JUDGED_IN_OTHERS = "time"
"""The component without scenarios of its own: its rules decide in those that its rules need."""

SUITES = ("vectors", "state-cover", "random-histories", "properties", "fuzz", "interactive", "jobs")
_CHUNK = 4000
_CHUNK_OF_A_QUERY = 16_000  # each call starts streaming queries, which takes seconds
_CHEAP_LAYERS = ("in-process", "tester")


@dataclass(frozen=True)
class Volume:
    """How much of each suite a budget asks for: every n-th scenario of the covers, numbers of histories,
    of histories a property, of Hypothesis examples a chunk, and of interactive runs."""

    cover_stride: int
    histories: int
    property_histories: int
    fuzz_examples: int
    interactive_runs: int


VOLUMES = {
    "smoke": Volume(
        cover_stride=7, histories=1_000, property_histories=250, fuzz_examples=25, interactive_runs=5
    ),
    "default": Volume(
        cover_stride=1, histories=12_000, property_histories=2_000, fuzz_examples=200, interactive_runs=40
    ),
    "thorough": Volume(
        cover_stride=1,
        histories=120_000,
        property_histories=20_000,
        fuzz_examples=2_000,
        interactive_runs=400,
    ),
}


@dataclass(frozen=True)
class PlannedItem:
    """One test item; `start` and `stop` bound the indices of the scenarios it draws, `name` is the scope
    of a cover or the property where the suite has such."""

    id: str
    component: str
    suite: str
    name: str
    start: int
    stop: int


def components_asked_for(request: Request, implementation: Implementation) -> list[str]:
    """The components the engine claims whose scenarios can judge what the run is asked for: `job` also for
    rules that whole jobs show, and every component for those of time, which decide in any of them."""
    registry = load_registry()
    asked_for = [
        rule
        for rule in registry.rules.values()
        if rule.component in (request.components or registry.chapters)
        and rule.id in (request.rules or registry.rules)
    ]
    asked = {rule.component for rule in asked_for}
    if any("job" in rule.checked_by for rule in asked_for):
        asked.add("job")
    for rule in asked_for:
        if rule.component == JUDGED_IN_OTHERS:
            asked |= set(rule.needs)
    return [name for name in COMPONENTS if name in asked and name in implementation.capabilities]


def plan(request: Request, implementation: Implementation, policies: Policies) -> list[PlannedItem]:
    """The items of a run, in a fixed order."""
    volume = VOLUMES[request.budget]
    chunk = _CHUNK if implementation.layer in _CHEAP_LAYERS else _CHUNK_OF_A_QUERY
    items: list[PlannedItem] = []
    for component in components_asked_for(request, implementation):
        if vectors := load_vectors(component):
            items.append(PlannedItem(f"{component}-vectors", component, "vectors", "", 0, len(vectors)))
        for scope in COMPONENTS[component].covers.get(request.budget, ()):
            size = len(state_cover(component, scope.name, policies))
            items += _chunks(component, "state-cover", scope.name, size, chunk * volume.cover_stride)
        if COMPONENTS[component].drawn:
            items += _chunks(component, "random-histories", "", volume.histories, chunk)
        for property in COMPONENTS[component].properties:
            holds = all(getattr(policies, name) == value for name, value in property.holds_under.items())
            seen = not property.needs_steps or implementation.observes == "step"
            if holds and seen and set(property.needs) <= set(implementation.capabilities):
                items += _chunks(component, "properties", property.name, volume.property_histories, chunk)
        if COMPONENTS[component].drawn and implementation.layer in _CHEAP_LAYERS:
            items.append(PlannedItem(f"{component}-fuzz", component, "fuzz", "", 0, volume.fuzz_examples))
            items.append(
                PlannedItem(
                    f"{component}-interactive", component, "interactive", "", 0, volume.interactive_runs
                )
            )
        if component == "job":
            items += [
                PlannedItem(f"job-{name}", component, "jobs", name, 0, 1)
                for name, job in JOBS.items()
                if set(job.needs) <= set(implementation.capabilities)
            ]
    return items


def _chunks(component: str, suite: str, name: str, size: int, chunk: int) -> list[PlannedItem]:
    parts = [part for part in (component, suite, name) if part]
    return [
        PlannedItem(
            "-".join([*parts, f"{number:03d}"]), component, suite, name, start, min(start + chunk, size)
        )
        for number, start in enumerate(range(0, size, chunk))
    ]
