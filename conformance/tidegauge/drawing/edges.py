"""Scenarios at moments at which engines often break: the limits of number types, and the days on which clocks
change."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from ..components.scale import DAY_MS, ROUND_MOMENTS
from ..wire.timestamps import MAX, MIN, from_wire, timestamp_fields, to_wire
from ..wire.vocabulary import Step
from .draft import Draft, Made

CALENDAR = (
    1_784_073_600_000,  # 2026-07-15, summer in the north
    1_768_435_200_000,  # 2026-01-15, summer in the south
    1_709_164_800_000,  # 2024-02-29
    -8_640_000_000,  # 1969-09-23
    1_774_746_000_000,  # 2026-03-29, 01:00 UTC: Europe leaves out an hour
    1_792_890_000_000,  # 2026-10-25, 01:00 UTC: Europe repeats an hour
    1_741_503_600_000,  # 2025-03-09, 07:00 UTC: New York leaves out an hour
    1_762_063_200_000,  # 2025-11-02, 06:00 UTC: New York repeats an hour
    951_782_400_000,  # 2000-02-29
    -58_060_800_000,  # 1968-02-29
    1_483_228_799_000,  # 2016-12-31, before a leap second
    2_147_483_648_000,  # 2038-01-19: 32 bits of seconds
    4_107_542_400_000,  # 2100-03-01: no leap day before it
    -2_203_891_200_000,  # 1900-03-01: none either
    15_638_400_000,  # 1970-07-01
    1_719_792_000_000,  # 2024-07-01
)
"""Timestamps (ms) at which calendars and local times are irregular, and ordinary ones for comparison."""


def at_edge(draft: Draft, edge: int) -> Made | None:
    """Return a scenario that is shifted in event time so that one of its timestamps is at the edge or a few
    ms away; None if the scenario cannot be shifted there."""
    setup, steps = draft.small()
    moments = sorted({moment for step in steps for moment in moments_of(step)})
    if not moments:
        return None
    random = draft.random
    outer = edge in (MIN + 1, MAX - 1)
    if outer:
        outermost = moments[0] if edge < 0 else moments[-1]
        by = edge - outermost + random.between(0, ROUND_MOMENTS) * (1 if edge < 0 else -1)
    else:
        by = edge - random.pick(moments) + random.between(-1, 1)
    moved = all_moved(steps, by, {} if outer else draft.component.scale.moved)
    return None if moved is None else (setup, moved)


def in_calendar(draft: Draft) -> Made | None:
    """Return a scenario with windows of hours, days or weeks near a timestamp of `CALENDAR`, in turn.

    The scenario is shifted by whole days, so that timestamps at the bounds of windows stay there.
    """
    setups = draft.component.scale.calendar
    setup, steps = draft.small(setups[draft.random.pick(sorted(setups))])
    moments = [moment for step in steps for moment in moments_of(step)]
    if not moments:
        return None
    edge = CALENDAR[draft.index % len(CALENDAR)]
    by = (edge - draft.random.pick(moments)) // DAY_MS * DAY_MS
    moved = all_moved(steps, by, {})
    return None if moved is None else (setup, moved)


def moments_of(step: Step) -> list[int]:
    """Return the timestamps of a step, without MIN and MAX."""
    values = (getattr(step, name) for name in timestamp_fields(type(step)))
    return [from_wire(value) for value in values if value is not None and value not in ("MIN", "MAX")]


def all_moved(
    steps: tuple[Step, ...], by: int, fields: Mapping[str, tuple[int, int]]
) -> tuple[Step, ...] | None:
    """Return the steps shifted by `by` ms in event time; None if a timestamp would reach MIN or MAX.

    Args:
        steps: the steps.
        by: the shift in ms.
        fields: other fields that are shifted with event time, each with its smallest and largest value.
    """
    moments = [moment + by for step in steps for moment in moments_of(step)]
    if moments and not MIN < min(moments) <= max(moments) < MAX:
        return None
    return tuple(_moved(step, by, fields) for step in steps)


def _moved(step: Step, by: int, fields: Mapping[str, tuple[int, int]]) -> Step:
    moved: dict[str, Any] = {
        name: to_wire(from_wire(at) + by)
        for name in timestamp_fields(type(step))
        if (at := getattr(step, name)) is not None and at not in ("MIN", "MAX")
    }
    for name, (least, most) in fields.items():
        if hasattr(step, name):
            moved[name] = min(max(least, getattr(step, name) + by), most)
    return replace(step, **moved) if moved else step
