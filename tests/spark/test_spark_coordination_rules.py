"""The decisions of tidegauge_spark on coordinators, source subtasks and low watermarks, judged by the kit.

Right ones raise no alarm; with one decision changed, the kit names the rule that is broken.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from component_scenarios import drawn
from engines import examiner_of
from judged import accused_rules

from tidegauge import ComponentAdapter, Scenario
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.vectors.published import load_vectors
from tidegauge.wire.steps.coordinator import CoordinatorSetup
from tidegauge.wire.steps.low_watermark import LowWatermarkSetup
from tidegauge.wire.steps.source import SourceSetup
from tidegauge_adapters.spark.components import REFUSALS
from tidegauge_adapters.spark.decisions.coordinator import CoordinatorDecisions
from tidegauge_adapters.spark.decisions.low_watermark import LowWatermarkDecisions
from tidegauge_adapters.spark.decisions.source import SourceDecisions
from tidegauge_spark import WatermarkStrategy
from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.low_watermark.service import (
    LowWatermark,
    LowWatermarkService,
    NotifyNewLowWatermark,
)
from tidegauge_spark.decisions.low_watermark.source import SourceLowWatermarks
from tidegauge_spark.decisions.sources.coordinator import Announcement, SourceCoordinators
from tidegauge_spark.decisions.sources.settings import SourceSettings
from tidegauge_spark.decisions.sources.subtask import SourceOutput, SourceSubtask
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.watermark_strategy import ingestion_time, punctuated_watermarks


class Decisions(ComponentAdapter):
    """The library's decisions, or others in their place."""

    name = "decisions"
    extras = ("snapshot", "int64")
    errors = REFUSALS

    def __init__(
        self,
        coordinators: type[SourceCoordinators] = SourceCoordinators,
        service: type[LowWatermarkService] = LowWatermarkService,
        subtask: type[SourceSubtask] = SourceSubtask,
    ) -> None:
        super().__init__({})
        self._coordinators, self._service, self._subtask = coordinators, service, subtask

    def coordinator(self, setup: CoordinatorSetup) -> Any:
        return CoordinatorDecisions(setup, self._coordinators)

    def low_watermark(self, setup: LowWatermarkSetup) -> Any:
        return LowWatermarkDecisions(setup, self._service)

    def source(self, setup: SourceSetup) -> Any:
        return SourceDecisions(setup, self._subtask)


def scenarios(component: str, histories: int) -> list[Scenario]:
    return [*(vector.scenario for vector in load_vectors(component)), *drawn(component, histories)]


@pytest.mark.parametrize("component", ["coordinator", "low_watermark", "source"])
def test_right_decisions_raise_no_alarm(component: str) -> None:
    report = ItemReport("item", component)
    examiner = examiner_of(Decisions())
    judged = examiner.applicable(scenarios(component, 150))
    assert len(judged) > 150
    examiner.compare(report, judged)
    assert report.failures == []
    assert report.failing == 0


class WithoutMinimum(SourceCoordinators):
    def minima(self, group: str) -> dict[str, int]:
        return {source: max(state.reports) for source, state in self.state().items() if state.group == group}


class OneGroup(SourceCoordinators):
    def minima(self, group: str) -> dict[str, int]:
        groups = {state.group for state in self.state().values() if state.group is not None}
        return {
            source: least for each in groups for source, least in super(OneGroup, self).minima(each).items()
        }


class HighestReport(SourceCoordinators):
    def report(self, source: str, subtask: int, watermark: int) -> None:
        known = self.state().get(source)
        if known is not None and watermark != MAX and subtask in range(len(known.reports)):
            watermark = max(watermark, known.reports[subtask] if known.reports[subtask] != MAX else MIN)
        super().report(source, subtask, watermark)


class BoundFromNothing(SourceCoordinators):
    def minimum(self, group: str) -> int:
        minimum = super().minimum(group)
        return MAX if minimum == MIN else minimum


@pytest.mark.parametrize(
    ("rule", "coordinators"),
    [
        ("ALIGN-1", WithoutMinimum),
        pytest.param("ALIGN-3", OneGroup, marks=pytest.mark.slower),
        pytest.param("ALIGN-8", HighestReport, marks=pytest.mark.slower),
        ("ALIGN-10", BoundFromNothing),
    ],
)
def test_a_wrong_coordinator_breaks(rule: str, coordinators: type[SourceCoordinators]) -> None:
    adapter = Decisions(coordinators=coordinators)
    assert rule in accused_rules(adapter, scenarios("coordinator", 250))


