"""Explain a counterexample by the change to timers, state or clock with which its check holds."""

from __future__ import annotations

from random import Random

from .alterations import CURES
from .drawing import Drawing
from .player import Player
from .search import Counterexample

TRACES_FOR_A_CURE = 40


def explanation(player: Player, counterexample: Counterexample) -> str:
    """Return the most likely cause as a sentence, or an empty text if no cure explains the counterexample.

    A cure explains a counterexample if the check holds with the cure on the counterexample and on random
    traces. The counterexample alone is too little: a timer that is moved by 1 ms can fix a single trace.
    Timers of processing time are not moved, because they have no window border.
    """
    check, trace = counterexample.check, counterexample.trace
    for cure in CURES:
        if cure.timer_shift and player.subject.mode == "ProcessingTime":
            continue
        cured = player.altered(cure)
        if check.fails(cured, trace) is None and _holds(cured, counterexample):
            return f"It would hold {cure.words}."
    return ""


def _holds(cured: Player, counterexample: Counterexample) -> bool:
    drawing = Drawing(cured)
    drawn = (drawing.trace(Random(f"cure-{number}")) for number in range(TRACES_FOR_A_CURE))
    return all(counterexample.check.fails(cured, cured.ended(trace)) is None for trace in drawn)
