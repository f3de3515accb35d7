"""A seeded source of random choices (SplitMix64): the same on every machine and Python version."""

from collections.abc import Sequence
from typing import TypeVar

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15

Choice = TypeVar("Choice")


class RandomSource:
    """An independent stream for each pair of `seed` and `index`."""

    def __init__(self, seed: int, index: int = 0) -> None:
        self._state = (seed * 0xD1342543DE82EF95 + index * _GOLDEN) & _MASK
        self._state = self.next()

    def next(self) -> int:
        """The next 64 random bits."""
        self._state = (self._state + _GOLDEN) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound: int) -> int:
        """A number from 0 to `bound - 1`."""
        return self.next() % bound

    def between(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return low + self.next() % (high - low + 1)

    def chance(self, percent: int) -> bool:
        """True in `percent` of 100 cases."""
        return self.next() % 100 < percent

    def pick(self, choices: Sequence[Choice]) -> Choice:
        """One of `choices`."""
        return choices[self.next() % len(choices)]
