"""How long batches take, next to how far a source may be ahead of the others."""

from __future__ import annotations

import logging
from typing import Final

_IN_A_ROW: Final = 3
"""So many batches have to be too long: the first one of a query often is, and that means nothing."""

_LOG: Final = logging.getLogger("tidegauge_spark")


class Pace:
    """The time from one planning to the next, of plannings that brought something to read."""

    def __init__(self, drift: int) -> None:
        """drift: how far the source may be ahead of the slowest of its group (ms)."""
        self._drift = drift
        self._last: int | None = None
        self._too_long = 0

    def planned(self, source: str, now: int) -> None:
        """A batch was planned at a processing time (ms).

        Warns, once, when batches take longer than the drift: the source may then fall behind the clock, and
        further with each batch.
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
