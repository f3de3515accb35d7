"""Rows of the event logs of small jobs, and the findings about them."""

from __future__ import annotations

from typing import Any

from written_logs import written

from tidegauge_pipeline.event_log.in_process import judged_rows
from tidegauge_pipeline.event_log.job.job_findings import Finding, findings_of
from tidegauge_pipeline.event_log.schema import rows_of

NOW = 1_780_000_000_000
"""The processing time of the first row: a day of 2026, in ms."""
MAX = 2**63 - 1

Row = dict[str, Any]


def findings_in(rows: list[Row]) -> tuple[Finding, ...]:
    """Return the findings about a job with these rows, in order."""
    return findings_of(judged_rows(rows_of(written(rows), "the log")))


def names_in(rows: list[Row]) -> list[str]:
    """Return the names of the findings about a job with these rows."""
    return [finding.name for finding in findings_in(rows)]


def at(second: float, kind: str, event: float | None = None, **more: Any) -> Row:
    """Return a row; times in seconds since `NOW`."""
    time = None if event is None else MAX if event == MAX else NOW + round(1000 * event)
    return {"processing_time": NOW + round(1000 * second), "kind": kind, "event_time": time, **more}
