"""Source subtasks within the shape of an engine."""

from typing import Any

from msgspec.structs import replace

from ...wire.shapes import SourceShape
from ...wire.steps.source import ActiveStep, IdleStep, RecordStep, SourceSetup, WatermarkStep
from ...wire.vocabulary import Step
from ..narrowing import Narrowing
from ..shared.random_source import RandomSource

_WRITTEN = (ActiveStep, IdleStep, RecordStep, WatermarkStep)
"""The steps that a reader writes to the output of a split, or to the main output."""


def _setup_outside(setup: SourceSetup, shape: SourceShape) -> str:
    if setup.per_split_outputs and "per-split" not in shape.outputs:
        return "per-split outputs"
    if not setup.per_split_outputs and "main" not in shape.outputs:
        return "records without a split"
    if setup.aligned and not setup.can_pause and "continues" not in shape.readers:
        return "a reader that cannot pause splits"
    return "a reader that pauses splits" if setup.can_pause and "pauses" not in shape.readers else ""


def _step_outside(step: Step, shape: SourceShape, _: Any) -> str:
    to_main = isinstance(step, _WRITTEN) and step.split is None
    return "records without a split" if to_main and "main" not in shape.outputs else ""


def _conformed(setup: SourceSetup, shape: SourceShape, _: RandomSource) -> SourceSetup:
    per_split = setup.per_split_outputs if len(shape.outputs) > 1 else "per-split" in shape.outputs
    can_pause = setup.can_pause and "pauses" in shape.readers
    if setup.aligned and "continues" not in shape.readers:
        can_pause = True
    return replace(setup, per_split_outputs=per_split, can_pause=can_pause)


NARROWING = Narrowing(
    setup_outside=_setup_outside,
    step_outside=_step_outside,
    conformed=_conformed,
    milliseconds=("milliseconds", "max_out_of_orderness", "idle_timeout", "start"),
)
