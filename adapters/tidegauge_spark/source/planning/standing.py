"""How a source stands, for the progress of the query: how far it is behind, and which splits hold it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from tidegauge_spark.decisions.timestamps import MIN

MOST_NAMES: Final = 5

SAID_WATERMARK: Final = "saidWatermark"
"""Where the progress shows the watermark that Spark is told (ms), None if it is told nothing."""

CHECK: Final = "watermarkCheck"
"""Where it shows the file in which the source finds out that Spark's watermark does not follow."""

COMPANION: Final = "companionOf"
"""Where it shows under which name the rows of the reader beside a companion are observed."""


class SplitStanding(NamedTuple):
    """A split that somebody waits for: its name and its watermark (ms), `MIN` before its first record."""

    name: str
    watermark: int


def shown(splits: Iterable[SplitStanding], moment: int, latest: int = MIN) -> dict[str, Any]:
    """Return what the progress shows of the splits that are waited for, as JSON.

    `watermark`: that of the slowest (ms), None if it has none, or if nobody is waited for. `lag`: how far
    that is behind the clock, whose time is `moment` (ms). `drift`: how far the slowest and the fastest are
    apart (ms), of those that have a watermark. `delay`: how far the slowest is behind `latest`, the greatest
    event time that was read (ms). `heldBy`: which splits are the slowest, a few of them by name.
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
