"""Scale of the valve component: valves with many channels."""

from ...wire.steps.valve import ActiveStep, IdleStep, ValveSetup
from ...wire.vocabulary import Step
from ..scale import Scale, Widened
from ..shared.random_source import RandomSource
from ..shared.widening import by_number, layout, steps_by


def _channels(random: RandomSource, setup: ValveSetup, history: tuple[Step, ...], wanted: int) -> Widened:
    laid_out = layout(random, steps_by(history, "channel", range(setup.channels)), wanted)
    return ValveSetup(wanted), by_number(history, "channel", laid_out, setup.channels)


def _undone(step: Step) -> Step | None:
    return ActiveStep(step.channel) if isinstance(step, IdleStep) else None


SCALE = Scale(widen={"channels": _channels}, parts={"channels": "channel"}, undone=_undone)
