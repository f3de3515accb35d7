"""Scenarios of scale: what they are, that they are always the same, and which defects only they show."""

from __future__ import annotations

import pytest

from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge.components.scale import EDGES
from tidegauge.drawing.histories import drawn_histories
from tidegauge.drawing.numbers import BEYOND_DOUBLES, UNITS
from tidegauge.drawing.scale import scale_places, scale_scenario, scale_scenarios
from tidegauge.judging.changes.change import change_of
from tidegauge.judging.diagnosis.model import Model
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.mutants.mutant import Mutant
from tidegauge.run.items import examine, kinds_of_scale, scenario_at, scenarios_of
from tidegauge.run.named_scenarios import scenario_named
from tidegauge.run.plan import PlannedItem
from tidegauge.run.request import Request
from tidegauge.wire.scenario import BadInput, encode_scenario, problems, read_scenarios
from tidegauge.wire.timestamps import needs_int64
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import CORE, PROFILES

DRAWN = [name for name, component in COMPONENTS.items() if component.drawn]
BEYOND_PLAIN_NUMBERS = {"far", *(f"apart-{name}" for name in BEYOND_DOUBLES)}
"""Kinds whose numbers are plain on the wire, and not their sums."""

OF_SCALE = [mutant for mutant in load_mutants().values() if mutant.scale]


@pytest.mark.parametrize("component", DRAWN)
def test_they_are_legal_and_survive_the_wire(component: str) -> None:
    for scenario in scale_scenarios(COMPONENTS[component], "default", CORE):
        assert problems(scenario) == []
        assert list(read_scenarios([encode_scenario(scenario)], "one")) == [scenario]
        large = scenario.origin.of in BEYOND_PLAIN_NUMBERS
        assert ("int64" in scenario.needs) == (large or any(map(needs_int64, scenario.history)))


@pytest.mark.parametrize("component", DRAWN)
def test_a_smaller_budget_has_a_part_of_a_larger_one(component: str) -> None:
    smoke, default = (scale_scenarios(COMPONENTS[component], budget, CORE) for budget in ("smoke", "default"))
    assert {one.id for one in smoke} < {one.id for one in default}
    assert (
        len(default)
        <= len(scale_places(COMPONENTS[component], "default"))
        < len(scale_places(COMPONENTS[component], "thorough"))
    )
    assert sum(len(one.history) for one in smoke) * 2 < sum(len(one.history) for one in default)


@pytest.mark.parametrize("component", DRAWN)
def test_each_is_found_by_its_name(component: str) -> None:
    for scenario in scale_scenarios(COMPONENTS[component], "smoke", CORE):
        assert scenario_named(scenario.id, CORE) == scenario
    assert scenario_named(f"{component}:scale:no-such-kind:0", CORE) is None


@pytest.mark.parametrize("component", DRAWN)
@pytest.mark.parametrize("profile", PROFILES)
def test_there_are_some_of_each_kind_under_each_profile(component: str, profile: str) -> None:
    kinds = {one.origin.of for one in scale_scenarios(COMPONENTS[component], "smoke", PROFILES[profile])}
    assert {f"at-{edge}" for edge in COMPONENTS[component].scale.edges} <= kinds
    assert {f"with-{limit}" for limit in COMPONENTS[component].scale.setups} <= kinds
    assert {f"6-{parts}" for parts in COMPONENTS[component].scale.widen} <= kinds
    assert {f"65-{parts}" for parts in COMPONENTS[component].scale.widen} <= kinds
    assert {"repeated", "over-and-over", "taken-back", "in-each-state", "100-steps"} <= kinds
    assert {f"apart-{unit}" for unit in UNITS} <= kinds


def test_what_ran_is_drawn_again_by_its_place() -> None:
    """Of some places there is none: so many sources no job has."""
    places = scale_places(COMPONENTS["coordinator"], "default")
    first = places.index(("256-sources", 0)) - 2
    item = PlannedItem("coordinator-scale", "coordinator", "scale", "", first, first + 15)
    request, adapter = Request(adapter="reference"), ReferenceAdapter({})
    ran = list(scenarios_of(item, request, CORE))
    assert 2 < len(ran) < 15
    report = ItemReport(item.id, item.component)
    examine(item, request, ran, Examiner(adapter, adapter.describe(), CORE), report)
    assert [scenario_at(item, request, CORE, (), place) for place in report.ran] == ran
    kinds = kinds_of_scale(item, request, ())
    assert [kinds[place] for place in report.ran] == [one.origin.of for one in ran]
    with pytest.raises(BadInput, match="coordinator-scale has found what it cannot find; run it again"):
        scenario_at(item, request, CORE, (), kinds.index("256-sources"))


def test_one_history_of_each_component_has_ten_thousand_steps() -> None:
    for component in DRAWN:
        longest = scale_scenario(COMPONENTS[component], "10000-steps", 0, CORE)
        assert longest is not None
        assert len(longest.history) == 10_000


def test_there_are_valves_with_a_thousand_channels() -> None:
    wide = scale_scenario(COMPONENTS["valve"], "1000-channels", 0, CORE)
    assert wide is not None
    assert wide.setup.channels >= 1000  # type: ignore[attr-defined]


def test_edges_are_all_different() -> None:
    assert len(set(EDGES.values())) == len(EDGES)


@pytest.mark.parametrize("mutant", OF_SCALE, ids=lambda mutant: str(mutant.name))
def test_a_mutant_of_scale_is_shown_by_the_kind_that_it_names(mutant: Mutant) -> None:
    component = COMPONENTS[mutant.component]
    reference, wrong = Model(component, CORE), Model(component, CORE, [change_of(mutant)])
    of_its_kind = (
        scale_scenario(component, kind, index, CORE)
        for kind, index in scale_places(component, "default")
        if kind == mutant.scale
    )
    assert any(wrong.play(one) != reference.play(one) for one in of_its_kind if one is not None)


@pytest.mark.parametrize("mutant", OF_SCALE, ids=lambda mutant: str(mutant.name))
def test_a_mutant_of_scale_is_seldom_shown_by_others(mutant: Mutant) -> None:
    """Otherwise a pass that does not exclude it would say too little."""
    component = COMPONENTS[mutant.component]
    reference, wrong = Model(component, CORE), Model(component, CORE, [change_of(mutant)])
    answered = drawn_histories(COMPONENTS[mutant.component], 1, 0, 300, CORE)
    drawn = [one.scenario for one in answered]
    assert sum(wrong.play(one) != reference.play(one) for one in drawn) <= 5


def test_there_are_mutants_of_scale_of_many_kinds() -> None:
    assert len(OF_SCALE) >= 25
    assert {mutant.component for mutant in OF_SCALE} == set(DRAWN)
