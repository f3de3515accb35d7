"""The features that a query of `tidegauge_spark` uses: scenarios with others would test what no job runs."""

from __future__ import annotations

from typing import Final

from tidegauge import CoordinatorShape, LowWatermarkShape, SourceShape

SHAPES: Final = (
    # A planning is for all subtasks: none fails, is reset or gets ready by itself. A coordination service has
    # no snapshot: sources report again to a service that was restarted.
    CoordinatorShape(without_steps=("ready", "failed", "reset", "restart"), snapshots=False),
    # The subtasks of a source that speaks in band are fixed.
    LowWatermarkShape(without_steps=("join", "leave")),
    # The reader writes records of splits only; between them, it writes no watermark and no status.
    SourceShape(without_steps=("watermark", "idle", "active"), outputs=("per-split",), readers=("pauses",)),
)
