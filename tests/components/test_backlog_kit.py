"""The two kinds of backlog engines, what they refuse, and properties that notice wrong ones."""

from __future__ import annotations

import pytest
from component_scenarios import drawn
from engines import examiner_of
from judged import EFFORT

from tidegauge import Adapter
from tidegauge.components.property import Property
from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.judging.reference.oracle import expect
from tidegauge.wire.steps.backlog import (
    WATERMARK_LAG,
    AttributesStep,
    BacklogScenario,
    ClockStep,
    CombinerSetup,
    ConfigureStep,
    DetectorSetup,
    WatermarkStep,
)
from tidegauge.wire.vocabulary import Error, Step, Watermark
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import CORE, IllegalArgument
from tidegauge_reference.backlog import OPTION, AttributesCombiner

PROPERTIES = {property.name: property for property in COMPONENTS["backlog"].properties}
VIOLATED_BY = {
    "backlog-claims": ("at-the-threshold", "start-value-lags", "while-idle", "idle-ends-it-all"),
    "backlog-caught-up": ("back-to-true",),
    "backlog-alternates": ("repeats",),
    "backlog-not-by-time": ("by-time",),
    "backlog-off-means-off": ("reports-without-threshold",),
    "backlog-combined": ("fast-subtask-decides", "all-channels"),
    "backlog-channel-order": ("first-channel-not-awaited",),
    "backlog-equal-channels": ("repeats",),
    "backlog-snapshot-restore": ("forgets-what-was-sent",),
}


def checked(property: Property, adapter: Adapter) -> ItemReport:
    """A property checked on histories of an engine."""
    report = ItemReport("item", "backlog")
    examiner = examiner_of(adapter, effort=EFFORT)
    examiner.check(report, property, drawn("backlog", 500))
    return report


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_property_holds_for_the_reference_and_its_situation_arises(name: str) -> None:
    counted = checked(PROPERTIES[name], ReferenceAdapter({})).properties[name]
    assert counted.checked >= 30
    assert counted.violated == 0


@pytest.mark.parametrize(
    ("name", "mutant"), [(name, mutant) for name, mutants in VIOLATED_BY.items() for mutant in mutants]
)
def test_a_wrong_engine_violates_a_property(name: str, mutant: str) -> None:
    adapter = MutantAdapter(load_mutants()[f"backlog-{mutant}"], {})
    assert checked(PROPERTIES[name], adapter).properties[name].violated > 0


def test_every_property_is_violated_by_some_wrong_engine() -> None:
    assert set(VIOLATED_BY) == set(PROPERTIES)


@pytest.mark.parametrize(("channels", "without_strategy"), [(-1, ()), (2, (2,)), (2, (-1,))])
def test_a_combiner_of_channels_that_cannot_be_is_refused(
    channels: int, without_strategy: tuple[int, ...]
) -> None:
    with pytest.raises(IllegalArgument, match="BACKLOG-2"):
        AttributesCombiner(channels, without_strategy)


def test_neither_kind_has_the_steps_of_the_other() -> None:
    for setup, step in ((DetectorSetup(), AttributesStep(0, True)), (CombinerSetup(1), ClockStep(1))):
        scenario = BacklogScenario(id="mixed", setup=setup, history=(step,))
        assert expect(scenario, CORE).outputs == [(Error("unsupported"),)]


@pytest.mark.parametrize("first", [WatermarkStep("MIN"), WatermarkStep("MAX"), ClockStep(0)])
@pytest.mark.parametrize("milliseconds", [10, 0])
def test_no_option_is_looked_at_after_the_first_other_step(first: Step, milliseconds: int) -> None:
    history = (first, ConfigureStep(OPTION, milliseconds), ClockStep(100), WatermarkStep(80))
    scenario = BacklogScenario(id="late", setup=DetectorSetup(), history=history)
    assert expect(scenario, CORE).outputs[1:] == [(), (), (Watermark(80),)]


def test_a_scenario_of_a_detector_needs_the_capability_to_be_one() -> None:
    for scenario in drawn("backlog", 100):
        assert isinstance(scenario.setup, DetectorSetup) == (WATERMARK_LAG in scenario.needs)
