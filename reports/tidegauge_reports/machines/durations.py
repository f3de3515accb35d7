"""How long the parts of a run took. Rules have no time of their own: many are judged in each test item."""

from collections.abc import Collection
from math import isfinite

from tidegauge.wire.results import Results

from .cases import RUN, component_of


def component_durations(results: Results, components: Collection[str]) -> dict[str, float]:
    """Seconds of all test items of each component; those of none of them count for the run."""
    durations = dict.fromkeys([*components, RUN], 0.0)
    for item in results.items:
        if isfinite(item.duration_s):
            durations[component_of(item, components)] += item.duration_s
    return durations
