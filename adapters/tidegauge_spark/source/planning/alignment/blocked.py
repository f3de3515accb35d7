"""The splits that are not read now although they have something to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

MOST_SHOWN: Final = 5
"""Of how many blocked splits the progress shows more than that they are blocked."""


class Unread(NamedTuple):
    """How much of a split is not planned, in what the source counts: "Files", "Positions" or "Numbers"."""

    amount: int
    unit: str


class BlockedSplit(NamedTuple):
    """A split that a planning has held back.

    records: how many records of it are planned. until: the watermark (ms) of the slowest of the group at
    which the split is read on; None if its owner holds it back.
    """

    name: str
    records: int
    unread: Unread
    until: int | None

    def shown(self) -> dict[str, Any]:
        """Return what the progress shows, as JSON."""
        return {"split": self.name, f"unread{self.unread.unit}": self.unread.amount, "until": self.until}


def shown_blocked(blocked: Sequence[BlockedSplit]) -> dict[str, Any]:
    """Return what the progress shows of the blocked splits: how many there are, and those that wait for the
    highest watermark."""
    furthest = sorted(blocked, key=lambda split: (split.until is None, -(split.until or 0), split.name))
    return {"blockedSplits": len(blocked), "blocked": [split.shown() for split in furthest[:MOST_SHOWN]]}
