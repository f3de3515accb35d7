"""Splits that are added, read and removed, one after the other; and the inputs of an operator."""

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
    SplitWatermarkStep,
    TickStep,
)
from ...wire.vocabulary import Step
from ..endurance import FIRST_MOMENT, Endurance

_STEADY = "steady"


def _finished_splits(number: int) -> tuple[Step, ...]:
    split, at = f"split-{number:08}", FIRST_MOMENT + 10 * number
    return (
        AddSplitStep(split),
        SplitWatermarkStep(split, at),
        SplitWatermarkStep(_STEADY, at + 1, deferred=True),
        TickStep(),
        SplitIdleStep(split),
        SplitActiveStep(split),
        RemoveSplitStep(split),
    )


def _inputs(number: int) -> tuple[Step, ...]:
    at = FIRST_MOMENT + 10 * number
    return InputWatermarkStep(0, at), InputIdleStep(1), InputActiveStep(1), InputWatermarkStep(1, at + 1)


ENDURANCE = (
    Endurance("finished-splits", SplitOutputsSetup(), _finished_splits, opening=(AddSplitStep(_STEADY),)),
    Endurance("inputs", OperatorInputsSetup(2), _inputs),
)
