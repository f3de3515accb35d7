"""The duration of batches, compared with the drift that the source is allowed."""

from __future__ import annotations

import logging
from typing import Final

_IN_A_ROW: Final = 3
"""The number of batches that have to be too long: the first batch of a query often is, without
consequences."""

_LOG: Final = logging.getLogger("tidegauge_spark")


class Pace:
    """The time between plannings, for plannings that brought records."""

    def __init__(self, drift: int) -> None:
        """drift: how far the source may be ahead of the slowest source of its group (ms)."""
        self._drift = drift
        self._last: int | None = None
        self._too_long = 0

    def planned(self, source: str, now: int) -> None:
        """Take a batch that was planned at a processing time (ms).

        Warns once if batches take longer than the drift: the source may then fall further behind the clock
        with each batch.
        """
        taken = 0 if self._last is None else now - self._last
        self._last = now
        self._too_long = self._too_long + 1 if taken > self._drift else 0
        if self._too_long == _IN_A_ROW:
            _LOG.warning(
                "source %s: a batch takes %d ms, and maxAllowedWatermarkDrift is %d ms: the source may fall "
                "behind the clock; allow a greater drift, or make the batches shorter",
                *(source, taken, self._drift),
            )
