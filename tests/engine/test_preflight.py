"""Before a run an engine gets one short scenario for each kind of step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import process_time
from typing import Any

import pytest
from engines import ValveAdapter

from tidegauge import Adapter, ComponentAdapter, Scenario, Transcript
from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.contained import ContainedAdapter
from tidegauge.engine.interruption import Interruption
from tidegauge.judging.items.preflight import preflight, preflight_scenarios
from tidegauge.wire.scenario import problems
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import CORE, FLINK_2_3, Valve

EVERYTHING = ReferenceAdapter({}).describe().capabilities
DRAWN = [name for name, component in COMPONENTS.items() if component.drawn]
VALVE = preflight_scenarios(COMPONENTS["valve"], CORE, EVERYTHING)


@pytest.mark.parametrize("policies", [CORE, FLINK_2_3], ids=["core", "flink-2.3"])
@pytest.mark.parametrize("name", DRAWN)
def test_every_kind_of_step_has_a_short_scenario_that_ends_with_it(name: str, policies: Any) -> None:
    component = COMPONENTS[name]
    scenarios = preflight_scenarios(component, policies, EVERYTHING)
    assert [type(scenario.history[-1]) for scenario in scenarios] == list(component.calls)
    for scenario in scenarios:
        kinds = [type(step) for step in scenario.history]
        assert kinds.count(kinds[-1]) == 1
        assert len(kinds) <= 12
        assert scenario.id == f"{name}:preflight:{scenario.history[-1].__struct_config__.tag}"
        assert problems(scenario) == []
    assert scenarios == preflight_scenarios(component, policies, EVERYTHING)


def test_no_scenario_needs_what_the_engine_does_not_claim() -> None:
    scenarios = preflight_scenarios(COMPONENTS["backlog"], CORE, ("backlog",))
    assert [scenario.id for scenario in scenarios] == ["backlog:preflight:attributes"]


def test_whole_jobs_have_none() -> None:
    assert preflight_scenarios(COMPONENTS["job"], CORE, EVERYTHING) == []


def test_it_takes_no_time() -> None:
    started = process_time()
    for name in DRAWN:
        preflight(ReferenceAdapter({}), preflight_scenarios(COMPONENTS[name], CORE, EVERYTHING))
    assert process_time() - started < 5


@pytest.mark.parametrize("name", DRAWN)
def test_the_reference_answers(name: str) -> None:
    scenarios = preflight_scenarios(COMPONENTS[name], CORE, EVERYTHING)
    assert preflight(ReferenceAdapter({}), scenarios) is None


class OnlyIdle:
    """Nothing but `idle` works."""

    def __init__(self, channels: int) -> None:
        self.idle = Valve(channels).idle


def test_an_engine_that_answers_one_kind_of_step_goes_on() -> None:
    (shown,) = [scenario for scenario in VALVE if scenario.id.endswith("idle") and len(scenario.history) == 1]
    assert preflight(ValveAdapter(OnlyIdle), [shown]) is None
    assert preflight(ValveAdapter(OnlyIdle), VALVE) is None


def test_an_engine_that_answers_nothing_is_told_with_its_failures() -> None:
    failures = preflight(ValveAdapter(lambda channels: object()), VALVE)
    assert failures is not None
    assert [scenario for scenario, _ in failures] == VALVE
    assert {failure.kind for _, failure in failures} == {"exception"}
    assert failures[0][1].text == "AttributeError: 'object' object has no attribute 'watermark'"


class Silent(ValveAdapter):
    """Returns no transcripts."""

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        return iter(())


class Broken(Adapter):
    """Its run raises."""

    raises: BaseException = OSError("no server")

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        raise self.raises


def test_an_adapter_without_transcripts_answers_nothing() -> None:
    failures = preflight(Silent(), VALVE)
    assert failures is not None
    assert {failure.kind for _, failure in failures} == {"missing"}


@pytest.mark.parametrize("error", [OSError("no server"), SystemExit("no server")], ids=repr)
def test_an_adapter_whose_run_raises_answers_nothing(error: BaseException) -> None:
    broken = Broken({})
    broken.raises = error
    failures = preflight(ContainedAdapter(broken), VALVE)
    assert failures is not None
    (text,) = {failure.text for _, failure in failures}
    assert text.startswith(f"{type(error).__name__}: no server; raised by `run` of the adapter, at test_pre")


def test_what_ends_the_run_from_outside_gets_through() -> None:
    broken = Broken({})
    broken.raises = Interruption()
    with pytest.raises(Interruption):
        preflight(ContainedAdapter(broken), VALVE)


class WithoutIdleness(ComponentAdapter):
    """Has no words for idle channels, and no valve either."""

    def inexpressible(self, scenario: Scenario) -> str | None:
        return "idleness" if scenario.id.endswith((":idle", ":active")) else None


def test_only_what_the_engine_can_express_is_tried() -> None:
    failures = preflight(WithoutIdleness({}), VALVE)
    assert failures is not None
    assert [scenario.id for scenario, _ in failures] == ["valve:preflight:watermark"]
    rest = [scenario for scenario in VALVE if scenario.id != "valve:preflight:watermark"]
    assert preflight(WithoutIdleness({}), rest) is None
    assert preflight(WithoutIdleness({}), []) is None
