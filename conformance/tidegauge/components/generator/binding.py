"""Watermark generators, bound to the reference and to their generator of scenarios."""

from collections.abc import Sequence
from typing import Any

from tidegauge_reference import Policies, strategy

from ...wire.steps.generator import (
    ActiveStep,
    AdvanceStep,
    AlignmentStep,
    FinishStep,
    ForBoundedOutOfOrdernessStep,
    ForGeneratorStep,
    ForMonotonousTimestampsStep,
    GeneratorScenario,
    GeneratorSetup,
    IdleStep,
    NoWatermarksStep,
    RecordStep,
    StartStep,
    TickStep,
    WatermarkStep,
    WithIdlenessStep,
    WithTimestampAssignerStep,
    WithWatermarkAlignmentStep,
)
from ...wire.timestamps import from_wire
from ...wire.vocabulary import Step
from ..component import Component, CoverScope, WithoutOutputs
from .drawing import draw_setup, draw_step
from .endurance import ENDURANCE
from .mutants import GENERATOR_MUTANTS
from .narrowing import NARROWING
from .properties import PROPERTIES
from .scale import SCALE
from .shrinking import simplify


def _build(module: Any, setup: GeneratorSetup, policies: Policies) -> Any:
    built = module.WatermarkStrategy.no_watermarks()
    if setup.kind == "bounded-out-of-orderness":
        built = built.for_bounded_out_of_orderness(setup.max_out_of_orderness)
    elif setup.kind != "no-watermarks":
        built = built.for_generator(setup.kind)
    built = built.with_timestamp_assigner(setup.assigner)
    if setup.idle_timeout is not None:
        built = built.with_idleness(setup.idle_timeout)
    in_mid_pipeline = setup.place == "mid-pipeline"
    return module.WatermarkedInput(built, in_mid_pipeline, setup.processing_time, policies)


def _call(engine: Any, builder: str, *arguments: Any) -> list[Any]:
    """A builder call: its strategy takes the place of the one that it is called on. It outputs nothing."""
    engine.strategy = getattr(engine.strategy, builder)(*arguments)
    return []


def _aligned(engine: Any, step: WithWatermarkAlignmentStep) -> list[Any]:
    arguments: tuple[Any, ...] = (step.watermark_group, step.max_allowed_watermark_drift)
    if step.update_interval is not None:
        arguments += (step.update_interval,)
    return _call(engine, "with_watermark_alignment", *arguments)


def _alphabet(_: GeneratorSetup) -> Sequence[Step]:
    return (
        *(RecordStep(timestamp) for timestamp in ("MIN", 1, 3, 4, 1000)),
        TickStep(),
        AdvanceStep(1),
        AdvanceStep(500),
        AdvanceStep(-1),
        WatermarkStep("MAX"),
        WatermarkStep(2),
        IdleStep(),
        ActiveStep(),
        FinishStep(),
        StartStep(),
        NoWatermarksStep(),
        ForMonotonousTimestampsStep(),
        ForBoundedOutOfOrdernessStep(2),
        ForBoundedOutOfOrdernessStep(None),
        ForGeneratorStep("processing-time"),
        ForGeneratorStep(None),
        WithTimestampAssignerStep("ingestion-time"),
        WithTimestampAssignerStep(None),
        WithIdlenessStep(3),
        WithIdlenessStep(0),
        WithWatermarkAlignmentStep("group-1", 0),
        WithWatermarkAlignmentStep("group-1", -1),
        AlignmentStep(),
    )


_RECORDS = (RecordStep(1), RecordStep(2), RecordStep(4))
_AT_A_SOURCE = CoverScope(
    "at-a-source-bound-1",
    GeneratorSetup("source", "bounded-out-of-orderness", 1),
    (*_RECORDS, TickStep(), FinishStep(), StartStep()),
)
_IN_MID_PIPELINE = CoverScope(
    "in-mid-pipeline-bound-1",
    GeneratorSetup("mid-pipeline", "bounded-out-of-orderness", 1),
    (*_RECORDS, TickStep(), WatermarkStep(3), WatermarkStep("MAX"), StartStep()),
)
_WITH_IDLENESS = CoverScope(
    "in-mid-pipeline-with-idleness",
    GeneratorSetup("mid-pipeline", "punctuated", idle_timeout=1),
    (RecordStep(1), RecordStep(2), TickStep(), AdvanceStep(2), IdleStep(), ActiveStep()),
    longest=5,
)
_BUILT_TWICE = CoverScope(
    "at-a-source-with-another-timeout",
    GeneratorSetup("source", "punctuated", idle_timeout=1),
    (WithIdlenessStep(3), StartStep(), TickStep(), AdvanceStep(2)),
    longest=5,
)

GENERATOR = Component(
    name="generator",
    title="a watermark generator",
    setup=GeneratorSetup,
    scenario=GeneratorScenario,
    calls={
        RecordStep: lambda engine, step: engine.record(from_wire(step.timestamp)),
        TickStep: lambda engine, step: engine.tick(),
        AdvanceStep: WithoutOutputs(lambda engine, step: engine.advance(step.milliseconds)),
        WatermarkStep: lambda engine, step: engine.watermark(from_wire(step.timestamp)),
        IdleStep: lambda engine, step: engine.idle(),
        ActiveStep: lambda engine, step: engine.active(),
        FinishStep: lambda engine, step: engine.finish(),
        StartStep: lambda engine, step: engine.start(),
        NoWatermarksStep: lambda engine, step: _call(engine, "no_watermarks"),
        ForMonotonousTimestampsStep: lambda engine, step: _call(engine, "for_monotonous_timestamps"),
        ForBoundedOutOfOrdernessStep: lambda engine, step: _call(
            engine, "for_bounded_out_of_orderness", step.max_out_of_orderness
        ),
        ForGeneratorStep: lambda engine, step: _call(engine, "for_generator", step.supplier),
        WithTimestampAssignerStep: lambda engine, step: _call(
            engine, "with_timestamp_assigner", step.assigner
        ),
        WithIdlenessStep: lambda engine, step: _call(engine, "with_idleness", step.timeout),
        WithWatermarkAlignmentStep: _aligned,
        AlignmentStep: lambda engine, step: engine.alignment(),
    },
    module=strategy,
    build=_build,
    drawn=True,
    # A builder call makes an equal strategy, except for the strategies inside of it.
    whole_state=lambda policies: policies.generator_idle_timeouts != "nest",
    draw_setup=draw_setup,
    draw_step=draw_step,
    alphabet=_alphabet,
    covers={
        "smoke": (_AT_A_SOURCE, _BUILT_TWICE),
        "default": (_AT_A_SOURCE, _IN_MID_PIPELINE, _WITH_IDLENESS, _BUILT_TWICE),
        "thorough": (_AT_A_SOURCE, _IN_MID_PIPELINE, _WITH_IDLENESS, _BUILT_TWICE),
    },
    simplify=simplify,
    properties=PROPERTIES,
    scale=SCALE,
    endurance=ENDURANCE,
    mutants=GENERATOR_MUTANTS,
    narrowing=NARROWING,
)
