"""Which test items a run consists of: (component, suite, chunk), each one call of the adapter or a few."""

from dataclasses import dataclass, replace
from itertools import chain

from tidegauge_reference import Policies
from tidegauge_spec import FIRST_VERSION, load_registry, vector_versions

from ..components.job.jobs import JOBS
from ..components.property import Property
from ..components.registry import COMPONENTS
from ..components.within import component_within
from ..drawing.cover import state_cover
from ..drawing.scale import scale_places
from ..judging.verdicts.judged_in import judged_in
from ..vectors.published import OWN, vectors_added
from ..wire.implementation import CHEAP_LAYERS, Implementation
from ..wire.scenario import BadInput
from .request import Request

SUITES = (
    "vectors",
    "state-cover",
    "random-histories",
    "scale",
    "properties",
    "endurance",
    "interleaved",
    "fuzz",
    "interactive",
    "jobs",
)
_CHUNK = 4000
_SLOWER = 10  # by so much a step outside this process takes longer, at least
_CHUNK_OF_A_QUERY = 16_000  # each call starts streaming queries, which takes seconds


@dataclass(frozen=True)
class Volume:
    """How much of each suite a budget asks for: every n-th scenario of the covers, numbers of histories,
    of histories a property, of pairs of histories that are interleaved, of Hypothesis examples a chunk, of
    interactive runs, and of the steps of long scenarios."""

    cover_stride: int
    histories: int
    property_histories: int
    interleaved_pairs: int
    fuzz_examples: int
    interactive_runs: int
    long_steps: int


VOLUMES = {
    "smoke": Volume(
        cover_stride=7,
        histories=1_000,
        property_histories=250,
        interleaved_pairs=30,
        fuzz_examples=25,
        interactive_runs=5,
        long_steps=1_500,
    ),
    "default": Volume(
        cover_stride=1,
        histories=12_000,
        property_histories=2_000,
        interleaved_pairs=300,
        fuzz_examples=200,
        interactive_runs=40,
        long_steps=10_000,
    ),
    "thorough": Volume(
        cover_stride=1,
        histories=120_000,
        property_histories=20_000,
        interleaved_pairs=3_000,
        fuzz_examples=2_000,
        interactive_runs=400,
        long_steps=30_000,
    ),
}


@dataclass(frozen=True)
class PlannedItem:
    """One test item; `start` and `stop` bound the indices of the scenarios it draws, `name` is the version of
    the vectors, the scope of a cover, the property or the job."""

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
    asked = {"job"} if any("job" in rule.checked_by for rule in asked_for) else set()
    for rule in asked_for:
        asked |= judged_in(rule)
    return [name for name in COMPONENTS if name in asked and name in implementation.capabilities]


def plan(request: Request, implementation: Implementation, policies: Policies) -> list[PlannedItem]:
    """The items of a run, in a fixed order. Raises `BadInput` if there are none of the user's own vectors."""
    volume = VOLUMES[request.budget]
    items: list[PlannedItem] = []
    for component in components_asked_for(request, implementation):
        narrowed = component_within(component, implementation.shapes)
        cheap = implementation.layer_of(component) in CHEAP_LAYERS
        in_process = implementation.layer_of(component) == "in-process"
        chunk = _CHUNK if cheap else _CHUNK_OF_A_QUERY
        items += _vector_items(component, request)
        for scope in narrowed.covers.get(request.budget, ()):
            size = len(state_cover(narrowed, scope.name, policies))
            stride = chunk * volume.cover_stride
            items += _chunks(component, "state-cover", scope.name, size, stride)
        if narrowed.drawn:
            items += _chunks(component, "random-histories", "", volume.histories, chunk)
            items.append(_item(component, "scale", "", len(scale_places(narrowed, request.budget))))
        by_property = [
            _chunks(component, "properties", property.name, volume.property_histories, chunk)
            for property in narrowed.properties
            if _is_checked(property, implementation, policies)
        ]
        items += chain.from_iterable(zip(*by_property, strict=True))  # a chunk is drawn and run once for all
        if narrowed.endurance and cheap:
            steps = volume.long_steps // (1 if in_process else _SLOWER)
            items.append(_item(component, "endurance", "", steps))
        if narrowed.drawn and cheap:
            pairs = volume.interleaved_pairs // (1 if in_process else _SLOWER)
            items.append(_item(component, "interleaved", "", pairs))
            items.append(_item(component, "fuzz", "", volume.fuzz_examples))
            items.append(_item(component, "interactive", "", volume.interactive_runs))
        if component == "job":
            items += [
                PlannedItem(f"job-{name}", component, "jobs", name, 0, 1)
                for name, job in JOBS.items()
                if set(job.needs) <= set(implementation.capabilities)
            ]
    if request.vectors and not any(item.suite == "vectors" and item.name == OWN for item in items):
        raise BadInput(
            f"no vector in {', '.join(request.vectors)} is for a component that the engine claims and that "
            "the run selects: omit --vectors"
        )
    return items


def _is_checked(property: Property, implementation: Implementation, policies: Policies) -> bool:
    """Whether a property says something about an engine like this one under the policies."""
    holds = all(getattr(policies, name) == value for name, value in property.holds_under.items())
    seen = not property.needs_steps or implementation.observes == "step"
    return holds and seen and set(property.needs) <= set(implementation.capabilities)


def _vector_items(component: str, request: Request) -> list[PlannedItem]:
    """The published vectors, an item for each version that added some, and the user's own."""
    items = []
    for version in (*vector_versions(), OWN):
        vectors = vectors_added(component, version, request.vectors)
        name = "" if version == FIRST_VERSION else version
        if vectors:
            item = _item(component, "vectors", name, len(vectors))
            items.append(replace(item, name=version))
    return items


def _item(component: str, suite: str, name: str, size: int) -> PlannedItem:
    id = "-".join(part for part in (component, suite, name) if part)
    return PlannedItem(id, component, suite, name, 0, size)


def _chunks(component: str, suite: str, name: str, size: int, chunk: int) -> list[PlannedItem]:
    whole = _item(component, suite, name, size)
    return [
        replace(whole, id=f"{whole.id}-{number:03d}", start=start, stop=min(start + chunk, size))
        for number, start in enumerate(range(0, size, chunk))
    ]
