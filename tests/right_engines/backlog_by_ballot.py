"""Backlog detection as a ballot: each strategy or channel has a vote, true, false or not cast, and votes are counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

MIN, MAX = -(2**63), 2**63 - 1

OPTION = "pipeline.backlog.watermark-lag-threshold"


class Ballot:
    """The votes by voter, how many there are of each kind, and the flag that was published last.

    One vote for true decides; false is decided when no vote that is awaited is missing. Until then nothing is known.
    """

    def __init__(self, awaited: int) -> None:
        self._votes: dict[int, bool] = {}
        self._tally = Counter({True: 0, False: 0})
        self._awaited = awaited
        self._published: bool | None = None

    def cast(self, voter: int, vote: bool, *, waited_for: bool = False) -> list[tuple[Any, ...]]:
        """A vote, which takes the place of the voter's earlier one, and what has to be published because of it."""
        if voter in self._votes:
            self._tally[self._votes[voter]] -= 1
        elif waited_for:
            self._awaited -= 1
        self._votes[voter] = vote
        self._tally[vote] += 1
        result = True if self._tally[True] else None if self._awaited else False
        if result is None or result == self._published:
            return []
        self._published = result
        return [("record-attributes", result)]


class BallotCombiner:
    """An operator whose channels vote; those without a strategy may, but need not."""

    def __init__(self, channels: int, without_strategy: tuple[int, ...]) -> None:
        self._channels = channels
        self._silent = frozenset(without_strategy)
        self._ballot = Ballot(sum(channel not in self._silent for channel in range(channels)))

    def attributes(self, channel: int, backlog: bool) -> list[tuple[Any, ...]]:
        """The vote of a channel."""
        if not 0 <= channel < self._channels:
            raise ValueError(f"there is no channel {channel}")
        return self._ballot.cast(channel, backlog, waited_for=channel not in self._silent)

    def snapshot(self) -> Any:
        """The ballot; the rest is fixed."""
        return self._ballot

    def restore(self, saved: Any) -> None:
        """Go on from there."""
        self._ballot = saved


LAG, OTHERS = 0, 1
"""The two voters of a subtask."""


class BallotDetector:
    """One subtask of a source. No vote is awaited: the first evaluation, or the first claim of another strategy, is
    published at once."""

    def __init__(self) -> None:
        self._options: dict[str, int] = {}
        self._started = False
        self._now = 0
        self._watermark: int | None = None
        self._idle = False
        self._caught_up = False
        self._ballot = Ballot(0)

    def configure(self, option: str, milliseconds: int) -> None:
        """An option of the job, which is read when the subtask starts."""
        if self._started or option != OPTION:
            return
        if milliseconds <= 0:
            raise ValueError(f"a threshold of {milliseconds} ms")
        self._options[option] = milliseconds

    def clock(self, now: int) -> None:
        """The processing time (ms)."""
        self._started = True
        self._now = now

    def watermark(self, timestamp: int) -> list[tuple[Any, ...]]:
        """A watermark (ms) is emitted; the vote on it comes after it."""
        self._started = True
        if timestamp == MIN:
            return []
        if timestamp == MAX:
            return [("watermark", MAX)]
        self._watermark = timestamp
        return [("watermark", timestamp), *self._evaluated()]

    def idle(self) -> list[tuple[Any, ...]]:
        """No data for now."""
        return self._status(idle=True)

    def active(self) -> list[tuple[Any, ...]]:
        """Data again."""
        return self._status(idle=False)

    def other(self, backlog: bool) -> list[tuple[Any, ...]]:
        """The vote of the other strategies."""
        self._started = True
        return self._ballot.cast(OTHERS, backlog)

    def _status(self, *, idle: bool) -> list[tuple[Any, ...]]:
        self._started = True
        if idle == self._idle:
            return []
        self._idle = idle
        return self._evaluated()

    def _evaluated(self) -> list[tuple[Any, ...]]:
        """The vote of the lag strategy, which has one only if there is a threshold."""
        threshold = self._options.get(OPTION)
        if threshold is None:
            return []
        defined = self._watermark is not None and not self._idle
        behind = self._watermark is not None and self._now - self._watermark > threshold
        self._caught_up |= defined and not behind
        return self._ballot.cast(LAG, defined and behind and not self._caught_up)

    def snapshot(self) -> Any:
        """All of it."""
        return vars(self)

    def restore(self, saved: Any) -> None:
        """Go on from there."""
        vars(self).update(saved)
