"""The features of timely dataflow as a shape; all scenarios are drawn within this shape."""

from tidegauge import ValveShape
from tidegauge.wire.shapes import AnyShape

SHAPES: tuple[AnyShape, ...] = (
    ValveShape(
        statuses="none",
        unknown_channels=False,
        contract=("falling-watermark", "input-after-end"),
        snapshots=False,
    ),
)
"""An input of a dataflow has a time or is closed; it has no status. A step addresses an input by its handle,
and timely has no snapshots. `InputHandle::advance_to` panics if time goes back, and `close` consumes the
handle, so that nothing can follow."""
