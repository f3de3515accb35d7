"""The features of Hazelcast Jet as one shape per component; all scenarios are drawn within these shapes."""

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
"""The coalescer throws an exception if a watermark does not rise, and has no ACTIVE message. Windows fire
once, at the watermark, and the slide divides the size."""
