"""Scale of the splits component: many splits, many inputs, and splits with similar names."""

from ...wire.steps.splits import (
    AddSplitStep,
    InputActiveStep,
    InputIdleStep,
    OperatorInputsSetup,
    RemoveSplitStep,
    SplitActiveStep,
    SplitIdleStep,
    SplitsSetup,
    TickStep,
)
from ...wire.vocabulary import Step
from ..scale import Scale, Widened
from ..shared.random_source import RandomSource
from ..shared.widening import by_name, by_number, layout, members_of, steps_by
from .drawing import SPLITS


def _inputs(
    random: RandomSource, setup: SplitsSetup, history: tuple[Step, ...], wanted: int
) -> Widened | None:
    if not isinstance(setup, OperatorInputsSetup):
        return None
    laid_out = layout(random, steps_by(history, "input", range(setup.inputs)), wanted)
    return OperatorInputsSetup(wanted), by_number(history, "input", laid_out, setup.inputs)


def _splits(
    random: RandomSource, setup: SplitsSetup, history: tuple[Step, ...], wanted: int
) -> Widened | None:
    if isinstance(setup, OperatorInputsSetup):
        return None
    laid_out = layout(random, steps_by(history, "split", SPLITS), wanted)
    return setup, by_name(history, "split", members_of(SPLITS, laid_out))


def _undone(step: Step) -> Step | None:
    match step:
        case AddSplitStep(split=split):
            return RemoveSplitStep(split)
        case SplitIdleStep(split=split, deferred=deferred):
            return SplitActiveStep(split, deferred)
        case InputIdleStep(input=number):
            return InputActiveStep(number)
    return None


def _closing(setup: SplitsSetup, _: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return a tick, which emits deferred outputs of splits."""
    return () if isinstance(setup, OperatorInputsSetup) else (TickStep(),)


SCALE = Scale(
    widen={"splits": _splits, "inputs": _inputs},
    parts={"splits": "split", "inputs": "input"},
    names=(("split",),),
    undone=_undone,
    closing=_closing,
)
