"""Names that options refer to. This module loads none of the code that judges logs."""

from typing import Final

from tidegauge.run.log_reports import PAGE, RESULTS

__all__ = ["FINDINGS", "FORMATS", "MOST_ROWS", "PAGE", "RESULTS", "TROUBLES"]

FORMATS: Final = ("parquet", "jsonl", "delta")

MOST_ROWS: Final = 20_000_000
"""By default, a log with more rows is judged on Spark."""

TROUBLES: Final = {
    "gap": "rows are missing: numbers in the sequence of a subtask are skipped; what is before such a gap is "
    "not compared with what is after it",
    "duplicate": "rows with a number that a row of the same subtask has already; they are not judged",
    "clock-back": "rows with an earlier processing time than the row before them in their subtask",
    "unknown-kind": "rows of a kind that this version does not have; they are not judged",
    "incomplete": "rows without the event time that their kind needs; they are not judged",
}
"""The troubles and their descriptions."""

FINDINGS: Final = {
    "implausible-event-time": "Event times cannot be right.",
    "watermark-leap": "The watermark is ahead of the clock: all rows of the present are late.",
    "watermark-regresses": "A watermark is lower than the one before.",
    "alignment-blocks": "Alignment blocks a source for good, or by too small a drift.",
    "idle-input-holds": "An input without rows holds the watermark.",
    "stalled-watermark": "The watermark does not advance while rows come.",
    "idle-too-soon": "An input was declared idle, and came back behind the watermark.",
    "late-rows": "Rows come too late, and are dropped.",
    "unfired-windows": "The input has ended, and rows are left in windows.",
    "backlog": "The job falls behind, or does not catch up.",
    "skewed-sources": "Sources are far apart: the fastest fills the state.",
    "growing-state": "The state grows without end.",
}
"""The findings and their descriptions, causes before what follows from them."""
