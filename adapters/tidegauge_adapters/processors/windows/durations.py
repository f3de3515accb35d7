"""Parse durations in the notation of Spark, such as "10 seconds", or in ms."""

from __future__ import annotations

import re
from datetime import timedelta

_UNITS_MS = {
    "millisecond": 1,
    "second": 1_000,
    "minute": 60_000,
    "hour": 3_600_000,
    "day": 86_400_000,
    "week": 604_800_000,
}
_DURATION = re.compile(r"\s*(-?\d+)\s*([a-z]+?)s?\s*")

Duration = str | int | timedelta


def duration_ms(duration: Duration, name: str) -> int:
    """Return a duration in ms.

    Raises `ValueError` for a text that is not a number and a unit. The message begins with `name`.
    """
    if isinstance(duration, timedelta):
        return duration // timedelta(milliseconds=1)
    if isinstance(duration, int) and not isinstance(duration, bool):
        return duration
    parts = _DURATION.fullmatch(duration.lower()) if isinstance(duration, str) else None
    if parts is None or parts[2] not in _UNITS_MS:
        raise ValueError(
            f"{name}: {duration!r} is not a duration; give a number of ms, or a text such as '1 minute' with "
            f"one of {', '.join(f'{unit}s' for unit in _UNITS_MS)}"
        )
    return int(parts[1]) * _UNITS_MS[parts[2]]
