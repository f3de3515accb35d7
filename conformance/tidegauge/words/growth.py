"""State and memory that grow, and steps that take longer and longer, in words."""

from ..wire.growth import growth_words
from ..wire.results import PropertyResult, Results
from .numbers import listed

_MOST = 10


def growing(results: Results) -> list[PropertyResult]:
    """The properties of components in which the state grows, as a failure or not."""
    return [found for found in results.properties if any(one.grows for one in found.growth)]


def growth_remarks(results: Results) -> list[str]:
    """What has to be said of a run: states that grow though no rule bounds them, memory, and slowness."""
    told = [
        f"{one.component} ({growth_words(one.growth)})" for one in growing(results) if one.verdict != "fail"
    ]
    memory = [found.component for found in results.properties if any(one.memory for one in found.growth)]
    slower = [
        f"{found.component} ({one.slower:.1f} times in {one.scenario})"
        for found in results.properties
        for one in found.growth
        if one.slower > 1
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
