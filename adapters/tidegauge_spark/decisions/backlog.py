"""Backlog by the lag of a watermark, in plain Python: what each step changes and sends.

Timestamps, processing times and durations are in milliseconds. A *detector* is one source subtask; a
*combiner* is where the attributes of several channels meet. Nothing here knows Spark.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.timestamps import MAX, MIN

WATERMARK_LAG_THRESHOLD: Final = "pipeline.backlog.watermark-lag-threshold"
"""The option of the job that is the threshold of all its sources (BACKLOG-1)."""


class BacklogOutput(NamedTuple):
    """Something that goes downstream: a watermark with its timestamp (ms), or record attributes: whether the
    records that follow are backlog."""

    kind: str
    timestamp: int | None = None
    backlog: bool | None = None


class DetectorState(NamedTuple):
    """All that a detector has to remember (BACKLOG-11); None: not set, emitted or sent yet."""

    threshold: int | None = None
    started: bool = False
    now: int = 0
    watermark: int | None = None
    idle: bool = False
    lag_claims: bool = False
    caught_up: bool = False
    other_claims: bool = False
    sent: bool | None = None


class BacklogDetector:
    """One source subtask: it passes its watermarks on and says whether its records are backlog.

    Its steps return what goes downstream, in this order.
    """

    def __init__(self, threshold: int | None = None) -> None:
        """Start with the threshold of the job (ms); None: the lag says nothing (BACKLOG-3).

        Raises `IllegalArgumentError` for a threshold that is not greater than 0 (BACKLOG-2).
        """
        self._state = DetectorState(threshold=None if threshold is None else _checked_threshold(threshold))

    @classmethod
    def restored(cls, state: DetectorState) -> BacklogDetector:
        """Return a detector that goes on where the one with this state stood (BACKLOG-11)."""
        detector = cls()
        detector._state = state
        return detector

    def state(self) -> DetectorState:
        """Return the state."""
        return self._state

    def configure(self, option: str, milliseconds: int) -> list[BacklogOutput]:
        """The job sets an option, before the subtask starts; other options are not looked at (BACKLOG-1).

        Raises `IllegalArgumentError` for a threshold that is not greater than 0 (BACKLOG-2). Once the subtask
        has started nothing is looked at, not even that.
        """
        if option == WATERMARK_LAG_THRESHOLD and not self._state.started:
            self._change(threshold=_checked_threshold(milliseconds))
        return []

    def clock(self, now: int) -> list[BacklogOutput]:
        """It is `now` (ms, processing time); that alone evaluates nothing (BACKLOG-5)."""
        self._change(started=True, now=now)
        return []

    def watermark(self, timestamp: int) -> list[BacklogOutput]:
        """The subtask emits a watermark (ms): it goes downstream before what it brings about (BACKLOG-6).

        `MAX` ends the input and is no moment that could lag (BACKLOG-5). `MIN` is no watermark (TIME-3).
        """
        self._change(started=True)
        if timestamp == MIN:
            return []
        emitted = BacklogOutput("watermark", timestamp=timestamp)
        if timestamp == MAX:
            return [emitted]
        self._change(watermark=timestamp)
        return [emitted, *self._evaluated()]

    def idle(self) -> list[BacklogOutput]:
        """The subtask has no data for now: it has nothing to work off (BACKLOG-4)."""
        return self._became(idle=True)

    def active(self) -> list[BacklogOutput]:
        """The subtask has data again."""
        return self._became(idle=False)

    def other(self, backlog: bool) -> list[BacklogOutput]:
        """Another strategy of the source claims backlog, or that there is none (BACKLOG-8)."""
        self._change(started=True, other_claims=backlog)
        return self._flag()

    def _change(self, **fields: Any) -> None:
        self._state = self._state._replace(**fields)

    def _became(self, idle: bool) -> list[BacklogOutput]:
        changed = idle != self._state.idle  # BACKLOG-5: a status that is repeated is no moment to look
        self._change(started=True, idle=idle)
        return self._evaluated() if changed else []

    def _evaluated(self) -> list[BacklogOutput]:
        """Look at the lag (BACKLOG-5) and send the flag if it is new."""
        threshold, watermark = self._state.threshold, self._state.watermark
        if threshold is None:
            return []  # BACKLOG-3
        claims = False
        if watermark is not None and not self._state.idle:  # else there is no lag, and nothing is found out
            claims = self._state.now - watermark > threshold and not self._state.caught_up  # BACKLOG-4
            self._change(caught_up=not claims)  # BACKLOG-7
        self._change(lag_claims=claims)
        return self._flag()

    def _flag(self) -> list[BacklogOutput]:
        """Send the flag for the first time, and whenever it changes (BACKLOG-8, BACKLOG-9)."""
        backlog = self._state.lag_claims or self._state.other_claims
        if backlog == self._state.sent:
            return []
        self._change(sent=backlog)
        return [BacklogOutput("record-attributes", backlog=backlog)]


class CombinerState(NamedTuple):
    """All that a combiner has to remember (BACKLOG-11): the channels that have sent attributes, what they
    said last, and the flag that was sent last, None if none was."""

    channels: list[int]
    backlog: list[bool]
    sent: bool | None


class RecordAttributesCombiner:
    """The record attributes of several channels: the subtasks of a source, or of several sources."""

    def __init__(self, channels: int, without_strategy: Iterable[int] = ()) -> None:
        """Start with so many channels, numbered from 0; on those `without_strategy` none is declared, so that
        nobody waits for them (BACKLOG-10).

        Raises `IllegalArgumentError` for less than one channel, and for one without strategy that is not
        among them.
        """
        if channels < 1:
            raise IllegalArgumentError(f"a combiner has at least one channel, not {channels}")
        self._channels = channels
        silent = frozenset(map(self._checked_channel, without_strategy))
        self._awaited = frozenset(range(channels)) - silent
        self._said: dict[int, bool] = {}
        self._sent: bool | None = None

    def restore(self, state: CombinerState) -> None:
        """Go on where the combiner with this state, of the same channels, stood (BACKLOG-11)."""
        self._said = dict(zip(state.channels, state.backlog, strict=True))
        self._sent = state.sent

    def state(self) -> CombinerState:
        """Return a copy of the state; later steps do not change it."""
        return CombinerState(list(self._said), list(self._said.values()), self._sent)

    def attributes(self, channel: int, backlog: bool) -> list[BacklogOutput]:
        """A channel says whether what follows on it is backlog; return what goes downstream.

        Raises `IllegalArgumentError`, having changed nothing, for a channel that is not there (BACKLOG-2).
        """
        self._said[self._checked_channel(channel)] = backlog
        combined = any(self._said.values())  # BACKLOG-8
        if combined == self._sent:
            return []  # BACKLOG-9
        if not combined and not self._awaited <= self._said.keys():
            return []  # BACKLOG-10: one that has not spoken yet may be behind
        self._sent = combined
        return [BacklogOutput("record-attributes", backlog=combined)]

    def _checked_channel(self, channel: int) -> int:
        if not 0 <= channel < self._channels:
            raise IllegalArgumentError(f"no channel {channel} among {self._channels}")
        return channel


def _checked_threshold(milliseconds: int) -> int:
    if milliseconds <= 0:
        raise IllegalArgumentError(
            f"a watermark lag of {milliseconds} ms is no threshold: every watermark lags a little. Set one "
            "that is greater than 0, or none"
        )
    return milliseconds
