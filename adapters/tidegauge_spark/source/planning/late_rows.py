"""Late rows: their event time is not after the watermark that the source had before their batch."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc


class LateRows(NamedTuple):
    """The number of late rows of a source, and of rows that were planned unchecked: only executors know their
    event times."""

    late: int = 0
    unchecked: int = 0

    def plus(self, more: LateRows) -> LateRows:
        """Return both together."""
        return LateRows(self.late + more.late, self.unchecked + more.unchecked)

    def shown(self) -> dict[str, Any]:
        """Return the counts as the progress shows them, as JSON."""
        return {"lateRows": self.late, "uncheckedRows": self.unchecked}


def count_not_after(times: memoryview, time: int, in_order: bool) -> int:
    """Return how many of some event times (ms, 64 bits each) are not after a time (ms)."""
    if in_order:
        return bisect_right(times, time)
    array = pa.Array.from_buffers(pa.int64(), len(times), [None, pa.py_buffer(times)])
    return int(pc.sum(pc.less_equal(array, time)).as_py() or 0)


def late_flags(times: Any, watermark: int) -> Any:
    """Return a flag for each of some event times (an Arrow array, ms): late by a watermark (ms); null is not
    late."""
    return pc.fill_null(pc.less_equal(times, watermark), False)
