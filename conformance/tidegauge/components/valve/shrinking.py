"""Smaller valves: fewer channels, channels numbered from 0 in order of appearance, smaller timestamps."""

from msgspec.structs import replace

from ...wire.steps.valve import ValveSetup, WatermarkStep
from ...wire.timestamps import from_wire
from ...wire.vocabulary import Step
from ..shared.simplification import with_fewer, without_number


def simplify(setup: ValveSetup, history: tuple[Step, ...]) -> list[tuple[ValveSetup, tuple[Step, ...]]]:
    """Candidates that do the same with simpler names and numbers."""
    candidates = []
    if setup.channels > 1:
        for unwanted in range(setup.channels):
            fewer = without_number(history, "channel", unwanted)
            candidates.append((ValveSetup(setup.channels - 1), fewer))
    candidates.append((setup, _relabelled(history, setup.channels)))
    ranks = _ranks(history)
    candidates.append((setup, tuple(_ranked(step, ranks) for step in history)))
    for index, step in enumerate(history):
        if not isinstance(step, WatermarkStep):
            continue
        for plainer in _plainer(step.timestamp, len(ranks) + 1):
            lower = replace(step, timestamp=plainer)
            candidates.append((setup, (*history[:index], lower, *history[index + 1 :])))
    return candidates


def fewer(setup: ValveSetup, history: tuple[Step, ...]) -> list[tuple[ValveSetup, tuple[Step, ...]]]:
    """Valves with the first of many channels."""
    return [(ValveSetup(kept), steps) for kept, steps in with_fewer(setup.channels, history, "channel")]


def _plainer(timestamp: int | str, past_all: int) -> list[int]:
    """Smaller timestamps, some by much, so that a few rounds reach the smallest; a number for a name."""
    if isinstance(timestamp, str):
        return [past_all]
    return sorted({timestamp - (timestamp >> shift) for shift in range(timestamp.bit_length())} - {0})


def _relabelled(history: tuple[Step, ...], channels: int) -> tuple[Step, ...]:
    order: dict[int, int] = {}
    for step in history:
        channel = getattr(step, "channel", -1)
        if channel in range(channels):
            order.setdefault(channel, len(order))
    return tuple(
        replace(step, channel=order[step.channel]) if getattr(step, "channel", -1) in order else step  # type: ignore[attr-defined]
        for step in history
    )


def _ranks(history: tuple[Step, ...]) -> dict[int | str, int]:
    timestamps = {
        step.timestamp
        for step in history
        if isinstance(step, WatermarkStep) and step.timestamp not in ("MIN", "MAX")
    }
    return {timestamp: rank for rank, timestamp in enumerate(sorted(timestamps, key=from_wire), start=1)}


def _ranked(step: Step, ranks: dict[int | str, int]) -> Step:
    if isinstance(step, WatermarkStep) and step.timestamp in ranks:
        return replace(step, timestamp=ranks[step.timestamp])
    return step
