"""The features that a query of `tidegauge_spark` uses: scenarios with others would test code that no job
runs."""

from __future__ import annotations

from typing import Final

from tidegauge import CoordinatorShape, LowWatermarkShape, SourceShape

SHAPES: Final = (
    # A planning covers all subtasks: no subtask fails, is reset or becomes ready on its own. A coordination
    # service has no snapshot: after its restart, the sources report again.
    CoordinatorShape(without_steps=("ready", "failed", "reset", "restart"), snapshots=False),
    # A source that reports in band has a fixed set of subtasks.
    LowWatermarkShape(without_steps=("join", "leave")),
    # The reader writes only records of splits: no watermarks and no statuses.
    SourceShape(without_steps=("watermark", "idle", "active"), outputs=("per-split",), readers=("pauses",)),
)
