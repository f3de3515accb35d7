"""How a component is kept busy for long with no more to remember: what its folder's `endurance.py` says."""

from collections.abc import Callable
from dataclasses import dataclass

from ..wire.vocabulary import Setup, Step

FIRST_MOMENT = 1_700_000_000_000
"""Event time (ms) begins here, so that numbers have the same length in a snapshot after many rounds."""


@dataclass(frozen=True)
class Endurance:
    """A scenario of any length that does the same in each round, at a later time and with new names.

    `opening` are the steps before the first round, `round` makes the steps of the round with that number,
    from 0. What began in a round is over at its end, so that as much is live after each round. `rules` demand
    that the engine then keeps no more either; without one growth is only reported.
    """

    name: str
    setup: Setup
    round: Callable[[int], tuple[Step, ...]]
    opening: tuple[Step, ...] = ()
    rules: tuple[str, ...] = ()
