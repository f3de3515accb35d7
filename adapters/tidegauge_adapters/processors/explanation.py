"""Why a counterexample fails: what about timers, state or the clock has to be otherwise for it to hold."""

from __future__ import annotations

from random import Random

from .alterations import CURES
from .drawing import Drawing
from .player import Player
from .search import Counterexample

TRACES_FOR_A_CURE = 40


def explanation(player: Player, counterexample: Counterexample) -> str:
    """Return what is probably wrong, in a sentence; an empty text if nothing explains the counterexample.

    A cure counts if the check holds with it on the counterexample, and on random traces: a timer that is
    moved by 1 ms can make a single trace hold. Timers of processing time have no border to be moved to.
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
