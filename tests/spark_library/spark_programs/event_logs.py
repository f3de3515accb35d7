"""Event logs that sources have written: the records in them, and what they show."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as parquet

from tidegauge_pipeline.event_log.alignment import Alignment
from tidegauge_pipeline.event_log.in_process import judged_rows
from tidegauge_pipeline.event_log.schema import rows_of
from tidegauge_pipeline.event_log.verdicts import LogResults, results_of


def judged(folder: Path, drift: int | None = None) -> LogResults:
    """Return what a log shows; drift: how far the sources of its job may be apart (ms)."""
    events = rows_of(parquet.read_table(folder, partitioning=None), str(folder))
    findings = judged_rows(events, None if drift is None else Alignment(drift))
    return results_of(str(folder), 1, findings, files=1)


def recorded(folder: Path) -> Counter[tuple[str, int]]:
    """Return how many records of each subtask, by source and number, are in a log."""
    events = parquet.read_table(folder, partitioning=None)
    counts: Counter[tuple[str, int]] = Counter()
    for row in events.filter(pc.equal(events["kind"], "record")).to_pylist():
        counts[row["source"], row["subtask"]] += row["count"]
    return counts
