"""Two scenarios stepped alternately on two instances: who shares state is found, and nobody else is accused."""

from __future__ import annotations

from typing import Any

import pytest
from engines import SeenLessClosely
from judged import EFFORT
from sharing_engines import OperatorsOnTheClass, RandomValves, ValvesOnTheClass

from tidegauge import Adapter, ComponentAdapter
from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge.drawing.histories import drawn_histories
from tidegauge.engine.instances import alone, side_by_side
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.isolation import examine_isolation, first_difference, in_order, property_name
from tidegauge.judging.items.item_report import ItemReport, PropertyCount
from tidegauge.wire.steps.valve import ValveScenario, ValveSetup, WatermarkStep
from tidegauge.wire.vocabulary import Watermark
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import CORE, Valve
from tidegauge_reference.outputs import Output

DRAWN = [name for name, component in COMPONENTS.items() if component.drawn]


def looked_at(adapter: Adapter, component: str, pairs: int = 30) -> ItemReport:
    """What the item of a component finds."""
    report = ItemReport("interleaved", component)
    examiner = Examiner(adapter, adapter.describe(), CORE, effort=EFFORT)
    drawn = drawn_histories(COMPONENTS[component], 1, 0, pairs, CORE)
    examine_isolation(examiner, report, [answered.scenario for answered in drawn])
    return report


def counts(report: ItemReport) -> PropertyCount:
    return report.properties[property_name(report.component)]


@pytest.mark.parametrize(
    ("adapter", "component"), [(ValvesOnTheClass, "valve"), (OperatorsOnTheClass, "window")]
)
def test_state_that_only_a_constructor_resets_is_found(
    adapter: type[ComponentAdapter], component: str
) -> None:
    report = looked_at(adapter({}), component)
    assert counts(report).violated > 10
    assert counts(report).unsteady == 0
    seen = report.interference
    assert seen is not None
    assert first_difference(seen) is not None
    assert [len(one.history) for one in seen.scenarios] == [1, 1]
    assert report.failing == 0  # nothing that a rule could be blamed for


@pytest.mark.parametrize("component", DRAWN)
def test_the_reference_keeps_its_instances_apart(component: str) -> None:
    found = counts(looked_at(ReferenceAdapter({}), component))
    assert (found.checked, found.violated, found.unsteady) == (30, 0, 0)


@pytest.mark.parametrize("component", DRAWN)
def test_no_mutant_is_said_to_share_state(component: str) -> None:
    """Each breaks a rule, and none its instances' isolation."""
    mutants = [mutant for mutant in load_mutants().values() if mutant.component == component]
    assert mutants
    for mutant in mutants:
        found = counts(looked_at(MutantAdapter(mutant, {}), component, 20))
        assert (found.violated, found.unsteady) == (0, 0), mutant.name
        assert found.checked, mutant.name


def test_an_engine_that_is_random_is_not_said_to_share_state() -> None:
    found = counts(looked_at(RandomValves({}), "valve"))
    assert found.unsteady
    assert found.violated == 0


class SeldomRandomValve(Valve):
    """Forgets every 211th watermark, of whatever instance: a repetition of the same scenario seldom shows it."""

    number = 0

    def watermark(self, channel: int, timestamp: int) -> list[Output]:
        """The valve's answer, or nothing."""
        type(self).number += 1
        outputs = super().watermark(channel, timestamp)
        return outputs if self.number % 211 else []


class SeldomRandomValves(ComponentAdapter):
    def valve(self, setup: ValveSetup) -> Any:
        """The valve under test."""
        return SeldomRandomValve(setup.channels, CORE)


def test_a_difference_that_does_not_show_again_is_no_proof() -> None:
    assert counts(looked_at(SeldomRandomValves({}), "valve")).violated == 0


def test_an_engine_that_cannot_be_stepped_is_not_tested_for_it() -> None:
    report = looked_at(SeenLessClosely(ReferenceAdapter({}), "scenario"), "valve")
    assert counts(report).without_sessions
    assert counts(report).checked == 0


class OnlyTheLast(ComponentAdapter):
    """The last engine that was made answers, and no other."""

    last: Any = None

    def valve(self, setup: ValveSetup) -> Any:
        """The valve under test."""
        adapter = self

        class One(Valve):
            def _channel(self, channel: int) -> Any:
                if adapter.last is not self:
                    raise RuntimeError("the port was taken by another engine")
                return super()._channel(channel)

        adapter.last = One(setup.channels, CORE)
        return adapter.last


def test_an_engine_that_answers_only_alone_is_found() -> None:
    report = looked_at(OnlyTheLast({}), "valve")
    assert counts(report).violated == counts(report).checked > 20


def test_steps_alternate_and_the_longer_scenario_continues_alone() -> None:
    assert in_order([1, 3]) == [(0, 0), (1, 0), (1, 1), (1, 2)]
    assert in_order([2, 1], alternately=False) == [(0, 0), (0, 1), (1, 0)]


class Recording(ComponentAdapter):
    def __init__(self) -> None:
        super().__init__({})
        self.calls: list[tuple[int, int]] = []

    def valve(self, setup: ValveSetup) -> Any:
        """A valve that notes who is called."""
        calls = self.calls

        class Noting(Valve):
            def watermark(self, channel: int, timestamp: int) -> list[Output]:
                calls.append((len(self.channels), timestamp))
                if timestamp == 7:
                    raise RuntimeError("seven")
                return super().watermark(channel, timestamp)

        return Noting(setup.channels, CORE)


def test_two_instances_are_open_at_the_same_time_and_one_that_fails_stops_alone() -> None:
    def scenario(channels: int, *timestamps: int) -> ValveScenario:
        steps = tuple(WatermarkStep(0, timestamp) for timestamp in timestamps)
        return ValveScenario(id=str(channels), setup=ValveSetup(channels), history=steps)

    adapter = Recording()
    first, second = side_by_side(adapter, [scenario(1, 1, 7, 9), scenario(2, 1, 2, 3, 4)])
    assert adapter.calls == [(1, 1), (2, 1), (1, 7), (2, 2), (2, 3), (2, 4)]
    assert first.outputs == ((Watermark(1),),)
    assert first.failure is not None
    assert second.failure is None
    assert len(second.outputs) == 4
    assert alone(adapter, scenario(1, 1)).outputs == ((Watermark(1),),)
