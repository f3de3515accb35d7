"""What is said of batches that take longer than a source may be ahead. Times are ms."""

from __future__ import annotations

import pytest

from tidegauge_spark.source.planning.alignment.pace import Pace


def warnings(drift: int, plannings: list[int], caplog: pytest.LogCaptureFixture) -> list[str]:
    caplog.clear()
    pace = Pace(drift)
    for now in plannings:
        pace.planned("orders", now)
    return [record.getMessage() for record in caplog.records]


def test_batches_that_are_longer_than_the_drift_are_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    assert warnings(1000, [0, 1500, 3000, 4500, 6000, 7500, 9000], caplog) == [
        "source orders: a batch takes 1500 ms, and maxAllowedWatermarkDrift is 1000 ms: the source may fall "
        "behind the clock; allow a greater drift, or make the batches shorter"
    ]


def test_a_single_long_batch_and_shorter_ones_are_not(caplog: pytest.LogCaptureFixture) -> None:
    assert warnings(1000, [0, 9000, 10_000, 11_000, 20_000, 30_000, 30_500], caplog) == []
