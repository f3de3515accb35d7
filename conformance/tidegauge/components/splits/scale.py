"""Many splits, many inputs, and splits with difficult names."""

from ...wire.steps.splits import OperatorInputsSetup, SplitsSetup
from ...wire.vocabulary import Step
from ..scale import Scale, Widened
from ..shared.random_source import RandomSource
from ..shared.widening import by_name, by_number, groups
from .drawing import SPLITS


def _inputs(
    random: RandomSource, setup: SplitsSetup, history: tuple[Step, ...], wanted: int
) -> Widened | None:
    if not isinstance(setup, OperatorInputsSetup):
        return None
    sizes = groups(random, setup.inputs, wanted)
    return OperatorInputsSetup(sum(sizes)), by_number(history, "input", sizes)


def _splits(
    random: RandomSource, setup: SplitsSetup, history: tuple[Step, ...], wanted: int
) -> Widened | None:
    if isinstance(setup, OperatorInputsSetup):
        return None
    sizes = dict(zip(SPLITS, groups(random, len(SPLITS), wanted), strict=True))
    return setup, by_name(history, "split", sizes)


SCALE = Scale(widen={"splits": _splits, "inputs": _inputs}, names=("split",))
