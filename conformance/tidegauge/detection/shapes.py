"""Shapes of engines with fewer features than the reference: verdicts are measured for each shape."""

from ..wire.shapes import AnyShape, GeneratorShape, SplitsShape, ValveShape, WindowShape

SHAPES_MEASURED: dict[str, AnyShape] = {
    "tumbling-only": WindowShape(assigners=("tumbling",)),
    "sessions-only": WindowShape(assigners=("session",)),
    "sliding-without-lateness": WindowShape(assigners=("sliding",), allowed_lateness=(0,)),
    "no-late-output": WindowShape(late_records=("drop",)),
    "minutes-fired-once": WindowShape(
        assigners=("tumbling",),
        sizes=(60_000,),
        offsets=False,
        triggers=("event-time",),
        allowed_lateness=(0,),
        accumulation=("discarding",),
        statuses="none",
        no_timestamp=False,
    ),
    "windows-in-seconds": WindowShape(resolution_ms=1_000),
    "valve-without-statuses": ValveShape(statuses="none"),
    "three-channels": ValveShape(most_channels=3, unknown_channels=False),
    "valve-in-seconds": ValveShape(resolution_ms=1_000, lowest=0),
    "inputs-only": SplitsShape(parts=("inputs",)),
    "generator-at-records": GeneratorShape(kinds=("punctuated",), builders=False),
}
"""The shapes that are measured, by name."""
