"""The splits that are not read now although they have records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

MOST_SHOWN: Final = 5
"""The maximum number of blocked splits that the progress describes."""


class Unread(NamedTuple):
    """The unread part of a split, in the unit of the source: "Files", "Positions" or "Numbers"."""

    amount: int
    unit: str


class BlockedSplit(NamedTuple):
    """A split that a planning has held back.

    records: the number of its records that are planned. until: the watermark (ms) of the slowest split in the
    group at which reading continues; None if the owner of the split holds it back.
    """

    name: str
    records: int
    unread: Unread
    until: int | None

    def shown(self) -> dict[str, Any]:
        """Return the split as the progress shows it, as JSON."""
        return {"split": self.name, f"unread{self.unread.unit}": self.unread.amount, "until": self.until}


def shown_blocked(blocked: Sequence[BlockedSplit]) -> dict[str, Any]:
    """Return the blocked splits as the progress shows them: their number, and those that wait for the highest
    watermark."""
    furthest = sorted(blocked, key=lambda split: (split.until is None, -(split.until or 0), split.name))
    return {"blockedSplits": len(blocked), "blocked": [split.shown() for split in furthest[:MOST_SHOWN]]}
