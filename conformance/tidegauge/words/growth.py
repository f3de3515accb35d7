"""State and memory that grow, and steps that take longer and longer, in words."""

from itertools import pairwise

from ..wire.growth import Growth, growth_words
from ..wire.results import PropertyResult, Results
from .numbers import listed

_MUCH_SLOWER = 2.0
"""A step at the end that takes less than so many times as long as at the start is not told."""

_MUCH_MEMORY = 64 * 1024
_MUCH_RESIDENT = 32 * 1024 * 1024
"""Growth (bytes) of the memory that is told: of Python objects, and of a process, where much is not the
engine's state."""

_MOST = 10


def growing(results: Results) -> list[PropertyResult]:
    """The properties of components in which the state grows, as a failure or not."""
    return [found for found in results.properties if any(one.grows for one in found.growth)]


def growth_remarks(results: Results) -> list[str]:
    """What has to be said of a run: states that grow though no rule bounds them, memory, and slowness."""
    told = [
        f"{one.component} ({growth_words(one.growth)})" for one in growing(results) if one.verdict != "fail"
    ]
    memory = [one.component for one in results.properties if any(map(_takes_more, one.growth))]
    slower = [
        f"{found.component} ({one.slower:.1f} times in {one.scenario})"
        for found in results.properties
        for one in found.growth
        if one.slower >= _MUCH_SLOWER
    ]
    return [
        f"{said}: {listed(names, _MOST)}."
        for said, names in (
            ("State that grows though no more is live, which no rule forbids", told),
            ("Memory that grows though no more is live", memory),
            ("Steps that take longer and longer in a long scenario", slower),
        )
        if names
    ]


def _takes_more(growth: Growth) -> bool:
    """Whether the memory grew much, from each moment to the next."""
    much = _MUCH_RESIDENT if growth.resident else _MUCH_MEMORY
    steady = all(earlier < later for earlier, later in pairwise(growth.memory))
    return bool(growth.memory) and steady and growth.memory[-1] >= much
