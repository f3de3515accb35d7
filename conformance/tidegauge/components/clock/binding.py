"""The input activity clock, bound to the reference and to its generators."""

from tidegauge_reference import clock

from ...component import Component, CoverScope
from ...vocabulary import Step
from .generator import REASONS, draw_setup, draw_step
from .properties import PROPERTIES
from .vocabulary import AdvanceStep, ClockScenario, ClockSetup, PauseStep, ReadStep, ResumeStep

STEPS: tuple[Step, ...] = (
    AdvanceStep(1),
    *(PauseStep(reason) for reason in REASONS),
    *(ResumeStep(reason) for reason in REASONS),
    ReadStep(),
)


def _scope(longest: int) -> CoverScope:
    return CoverScope(f"{longest}-steps", ClockSetup(), STEPS, longest)


def _reading(nanoseconds: int | None) -> list[tuple[str, int]]:
    """What a clock shows is an output; one that shows nothing has none."""
    return [] if nanoseconds is None else [("reading", nanoseconds)]


CLOCK = Component(
    name="clock",
    setup=ClockSetup,
    scenario=ClockScenario,
    calls={
        AdvanceStep: lambda clock, step: clock.advance(step.nanoseconds),
        PauseStep: lambda clock, step: clock.pause(step.reason),
        ResumeStep: lambda clock, step: clock.resume(step.reason),
        ReadStep: lambda clock, step: _reading(clock.read()),
    },
    module=clock,
    build=lambda module, setup, policies: module.PausableClock(setup.nanoseconds, policies),
    drawn=True,
    draw_setup=draw_setup,
    draw_step=draw_step,
    alphabet=lambda setup: (*STEPS, AdvanceStep(2**30), AdvanceStep(-1)),
    covers={"smoke": (_scope(2),), "default": (_scope(4),), "thorough": (_scope(6),)},
    properties=PROPERTIES,
)
