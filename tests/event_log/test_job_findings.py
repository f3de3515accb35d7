"""Findings about a job: for each, a log that shows it and a similar log that does not."""

from __future__ import annotations

from typing import Any

import pytest
from written_logs import written

from tidegauge_pipeline.event_log.in_process import judged_rows
from tidegauge_pipeline.event_log.job.job_findings import Finding, findings_of
from tidegauge_pipeline.event_log.schema import rows_of

NOW = 1_780_000_000_000
"""The processing time of the first batch: a day of 2026, in ms."""

Row = dict[str, Any]


def findings_in(rows: list[Row]) -> tuple[Finding, ...]:
    """Return the findings about a job with these rows, in order. Each row has its processing time."""
    return findings_of(judged_rows(rows_of(written(rows), "the log")))


def batches(
    times: list[int | None], late: dict[int, list[int]] | None = None, behind: int = 10_000
) -> list[Row]:
    """Return the rows of a source and a window operator: each second a batch of 100 records up to a time (s).

    late: by batch, how far late rows are behind the watermark (ms). behind: the delay of the watermark (ms).
    """
    rows: list[Row] = []
    greatest: int | None = None
    for number, time in enumerate(times):
        at = {"processing_time": NOW + 1000 * number, "split": "", "channel": None}
        if time is not None:
            event = NOW + 1000 * time
            rows.append({**at, "source": "orders", "kind": "record", "event_time": event, "count": 100})
            if greatest is None or event - behind > greatest:
                greatest = event - behind
                rows.append({**at, "source": "orders", "kind": "watermark", "event_time": greatest})
                rows.append({**at, "source": "sums", "kind": "watermark", "event_time": greatest})
        rows += [
            {**at, "source": "sums", "kind": "late", "event_time": (greatest or 0) - far}
            for far in (late or {}).get(number, [])
        ]
        rows.append(
            {**at, "source": "sums", "kind": "state-size", "event_time": None, "count": 1000 + number}
        )
    return rows


HEALTHY = list(range(100))


def test_a_healthy_job_has_no_findings() -> None:
    assert findings_in(batches(HEALTHY)) == ()
    assert findings_in(batches(HEALTHY, late={50: [10] * 5})) == ()  # 5 of 10,000 rows


def test_late_rows_are_counted_with_the_delay_that_keeps_them() -> None:
    late = {number: [1_000 * (number % 10)] * 20 for number in range(10, 100)}
    (finding,) = findings_in(batches(HEALTHY, late))
    assert (finding.name, finding.job, finding.source) == ("late-rows", "job", "sums")
    assert finding.share == 0.18
    assert "1,800 rows came too late, 18.00% of 10,000, by up to 9 s" in finding.sentence
    assert "for 99 %, 9.001 s for 99.9 %, 9.001 s for 100 % of the rows" in finding.remedy
    assert finding.begin == NOW + 10_000


@pytest.mark.parametrize("first", [0, 30])
def test_a_watermark_that_stands_still_while_state_grows(first: int) -> None:
    times = [*range(first), *[first] * 60]
    found = findings_in(batches(times))
    assert {finding.name for finding in found} == {"stalled-watermark"}
    (sums,) = [finding for finding in found if finding.source == "sums"]
    assert (
        f"for 59 s, while rows came at 60 times, and its state has grown from {1000 + first:,}"
        in sums.sentence
    )


@pytest.mark.parametrize("idle", [False, True])
def test_the_input_that_holds_the_watermark_is_named(idle: bool) -> None:
    rows: list[Row] = []
    greatest = NOW
    for second in range(80):
        at = {"source": "", "processing_time": NOW + 1000 * second, "split": ""}
        for channel in range(3):
            if channel != 1 or second < 20:
                event = NOW + 1000 * second + channel
                rows.append({**at, "kind": "watermark", "channel": channel, "event_time": event})
        if idle and second == 20:
            rows.append({**at, "kind": "idle", "channel": 1, "event_time": None})
        if second < 20 or idle:
            greatest = NOW + 1000 * second
            rows.append({**at, "kind": "watermark", "channel": None, "event_time": greatest})
    found = findings_in(rows)
    if idle:
        assert found == ()
        return
    (finding,) = found
    assert (finding.name, finding.part) == ("idle-input-holds", "0 channel 1")
    assert "channel 1 of subtask 0 of job had no rows for 1 min 0 s" in finding.sentence
    assert "at 2026-05-28 20:26:59.001, while rows came at" in finding.sentence
    assert "give the input an idle timeout of 3 s (the usual pauses are at most 1.024 s)" in finding.remedy


def test_a_job_without_rows_does_not_stall() -> None:
    assert (
        findings_in([row for row in batches([*range(50), *[None] * 60]) if row["kind"] != "state-size"]) == ()
    )


def test_a_watermark_that_leaps_ahead_of_the_clock() -> None:
    (finding,) = findings_in(batches([*range(50), 2_000_000_000, *range(50, 60)]))
    assert (finding.name, finding.source, finding.begin) == ("watermark-leap", "orders", NOW + 50_000)
    assert "1 of 51 watermarks are up to 23,148 days ahead of the clock" in finding.sentence
    assert findings_in(batches([second + 600 for second in HEALTHY])) == ()  # ten minutes ahead


def test_a_leap_is_not_reported_again_where_its_watermark_comes_in() -> None:
    rows = batches([*range(50), 2_000_000_000, *range(50, 60)])
    arrived = {**rows[201], "source": "join", "channel": 0}
    assert arrived["event_time"] > NOW + 10**12
    (finding,) = findings_in([*rows, arrived])
    assert (finding.name, finding.source) == ("watermark-leap", "orders")


@pytest.mark.parametrize(
    ("of", "words"),
    [
        (lambda event: event // 1000, "multiply them by 1000"),
        (lambda event: event * 1000, "divide them by 1000"),
        (lambda event: event * 1_000_000, "divide them by 1,000,000"),
        (lambda event: 0, "a missing value was read as 0"),
        (lambda event: event + 7_200_000, "local times were read as UTC"),
    ],
)
def test_event_times_in_another_unit_or_zone(of: Any, words: str) -> None:
    rows = [
        {**row, "event_time": of(row["event_time"])} if row["kind"] == "record" else row
        for row in batches(HEALTHY)
    ]
    (finding,) = findings_in(rows)
    assert finding.name == "implausible-event-time"
    assert words in finding.remedy
    assert finding.evidence[0].says.startswith("has the event time ")


def test_a_log_of_old_data_is_plausible() -> None:
    assert findings_in(batches([second - 10**9 for second in HEALTHY])) == ()


def test_one_record_of_the_future_that_moves_no_watermark() -> None:
    rows = batches(HEALTHY)
    future = {**rows[0], "processing_time": NOW + 99_000, "event_time": 4_102_444_800_000}
    (finding,) = findings_in([*rows, future])
    assert (finding.name, finding.evidence[0].says) == (
        "implausible-event-time",
        "has the event time 2100-01-01 00:00:00.000",
    )
