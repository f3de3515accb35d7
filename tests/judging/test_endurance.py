"""Long scenarios in which as much is live after each round: growth of state is found, and nothing else."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from component_scenarios import drawn
from judged import events_of, results_of
from leaking_engines import LEAKING
from msgspec.structs import replace

from tidegauge import Adapter, ComponentAdapter
from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge.engine.long_run import grows
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.judging.items.endurance import examine_endurance, property_name
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.judging.reference.deviations import Deviation, KnownDeviations
from tidegauge.wire.implementation import Implementation
from tidegauge.wire.steps.valve import ValveSetup
from tidegauge.words.conclusion import conclude
from tidegauge_adapters.process.adapter import ProcessAdapter
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_adapters.spark.adapter import SparkAdapter
from tidegauge_reference import CORE, Valve
from tidegauge_reference.outputs import Output

PROGRAM = Path(__file__).parent.parent / "samples" / "protocol_engine.py"
LEAKS = {mutant.component: mutant for mutant in LEAKING}
KEPT_BUSY = sorted(name for name, component in COMPONENTS.items() if component.endurance)
SMOKE = 1_500


def kept_busy(adapter: Adapter, component: str, steps: int = SMOKE) -> ItemReport:
    """What the item of a component finds."""
    report = ItemReport(f"{component}-endurance", component)
    examine_endurance(Examiner(adapter, adapter.describe(), CORE), report, steps)
    return report


def test_each_component_that_is_kept_busy_has_an_engine_that_leaks() -> None:
    assert sorted(LEAKS) == KEPT_BUSY


@pytest.mark.parametrize("component", KEPT_BUSY)
def test_the_state_of_the_reference_stays_as_large_as_what_is_live(component: str) -> None:
    report = kept_busy(ReferenceAdapter({}), component, 4_000)
    assert report.growth
    for found in report.growth:
        assert not found.grows
        assert max(found.state) - min(found.state) <= 16
        assert found.rounds >= 100
        assert not found.memory
        assert found.slower == 1
    assert report.properties[property_name(component)].checked == len(report.growth)


@pytest.mark.parametrize("component", KEPT_BUSY)
def test_state_that_nobody_empties_is_found_though_all_outputs_conform(component: str) -> None:
    adapter = MutantAdapter(LEAKS[component], {})
    report = kept_busy(adapter, component)
    assert report.properties[property_name(component)].violated
    assert any(found.grows for found in report.growth)
    scenarios = ItemReport("all", component)
    examiner = Examiner(adapter, adapter.describe(), CORE)
    examiner.compare(scenarios, examiner.applicable(drawn(component, 300)))
    assert scenarios.scenarios > 100
    assert scenarios.failing == scenarios.unanswered == 0


@pytest.mark.slower
def test_a_window_operator_that_keeps_what_is_over_fails_the_rule_and_the_run(tmp_path: Path) -> None:
    adapter = MutantAdapter(LEAKS["window"], {})
    events = events_of(adapter, tmp_path, adapter_name="leaking", components=["window"])
    results = results_of(events, tmp_path)
    (found,) = (one for one in results.properties if one.name == "window-state-bounded")
    assert (found.verdict, found.rules) == ("fail", ["WIN-13"])
    assert "the snapshot grew from" in found.reason
    failing = [rule for rule in results.rules if rule.verdict == "fail"]
    assert [rule.id for rule in failing] == ["WIN-13"]
    assert failing[0].reason == f"property window-state-bounded: {found.reason}"
    assert results.exit_code == 1
    assert conclude(results).headline.startswith("FAILED: 1 of ")


@pytest.mark.slower
def test_state_that_is_a_known_deviation_fails_nothing(tmp_path: Path) -> None:
    name = "window-state-kept-for-ever"
    known = KnownDeviations((Deviation(like=f"mutant:{name}", reason="we keep all"),))
    events = events_of(
        MutantAdapter(load_mutants()[name], {}),
        tmp_path,
        adapter_name="x:Y",
        components=["window"],
        known=known,
    )
    results = results_of(events, tmp_path)
    (found,) = (one for one in results.properties if one.name == "window-state-bounded")
    assert found.verdict == "not-applicable"
    assert found.reason.startswith("a known deviation: ")
    assert {rule.verdict for rule in results.rules if rule.id == "WIN-13"} == {"fail"}
    assert results.exit_code == 0


def test_state_that_no_rule_bounds_is_told_and_fails_nothing(tmp_path: Path) -> None:
    adapter = MutantAdapter(LEAKS["clock"], {})
    events = events_of(adapter, tmp_path, adapter_name="leaking", components=["clock"])
    results = results_of(events, tmp_path)
    (found,) = (one for one in results.properties if one.name == "clock-state-bounded")
    assert found.verdict == "not-applicable"
    assert found.reason.startswith("information only, since no rule bounds this state: pauses: the snapshot")
    assert results.exit_code == 0
    (told,) = (one for one in conclude(results).remarks if "State that grows" in one)
    assert "clock (pauses: the snapshot grew from" in told


@pytest.mark.parametrize("component", ["valve", "window"])
def test_processors_in_the_tester_of_spark_keep_what_is_live(component: str) -> None:
    report = kept_busy(SparkAdapter({"engine": "tester"}), component, 300)
    assert [found.grows for found in report.growth] == [False] * len(report.growth)
    assert all(found.state for found in report.growth)


def test_of_an_engine_in_a_process_of_its_own_the_resident_set_is_measured() -> None:
    adapter = ProcessAdapter({"command": f"{sys.executable} {PROGRAM}"})
    try:
        (found,) = kept_busy(adapter, "valve").growth
    finally:
        adapter.close()
    assert found.resident
    assert not found.state
    assert not found.memory
    assert not found.grows


class SearchingValve(Valve):
    """Keeps each watermark, outside of its snapshot, and goes through all of them each time."""

    def __init__(self, channels: int) -> None:
        super().__init__(channels)
        self.seen: list[int] = []

    def watermark(self, channel: int, timestamp: int) -> list[Output]:
        self.seen.append(timestamp)
        for _ in range(40):  # more than a second on any machine: a shorter time tells nothing
            sum(self.seen)
        return super().watermark(channel, timestamp)


class SearchingValves(ComponentAdapter):
    """Claims snapshots."""

    extras = ("snapshot", "int64")

    def valve(self, setup: ValveSetup) -> Any:
        """The valve under test."""
        return SearchingValve(setup.channels)


@pytest.mark.slower
def test_memory_outside_of_the_snapshot_and_slowness_are_measured() -> None:
    (found,) = kept_busy(SearchingValves({}), "valve", 6_000).growth
    assert not found.grows
    assert found.memory[-1] > 64 * 1024
    assert found.slower >= 2


class BrokenAfterAWhile(Valve):
    """Raises after many steps."""

    steps = 0

    def watermark(self, channel: int, timestamp: int) -> list[Output]:
        self.steps += 1
        if self.steps > 200:
            raise MemoryError("no room left")
        return super().watermark(channel, timestamp)


def test_an_engine_that_fails_on_the_way_is_not_said_to_keep_what_is_live() -> None:
    class Valves(SearchingValves):
        def valve(self, setup: ValveSetup) -> Any:
            return BrokenAfterAWhile(setup.channels)

    report = kept_busy(Valves({}), "valve")
    assert [found.failure for found in report.growth] == ["MemoryError: no room left"]
    assert report.properties["valve-state-bounded"].checked == 0


def test_a_busy_machine_changes_neither_the_number_of_rounds_nor_the_time_of_a_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The machine stands still, each time for longer."""
    ticks = (float(tick**3) for tick in count())
    monkeypatch.setattr("tidegauge.engine.long_run.time.perf_counter", lambda: next(ticks))
    (found,) = kept_busy(ReferenceAdapter({}), "valve", 3_000).growth
    assert (found.rounds, found.slower) == (600, 1)


def test_a_slow_engine_says_how_many_steps_it_can_do() -> None:
    class Slow(ReferenceAdapter):
        def describe(self) -> Implementation:
            return replace(super().describe(), at_most={"endurance": 500})

    (found,) = kept_busy(Slow({}), "valve", 3_000).growth
    assert found.rounds == 100


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ((100, 200, 300, 400), True),
        ((100, 150, 200, 227), False),  # longer numbers
        ((100, 900, 900, 900), False),  # filled once
        ((500, 100, 900, 100), False),  # emptied now and then
        ((), False),
    ],
)
def test_growth_is_steady(sizes: tuple[int, ...], expected: bool) -> None:
    assert grows(sizes, 128) == expected
