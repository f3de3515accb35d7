"""Random valves and steps that matter to them."""

from typing import Any

from ...wire.steps.valve import ActiveStep, IdleStep, ValveSetup, WatermarkStep
from ...wire.timestamps import MAX, MIN, to_wire
from ...wire.vocabulary import Step
from ..shared.moments import near
from ..shared.random_source import RandomSource

_CHANNELS = (1, 2, 2, 3, 3, 3, 3, 4, 4, 5)


def draw_setup(random: RandomSource) -> ValveSetup:
    """A valve of one to five channels, mostly three."""
    return ValveSetup(random.pick(_CHANNELS))


def draw_step(random: RandomSource, valve: Any) -> Step:
    """A step for the valve as it stands: `valve` is the reference's engine."""
    channel = random.below(len(valve.channels))
    if random.chance(1):
        channel = random.pick((-1, len(valve.channels)))
    if any(_lags(other) for other in valve.channels) and random.chance(30):
        return _step_beside_a_lagging_channel(random, valve)
    kind = random.below(100)
    if kind < 22:
        return IdleStep(channel)
    if kind < 42:
        return ActiveStep(channel)
    return WatermarkStep(channel, to_wire(_timestamp(random, valve, channel)))


def _lags(channel: Any) -> bool:
    return not (channel.idle or channel.aligned)


def _step_beside_a_lagging_channel(random: RandomSource, valve: Any) -> Step:
    """The aligned channels become idle one by one, then the channels that are ahead become active, or the
    lagging channel becomes idle. Only then a watermark ahead of the output is left that nothing has sent. It
    shows most clearly at a watermark of the lagging channel which is still behind the output."""
    channels = valve.channels
    lagging = random.pick([number for number, channel in enumerate(channels) if _lags(channel)])
    behind = int(valve.output_watermark) - 1
    if channels[lagging].watermark < behind < MAX - 1 and random.chance(10):
        return WatermarkStep(
            lagging, to_wire(random.between(max(channels[lagging].watermark + 1, behind - 3), behind))
        )
    aligned = [
        number for number, channel in enumerate(channels) if channel.aligned and channel.watermark < MAX
    ]
    if aligned:
        fastest = max(aligned, key=lambda number: int(channels[number].watermark))
        if channels[fastest].watermark <= valve.output_watermark:
            if random.chance(50):
                return IdleStep(lagging)
            return WatermarkStep(
                fastest, to_wire(min(MAX, int(valve.output_watermark) + random.between(1, 3)))
            )
        return IdleStep(random.pick(aligned))
    ahead = [n for n, channel in enumerate(channels) if MAX > channel.watermark > valve.output_watermark]
    if ahead and random.chance(50):
        return ActiveStep(random.pick(ahead))
    return IdleStep(lagging)


def _timestamp(random: RandomSource, valve: Any, channel: int) -> int:
    """Around what the channel or the output has already; now and then the end of input, or `MIN`."""
    if random.chance(3):
        return MIN if random.chance(15) else MAX
    known = valve.output_watermark
    if channel in range(len(valve.channels)) and random.chance(50):
        known = valve.channels[channel].watermark
    return near(random, known, (c.watermark for c in valve.channels))
