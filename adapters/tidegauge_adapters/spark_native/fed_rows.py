"""The rows of the steps of windows: records, and watermarks that move that of the query, or must not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tidegauge.wire.steps.window import RecordStep, Session, WatermarkStep, WindowSetup
from tidegauge.wire.vocabulary import Step

from ..spark_schedule.schedule import Portion


def is_fed(step: Step) -> bool:
    """Whether a step is a row."""
    moves = isinstance(step, WatermarkStep) and isinstance(step.timestamp, int)
    return moves or isinstance(step, RecordStep)


def row_of(history: str, index: int, step: Step, setup: WindowSetup) -> dict[str, Any] | None:
    """A record says of which history it is; a watermark is of none."""
    if isinstance(step, RecordStep):
        assigner = setup.assigner
        return {
            "history": history,
            "record": index,
            "milliseconds": step.timestamp if isinstance(step.timestamp, int) else None,
            "gap": assigner.gap if isinstance(assigner, Session) else None,
        }
    moves = isinstance(step, WatermarkStep) and isinstance(step.timestamp, int)
    return mark(step.timestamp) if moves else None  # type: ignore[attr-defined]


def mark(timestamp: int) -> dict[str, Any]:
    """The row of a watermark: it says "all up to", Spark's "all before", a ms more."""
    return {"milliseconds": timestamp + 1}


def latest(portions: Iterable[Portion]) -> int:
    """The latest moment (ms) that is fed or reached."""
    placed = (fed.step for portion in portions for fed in portion.placed)
    steps = (step.timestamp for step in placed if isinstance(step, RecordStep | WatermarkStep))
    moments = [moment for moment in steps if isinstance(moment, int)]
    return max(
        [*moments, *(portion.rises_to for portion in portions if portion.rises_to is not None)], default=0
    )
