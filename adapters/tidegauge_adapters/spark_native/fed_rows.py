"""The rows of the steps of windows: records, and watermarks that move that of the query, or must not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tidegauge.wire.steps.window import RecordStep, Session, WatermarkStep, WindowSetup
from tidegauge.wire.vocabulary import Step

from ..spark_schedule.schedule import Portion, moment_of, raised_to


def is_fed(step: Step) -> bool:
    """Whether a step is a row."""
    return moment_of(step) is not None or isinstance(step, RecordStep)


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
    moment = moment_of(step)
    return None if moment is None else mark(moment)


def mark(moment: int) -> dict[str, Any]:
    """The row that raises the watermark: all up to a moment (ms) has arrived."""
    return {"milliseconds": raised_to(moment)}


def latest(portions: Iterable[Portion]) -> int:
    """The latest moment (ms) that is fed or reached."""
    placed = (fed.step for portion in portions for fed in portion.placed)
    steps = (step.timestamp for step in placed if isinstance(step, RecordStep | WatermarkStep))
    moments = [moment for moment in steps if isinstance(moment, int)]
    return max(
        [*moments, *(portion.rises_to for portion in portions if portion.rises_to is not None)], default=0
    )
