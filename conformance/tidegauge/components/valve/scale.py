"""Valves that are not small."""

from ...wire.steps.valve import ValveSetup
from ...wire.vocabulary import Step
from ..scale import Scale, Widened
from ..shared.random_source import RandomSource
from ..shared.widening import by_number, groups


def _channels(random: RandomSource, setup: ValveSetup, history: tuple[Step, ...], wanted: int) -> Widened:
    sizes = groups(random, setup.channels, wanted)
    return ValveSetup(sum(sizes)), by_number(history, "channel", sizes)


SCALE = Scale(widen={"channels": _channels})
