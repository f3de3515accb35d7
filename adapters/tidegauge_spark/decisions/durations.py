"""Durations as Spark users write them: "30 seconds", "1 minute 30 seconds", and "30s" as in settings."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

MILLISECONDS: Final = {
    "millisecond": 1,
    "second": 1_000,
    "minute": 60_000,
    "hour": 3_600_000,
    "day": 86_400_000,
    "week": 604_800_000,
}
"""What a unit is in ms. A unit may end in "s"; months and years are no durations, they differ in length."""

SHORT: Final = {"ms": 1, "s": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
"""The units as Spark's settings have them."""

_PART: Final = re.compile(r"\s*([0-9]{1,18}(?:\.[0-9]{1,9})?)\s*([a-z]+)(?=\s|$)\s*")


def parse_duration(text: str) -> int:
    """Return the duration in ms.

    Raises `ValueError` with a reason that completes "the duration ..." for anything but numbers with units
    that sum up to a whole number of milliseconds, zero included. A duration is not negative.
    """
    rest = text.strip().lower().removeprefix("interval ")
    if rest.startswith("-"):
        raise ValueError("is negative")
    total = Decimal(0)
    while True:
        part = _PART.match(rest)
        if part is None:
            raise ValueError('is not a number and a unit, such as "30 seconds" or "500ms"')
        amount, unit = part.groups()
        size = SHORT.get(unit) or MILLISECONDS.get(unit.removesuffix("s"))
        if size is None:
            units = ", ".join([*MILLISECONDS, *SHORT])
            raise ValueError(f"has the unknown unit {unit!r}; units are {units}")
        total += Decimal(amount) * size
        rest = rest[part.end() :]
        if not rest:
            break
    if total != int(total):
        raise ValueError("is not a whole number of milliseconds")
    return int(total)
