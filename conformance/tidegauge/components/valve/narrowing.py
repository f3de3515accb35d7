"""Valves within the shape of an engine."""

from typing import Any

from ...wire.shapes import ValveShape
from ...wire.steps.valve import ActiveStep, IdleStep, ValveSetup
from ...wire.vocabulary import Step
from ..narrowing import Narrowing
from ..shared.random_source import RandomSource


def _setup_outside(setup: ValveSetup, shape: ValveShape) -> str:
    return f"more than {shape.most_channels:,} channels" if setup.channels > shape.most_channels else ""


def _step_outside(step: Step, shape: ValveShape, valve: Any) -> str:
    if shape.statuses == "none" and isinstance(step, IdleStep | ActiveStep):
        return "statuses of channels"
    channels = valve.channels if isinstance(valve, ValveSetup) else len(valve.channels)
    if not shape.unknown_channels and not 0 <= getattr(step, "channel", 0) < channels:
        return "a channel that the valve does not have"
    return ""


def _conformed(setup: ValveSetup, shape: ValveShape, _: RandomSource) -> ValveSetup:
    return ValveSetup(min(setup.channels, shape.most_channels))


def _scope_name(setup: ValveSetup) -> str:
    return f"{setup.channels}-channels"


NARROWING = Narrowing(
    setup_outside=_setup_outside,
    step_outside=_step_outside,
    conformed=_conformed,
    most_parts=lambda shape: int(shape.most_channels),
    scope_name=_scope_name,
)
