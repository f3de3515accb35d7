"""VALVE: the status-watermark valve."""

from dataclasses import dataclass

from .choices import before, smallest
from .citation import cite
from .errors import IllegalArgument
from .outputs import ACTIVE, IDLE, Output, watermark
from .policies import CORE, INITIAL_WATERMARK, Policies
from .timestamps import MAX, MIN

ValveState = tuple[tuple[tuple[int, bool, bool], ...], int, bool, int]


@dataclass(slots=True)
class Channel:
    """One input: the largest watermark it delivered while active (ms), and its standing."""

    watermark: int = MIN
    idle: bool = False
    aligned: bool = True


class Valve:
    """Combines the watermarks and statuses of `channels` inputs into one of each.

    A step names its channel, from 0; an unknown one raises `IllegalArgument` (VALVE-22). The outputs
    go downstream in the order of the list.
    """

    def __init__(self, channels: int, policies: Policies = CORE) -> None:
        if channels < 1:
            raise IllegalArgument(f"channels must be at least 1, not {channels} (VALVE-22)")
        self.policies = policies
        self.output_watermark = INITIAL_WATERMARK[policies.initial_watermark]
        self.channels = [Channel(self.output_watermark) for _ in range(channels)]
        self.output_idle = False
        self.largest_before_end = MIN

    def watermark(self, channel: int, timestamp: int) -> list[Output]:
        """The channel promises that everything up to `timestamp` (ms) has arrived; `MAX` ends it."""
        source = self._channel(channel)
        if cite("VALVE-5", source.idle):
            return []
        if cite("VALVE-3", timestamp <= source.watermark):
            return []
        source.watermark = timestamp
        if self.policies.valve_flush_channels == "all-channels" and timestamp < MAX:
            self.largest_before_end = max(timestamp, self.largest_before_end)
        # A lagging channel counts again once it has caught up with the output.
        if not source.aligned:
            source.aligned = cite("VALVE-10", timestamp >= self.output_watermark)
        # The last active channel has ended and the others are idle: no channel is left to wait for.
        if timestamp == MAX and self._all_idle():
            return self._become_idle()
        return self._output_minimum("VALVE-2")

    def idle(self, channel: int) -> list[Output]:
        """The channel has no data for now and is not to be waited for."""
        source = self._channel(channel)
        if cite("VALVE-21", self._finished(source)):
            return []
        if cite("VALVE-7", source.idle):
            return []
        source.idle = True
        source.aligned = False
        at_output = source.watermark == self.output_watermark
        if cite("VALVE-14", self._all_idle()):
            if at_output or self.policies.valve_flush_when_all_idle != "last-channel-at-output":
                return self._become_idle()
            # Under this policy the largest watermark stays unsent.
            cite("VALVE-15", False)
            self.output_idle = True
            return [IDLE]
        if at_output or self.policies.valve_minimum_when_idle != "channel-at-output":
            return self._output_minimum("VALVE-6")
        cite("VALVE-6", False)
        return []

    def active(self, channel: int) -> list[Output]:
        """The channel has data again."""
        source = self._channel(channel)
        # A finished channel (VALVE-21) is never idle either.
        if cite("VALVE-7", not source.idle):
            return []
        source.idle = False
        outputs: list[Output] = []
        if cite("VALVE-13", self.output_idle):
            self.output_idle = False
            outputs.append(ACTIVE)
        if self.policies.valve_returning_channel == "holds-back":
            # Under this policy no channel lags: it takes part at once, and the output waits for it.
            cite("VALVE-9", False)
            cite("VALVE-10", False)
        # A channel that is behind the output stays out of the minimum: it is lagging.
        elif cite("VALVE-9", source.watermark < self.output_watermark):
            return outputs
        source.aligned = cite("VALVE-8", True)
        if self.policies.valve_minimum_when_active == "deferred":
            cite("VALVE-12", False)
            return outputs
        return outputs + self._output_minimum("VALVE-12")

    def _output_minimum(self, rule: str) -> list[Output]:
        """Output the minimum over the aligned, unfinished channels if it is an advance, as `rule` says."""
        if cite("VALVE-19", all(channel.watermark == MAX for channel in self.channels)):
            return self._flush_before_end() + self._advance(rule, MAX)
        waited_for = [c for c in self.channels if c.aligned and not cite("VALVE-17", self._finished(c))]
        if cite("VALVE-11", not waited_for):
            return []
        delivered = [channel.watermark for channel in waited_for if channel.watermark > MIN]
        if cite("VALVE-1", len(delivered) < len(waited_for)):
            return []
        return self._advance(rule, smallest("VALVE-2", delivered))

    def _become_idle(self) -> list[Output]:
        """Output the largest watermark of the channels that are flushed if it is an advance, then IDLE."""
        unfinished = [channel for channel in self.channels if not cite("VALVE-18", self._finished(channel))]
        largest = max(channel.watermark for channel in unfinished)
        # Without the policy `all-channels`, nothing of a finished channel is remembered.
        flushed = self._advance("VALVE-15", max(largest, self.largest_before_end))
        self.output_idle = True
        return before("VALVE-16", flushed, [IDLE])

    def _flush_before_end(self) -> list[Output]:
        """Output what a finished channel was ahead by, before the end, if finished channels are flushed."""
        if self.policies.valve_flush_channels == "unfinished":
            return []
        return self._advance("VALVE-18", self.largest_before_end)

    def _advance(self, rule: str, timestamp: int) -> list[Output]:
        """Output `timestamp` (ms), as `rule` says, if that is an advance."""
        advances = not cite("VALVE-4", timestamp <= self.output_watermark)
        if not cite(rule, advances):
            return []
        self.output_watermark = timestamp
        return [watermark(timestamp)]

    def _channel(self, channel: int) -> Channel:
        if cite("VALVE-22", not 0 <= channel < len(self.channels)):
            raise IllegalArgument(f"channel {channel} of {len(self.channels)} does not exist (VALVE-22)")
        return self.channels[channel]

    def _finished(self, channel: Channel) -> bool:
        return channel.watermark == MAX and self.policies.valve_finished_channel == "leaves"

    def _all_idle(self) -> bool:
        """Whether a channel is unfinished, and all such channels are idle."""
        unfinished = [channel for channel in self.channels if not cite("VALVE-20", self._finished(channel))]
        return bool(unfinished) and all(channel.idle for channel in unfinished)

    def state(self) -> ValveState:
        """All of the state, hashable, which `restore` needs: equal states behave alike from here on."""
        channels = tuple((c.watermark, c.idle, c.aligned) for c in self.channels)
        return channels, self.output_watermark, self.output_idle, self.largest_before_end

    snapshot = state

    def restore(self, saved: ValveState) -> None:
        """Become the valve that `saved` was taken from."""
        cite("VALVE-23")
        channels, self.output_watermark, self.output_idle, self.largest_before_end = saved
        self.channels = [Channel(*channel) for channel in channels]
