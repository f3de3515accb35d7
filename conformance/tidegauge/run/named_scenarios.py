"""Scenarios by their names: a golden vector, a whole job, a drawn scenario (component, seed and index), or
one of a state cover."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from tidegauge_reference import Policies

from ..components.job.jobs import JOBS
from ..components.registry import COMPONENTS
from ..components.within import component_within, fitted
from ..drawing.cover import state_cover
from ..drawing.exhaustive import known_exhaustive
from ..drawing.histories import draw_history
from ..drawing.scale import scale_scenario
from ..judging.items.examination import with_variants
from ..vectors.published import Vector, every_vector
from ..wire.scenario import Scenario, component_of
from ..wire.shapes import AnyShape

_DIGITS = 18
"""No seed and no index has more."""


def named_scenarios() -> Iterator[Scenario]:
    """The scenarios that stand in a list: golden vectors and whole jobs."""
    yield from (vector.scenario for vector in every_vector())
    yield from JOBS.values()


def scenario_named(
    name: str, policies: Policies, own: Iterable[Vector] = (), shapes: tuple[AnyShape, ...] = ()
) -> Scenario | None:
    """The scenario of that id, drawn again under `policies`; None if there is none.

    `valve/a-vector`, the same fitted to a shape (`valve/a-vector+f55208e0`), `job:a-job`, `valve:seed:1:17`
    for the seed 1 and the index 17, `valve:cover:SCOPE:5`, `valve:scale:KIND:3`,
    `valve:exhaustive:3-channels-2-timestamps@8:17`, and the variant of any of them
    that a property compares with it, `valve:seed:1:17~valve-shift~1`.
    `own`: vectors beside the published ones. `shapes`: those within which the scenario was drawn; an id from
    another shape names none."""
    base, _, variant = name.partition("~")
    scenario = _scenario_named(base, policies, own, shapes)
    return scenario if scenario is None or not variant else _variant(scenario, variant)


def _variant(scenario: Scenario, name: str) -> Scenario | None:
    """Return the variant of a scenario by the name of a property and a number; None if there is none."""
    property_name, _, number = name.rpartition("~")
    if not property_name:
        return replace(scenario, id=f"{scenario.id}~{name}") if name in ("0", "beside") else None
    for property in COMPONENTS[component_of(scenario)].properties:
        if property.name == property_name and _is_number(number):
            family = with_variants(property, scenario)
            return family[int(number)] if int(number) < len(family) else None
    return None


def _scenario_named(
    name: str, policies: Policies, own: Iterable[Vector], shapes: tuple[AnyShape, ...]
) -> Scenario | None:
    for known in (*(vector.scenario for vector in own), *named_scenarios()):
        if known.id.casefold() == name.casefold():
            return known
        if name.casefold().startswith(f"{known.id.casefold()}+"):
            within_shape = fitted(component_within(component_of(known), shapes), known)
            if within_shape.id.casefold() == name.casefold():
                return within_shape
    component_name, _, rest = name.partition(":")
    kind, _, rest = rest.partition(":")
    place, _, index = rest.rpartition(":")
    if component_name not in COMPONENTS or not _is_number(index):
        return None
    component = component_within(component_name, shapes)
    unmarked = place.removesuffix(component.mark)
    if kind != "cover" and f"{unmarked}{component.mark}" != place:
        return None
    scopes = {scope.name for group in component.covers.values() for scope in group}
    if kind == "cover" and place in scopes:
        cover = state_cover(component, place, policies)
        return cover.scenario(int(index)) if int(index) < len(cover) else None
    if kind == "exhaustive" and (every := known_exhaustive(component, unmarked)) is not None:
        return every.scenario(int(index)) if int(index) < every.size else None
    if kind == "scale" and component.drawn:
        return scale_scenario(component, unmarked, int(index), policies)
    if kind == "seed" and component.drawn and _is_number(unmarked):
        return draw_history(component, int(unmarked), int(index), policies)
    return None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _DIGITS
