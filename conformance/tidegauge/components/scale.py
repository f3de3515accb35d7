"""The description of the scenarios of scale of a component, which the `scale.py` in its folder provides."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..wire.timestamps import timestamp_fields
from ..wire.vocabulary import Setup, Step
from .shared.alike_names import ALIKE, EMPTY, Pair
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
    """The scenarios of scale of a component; times in ms.

    Attributes:
        widen: functions that widen a small scenario, by the name of the parts of which there are many.
        parts: the field in which steps name such a part, by the name of the parts. The field has the number
            of the part, or a name that ends in the number.
        most_parts: the largest number of parts.
        setups: setups with durations and numbers at their limits, by name.
        calendar: setups with windows of hours, days or weeks, by name.
        names: for each namespace, the fields of steps and setups that contain its names.
        alike: pairs of similar names, by their similarity.
        names_come_out: whether outputs repeat a name as it was given, so that every confusion can be seen.
        kept_name: the second name of each pair if this name has a special meaning. Scenarios use the first
            name of a pair instead.
        moved: fields that are shifted with event time although they are not timestamps, each with its
            smallest and largest value.
        durations: fields with a duration or another number, each with its smallest and largest value.
        bearable: returns whether an engine has the time and memory for a setup with replaced durations.
        edges: the timestamps to which scenarios are shifted.
        far: steps that advance time so far that sums of times come close to 2^63.
        far_setup: a setup with a duration of that size; None draws a setup.
        too_far: returns whether a step would advance time beyond 2^63 after these steps.
        undone: returns the step that undoes a step; None if there is none.
        lasting: returns whether no step can undo a step. Rounds do not contain such steps.
        closing: returns steps that produce outputs after most scenarios.
        ends: returns whether little can happen after a step. Long scenarios do not contain such steps.
    """

    widen: Mapping[str, Widen] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    most_parts: int = 2**31
    setups: Mapping[str, Setup] = field(default_factory=dict)
    calendar: Mapping[str, Setup] = field(default_factory=dict)
    names: tuple[tuple[str, ...], ...] = ()
    alike: Mapping[str, Pair] = field(default_factory=lambda: {**ALIKE, **EMPTY})
    names_come_out: bool = False
    kept_name: str = ""
    moved: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    durations: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    bearable: Callable[[Any], bool] = lambda setup: True
    edges: Mapping[str, int] = field(default_factory=lambda: EDGES)
    far: tuple[Step, ...] = ()
    far_setup: Setup | None = None
    too_far: Callable[[Step], bool] = lambda step: False
    undone: Callable[[Step], Step | None] = lambda step: None
    lasting: Callable[[Step], bool] = lambda step: False
    closing: Callable[[Any, tuple[Step, ...]], tuple[Step, ...]] = lambda setup, history: ()
    ends: Callable[[Step], bool] = ends_an_input
