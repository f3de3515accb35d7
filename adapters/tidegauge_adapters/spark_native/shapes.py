"""The features of Spark's own event time."""

from typing import Final

from tidegauge import SplitsShape, ValveShape, WindowShape

_MOST_STEPS = 150
"""Each step is a micro-batch: longer scenarios take many minutes."""

_MOST_INPUTS = 40

SHAPES: Final = (
    ValveShape(most_channels=_MOST_INPUTS, unknown_channels=False, longest_history=_MOST_STEPS),
    # The inputs of an operator are tested as a valve.
    SplitsShape(parts=("splits",), longest_history=_MOST_STEPS),
    # A window fires once, by event time and without allowed lateness: all accumulation modes are the same.
    # Spark has no watermark for the end of a stream.
    WindowShape(
        gaps=False,
        triggers=("event-time",),
        allowed_lateness=(0,),
        end_of_input=False,
        longest_history=_MOST_STEPS,
    ),
)
