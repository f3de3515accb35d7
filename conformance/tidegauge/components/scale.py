"""How a component is put to a world that is not small: what its folder's `scale.py` says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..wire.timestamps import timestamp_fields
from ..wire.vocabulary import Setup, Step
from .shared.random_source import RandomSource

Widened = tuple[Setup, tuple[Step, ...]]

Widen = Callable[[RandomSource, Any, tuple[Step, ...], int], Widened | None]
"""Makes of a small setup and a history of it a wide one with so many parts, which does the like; None for a
setup that has no parts."""

EDGES = {
    "0": 0,
    "-1": -1,
    "2-31": 2**31,
    "minus-2-31": -(2**31),
    "2-32": 2**32,
    "minus-2-32": -(2**32),
    "2-53": 2**53,
    "minus-2-53": -(2**53),
    "2-62": 2**62,
    "summer-time": 1_774_746_000_000,
    "MIN": -(2**63) + 1,
    "MAX": 2**63 - 2,
}
"""Moments (ms) at which implementations break: borders of number types, the hour of 2026 that Europe leaves
out, the first and the last moment of event time."""

ROUND_MOMENTS = 4
"""A history is moved to at most so many ms off an edge."""

DAY_MS = 86_400_000

YEARS_MS = 2**38
"""Eight years; many times as much still fits into 64 bits of nanoseconds, as clocks count them."""

LARGEST = 2**53 - 1
"""The largest duration on the wire."""


def ends_an_input(step: Step) -> bool:
    """Whether a step has the timestamp `MAX`: after it little happens any more."""
    return any(getattr(step, name) == "MAX" for name in timestamp_fields(type(step)))


@dataclass(frozen=True)
class Scale:
    """What scenarios of scale a component has; times in ms.

    `widen` by the name of what there are many of. `setups`: setups with durations and numbers at their
    limits, by name. `names`: the fields of steps and of setups that name something. `moved`: the fields that
    move with event time without being a timestamp, each with its smallest and its largest value. `edges`: the
    moments to which event time is moved. `closing`: steps after which much comes out of most histories.
    `ends`: the steps that a long history does without, since little happens after them.
    """

    widen: Mapping[str, Widen] = field(default_factory=dict)
    setups: Mapping[str, Setup] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    moved: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    edges: Mapping[str, int] = field(default_factory=lambda: EDGES)
    closing: Callable[[Any, tuple[Step, ...]], tuple[Step, ...]] = lambda setup, history: ()
    ends: Callable[[Step], bool] = ends_an_input