class LeavingEndsNothing(LowWatermarkService):
    def leave(self, vertex: str, task: int) -> list[NotifyNewLowWatermark]:
        super().leave(vertex, task)
        return []


class EmitsInAnyCase(LowWatermarkService):
    def notify(self, vertex: str, task: int, low_watermark: int, timestamp: int) -> list[LowWatermark]:
        emitted = super().notify(vertex, task, low_watermark, timestamp)
        known = self._task(vertex, task)
        if emitted or not known.current < low_watermark < MAX or not self._running[vertex].vertex.cooperating:
            return emitted
        known.watermark(low_watermark)
        return [LowWatermark(vertex, task, low_watermark)] if known.listens else []


class TellsThoseWithPartitions(LowWatermarkService):
    def reply(self, vertex: str, task: int, low_watermark: int) -> list[NotifyNewLowWatermark]:
        told = super().reply(vertex, task, low_watermark)
        return [each for each in told if self._task(vertex, each.task).partitions == 0]


@pytest.mark.parametrize(
    ("rule", "service"),
    [
        ("LOW-4", LeavingEndsNothing),
        pytest.param("LOW-14", EmitsInAnyCase, marks=pytest.mark.slower),
        pytest.param("LOW-10", TellsThoseWithPartitions, marks=pytest.mark.slower),
    ],
)
def test_a_wrong_low_watermark_service_breaks(rule: str, service: type[LowWatermarkService]) -> None:
    adapter = Decisions(service=service)
    assert rule in accused_rules(adapter, scenarios("low_watermark", 250))


class ReportsTheStartValue(SourceSubtask):
    def report(self) -> list[SourceOutput]:
        if self._aligned and self.watermark == MIN and not self._ended:
            return [SourceOutput("report", MIN)]
        return super().report()


class ReportsWhileIdle(SourceSubtask):
    def report(self) -> list[SourceOutput]:
        return [SourceOutput("report", MAX if self._ended else self.watermark) for _ in super().report()]


class PausesNoSplit(SourceSubtask):
    def _pausing(self, splits: Any) -> list[SourceOutput]:
        return []


class ForgetsToStopTheClock(SourceSubtask):
    def hold(self, splits: Any, everything: bool = False) -> list[SourceOutput]:
        return []


@pytest.mark.parametrize(
    ("rule", "subtask"),
    [
        pytest.param("SOURCE-7", ReportsTheStartValue, marks=pytest.mark.slower),
        pytest.param("SOURCE-8", ReportsWhileIdle, marks=pytest.mark.slower),
        pytest.param("SOURCE-9", PausesNoSplit, marks=pytest.mark.slower),
        ("SOURCE-13", ForgetsToStopTheClock),
    ],
)
def test_a_wrong_source_subtask_breaks(rule: str, subtask: type[SourceSubtask]) -> None:
    adapter = Decisions(subtask=subtask)
    assert rule in accused_rules(adapter, scenarios("source", 80))


# What the kit does not ask


def through_json(state: Any) -> Any:
    return json.loads(json.dumps(state))


def test_the_state_of_coordinators_goes_through_an_offset() -> None:
    coordinators = SourceCoordinators()
    coordinators.start("s1", "orders", "g", 10, 2)
    coordinators.ready("s1", 1)
    coordinators.report("s1", 0, 5)
    restored = SourceCoordinators.restored(through_json(coordinators.state()))
    assert restored.state() == coordinators.state()
    restored.report("s1", 0, 3)
    assert restored.announce("s1") == [Announcement("s1", 1, 13)]
    assert coordinators.announce("s1") == [Announcement("s1", 1, 15)]


def test_a_source_that_left_is_not_waited_for_and_may_start_again() -> None:
    coordinators = SourceCoordinators()
    for source, watermark in (("s1", 5), ("s2", 9)):
        coordinators.start(source, "orders", "g", 0, 1)
        coordinators.report(source, 0, watermark)
    coordinators.leave("s1")
    assert (coordinators.minimum("g"), coordinators.minima("g")) == (9, {"s2": 9})
    with pytest.raises(IllegalArgumentError, match="no source 's1' has been started"):
        coordinators.leave("s1")
    coordinators.start("s1", "orders", "g", 0, 1)
    assert coordinators.minima("g") == {"s1": MIN, "s2": 9}


