"""The valve, bound to the reference and to its generators."""

import re

from tidegauge_reference import valve

from ...wire.steps.valve import ActiveStep, IdleStep, ValveScenario, ValveSetup, WatermarkStep
from ...wire.timestamps import from_wire
from ...wire.vocabulary import Step
from ..component import Component, CoverScope
from .drawing import draw_setup, draw_step
from .endurance import ENDURANCE
from .mutants import VALVE_MUTANTS
from .narrowing import NARROWING
from .properties import PROPERTIES
from .scale import SCALE
from .shrinking import fewer, simplify


def _alphabet(channels: int, timestamps: tuple[int | str, ...]) -> tuple[Step, ...]:
    steps: list[Step] = []
    for channel in range(channels):
        steps.extend(WatermarkStep(channel, timestamp) for timestamp in timestamps)
        steps.extend((IdleStep(channel), ActiveStep(channel)))
    return tuple(steps)


def _scope(name: str, channels: int, timestamps: tuple[int | str, ...]) -> CoverScope:
    return CoverScope(name, ValveSetup(channels), _alphabet(channels, timestamps))


def _world(name: str) -> CoverScope | None:
    """So many channels and the timestamps 1, 2, ...: `4-channels-2-timestamps`."""
    numbers = re.fullmatch(r"([1-9]\d?)-channels-([1-9]\d?)-timestamps", name)
    if numbers is None:
        return None
    return _scope(name, int(numbers[1]), tuple(range(1, int(numbers[2]) + 1)))


_TWO_TIMESTAMPS = _scope("3-channels-2-timestamps", 3, (1, 2))
_WITH_END = _scope("2-channels-1-timestamp-and-end", 2, (1, "MAX"))
_THREE_TIMESTAMPS = _scope("3-channels-3-timestamps", 3, (1, 2, 3))
_THREE_WITH_END = _scope("3-channels-1-timestamp-and-end", 3, (1, "MAX"))

VALVE = Component(
    name="valve",
    title="a valve",
    setup=ValveSetup,
    scenario=ValveScenario,
    calls={
        WatermarkStep: lambda valve, step: valve.watermark(step.channel, from_wire(step.timestamp)),
        IdleStep: lambda valve, step: valve.idle(step.channel),
        ActiveStep: lambda valve, step: valve.active(step.channel),
    },
    module=valve,
    build=lambda module, setup, policies: module.Valve(setup.channels, policies),
    drawn=True,
    draw_setup=draw_setup,
    draw_step=draw_step,
    alphabet=lambda setup: _alphabet(setup.channels, (1, 2, 3, "MAX")),
    covers={
        "smoke": (_WITH_END,),
        "default": (_TWO_TIMESTAMPS, _WITH_END),
        "thorough": (_THREE_TIMESTAMPS, _TWO_TIMESTAMPS, _THREE_WITH_END, _WITH_END),
    },
    world=_world,
    simplify=simplify,
    fewer=fewer,
    properties=PROPERTIES,
    scale=SCALE,
    endurance=ENDURANCE,
    mutants=VALVE_MUTANTS,
    narrowing=NARROWING,
)
