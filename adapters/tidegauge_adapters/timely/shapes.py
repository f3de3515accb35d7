"""The shape of timely dataflow: all scenarios are drawn within this shape."""

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
"""An input of a dataflow has a time or is closed; it has no status. Each input has a handle, so steps
cannot name unknown channels. Timely has no snapshots. `InputHandle::advance_to` panics if time goes back, and
`close` consumes the handle, so no input can follow."""
