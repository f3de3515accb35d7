"""Detectors and combiners of backlog, bound to the reference and to their generators."""

from collections.abc import Callable, Sequence
from typing import Any

from tidegauge_reference import Policies, Unsupported, backlog

from ...wire.steps.backlog import (
    WATERMARK_LAG,
    ActiveStep,
    AttributesStep,
    BacklogScenario,
    BacklogSetup,
    ClockStep,
    CombinerSetup,
    ConfigureStep,
    DetectorSetup,
    IdleStep,
    OtherStep,
    WatermarkStep,
)
from ...wire.timestamps import from_wire
from ...wire.vocabulary import Setup, Step
from ..component import Component, CoverScope, WithoutOutputs
from ..narrowing import Narrowing
from .drawing import MISSPELLED, draw_setup, draw_step
from .endurance import ENDURANCE
from .mutants import BACKLOG_MUTANTS
from .properties import PROPERTIES
from .scale import SCALE
from .shrinking import fewer

_OF_A_COMBINER, _OF_A_DETECTOR = "attributes", "configure"
"""A method that engines of one kind have, and engines of the other do not."""


def _scenario(*, setup: Setup, needs: tuple[str, ...] = (), **rest: Any) -> BacklogScenario:
    """A scenario that does not apply to engines without the kind of setup it is about."""
    if isinstance(setup, DetectorSetup) and WATERMARK_LAG not in needs:
        needs = (WATERMARK_LAG, *needs)
    return BacklogScenario(setup=setup, needs=needs, **rest)  # type: ignore[arg-type]


def _build(module: Any, setup: BacklogSetup, policies: Policies) -> Any:
    if isinstance(setup, CombinerSetup):
        return module.AttributesCombiner(setup.channels, setup.without_strategy, policies)
    return module.LagDetector(policies)


def _on(name: str, fields: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, Any], Any]:
    """Calls the method `name` with the `fields` of the step; a combiner has no steps of a detector, and a
    detector none of a combiner."""
    of_the_other_kind = _OF_A_DETECTOR if name == _OF_A_COMBINER else _OF_A_COMBINER

    def call(engine: Any, step: Any) -> Any:
        if not hasattr(engine, name) and hasattr(engine, of_the_other_kind):
            raise Unsupported(f"{type(engine).__name__} has no step {name}")
        return getattr(engine, name)(*fields(step))

    return call


def _alphabet(setup: BacklogSetup) -> Sequence[Step]:
    """A few steps; the threshold is one that the times in them meet."""
    if isinstance(setup, CombinerSetup):
        return [AttributesStep(channel, flag) for channel in range(setup.channels) for flag in (False, True)]
    return (
        ConfigureStep(backlog.OPTION, 10),
        ConfigureStep(MISSPELLED, 5),
        ClockStep(100),
        ClockStep(105),
        WatermarkStep(89),
        WatermarkStep(90),
        WatermarkStep("MAX"),
        IdleStep(),
        ActiveStep(),
        OtherStep(True),
        OtherStep(False),
    )


_DETECTOR = DetectorSetup()
_CONFIGURED = CoverScope("threshold-10-now-100", _DETECTOR, tuple(_alphabet(_DETECTOR)), longest=5)
_THREE = CombinerSetup(3, (2,))
_THREE_CHANNELS = CoverScope("3-channels-one-without-strategy", _THREE, tuple(_alphabet(_THREE)))

BACKLOG = Component(
    name="backlog",
    title="a backlog detector",
    setup=BacklogSetup,
    scenario=_scenario,
    calls={
        ConfigureStep: WithoutOutputs(_on("configure", lambda step: (step.option, step.milliseconds))),
        ClockStep: WithoutOutputs(_on("clock", lambda step: (step.now,))),
        WatermarkStep: _on("watermark", lambda step: (from_wire(step.timestamp),)),
        IdleStep: _on("idle", lambda step: ()),
        ActiveStep: _on("active", lambda step: ()),
        OtherStep: _on("other", lambda step: (step.backlog,)),
        AttributesStep: _on("attributes", lambda step: (step.channel, step.backlog)),
    },
    kinds={
        DetectorSetup: (
            ConfigureStep,
            ClockStep,
            WatermarkStep,
            IdleStep,
            ActiveStep,
            OtherStep,
        ),
        CombinerSetup: (AttributesStep,),
    },
    module=backlog,
    build=_build,
    extras=("snapshot", "int64", WATERMARK_LAG),
    drawn=True,
    draw_setup=draw_setup,
    draw_step=draw_step,
    alphabet=_alphabet,
    covers={
        "smoke": (_THREE_CHANNELS,),
        "default": (_CONFIGURED, _THREE_CHANNELS),
        "thorough": (_CONFIGURED, _THREE_CHANNELS),
    },
    fewer=fewer,
    properties=PROPERTIES,
    scale=SCALE,
    endurance=ENDURANCE,
    mutants=BACKLOG_MUTANTS,
    narrowing=Narrowing(milliseconds=("milliseconds", "now")),
)
