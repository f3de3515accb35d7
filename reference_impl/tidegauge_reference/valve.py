"""VALVE: the status-watermark valve."""

from dataclasses import dataclass

from .citation import cite
from .errors import IllegalArgument
from .outputs import ACTIVE, IDLE, Output, watermark
from .policies import CORE, INITIAL_WATERMARK, Policies
from .timestamps import MAX, MIN

ValveState = tuple[tuple[tuple[int, bool, bool], ...], int, bool]


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

    def watermark(self, channel: int, timestamp: int) -> list[Output]:
        """The channel promises that everything up to `timestamp` (ms) has arrived; `MAX` ends it."""
        source = self._channel(channel)
        if cite("VALVE-5", source.idle):
            return []
        if cite("VALVE-3", timestamp <= source.watermark):
            return []
        source.watermark = timestamp
        if not source.aligned:
            source.aligned = cite("VALVE-10", timestamp >= self.output_watermark)
        if timestamp == MAX and self._all_idle():
            return self._become_idle()
        return self._minimum("VALVE-2")

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
            if self.policies.valve_flush_when_all_idle == "last-channel-at-output" and not at_output:
                cite("VALVE-15", False)
                self.output_idle = True
                return [IDLE]
            return self._become_idle()
        if self.policies.valve_minimum_when_idle == "channel-at-output" and not at_output:
            cite("VALVE-6", False)
            return []
        return self._minimum("VALVE-6")

    def active(self, channel: int) -> list[Output]:
        """The channel has data again."""
        source = self._channel(channel)
        if cite("VALVE-21", self._finished(source)):
            return []
        if cite("VALVE-7", not source.idle):
            return []
        source.idle = False
        outputs: list[Output] = []
        if cite("VALVE-13", self.output_idle):
            self.output_idle = False
            outputs.append(ACTIVE)
        if cite("VALVE-9", source.watermark < self.output_watermark):
            return outputs
        source.aligned = cite("VALVE-8")
        if self.policies.valve_minimum_when_active == "deferred":
            cite("VALVE-12", False)
            return outputs
        return outputs + self._minimum("VALVE-12")

    def _minimum(self, rule: str) -> list[Output]:
        """Output the minimum over the aligned, unfinished channels if it is an advance, as `rule` says."""
        if cite("VALVE-19", all(channel.watermark == MAX for channel in self.channels)):
            return self._advance(rule, MAX)
        left_out = cite("VALVE-17", any(self._finished(channel) for channel in self.channels))
        aligned = [c.watermark for c in self.channels if c.aligned and not (left_out and self._finished(c))]
        if cite("VALVE-11", not aligned):
            return []
        delivered = [timestamp for timestamp in aligned if timestamp > MIN]
        if cite("VALVE-1", len(delivered) < len(aligned)):
            return []
        lowest, highest = min(delivered, default=MAX), max(delivered, default=MAX)
        return self._advance(rule, highest if cite("VALVE-2", lowest == highest) else lowest)

    def _become_idle(self) -> list[Output]:
        """Output the largest watermark known if it is an advance, then IDLE."""
        left_out = cite("VALVE-18", any(self._finished(channel) for channel in self.channels))
        known = [c.watermark for c in self.channels if not (left_out and self._finished(c))]
        largest = max(known, default=MIN)
        flushed = self._advance("VALVE-15", largest)
        self.output_idle = True
        return [*flushed, IDLE] if cite("VALVE-16", bool(flushed)) else [IDLE, *flushed]

    def _advance(self, rule: str, timestamp: int) -> list[Output]:
        """Output `timestamp`, as `rule` says, unless the output is there already."""
        if not cite(rule, not cite("VALVE-4", timestamp <= self.output_watermark)):
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
        """Whether an unfinished channel is left and all such are idle."""
        unfinished = [c.idle for c in self.channels if not self._finished(c)]
        if cite("VALVE-20", 0 < len(unfinished) < len(self.channels)):
            return all(unfinished)
        return all(channel.idle for channel in self.channels)

    def state(self) -> ValveState:
        """All of the state, hashable, which `restore` needs: equal states behave alike from here on."""
        channels = tuple((c.watermark, c.idle, c.aligned) for c in self.channels)
        return channels, self.output_watermark, self.output_idle

    snapshot = state

    def restore(self, saved: ValveState) -> None:
        """Become the valve that `saved` was taken from."""
        cite("VALVE-23")
        channels, self.output_watermark, self.output_idle = saved
        self.channels = [Channel(*channel) for channel in channels]
