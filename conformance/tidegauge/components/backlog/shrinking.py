"""Smaller combiners: fewer channels."""

from typing import Any

from ...wire.steps.backlog import CombinerSetup
from ...wire.vocabulary import Step
from ..shared.simplification import with_fewer


def fewer(setup: Any, history: tuple[Step, ...]) -> list[tuple[Any, tuple[Step, ...]]]:
    """Combiners of the first of many channels."""
    if not isinstance(setup, CombinerSetup):
        return []
    return [
        (CombinerSetup(kept, tuple(one for one in setup.without_strategy if one < kept)), steps)
        for kept, steps in with_fewer(setup.channels, history, "channel")
    ]
