"""Event logs with findings and broken rules, as the page of `check-log` shows them."""

from __future__ import annotations

from typing import Any

import msgspec
from written_logs import judged_log, written

from tidegauge_reports.event_logs.document import LogDocument

NOW = 1_780_000_000_000
"""The processing time of the first row: a day of 2026, in ms."""

Row = dict[str, Any]


def document_of(rows: list[Row]) -> LogDocument:
    """Return the results of a log with these rows, as the page reads them."""
    encoded = msgspec.json.encode(judged_log(written(rows)))
    return msgspec.json.decode(encoded, type=LogDocument)


def seconds(times: list[int], job: str = "shop", source: str = "orders") -> list[Row]:
    """Return the rows of a source: each second 100 records up to a time (s), and their watermark."""
    rows, greatest = [], min(times) - 1
    for number, time in enumerate(times):
        at = {"job": job, "source": source, "processing_time": NOW + 1000 * number}
        event = NOW + 1000 * time
        rows.append({**at, "kind": "record", "event_time": event, "count": 100})
        if time > greatest:
            greatest = time
            rows.append({**at, "kind": "watermark", "event_time": event - 10_000})
    return rows


def sick(job: str = "shop", source: str = "orders") -> list[Row]:
    """Return a log with a stalled watermark, late rows, and a watermark that regresses."""
    rows = seconds([*range(30), *[29] * 60], job, source)
    window = seconds(list(range(90)), job, f"{source} window")
    regressing = {**window[40], "kind": "watermark", "event_time": window[3]["event_time"]}
    late = {**window[-1], "kind": "late", "event_time": NOW + 1000, "count": 200}
    return [*rows, *window[:60], regressing, *window[60:], late]
