"""Combiners of many channels, and processing time that goes with event time to its edges."""

from ...wire.steps.backlog import BacklogSetup, CombinerSetup
from ...wire.timestamps import LARGEST_PLAIN
from ...wire.vocabulary import Step
from ..scale import Scale, Widened
from ..shared.random_source import RandomSource
from ..shared.widening import by_number, first_of_groups, groups


def _channels(
    random: RandomSource, setup: BacklogSetup, history: tuple[Step, ...], wanted: int
) -> Widened | None:
    if not isinstance(setup, CombinerSetup):
        return None
    sizes = groups(random, setup.channels, wanted)
    firsts = first_of_groups(sizes)
    silent = tuple(
        firsts[channel] + place for channel in setup.without_strategy for place in range(sizes[channel])
    )
    return CombinerSetup(sum(sizes), silent), by_number(history, "channel", sizes)


SCALE = Scale(widen={"channels": _channels}, moved={"now": (0, LARGEST_PLAIN)})
