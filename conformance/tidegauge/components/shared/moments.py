"""Moments in event time, as the generators of several components draw them."""

from collections.abc import Iterable

from ...wire.timestamps import MAX, MIN
from .random_source import RandomSource

EPOCHS = (0, 0, 0, 1_700_000_000_000, -50)
"""Where the event time of a history may begin."""


def near(random: RandomSource, known: int, others: Iterable[int]) -> int:
    """Around a known watermark; where that is no moment, around the largest of the others, or an epoch."""
    if known in (MIN, MAX):
        known = max((other for other in others if other != MAX), default=MIN)
    if known == MIN:
        known = random.pick(EPOCHS)
    return int(known) + random.between(-2, 4)
