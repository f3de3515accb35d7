"""The warnings about alignment in one run of a query: it gains nothing, or blocks a split for long."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from tidegauge_spark.source.planning.alignment.blocked import BlockedSplit

BATCHES_TO_JUDGE: Final = 100
"""The number of batches with records after which a warning says that alignment gains nothing. It measures
work and not time: a source that waits for records proves nothing."""

_LOG: Final = logging.getLogger("tidegauge_spark")


class Extent(NamedTuple):
    """The planned part of a source: the number of records, and their greatest event time (ms)."""

    records: int
    latest: int


class AlignmentWatch:
    """Observes each planning of a source."""

    def __init__(self, drift: int, idle_timeout: int | None) -> None:
        """drift: how far splits may be apart (ms). idle_timeout: how long a split may be blocked without a
        warning (ms), None: without limit."""
        self._drift, self._idle_timeout = drift, idle_timeout
        self._batches = self._records = self._spread = 0
        self._judged = self._has_warned = False
        self._since: dict[str, tuple[int, int]] = {}
        """When each blocked split was blocked (ms), and how many of its records were planned then."""

    def planned(self, source: str, records: int, blocked: Iterable[BlockedSplit], spread: int) -> None:
        """Take a batch of a source that is alone in its group. records: the number of its records. spread:
        how far its splits are apart after it (ms).

        Warns once if none of many batches has blocked a split, or come close to it.
        """
        if self._judged or not records:
            return
        self._batches += 1
        self._records += records
        self._spread = max(self._spread, spread)
        has_gained = self._spread >= self._drift or any(split.until is not None for split in blocked)
        self._judged = has_gained or self._batches == BATCHES_TO_JUDGE
        if self._judged and not has_gained:
            _LOG.warning(
                "source %s: %d batches of %d records have blocked no split, and the splits were %d ms apart "
                "at most, where maxAllowedWatermarkDrift allows %d ms: alignment gains nothing as long as "
                "the splits are fed evenly; leave watermarkGroup out, unless you expect one to fall behind",
                *(source, self._batches, self._records, self._spread, self._drift),
            )

    def blocked(self, source: str, now: int, blocked: Sequence[BlockedSplit], held_by: Sequence[str]) -> None:
        """Take the splits that are blocked at a processing time (ms). held_by: the slowest splits.

        Warns once if no record of a blocked split was read for longer than the idle timeout.
        """
        if self._idle_timeout is None or self._has_warned:
            return
        known, self._since = self._since, {}
        for split in blocked:
            since, records = known.get(split.name, (now, split.records))
            since = since if records == split.records else now
            self._since[split.name] = (since, split.records)
            if split.until is not None and now - since > self._idle_timeout:
                self._has_warned = True
                _LOG.warning(
                    "source %s: split %r has been blocked for %d ms, longer than idleTimeout (%d ms): %d %s "
                    "of it are unread, and it waits until the slowest of its group is at %d ms; the slowest "
                    "splits of this source are %s",
                    *(source, split.name, now - since, self._idle_timeout, split.unread.amount),
                    *(split.unread.unit.lower(), split.until, ", ".join(held_by) or "none"),
                )
                return
