"""Valves within the shape of an engine."""

from collections.abc import Sequence
from typing import Any

from ...wire.shapes import ValveShape
from ...wire.steps.valve import ActiveStep, IdleStep, ValveSetup, WatermarkStep
from ...wire.vocabulary import Restore, Snapshot, Step
from ..narrowing import Narrowing
from ..shared.random_source import RandomSource

_ON_IDLE = "a watermark on a channel that is still idle"


def _setup_outside(setup: ValveSetup, shape: ValveShape) -> str:
    return f"more than {shape.most_channels:,} channels" if setup.channels > shape.most_channels else ""


def _step_outside(step: Step, shape: ValveShape, valve: Any) -> str:
    if shape.statuses == "none" and isinstance(step, IdleStep | ActiveStep):
        return "statuses of channels"
    is_drawn = not isinstance(valve, ValveSetup)
    channels = len(valve.channels) if is_drawn else valve.channels
    exists = 0 <= getattr(step, "channel", 0) < channels
    # A status of an unknown channel has no effect; with implied statuses it would restrict what may follow.
    is_implied = shape.statuses == "implied"
    if not exists and (not shape.unknown_channels or (is_implied and isinstance(step, IdleStep))):
        return "a channel that the valve does not have"
    if is_implied and is_drawn and exists and isinstance(step, WatermarkStep):
        return _ON_IDLE if valve.channels[step.channel].idle else ""
    return ""


def _history_outside(history: Sequence[Step], shape: ValveShape) -> str:
    """Return the watermark on an idle channel that a shape with implied statuses lacks."""
    if shape.statuses != "implied":
        return ""
    idle: set[int] = set()
    ended: set[int] = set()
    saved: tuple[set[int], set[int]] = set(), set()
    for step in history:
        if isinstance(step, Snapshot):
            saved = set(idle), set(ended)
        elif isinstance(step, Restore):
            idle, ended = map(set, saved)
        elif isinstance(step, ActiveStep):
            idle.discard(step.channel)
        elif isinstance(step, IdleStep) and step.channel not in ended:
            idle.add(step.channel)
        elif isinstance(step, WatermarkStep) and step.channel in idle:
            return _ON_IDLE
        elif isinstance(step, WatermarkStep) and step.timestamp == "MAX":
            ended.add(step.channel)
    return ""


def _conformed(setup: ValveSetup, shape: ValveShape, _: RandomSource) -> ValveSetup:
    return ValveSetup(min(setup.channels, shape.most_channels))


def _scope_name(setup: ValveSetup) -> str:
    return f"{setup.channels}-channels"


NARROWING = Narrowing(
    setup_outside=_setup_outside,
    step_outside=_step_outside,
    history_outside=_history_outside,
    conformed=_conformed,
    most_parts=lambda shape: int(shape.most_channels),
    scope_name=_scope_name,
)
