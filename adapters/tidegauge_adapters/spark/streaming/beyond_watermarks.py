"""What Spark's watermark cannot follow: such scenarios are left out of streaming queries."""

from __future__ import annotations

from tidegauge import Scenario
from tidegauge.wire.steps.window import WatermarkStep

_MOST_WATERMARKS = 40


def beyond_watermarks(scenario: Scenario) -> str | None:
    """Return why no query puts a scenario to a processor by Spark's watermark, None if one does."""
    watermarks = [step for step in scenario.history if isinstance(step, WatermarkStep)]
    if len(watermarks) > _MOST_WATERMARKS:
        return f"more than {_MOST_WATERMARKS} watermarks, which are two micro-batches each"
    return None
