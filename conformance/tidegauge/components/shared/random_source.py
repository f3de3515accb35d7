"""A seeded source of random choices (SplitMix64): the same on every machine and Python version."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, count
from struct import Struct
from typing import TypeVar

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15

_AT_ONCE = 16
_LANES = sum(1 << 128 * lane for lane in range(_AT_ONCE))
_LOW_HALVES = _MASK * _LANES
_STEPS = sum((lane + 1) * _GOLDEN << 128 * lane for lane in range(_AT_ONCE))
_numbers_in = Struct("<" + "Q8x" * _AT_ONCE).unpack

Choice = TypeVar("Choice")


def split_mix(state: int) -> Iterator[int]:
    """The numbers that SplitMix64 gives from a state on, without end."""
    return chain.from_iterable(map(_following, count(state, _AT_ONCE * _GOLDEN)))


def _following(state: int) -> Sequence[int]:
    """The next numbers. All are computed at once, as one large integer: each has a lane of 128 bits, in whose
    upper half is room for its product with a constant."""
    mixed = (state * _LANES + _STEPS) & _LOW_HALVES
    mixed = ((mixed ^ (mixed >> 30) & _LOW_HALVES) * 0xBF58476D1CE4E5B9) & _LOW_HALVES
    mixed = ((mixed ^ (mixed >> 27) & _LOW_HALVES) * 0x94D049BB133111EB) & _LOW_HALVES
    mixed = mixed ^ (mixed >> 31) & _LOW_HALVES
    return _numbers_in(mixed.to_bytes(16 * _AT_ONCE, "little"))


class RandomSource:
    """An independent stream for each pair of `seed` and `index`; `next` gives its next 64 random bits."""

    next: Callable[[], int]

    def __init__(self, seed: int, index: int = 0) -> None:
        first = next(split_mix((seed * 0xD1342543DE82EF95 + index * _GOLDEN) & _MASK))
        self.next = split_mix(first).__next__

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
