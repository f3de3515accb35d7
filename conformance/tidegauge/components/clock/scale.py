"""Clocks with many pauses at a time, and such that begin at the edges of number types."""

from typing import Any

from ...wire.steps.clock import ClockSetup, PauseStep, ResumeStep
from ...wire.vocabulary import Step
from ..scale import Scale, Widened
from ..shared.random_source import RandomSource


def many_pauses(_: RandomSource, setup: Any, history: tuple[Step, ...], wanted: int) -> Widened:
    """Every pause begins so many times, and every resumption ends so many."""
    return setup, tuple(
        step
        for one in history
        for step in ([one] * wanted if isinstance(one, PauseStep | ResumeStep) else [one])
    )


SCALE = Scale(
    widen={"pauses": many_pauses},
    setups={
        "a-reading-at-2-31": ClockSetup(2**31 - 2),
        "a-reading-at-2-32": ClockSetup(2**32 - 2),
        "a-reading-at-minus-2-31": ClockSetup(-(2**31) - 2),
        "a-reading-in-1970": ClockSetup(-(2**52)),
        "a-reading-of-months": ClockSetup(2**53 - 2**43),
    },
    edges={},
)
