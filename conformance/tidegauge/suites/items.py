"""The scenarios of a planned item, and a scenario found again by its id."""

from collections.abc import Iterator

from tidegauge_reference import Policies

from ..components.registry import COMPONENTS
from ..generation.cover import state_cover
from ..generation.histories import draw_history
from ..journal import Started
from ..plan import VOLUMES, PlannedItem
from ..request import Request
from ..scenario import Scenario
from ..vectors import load_vectors


def scenarios_of(item: PlannedItem, request: Request, policies: Policies) -> Iterator[Scenario]:
    """The scenarios that an item of the suites `vectors`, `state-cover`, `random-histories` or `properties`
    draws, the same in every process."""
    indices = range(item.start, item.stop)
    if item.suite == "vectors":
        yield from (load_vectors(item.component)[index].scenario for index in indices)
    elif item.suite == "state-cover":
        cover = state_cover(item.component, item.name, policies)
        stride = VOLUMES[request.budget].cover_stride
        yield from (cover.scenario(index) for index in indices if index % stride == 0)
    else:
        component = COMPONENTS[item.component]
        yield from (draw_history(component, request.seed, index, policies) for index in indices)


def find_scenario(scenario_id: str, started: Started, policies: Policies) -> Scenario | None:
    """The scenario of that id, drawn again; None for one that was not drawn (a fuzzer's, a variant)."""
    name = scenario_id.partition("~")[0]
    for vector in (vector for component in COMPONENTS for vector in load_vectors(component)):
        if vector.scenario.id == name:
            return vector.scenario
    component_name, _, rest = name.partition(":")
    kind, _, rest = rest.partition(":")
    place, _, index = rest.rpartition(":")
    if component_name not in COMPONENTS or not index.isdigit():
        return None
    if kind == "cover":
        return state_cover(component_name, place, policies).scenario(int(index))
    if kind == "seed" and place == str(started.request.seed):
        return draw_history(COMPONENTS[component_name], started.request.seed, int(index), policies)
    return None
