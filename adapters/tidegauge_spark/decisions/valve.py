"""The decisions of the valve, in plain Python: what each step changes and what goes downstream.

All timestamps are in milliseconds. Nothing here knows Spark, so that a decision can be read, tested and
reused without it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.timestamps import MAX, MIN


class ValveOutput(NamedTuple):
    """Something that goes downstream: a watermark with its timestamp (ms), or a status without one."""

    kind: str
    timestamp: int | None


class ValveState(NamedTuple):
    """All that a valve has to remember, one entry a channel in the lists (VALVE-23).

    An idle channel is never aligned: alignment is lost with idleness and decided again on return.
    """

    watermarks: list[int]
    idle: list[bool]
    aligned: list[bool]
    output_watermark: int
    output_idle: bool


IDLE: Final = ValveOutput("idle", None)
ACTIVE: Final = ValveOutput("active", None)


class Valve:
    """One valve: the watermarks and statuses of its channels on the one side, one of each on the other.

    `watermark`, `idle` and `active` are the steps. Each returns what goes downstream, in this order, and
    raises `IllegalArgumentError`, having changed nothing, for a channel that the valve does not have
    (VALVE-22).
    """

    def __init__(self, channels: int) -> None:
        """Start with so many channels: active, aligned, without a watermark (VALVE-1).

        Raises `IllegalArgumentError` for less than one channel: such a valve could never tell a time.
        """
        if channels < 1:
            raise IllegalArgumentError(f"a valve has at least one channel, not {channels}")
        self._watermarks = [MIN] * channels
        self._idle = [False] * channels
        self._aligned = [True] * channels
        self._output_watermark = MIN
        self._output_idle = False

    @classmethod
    def restored(cls, state: ValveState) -> Valve:
        """Return a valve that goes on where the one with this state stood (VALVE-23)."""
        valve = cls(len(state.watermarks))
        valve._watermarks = list(state.watermarks)
        valve._idle = list(state.idle)
        valve._aligned = list(state.aligned)
        valve._output_watermark = state.output_watermark
        valve._output_idle = state.output_idle
        return valve

    def state(self) -> ValveState:
        """Return a copy of the state; later steps do not change it."""
        return ValveState(
            watermarks=list(self._watermarks),
            idle=list(self._idle),
            aligned=list(self._aligned),
            output_watermark=self._output_watermark,
            output_idle=self._output_idle,
        )

    @property
    def channels(self) -> int:
        """The number of channels."""
        return len(self._watermarks)

    def step(self, kind: str | None, channel: int | None, timestamp: int | None) -> list[ValveOutput]:
        """Take the step that a row of data describes; the timestamp (ms) of a status is not looked at.

        Raises `IllegalArgumentError`, having changed nothing, for a kind that is not "watermark", "idle" or
        "active", for a missing channel or an unknown one (VALVE-22), and for a watermark without a timestamp.
        """
        if channel is None:
            raise IllegalArgumentError("a step names a channel")
        if kind == "watermark":
            if timestamp is None:
                raise IllegalArgumentError("a watermark has a timestamp")
            return self.watermark(channel, timestamp)
        if kind == "idle":
            return self.idle(channel)
        if kind == "active":
            return self.active(channel)
        raise IllegalArgumentError(f"unknown kind of step: {kind!r}")

    def watermark(self, channel: int, timestamp: int) -> list[ValveOutput]:
        """A channel promises to be complete up to the timestamp (ms); `MAX` finishes it (VALVE-2)."""
        self._check(channel)
        # VALVE-5 comes first: what an idle channel says must not even be stored. Then VALVE-3.
        if self._idle[channel] or timestamp <= self._watermarks[channel]:
            return []
        self._watermarks[channel] = timestamp
        if timestamp >= self._output_watermark:
            self._aligned[channel] = True  # VALVE-10; no change unless the channel was lagging
        return self._advance()

    def idle(self, channel: int) -> list[ValveOutput]:
        """A channel stops to take part: nobody waits for it any more (VALVE-6)."""
        self._check(channel)
        if self._is_finished(channel) or self._idle[channel]:
            return []  # VALVE-21, VALVE-7
        self._idle[channel] = True
        self._aligned[channel] = False
        return self._advance()

    def active(self, channel: int) -> list[ValveOutput]:
        """A channel comes back: aligned if it is not behind (VALVE-8), else left out for now (VALVE-9)."""
        self._check(channel)
        if self._is_finished(channel) or not self._idle[channel]:
            return []  # VALVE-21, VALVE-7
        self._idle[channel] = False
        self._aligned[channel] = self._watermarks[channel] >= self._output_watermark
        outputs = []
        if self._output_idle:
            self._output_idle = False
            outputs.append(ACTIVE)  # VALVE-13: before a watermark that the return releases
        return outputs + self._advance()  # VALVE-12

    def _check(self, channel: int) -> None:
        """Raise `IllegalArgumentError` for a channel that the valve does not have (VALVE-22)."""
        # To Python a negative index is a channel counted from the end.
        if not 0 <= channel < len(self._watermarks):
            raise IllegalArgumentError(f"no channel {channel} among {len(self._watermarks)}")

    def _is_finished(self, channel: int) -> bool:
        return self._watermarks[channel] == MAX

    def _advance(self) -> list[ValveOutput]:
        """Derive, after a change of a channel, how far time has come and whether the valve is idle.

        It is called for changes only, and while the valve is idle the only possible change is that a channel
        comes back. So it never finds the valve idle already, and IDLE is sent once.
        """
        unfinished = [channel for channel in range(len(self._watermarks)) if not self._is_finished(channel)]
        if not unfinished:
            return self._raised_to(MAX)  # VALVE-19
        # Finished channels have no voice below: not in the status (VALVE-20), the flush (VALVE-18) or the
        # minimum (VALVE-17).
        if all(self._idle[channel] for channel in unfinished):
            flushed = self._raised_to(max(self._watermarks[channel] for channel in unfinished))  # VALVE-15
            self._output_idle = True
            return [*flushed, IDLE]  # VALVE-14, in the order of VALVE-16
        aligned = [self._watermarks[channel] for channel in unfinished if self._aligned[channel]]
        if not aligned:
            return []  # VALVE-11: somebody is active, but all who are lag behind
        return self._raised_to(min(aligned))  # VALVE-2, VALVE-6, VALVE-12

    def _raised_to(self, timestamp: int) -> list[ValveOutput]:
        """Send the watermark (ms) if it is greater than the last one sent (VALVE-4)."""
        if timestamp <= self._output_watermark:
            return []
        self._output_watermark = timestamp
        return [ValveOutput("watermark", timestamp)]
