"""Findings of several items, merged, and failures of an engine whose answers change."""

from __future__ import annotations

import pytest
from engines import ValveAdapter, compared, histories
from msgspec.structs import replace

from tidegauge.judging.items.merged import merged
from tidegauge_reference import Valve


def test_findings_of_two_items_add_up() -> None:
    reports = [compared(ValveAdapter(), histories(50, seed)) for seed in (1, 2)]
    found = merged([replace(report, item=str(number)) for number, report in enumerate(reports)])
    assert found.scenarios == 100
    assert found.rules["VALVE-3"].scenarios == sum(report.rules["VALVE-3"].scenarios for report in reports)


class Unsteady(Valve):
    """Whether it outputs depends on how many were made before it."""

    made = 0

    def __init__(self, channels: int) -> None:
        super().__init__(channels)
        Unsteady.made += 1
        self.silent = Unsteady.made % 3 == 0

    def watermark(self, channel: int, timestamp: int) -> list[tuple[str] | tuple[str, int]]:
        outputs = super().watermark(channel, timestamp)
        return [] if self.silent else outputs


@pytest.mark.parametrize("count", [30, 300])
def test_failures_of_an_engine_that_changes_its_answers_say_so(count: int) -> None:
    report = compared(ValveAdapter(Unsteady), histories(count))
    assert report.failures
    assert not all(failure.deterministic for failure in report.failures)
