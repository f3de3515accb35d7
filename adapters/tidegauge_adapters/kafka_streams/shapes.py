"""The features of Kafka Streams as one shape per option `emit`; all scenarios are drawn within the shape."""

from msgspec.structs import replace

from tidegauge import WindowShape
from tidegauge.wire.shapes import AnyShape

_LATEST = 2**53 - 1

_FINAL = WindowShape(
    triggers=("event-time",),
    allowed_lateness=(0,),
    accumulation=("accumulating",),
    late_records=("drop",),
    offsets=False,
    gaps=False,
    statuses="none",
    contract=("record-ahead",),
    without_steps=("expired-state",),
    lowest=0,
    highest=_LATEST,
    no_timestamp=False,
    end_of_input=False,
    snapshots=False,
)
"""A window emits one result, when it closes. There is no allowed lateness, which would bring a second result:
the grace period only delays the first."""

_UPDATES = replace(_FINAL, triggers=("per-record",), allowed_lateness=())
"""A window emits a result with each record, until the grace period after its end is over. The grace period is
the allowed lateness."""

SHAPES: dict[str, tuple[AnyShape, ...]] = {
    "suppress": (_FINAL,),
    "close": (_FINAL,),
    "update": (_UPDATES,),
}
"""The shape for each value of the option `emit`."""
