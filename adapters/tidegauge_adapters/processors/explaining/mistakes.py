"""Measure the checks of a processor by the typical mistakes that they find in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from ..playing.player import Player
from ..searching.drawing import Drawing
from ..searching.search import searched
from .alterations import MISTAKES

TRACES_FOR_A_MISTAKE = 60


@dataclass(frozen=True)
class Mistake:
    """A mistake that was introduced into a processor, and the check that found it (empty if no check did)."""

    words: str
    found_by: str


def mistakes_found(player: Player, *, traces: int = TRACES_FOR_A_MISTAKE, seed: int = 0) -> Iterator[Mistake]:
    """Introduce each typical mistake into a correct processor and yield the check that finds it.

    Mistakes without an effect on the processor are left out, such as a shorter time to live if no state has
    one.
    """
    drawing = Drawing(player)
    drawn = [player.ended(drawing.trace(Random(f"{seed}-{number}"))) for number in range(traces)]
    for mistake in MISTAKES:
        altered = player.altered(mistake)
        if all(player.as_spark(trace) == altered.as_spark(trace) for trace in drawn):
            continue
        result = searched(altered, traces=traces, seed=seed)
        yield Mistake(mistake.words, result.broken[0].check.name if result.broken else "")
