"""The features of Hazelcast Jet, component by component: shapes from which all scenarios are drawn."""

from tidegauge import ValveShape, WindowShape
from tidegauge.wire.shapes import AnyShape

SHAPES: tuple[AnyShape, ...] = (
    ValveShape(
        statuses="implied",
        unknown_channels=False,
        contract=("falling-watermark", "input-after-end", "repeated-status"),
        snapshots=False,
    ),
    WindowShape(
        triggers=("event-time",),
        allowed_lateness=(0,),
        accumulation=("discarding",),
        late_records=("drop",),
        slides="divides-size",
        statuses="none",
        contract=("falling-watermark", "input-after-end"),
        lowest=-(2**53 - 1),
        highest=2**53 - 1,
        no_timestamp=False,
    ),
)
"""A coalescer throws an exception at a watermark that does not rise, and has no message for ACTIVE. Windows
fire once, at the watermark, and a slide divides the size."""
