"""The features of Spark's own operators on the exact watermark."""

from typing import Final

from tidegauge import SplitsShape, ValveShape, WindowShape

_MOST_STEPS = 150
"""Each step is a micro-batch: longer scenarios take many minutes."""

_MOST_STEPS_OF_SPLITS = 60
"""A scenario may restore before each step, and a query on a source in Python takes over a second to start."""

_MOST_PARTS = 40

_FIRST = 0
"""Spark's watermark starts in 1970, which no policy of splits expresses."""

_LAST = 253_000_000_000_000
"""The source reports no watermark after the year 9999, which is the end of event time for Spark."""

SHAPES: Final = (
    # A record ends the idleness of its split: no watermark arrives on a channel that is still idle.
    ValveShape(
        statuses="implied",
        most_channels=_MOST_PARTS,
        unknown_channels=False,
        highest=_LAST,
        longest_history=_MOST_STEPS,
    ),
    SplitsShape(most_parts=_MOST_PARTS, lowest=_FIRST, highest=_LAST, longest_history=_MOST_STEPS_OF_SPLITS),
    # A window fires once, by event time and without allowed lateness: all accumulation modes are the same.
    # Late rows are dropped and counted. The log of a query of windows has no end.
    WindowShape(
        gaps=False,
        triggers=("event-time",),
        allowed_lateness=(0,),
        late_records=("drop",),
        end_of_input=False,
        highest=_LAST,
        longest_history=_MOST_STEPS,
    ),
)
