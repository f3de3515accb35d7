"""The standing of a source, for the progress of the query: its watermark, and the slowest splits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from tidegauge_spark.decisions.timestamps import MIN

MOST_NAMES: Final = 5

SAID_WATERMARK: Final = "saidWatermark"
"""The key in the progress for the watermark that is reported to Spark (ms), None if there is none."""

CHECK: Final = "watermarkCheck"
"""The key for the file through which the source is notified that Spark's watermark does not follow."""

COMPANION: Final = "companionOf"
"""The key for the name under which the rows of the reader beside a companion are observed."""


class SplitStanding(NamedTuple):
    """A split that is not excluded from the minimum: its name and its watermark (ms), `MIN` before its first
    record."""

    name: str
    watermark: int


def shown(splits: Iterable[SplitStanding], moment: int, latest: int = MIN) -> dict[str, Any]:
    """Return the splits that are not excluded from the minimum as the progress shows them, as JSON.

    `watermark`: that of the slowest split (ms), None if it has none, or if all splits are excluded. `lag`:
    how far that watermark is behind the clock, whose time is `moment` (ms). `drift`: how far the slowest and
    the fastest split are apart (ms), among those with a watermark. `delay`: how far the slowest is behind
    `latest`, the greatest event time that was read (ms). `heldBy`: the slowest splits, a few of them by name.
    """
    awaited = sorted(splits)
    marks = [each.watermark for each in awaited if each.watermark != MIN]
    slowest = min((each.watermark for each in awaited), default=MIN)
    known = slowest != MIN
    return {
        "watermark": slowest if known else None,
        "lag": moment - slowest if known else None,
        "drift": max(marks) - min(marks) if marks else None,
        "delay": latest - slowest if known else None,
        "heldBy": [each.name for each in awaited if each.watermark == slowest][:MOST_NAMES],
    }
