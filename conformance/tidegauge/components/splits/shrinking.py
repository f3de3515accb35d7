"""Smaller combinations: fewer inputs."""

from typing import Any

from ...wire.steps.splits import OperatorInputsSetup
from ...wire.vocabulary import Step
from ..shared.simplification import with_fewer


def fewer(setup: Any, history: tuple[Step, ...]) -> list[tuple[Any, tuple[Step, ...]]]:
    """Operators with the first of many inputs."""
    if not isinstance(setup, OperatorInputsSetup):
        return []
    return [(OperatorInputsSetup(kept), steps) for kept, steps in with_fewer(setup.inputs, history, "input")]
