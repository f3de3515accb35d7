"""The input activity clock, bound to the reference and to its generators."""

from typing import Any

from tidegauge_reference import clock

from ...wire.steps.clock import AdvanceStep, ClockScenario, ClockSetup, PauseStep, ReadStep, ResumeStep
from ...wire.vocabulary import Step
from ..component import Component, CoverScope, WithoutOutputs
from .drawing import REASONS, draw_setup, draw_step
from .endurance import ENDURANCE
from .mutants import CLOCK_MUTANTS
from .properties import PROPERTIES
from .scale import SCALE

STEPS: tuple[Step, ...] = (
    AdvanceStep(1),
    *(PauseStep(reason) for reason in REASONS),
    *(ResumeStep(reason) for reason in REASONS),
    ReadStep(),
)


def _scope(longest: int) -> CoverScope:
    return CoverScope(f"{longest}-steps", ClockSetup(), STEPS, longest)


def _reading(shown: Any) -> list[Any]:
    """The nanoseconds that a clock shows are an output. A clock that shows nothing, None or no outputs, has
    none."""
    if shown is None or isinstance(shown, list):
        return shown or []
    return [("reading", shown)]


CLOCK = Component(
    name="clock",
    title="an input activity clock",
    setup=ClockSetup,
    scenario=ClockScenario,
    calls={
        AdvanceStep: WithoutOutputs(lambda clock, step: clock.advance(step.nanoseconds)),
        PauseStep: WithoutOutputs(lambda clock, step: clock.pause(step.reason)),
        ResumeStep: WithoutOutputs(lambda clock, step: clock.resume(step.reason)),
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
    scale=SCALE,
    endurance=ENDURANCE,
    mutants=CLOCK_MUTANTS,
)