def test_the_state_of_a_subtask_goes_through_an_offset() -> None:
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_watermark_alignment("g", 0)
    settings = SourceSettings(strategy.with_idleness(5))
    subtask = SourceSubtask(settings)
    for split in ("a", "b"):
        subtask.assign(split)
        subtask.record(split, 10)
    subtask.tick()
    subtask.announcement(7)
    subtask.hold(["a"])
    restored = SourceSubtask.restored(settings, through_json(subtask.state()))
    assert restored.state() == subtask.state()
    assert (restored.blocked, restored.paused, restored.watermark) == (True, {"a", "b"}, 9)
    assert restored.announcement(9) == [("unblocked", None, ()), ("splits-resumed", None, ("a", "b"))]


def test_a_strategy_assigns_the_timestamps_of_a_subtask() -> None:
    strategy = WatermarkStrategy.for_generator(punctuated_watermarks)
    subtask = SourceSubtask(SourceSettings(strategy.with_timestamp_assigner(ingestion_time), start=1000))
    subtask.assign("a")
    subtask.advance(5)
    assert subtask.record("a", 77) == [("record", 1005, ()), ("watermark", 1005, ())]


def test_an_idle_shared_output_that_gets_a_split_again_can_become_idle_again() -> None:
    settings = SourceSettings(
        WatermarkStrategy.for_monotonous_timestamps().with_idleness(5), per_split_outputs=False
    )
    subtask = SourceSubtask(settings)
    subtask.assign("a")
    subtask.tick()
    subtask.advance(6)
    assert subtask.tick() == [("idle", None, ())]
    subtask.finish("a")
    subtask.assign("b")
    assert subtask.tick() == [("active", None, ())]  # SPLIT-8: the new split is waited for
    subtask.advance(6)
    assert subtask.tick() == [("idle", None, ())]  # IDLE-1: and not for ever


# The low watermark of one source


def test_low_13_subtasks_without_splits_follow_the_others() -> None:
    source = SourceLowWatermarks("orders", 3)
    assert source.planned(1, [MIN, MIN, MIN], [1, 1, 0]) == {}
    assert source.planned(2, [5, 9, MIN], [1, 1, 0]) == {2: 5}
    assert source.planned(3, [6, 9, MIN], [1, 1, 0]) == {2: 6}
    assert source.planned(4, [8, 9, MIN], [1, 1, 1]) == {}  # it has been given a split
    assert source.planned(5, [8, 12, 2], [1, 1, 0]) == {2: 12}  # and lost it; 8 was the result before
    assert source.planned(6, [8, 12, 2], [1, 1, 0]) == {}


def test_low_8_the_end_of_the_others_is_not_theirs() -> None:
    source = SourceLowWatermarks("orders", 2)
    assert source.planned(1, [5, MIN], [1, 0]) == {1: 5}
    assert source.planned(2, [MAX, MIN], [0, 0]) == {}
    assert source.planned(3, [MAX, 7], [0, 1]) == {}


def test_low_13_who_loses_the_last_split_catches_up_at_once() -> None:
    source = SourceLowWatermarks("orders", 2)
    source.planned(1, [50, 3], [1, 1])
    source.planned(2, [60, 3], [1, 1])
    assert source.planned(3, [60, 3], [1, 0]) == {1: 60}


def test_low_16_the_low_watermark_goes_through_an_offset() -> None:
    source = SourceLowWatermarks("orders", 2)
    source.planned(1, [5, MIN], [1, 0])
    restored = SourceLowWatermarks.restored("orders", 2, through_json(source.state()))
    assert restored.planned(2, [5, MIN], [1, 0]) == {}
    assert restored.planned(3, [8, MIN], [1, 0]) == {1: 8}


def test_low_watermarks_are_those_of_all_subtasks() -> None:
    source = SourceLowWatermarks("orders", 2)
    with pytest.raises(IllegalArgumentError, match="those of 2 subtasks"):
        source.planned(1, [5], [1])
    assert source.planned(1, [5, MIN], [1, 0]) == {1: 5}
