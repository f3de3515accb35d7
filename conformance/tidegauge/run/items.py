"""What a planned item does: its scenarios, and how they are judged; and a scenario found again by its id."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from tidegauge_reference import Policies

from ..components.registry import COMPONENTS
from ..components.within import component_within, fitted
from ..drawing.cover import state_cover
from ..drawing.exhaustive import exhaustive
from ..drawing.histories import draw_history, drawn_histories
from ..drawing.scale import scale_places, scale_scenario
from ..judging.items.examination import Examiner
from ..judging.items.item_report import ItemReport
from ..judging.jobs.examination import examine_job
from ..vectors.published import Vector, own_vectors, published_outputs, vectors_added
from ..wire.scenario import BadInput, Scenario
from ..wire.shapes import AnyShape
from ..wire.transcript import Outputs
from .journal import Started
from .named_scenarios import scenario_named
from .plan import VOLUMES, PlannedItem
from .request import Request


def scenarios_of(
    item: PlannedItem, request: Request, policies: Policies, shapes: tuple[AnyShape, ...] = ()
) -> Iterator[Scenario]:
    """The scenarios that an item of the suites `vectors`, `state-cover`, `random-histories`, `scale`,
    `properties` or (of a campaign) `exhaustive` draws within the shapes, the same in every process."""
    component = component_within(item.component, shapes)
    indices = range(item.start, item.stop)
    if item.suite == "vectors":
        vectors = vectors_added(item.component, item.name, request.vectors)
        yield from (fitted(component, vectors[index].scenario) for index in indices)
    elif item.suite == "state-cover":
        cover = state_cover(component, item.name, policies)
        stride = VOLUMES[request.budget].cover_stride
        yield from (cover.scenario(index) for index in indices if index % stride == 0)
    elif item.suite == "scale":
        places = _places_of_scale(item, request, shapes)
        drawn = (scale_scenario(component, *place, policies) for place in places)
        yield from (one for one in drawn if one is not None)
    elif item.suite == "exhaustive":
        every = exhaustive(component, item.name)
        yield from (every.scenario(index) for index in indices)
    else:
        histories = drawn_histories(component, request.seed, item.start, item.stop, policies)
        yield from (answered.scenario for answered in histories)


def shapes_within(
    item: PlannedItem, declared: tuple[AnyShape, ...], drawn: tuple[AnyShape, ...]
) -> tuple[AnyShape, ...]:
    """Return the shapes within which the scenarios of an item lie. Golden vectors are fitted to the declared
    shapes only: an adapter that expresses less is still asked for each of them."""
    return declared if item.suite == "vectors" else drawn


def examine(
    item: PlannedItem,
    request: Request,
    scenarios: Iterable[Scenario],
    examiner: Examiner,
    report: ItemReport,
) -> None:
    """Do an item of any suite but those of Hypothesis on its scenarios (see `scenarios_of`; a job has its
    own), counting what it finds into `report`."""
    if item.suite == "jobs":
        examine_job(examiner, report, item.name)
    elif item.suite == "vectors":
        _compare_with_published(item, request, scenarios, examiner, report)
    elif item.suite == "properties":
        _check_property(item, scenarios, examiner, report)
    else:
        _compare(scenarios, None, item, request, examiner, report)


def _compare(
    scenarios: Iterable[Scenario],
    published: Mapping[str, list[Outputs] | None] | None,
    item: PlannedItem,
    request: Request,
    examiner: Examiner,
    report: ItemReport,
) -> None:
    """Compare those that apply, noting the places of what ran and of what does not agree."""
    drawn = list(scenarios)
    known = [one for one in drawn if published is None or one.id in published]
    applicable = examiner.applicable(known, report.left_out, item.suite)
    agreeing = examiner.compare(report, applicable, published)
    ran = {one.id for one in applicable}
    considered = {one.id for one in known}
    for place, scenario in _placed(drawn, item, request, examiner.drawn):
        if scenario.id in ran:
            report.ran.add(place)
            if scenario.id not in agreeing:
                report.apart.add(place)
        elif scenario.id in considered and examiner.is_beyond(scenario):
            report.beyond.add(place)
        elif scenario.id in considered and examiner.is_hidden(scenario):
            report.hidden.add(place)


def _placed(
    drawn: Sequence[Scenario], item: PlannedItem, request: Request, shapes: tuple[AnyShape, ...]
) -> Iterable[tuple[int, Scenario]]:
    """The scenarios of an item with their places. Of some places of scale there is none."""
    if item.suite != "scale":
        return enumerate(drawn)
    places = {kind_and_index: at for at, kind_and_index in enumerate(_places_of_scale(item, request, shapes))}
    return ((places[str(one.origin.of), one.origin.index or 0], one) for one in drawn)


def kinds_of_scale(item: PlannedItem, request: Request, shapes: tuple[AnyShape, ...]) -> list[str]:
    """The kind of the scenario at each place of an item of the suite `scale`; nothing for others."""
    return [kind for kind, _ in _places_of_scale(item, request, shapes)] if item.suite == "scale" else []


def _places_of_scale(
    item: PlannedItem, request: Request, shapes: tuple[AnyShape, ...]
) -> Sequence[tuple[str, int]]:
    component = component_within(item.component, shapes)
    return scale_places(component, request.budget)[item.start : item.stop]


def scenario_at(
    item: PlannedItem, request: Request, policies: Policies, shapes: tuple[AnyShape, ...], place: int
) -> Scenario:
    """The scenario at a place among those of an item (`scenarios_of`), drawn again."""
    component = component_within(item.component, shapes)
    if item.suite == "vectors":
        vector = vectors_added(item.component, item.name, request.vectors)[item.start + place]
        return fitted(component, vector.scenario)
    if item.suite == "state-cover":
        stride = VOLUMES[request.budget].cover_stride
        first = -(-item.start // stride) * stride
        return state_cover(component, item.name, policies).scenario(first + place * stride)
    if item.suite == "scale":
        drawn = scale_scenario(component, *_places_of_scale(item, request, shapes)[place], policies)
        if drawn is None:
            raise BadInput(f"the test item {item.id} has found what it cannot find; run it again")
        return drawn
    if item.suite == "exhaustive":
        return exhaustive(component, item.name).scenario(item.start + place)
    return draw_history(component, request.seed, item.start + place, policies)


def _compare_with_published(
    item: PlannedItem,
    request: Request,
    scenarios: Iterable[Scenario],
    examiner: Examiner,
    report: ItemReport,
) -> None:
    """The right answers stand in the file. The reference answers for vectors that were fitted to a shape."""
    drawn = list(scenarios)
    _compare(
        drawn, published_answers(item, request, examiner.policies, drawn), item, request, examiner, report
    )


def published_answers(
    item: PlannedItem, request: Request, policies: Policies, drawn: Sequence[Scenario]
) -> dict[str, list[Outputs] | None]:
    """Return the published outputs of the vectors of an item that say something about the policies, by the
    id of the scenario; None for scenarios that were fitted to a shape."""
    vectors = vectors_added(item.component, item.name, request.vectors)
    published: dict[str, list[Outputs] | None] = {
        vector.id: outputs
        for vector in vectors
        if (outputs := published_outputs(vector, policies)) is not None
    }
    named = {vector.id for vector in vectors}
    return published | {scenario.id: None for scenario in drawn if scenario.id not in named}


def _check_property(
    item: PlannedItem, scenarios: Iterable[Scenario], examiner: Examiner, report: ItemReport
) -> None:
    """A property on the scenarios that apply; where its situation never arose, why not."""
    property = next(one for one in COMPONENTS[item.component].properties if one.name == item.name)
    drawn = list(scenarios)
    feasible = examiner.within_its_means(property, drawn)
    examiner.check(report, property, examiner.applicable(feasible, suite=item.suite))
    counted = report.properties[property.name]
    if not counted.checked and not counted.known:
        counted.known = int(examiner.excluded_by_what_is_known(property, drawn))
        counted.inexpressible = examiner.arises_in_what_is_left_out(property, drawn)
        counted.outside = examiner.never_arises_within_shape(property, item.component)


def find_scenario(scenario_id: str, started: Started, policies: Policies) -> Scenario | None:
    """The scenario of that id, drawn again; None for one that was not drawn (a fuzzer's, a shrunk one)."""
    own: tuple[Vector, ...] = ()
    with suppress(BadInput):  # the user's folder may be gone by now
        own = own_vectors(started.request.vectors)
    drawn = scenario_named(scenario_id, policies, own=own, shapes=started.drawn)
    return drawn or scenario_named(scenario_id, policies, own=own, shapes=started.implementation.shapes)
