"""The features of Beam's windows as a shape; all scenarios are drawn within this shape."""

from msgspec.structs import replace

from tidegauge import WindowShape

SINCE_EPOCH = WindowShape(
    gaps=False,
    accumulation=("discarding", "accumulating"),
    late_records=("drop",),
    statuses="none",
    contract=("falling-watermark", "input-after-end"),
    lowest=0,
    highest=2**52,
    longest_duration=2**48,
    no_timestamp=False,
    snapshots=False,
)
"""Timestamps in Beam, including the end of a window plus the allowed lateness, must be within 2^63
microseconds. Beam rejects a pipeline with windows of more than 10,000 years (315,576,000,000 s). A pipeline
fails at a record in a gap between windows. Records before 1970 are excluded, since their windows do not
contain them."""

ANY_TIME = replace(SINCE_EPOCH, lowest=-(2**52))
"""The same shape with records before 1970, which show this defect."""
