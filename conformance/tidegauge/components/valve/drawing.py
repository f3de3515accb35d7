"""Random valves and steps that matter to them."""

from typing import Any

from ...wire.steps.valve import ActiveStep, IdleStep, ValveSetup, WatermarkStep
from ...wire.timestamps import MAX, MIN, to_wire
from ...wire.vocabulary import Step
from ..shared.moments import near
from ..shared.random_source import RandomSource

_CHANNELS = (1, 2, 2, 3, 3, 3, 4, 4, 4, 5)


def draw_setup(random: RandomSource) -> ValveSetup:
    """A valve of one to five channels, mostly three."""
    return ValveSetup(random.pick(_CHANNELS))


def draw_step(random: RandomSource, valve: Any) -> Step:
    """A step for the valve as it stands: `valve` is the reference's engine."""
    if random.chance(20) and (rare := _rare_steps(valve)):
        return random.pick(rare)
    channel = random.below(len(valve.channels))
    if random.chance(1):
        channel = random.pick((-1, len(valve.channels)))
    kind = random.below(100)
    if kind < 22:
        return IdleStep(channel)
    if kind < 42:
        return ActiveStep(channel)
    return WatermarkStep(channel, to_wire(_timestamp(random, valve, channel)))


def _rare_steps(valve: Any) -> list[Step]:
    """Return steps that lead to rare states: while one channel lags behind the output, another channel
    becomes active or idle, or ends. If no channel lags, there are none."""
    unfinished = [number for number, channel in enumerate(valve.channels) if channel.watermark < MAX]
    idle = [number for number in unfinished if valve.channels[number].idle]
    active = [number for number in unfinished if number not in idle]
    lagging = [number for number in active if not valve.channels[number].aligned]
    if not lagging:
        return []
    steps: list[Step] = [ActiveStep(number) for number in idle]
    for number in active:
        steps += [IdleStep(number)] if number not in lagging else []
        steps += [WatermarkStep(number, "MAX")] if len(active) > 2 else []
    return steps


def _timestamp(random: RandomSource, valve: Any, channel: int) -> int:
    """Around what the channel or the output has already; now and then the end of input, or `MIN`."""
    if random.chance(3):
        return MIN if random.chance(15) else MAX
    known = valve.output_watermark
    if channel in range(len(valve.channels)) and random.chance(50):
        known = valve.channels[channel].watermark
    return near(random, known, (c.watermark for c in valve.channels))
