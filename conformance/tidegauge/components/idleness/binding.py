"""Idleness, bound to the reference and to its generators."""

from collections.abc import Callable, Sequence
from typing import Any

from tidegauge_reference import Policies, idleness

from ...wire.steps.clock import AdvanceStep, PauseStep, ResumeStep
from ...wire.steps.idleness import IdlenessScenario, IdlenessSetup, RecordStep, TickStep
from ...wire.timestamps import from_wire
from ...wire.vocabulary import Step
from ..component import Component, CoverScope, WithoutOutputs
from ..narrowing import Narrowing
from ..shared.beside import beside
from .drawing import draw_setup, draw_step
from .endurance import ENDURANCE
from .mutants import IDLENESS_MUTANTS
from .properties import PROPERTIES
from .scale import SCALE

_STEPS: tuple[Step, ...] = (
    RecordStep(1),
    TickStep(),
    AdvanceStep(2),
    PauseStep(),
    ResumeStep(),
)


def _alphabet(setup: Any) -> Sequence[Step]:
    return (
        *_STEPS,
        RecordStep(2),
        AdvanceStep(setup.timeout),
        AdvanceStep(setup.timeout + 1),
        PauseStep("alignment"),
        ResumeStep("alignment"),
        PauseStep("no-data"),
        AdvanceStep(-1),
    )


def _scope(longest: int) -> CoverScope:
    return CoverScope(f"{longest}-steps", IdlenessSetup("punctuated", 1), _STEPS, longest)


def _build(module: Any, setup: IdlenessSetup, policies: Policies) -> Any:
    clock = module.PausableClock(setup.nanoseconds, policies)
    bound = setup.max_out_of_orderness
    generators = beside(module, "generators")
    makes: dict[str, Callable[[], Any]] = {
        "bounded-out-of-orderness": lambda: generators.BoundedOutOfOrderness(bound),
        "punctuated": generators.Punctuated,
        "none": generators.NoWatermarks,
        "after-silence": lambda: module.AfterSilence(bound, clock),
    }
    return module.WatermarksWithIdleness(makes[setup.generator](), setup.timeout, clock, policies)


IDLENESS = Component(
    name="idleness",
    title="an idleness detector",
    setup=IdlenessSetup,
    scenario=IdlenessScenario,
    calls={
        RecordStep: lambda engine, step: engine.on_event(from_wire(step.timestamp)),
        TickStep: lambda engine, step: engine.on_periodic_emit(),
        AdvanceStep: WithoutOutputs(lambda engine, step: engine.clock.advance(step.nanoseconds)),
        PauseStep: WithoutOutputs(lambda engine, step: engine.clock.pause(step.reason)),
        ResumeStep: WithoutOutputs(lambda engine, step: engine.clock.resume(step.reason)),
    },
    module=idleness,
    build=_build,
    drawn=True,
    draw_setup=draw_setup,
    draw_step=draw_step,
    alphabet=_alphabet,
    covers={"smoke": (_scope(3),), "default": (_scope(6),), "thorough": (_scope(8),)},
    properties=PROPERTIES,
    scale=SCALE,
    endurance=ENDURANCE,
    mutants=IDLENESS_MUTANTS,
    narrowing=Narrowing(milliseconds=("max_out_of_orderness",)),
)
