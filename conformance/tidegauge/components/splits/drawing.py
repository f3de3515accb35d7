"""Random splits and inputs, and steps that matter to them."""

from typing import Any

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
from ...wire.timestamps import MAX, MIN, to_wire
from ...wire.vocabulary import Step
from ..shared.moments import near
from ..shared.random_source import RandomSource

SPLITS = ("a", "b", "c")
_INPUTS = (1, 2, 2, 3, 3, 4)
_DEFERRED = 40
"""Percentage of the changes of splits that are deferred."""


def draw_setup(random: RandomSource) -> SplitOutputsSetup | OperatorInputsSetup:
    """Splits, or one to four inputs."""
    return SplitOutputsSetup() if random.chance(60) else OperatorInputsSetup(random.pick(_INPUTS))


def draw_step(random: RandomSource, engine: Any) -> Step:
    """A step for the engine as it stands: `engine` is the reference's."""
    return _split_step(random, engine) if hasattr(engine, "tick") else _input_step(random, engine)


def _split_step(random: RandomSource, splits: Any) -> Step:
    known = sorted(splits.parts)
    kind = random.below(100)
    if kind < 14:
        return TickStep()
    if kind < (50 if len(known) < 2 else 20):
        absent = [split for split in SPLITS if split not in known]
        return AddSplitStep(random.pick(SPLITS if not absent or random.chance(5) else absent))
    split = random.pick(SPLITS if not known or random.chance(2) else known)
    if random.chance(8):
        return RemoveSplitStep(split)
    deferred = random.chance(_DEFERRED)
    kind = random.below(100)
    if kind < 28:
        return SplitIdleStep(split, deferred)
    if kind < 42:
        return SplitActiveStep(split, deferred)
    return SplitWatermarkStep(split, to_wire(_timestamp(random, splits, split)), deferred)


def _input_step(random: RandomSource, inputs: Any) -> Step:
    number = random.below(len(inputs.parts))
    if random.chance(1):
        number = random.pick((-1, len(inputs.parts)))
    kind = random.below(100)
    if kind < 26:
        return InputIdleStep(number)
    if kind < 42:
        return InputActiveStep(number)
    return InputWatermarkStep(number, to_wire(_timestamp(random, inputs, number)))


def _timestamp(random: RandomSource, engine: Any, name: str | int) -> int:
    """Around what the part or the output has already; now and then the end of input, or `MIN`."""
    if random.chance(4):
        return random.pick((MAX, MAX, MIN))
    known = engine.output.maximum
    if name in engine.parts and random.chance(50):
        known = engine.parts[name].watermark
    return near(random, known, (part.watermark for part in engine.parts.values()))
