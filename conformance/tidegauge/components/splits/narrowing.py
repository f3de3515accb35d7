"""Splits and inputs within the shape of an engine."""

from collections.abc import Sequence
from typing import Any

from ...wire.shapes import SplitsShape
from ...wire.steps.splits import (
    AddSplitStep,
    InputActiveStep,
    InputIdleStep,
    OperatorInputsSetup,
    RemoveSplitStep,
    SplitActiveStep,
    SplitIdleStep,
    SplitOutputsSetup,
    SplitsSetup,
)
from ...wire.vocabulary import Step
from ..narrowing import Narrowing
from ..shared.random_source import RandomSource

_STATUSES = (InputActiveStep, InputIdleStep, SplitActiveStep, SplitIdleStep)


def _setup_outside(setup: SplitsSetup, shape: SplitsShape) -> str:
    if isinstance(setup, OperatorInputsSetup):
        if setup.inputs > shape.most_parts:
            return f"more than {shape.most_parts:,} inputs"
        return "" if "inputs" in shape.parts else "the inputs of an operator"
    return "" if "splits" in shape.parts else "the splits of a source"


def _step_outside(step: Step, shape: SplitsShape, engine: Any) -> str:
    if shape.statuses == "none" and isinstance(step, _STATUSES):
        return "statuses of parts"
    present = getattr(engine, "parts", ())
    if isinstance(step, AddSplitStep) and step.split not in present and len(present) >= shape.most_parts:
        return f"more than {shape.most_parts:,} splits"
    return ""


def _history_outside(history: Sequence[Step], shape: SplitsShape) -> str:
    present: set[str] = set()
    for step in history:
        if isinstance(step, AddSplitStep):
            present.add(step.split)
        elif isinstance(step, RemoveSplitStep):
            present.discard(step.split)
        if len(present) > shape.most_parts:
            return f"more than {shape.most_parts:,} splits"
    return ""


def _conformed(setup: SplitsSetup, shape: SplitsShape, random: RandomSource) -> SplitsSetup:
    if isinstance(setup, OperatorInputsSetup) and "inputs" in shape.parts:
        return OperatorInputsSetup(min(setup.inputs, shape.most_parts))
    if "splits" in shape.parts:
        return SplitOutputsSetup()
    return OperatorInputsSetup(min(random.between(1, 4), shape.most_parts))


NARROWING = Narrowing(
    setup_outside=_setup_outside,
    step_outside=_step_outside,
    history_outside=_history_outside,
    conformed=_conformed,
    most_parts=lambda shape: int(shape.most_parts),
)
