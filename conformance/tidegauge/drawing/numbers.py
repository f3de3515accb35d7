"""Scenarios with timestamps that are further apart than a number type can hold, and with long durations.

Rules decide at the borders between timestamps and durations, so the borders are preserved. Equal timestamps
stay equal, and the order of timestamps does not change. Many distances of one or two ms stay the same. A
duration that was close to the distance of two timestamps stays close to it.
"""

from collections.abc import Mapping
from itertools import accumulate, pairwise
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from ..components.scale import Scale
from ..components.shared.random_source import RandomSource
from ..wire.timestamps import MAX, MIN, from_wire, timestamp_fields, to_wire
from ..wire.vocabulary import Step
from .draft import Draft, Made
from .edges import moments_of

UNITS = {"2-31": 2**31, "2-32": 2**32, "2-53": 2**53, "2-63": 2**62}
"""The distances in ms, by the limit of the number type that one or a few of them exceed."""

BEYOND_DOUBLES = ("2-53", "2-63")
"""Units with which sums and differences of numbers on the wire are not exact as doubles."""

_SMALL = 3
"""Largest distance in ms of two adjacent timestamps that are not moved apart."""

_NEARLY = 2
"""A duration is close to the distance of two timestamps if they differ by at most this many ms."""

_ONCE = 2**60
"""Larger units are not doubled, since few of them fit into event time."""

_KEPT = 40
"""Percentage of distances, and of other durations, that stay the same."""


def stretched(draft: Draft, unit: int) -> Made | None:
    """Return a scenario in which some timestamps are a unit apart, with durations of about that length.

    Args:
        draft: the inputs for the drawing.
        unit: the distance in ms.

    Returns:
        The setup and the steps; None if the timestamps do not fit into event time, or if nothing changed.
    """
    scale = draft.component.scale
    setup, steps = draft.small()
    moments = sorted({moment for step in steps for moment in (*moments_of(step), *_moving(scale, step))})
    others = _further_apart(draft.random, moments, unit)
    if others is None:
        return None
    stretching = _Stretching(scale, others, draft.random, unit)
    made = stretching.applied(setup), tuple(map(stretching.applied, steps))
    return made if made != (setup, steps) and scale.bearable(made[0]) else None


def _moving(scale: Scale, step: Step) -> list[int]:
    """Return the values of the fields that are shifted with event time."""
    return [getattr(step, name) for name in scale.moved if hasattr(step, name)]


def _further_apart(random: RandomSource, moments: list[int], unit: int) -> dict[int, int] | None:
    """Return a new timestamp for each timestamp, in the same order; None if they do not fit into event
    time."""
    most = 1 if unit > _ONCE else 2
    distances = [
        min(later - earlier, _SMALL)
        if random.chance(_KEPT)
        else unit * random.between(1, most) + random.between(-1, 1)
        for earlier, later in pairwise(moments)
    ]
    span = sum(distances)
    if span >= MAX - MIN - 2 * _SMALL:
        return None
    outermost = MIN + random.between(1, _SMALL), MAX - random.between(1, _SMALL) - span
    around_zero = (0, -span) if span < MAX else ()
    first = random.pick((-(span // 2), *outermost, *around_zero))
    others = dict(zip(moments, accumulate(distances, initial=first), strict=False))
    return others if all(MIN < other < MAX for other in others.values()) else None


class _Stretching:
    """Replaces timestamps and durations in setups and steps. Equal durations get equal replacements."""

    def __init__(self, scale: Scale, moments: Mapping[int, int], random: RandomSource, unit: int) -> None:
        self.scale, self.moments, self.random, self.unit = scale, moments, random, unit
        self.durations: dict[int, int] = {}

    def applied(self, struct: Any) -> Any:
        """Return a setup, a step or a part of a setup with its timestamps and durations replaced."""
        kind: type[Struct] = type(struct)
        changed: dict[str, Any] = {}
        for name, value in asdict(struct).items():
            if isinstance(value, Struct):
                changed[name] = self.applied(value)
            elif isinstance(value, tuple):
                changed[name] = tuple(
                    self.applied(part) if isinstance(part, Struct) else part for part in value
                )
            elif name in timestamp_fields(kind) and value not in (None, "MIN", "MAX"):
                changed[name] = to_wire(self.moments[from_wire(value)])
            elif name in self.scale.moved:
                least, most = self.scale.moved[name]
                changed[name] = moved if least <= (moved := self.moments[value]) <= most else value
            elif name in self.scale.durations and value is not None and value > 0:
                least, most = self.scale.durations[name]
                changed[name] = min(max(least, self._duration(value)), most)
        return replace(struct, **changed) if changed else struct

    def _duration(self, duration: int) -> int:
        if duration not in self.durations:
            self.durations[duration] = self._another(duration)
        return self.durations[duration]

    def _another(self, duration: int) -> int:
        """Return the replacement of a duration: equally close to the distance of two timestamps, about the
        unit, or the same duration."""
        near = [
            (other_later - other_earlier) + (duration - (later - earlier))
            for earlier, other_earlier in self.moments.items()
            for later, other_later in self.moments.items()
            if abs(later - earlier - duration) <= _NEARLY
        ]
        if near and self.random.chance(100 - _KEPT):
            return max(1, self.random.pick(near))
        if self.random.chance(_KEPT):
            return duration
        return self.unit + self.random.between(-1, 1)
