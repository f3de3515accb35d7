"""The combination of splits and of inputs, bound to the reference and to its generators."""

from typing import Any

from tidegauge_reference import splits

from ...wire.steps.splits import (
    AddSplitStep,
    InputActiveStep,
    InputIdleStep,
    InputWatermarkStep,
    OperatorInputsSetup,
    RemoveSplitStep,
    SplitActiveStep,
    SplitIdleStep,
    SplitOutputsSetup,
    SplitsScenario,
    SplitsSetup,
    SplitWatermarkStep,
    TickStep,
)
from ...wire.timestamps import from_wire
from ...wire.vocabulary import Step
from ..component import Component, CoverScope, WithoutOutputs
from .drawing import draw_setup, draw_step
from .endurance import ENDURANCE
from .mutants import SPLITS_MUTANTS
from .narrowing import NARROWING
from .properties import PROPERTIES
from .scale import SCALE
from .shrinking import fewer


def _build(module: Any, setup: SplitsSetup, policies: Any) -> Any:
    if isinstance(setup, OperatorInputsSetup):
        return module.OperatorInputs(setup.inputs, policies)
    return module.SplitOutputs(policies)


def _of_splits(names: str, timestamps: tuple[int | str, ...], deferred: tuple[bool, ...]) -> tuple[Step, ...]:
    steps: list[Step] = [TickStep()]
    for split in names:
        steps += [AddSplitStep(split), RemoveSplitStep(split)]
        for late in deferred:
            steps += [SplitWatermarkStep(split, timestamp, late) for timestamp in timestamps]
            steps += [SplitIdleStep(split, late), SplitActiveStep(split, late)]
    return tuple(steps)


def _of_inputs(inputs: int, timestamps: tuple[int | str, ...]) -> tuple[Step, ...]:
    steps: list[Step] = []
    for number in range(inputs):
        steps += [InputWatermarkStep(number, timestamp) for timestamp in timestamps]
        steps += [InputIdleStep(number), InputActiveStep(number)]
    return tuple(steps)


def _alphabet(setup: SplitsSetup) -> tuple[Step, ...]:
    if isinstance(setup, OperatorInputsSetup):
        return _of_inputs(setup.inputs, (1, 2, 3, "MIN", "MAX"))
    return _of_splits("ab", (1, 2, 3, "MIN", "MAX"), (False, True))


_SPLITS = SplitOutputsSetup()
_IMMEDIATE = CoverScope("2-splits-2-timestamps", _SPLITS, _of_splits("ab", (1, 2), (False,)))
_DEFERRED = CoverScope("2-splits-deferred", _SPLITS, _of_splits("ab", (1,), (False, True)))
_WITH_END = CoverScope("2-splits-and-end", _SPLITS, _of_splits("ab", (1, "MAX"), (False,)))
_INPUTS = CoverScope("3-inputs-2-timestamps", OperatorInputsSetup(3), _of_inputs(3, (1, 2)))
_INPUTS_WITH_END = CoverScope("2-inputs-and-end", OperatorInputsSetup(2), _of_inputs(2, (1, "MAX")))

SPLITS = Component(
    name="splits",
    title="a combination of parts",
    setup=SplitsSetup,
    scenario=SplitsScenario,
    calls={
        AddSplitStep: WithoutOutputs(lambda splits, step: splits.add(step.split)),
        RemoveSplitStep: WithoutOutputs(lambda splits, step: splits.remove(step.split)),
        SplitWatermarkStep: lambda splits, step: splits.watermark(
            step.split, from_wire(step.timestamp), step.deferred
        ),
        SplitIdleStep: lambda splits, step: splits.idle(step.split, step.deferred),
        SplitActiveStep: lambda splits, step: splits.active(step.split, step.deferred),
        TickStep: lambda splits, step: splits.tick(),
        InputWatermarkStep: lambda inputs, step: inputs.watermark(step.input, from_wire(step.timestamp)),
        InputIdleStep: lambda inputs, step: inputs.idle(step.input),
        InputActiveStep: lambda inputs, step: inputs.active(step.input),
    },
    kinds={
        SplitOutputsSetup: (
            AddSplitStep,
            RemoveSplitStep,
            SplitWatermarkStep,
            SplitIdleStep,
            SplitActiveStep,
            TickStep,
        ),
        OperatorInputsSetup: (InputWatermarkStep, InputIdleStep, InputActiveStep),
    },
    module=splits,
    build=_build,
    drawn=True,
    draw_setup=draw_setup,
    draw_step=draw_step,
    alphabet=_alphabet,
    covers={
        "smoke": (_INPUTS_WITH_END,),
        "default": (_INPUTS_WITH_END, _WITH_END, _DEFERRED),
        "thorough": (_INPUTS_WITH_END, _WITH_END, _DEFERRED, _IMMEDIATE, _INPUTS),
    },
    fewer=fewer,
    properties=PROPERTIES,
    scale=SCALE,
    endurance=ENDURANCE,
    mutants=SPLITS_MUTANTS,
    narrowing=NARROWING,
)
