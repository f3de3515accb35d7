"""Counterexamples of a slow engine are shrunk with a stand-in: the number of scenarios that the engine runs is small."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from engines import ValveAdapter, histories
from msgspec.structs import replace

from tidegauge import Adapter, Implementation, Scenario, Transcript
from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.contained import ContainedAdapter
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport
from tidegauge_reference import CORE, Valve
from tidegauge_reference.outputs import Output

SCENARIOS = histories(60)


class Forgetful(Valve):
    """Outputs no watermark above 0."""

    def watermark(self, channel: int, timestamp: int) -> list[Output]:
        return [] if timestamp > 0 else super().watermark(channel, timestamp)


class Slow(Adapter):
    """An engine whose scenarios cost seconds, with or without a stand-in, counting the scenarios it runs."""

    def __init__(self, stand_in: Adapter | None = None, at_most: dict[str, int] | None = None) -> None:
        super().__init__({})
        self._inner, self._stand_in, self._at_most = ValveAdapter(Forgetful), stand_in, at_most or {}
        self.ran = 0

    def describe(self) -> Implementation:
        return replace(self._inner.describe(), layer="streaming", at_most=self._at_most)

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        for scenario in scenarios:
            self.ran += 1
            yield from self._inner.run([scenario])

    def stand_in(self) -> Adapter | None:
        return self._stand_in


def report_of(adapter: Adapter) -> ItemReport:
    report = ItemReport("item", "valve")
    contained = ContainedAdapter(adapter)
    Examiner(contained, contained.describe(), CORE).compare(report, SCENARIOS)
    return report


def test_counterexamples_are_shrunk_with_the_stand_in_and_run_once_more_by_the_engine() -> None:
    alone = report_of(ValveAdapter(Forgetful))
    slow = Slow(ValveAdapter(Forgetful))
    report = report_of(slow)
    assert [one.scenario for one in report.failures] == [one.scenario for one in alone.failures]
    # Each counterexample: twice as it was found, twice when it is the smallest.
    assert slow.ran == len(SCENARIOS) + 4 * len(report.failures)


def test_a_difference_that_the_stand_in_does_not_show_is_shrunk_with_the_engine() -> None:
    slow = Slow(ValveAdapter(), {"shrinking": 2, "counterexamples": 1})
    report = report_of(slow)
    (failure,) = report.failures
    found = next(one for one in SCENARIOS if one.id == failure.found_as)
    assert len(failure.scenario.history) < len(found.history)
    assert slow.ran <= len(SCENARIOS) + 25


def test_all_differences_are_kept_where_few_are_shrunk() -> None:
    few, all_ = report_of(Slow(at_most={"counterexamples": 1, "shrinking": 1})), report_of(Slow())
    assert len(few.failures) == 1
    assert few.failing == all_.failing
    assert len(few.differences) == len(all_.differences)


def test_a_property_is_shrunk_with_few_candidates() -> None:
    ran = {}
    for limit in (None, 2):
        slow = Slow(at_most={} if limit is None else {"shrinking": limit})
        contained = ContainedAdapter(slow)
        violated = dataclasses.replace(COMPONENTS["valve"].properties[0], holds=lambda *_: False)
        Examiner(contained, contained.describe(), CORE).check(
            ItemReport("item", "valve"), violated, SCENARIOS[:3]
        )
        ran[limit] = slow.ran
    assert ran[2] < 60 < ran[None]


@pytest.mark.parametrize("stand_in", ["no adapter", OSError("no tester")])
def test_an_adapter_without_a_usable_stand_in_is_shrunk_without_one(stand_in: Any) -> None:
    class Bad(Slow):
        def stand_in(self) -> Any:
            if isinstance(stand_in, Exception):
                raise stand_in
            return stand_in

    assert report_of(Bad(at_most={"counterexamples": 1})).failures
