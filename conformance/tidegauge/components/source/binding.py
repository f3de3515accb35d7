"""The source subtask, bound to the reference and to its generators."""

from collections.abc import Callable
from typing import Any

from tidegauge_reference import Policies, source_operator

from ...wire.steps.source import (
    ActiveStep,
    AdvanceStep,
    AnnouncementStep,
    AssignStep,
    BackpressureStep,
    EndOfInputStep,
    FinishStep,
    IdleStep,
    RecordStep,
    ReportStep,
    SourceScenario,
    SourceSetup,
    TickStep,
    WatermarkStep,
)
from ...wire.timestamps import from_wire
from ...wire.vocabulary import Step
from ..component import Component, CoverScope, WithoutOutputs
from ..shared.beside import beside
from .drawing import draw_setup, draw_step
from .endurance import ENDURANCE
from .mutants import SOURCE_MUTANTS
from .narrowing import NARROWING
from .properties import PROPERTIES
from .scale import SCALE


def _generator_of(module: Any, setup: SourceSetup) -> Callable[[Any, Policies], Any]:
    """Makes the generator of an output, as the setup says, on the output's activity clock."""
    generators, idleness = beside(module, "generators"), beside(module, "idleness")
    makes: dict[str, Callable[[], Any]] = {
        "bounded-out-of-orderness": lambda: generators.BoundedOutOfOrderness(setup.max_out_of_orderness),
        "punctuated": generators.Punctuated,
        "none": generators.NoWatermarks,
    }

    def make(clock: Any, policies: Policies) -> Any:
        generator = makes[setup.generator]()
        if setup.idle_timeout is None:
            return generator
        return idleness.WatermarksWithIdleness(generator, setup.idle_timeout * 10**6, clock, policies)

    return make


def _build(module: Any, setup: SourceSetup, policies: Policies) -> Any:
    settings = module.SourceSettings(
        _generator_of(module, setup),
        aligned=setup.aligned,
        can_pause=setup.can_pause,
        allow_unaligned_splits=setup.allow_unaligned_splits,
        per_split_outputs=setup.per_split_outputs,
        buffer_size=setup.buffer_size,
        start=setup.start,
    )
    return module.SourceOperator(settings, policies)


def _alphabet(setup: SourceSetup) -> tuple[Step, ...]:
    return (
        AssignStep("a"),
        AssignStep("b"),
        FinishStep("a"),
        *(RecordStep(split, timestamp) for split in ("a", "b", None) for timestamp in (1, 7)),
        WatermarkStep("a", 5),
        IdleStep("a"),
        ActiveStep("a"),
        IdleStep(None),
        TickStep(),
        ReportStep(),
        *(AnnouncementStep(bound) for bound in (0, 5, "MAX")),
        BackpressureStep(True),
        BackpressureStep(False),
        AdvanceStep((setup.idle_timeout or 0) + 1),
        AdvanceStep(-1),
        EndOfInputStep(),
    )


ON_SPLITS: tuple[Step, ...] = (
    AssignStep("a"),
    AssignStep("b"),
    FinishStep("a"),
    RecordStep("a", 3),
    RecordStep("b", 1),
    IdleStep("a"),
    TickStep(),
    ReportStep(),
    AnnouncementStep(2),
    AnnouncementStep("MAX"),
    EndOfInputStep(),
)
CANNOT_PAUSE = SourceSetup(can_pause=False, allow_unaligned_splits=True)


def _scopes(longest: int) -> tuple[CoverScope, ...]:
    """Watermarks with records, and watermarks with ticks where the reader cannot pause."""
    return (
        CoverScope(f"on-records-{longest}", SourceSetup("punctuated"), ON_SPLITS, longest),
        CoverScope(f"on-ticks-{longest}", CANNOT_PAUSE, ON_SPLITS, longest),
    )


SOURCE = Component(
    name="source",
    title="a source subtask",
    setup=SourceSetup,
    scenario=SourceScenario,
    calls={
        AssignStep: lambda source, step: source.assign(step.split),
        FinishStep: lambda source, step: source.finish(step.split),
        RecordStep: lambda source, step: source.record(step.split, from_wire(step.timestamp)),
        WatermarkStep: lambda source, step: source.write(
            step.split, ("watermark", from_wire(step.timestamp))
        ),
        IdleStep: lambda source, step: source.write(step.split, ("idle",)),
        ActiveStep: lambda source, step: source.write(step.split, ("active",)),
        TickStep: lambda source, step: source.tick(),
        ReportStep: lambda source, step: source.report(),
        AnnouncementStep: lambda source, step: source.announcement(from_wire(step.bound)),
        BackpressureStep: WithoutOutputs(lambda source, step: source.backpressure(step.on)),
        AdvanceStep: WithoutOutputs(lambda source, step: source.advance(step.milliseconds)),
        EndOfInputStep: lambda source, step: source.end_of_input(),
    },
    module=source_operator,
    build=_build,
    drawn=True,
    draw_setup=draw_setup,
    draw_step=draw_step,
    alphabet=_alphabet,
    covers={"smoke": _scopes(3), "default": _scopes(7), "thorough": _scopes(8)},
    properties=PROPERTIES,
    scale=SCALE,
    endurance=ENDURANCE,
    mutants=SOURCE_MUTANTS,
    narrowing=NARROWING,
)
