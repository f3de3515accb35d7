"""The watermark that a source reports to Spark during one run of its query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.options.source import SourceOptions
from tidegauge_spark.source.planning.progress_rows import PlannedPartition
from tidegauge_spark.source.planning.signals import PlannedSignals
from tidegauge_spark.source.planning.standing import CHECK, SAID_WATERMARK

FIRST: Final = 0
"""The initial value of Spark's watermark (ms): 1970. An earlier watermark has no effect."""

LAST: Final = int(datetime(9999, 1, 1, tzinfo=UTC).timestamp()) * 1000
"""The end of event time for Spark (ms). Spark formats watermarks and adds delays to them, which must not
overflow."""


class LostWatermarkError(RuntimeError):
    """Spark's watermark does not follow the watermarks of the sources of its query."""


def said_watermark(combined: int) -> int | None:
    """Return the watermark that is reported to Spark for a source (ms), None if it has none yet."""
    return None if combined == MIN else min(max(combined, FIRST), LAST)


class EndedOffset(Protocol):
    """The required part of an offset: see `reader.Offset`."""

    @property
    def signals(self) -> PlannedSignals:
        """The signals of the source."""

    @property
    def ended(self) -> bool:
        """Whether the input is finished for good, and all of it is planned."""


class SaidWatermark:
    """The watermark of a source in each batch, and once after each start.

    Spark does not keep the watermarks of the single sources of a query in its checkpoint. A source that
    reported nothing after a restart would hold back all others.
    """

    def __init__(self, options: SourceOptions) -> None:
        self._told = options.added.watermark is not None
        self._check = options.watermark_check
        self._said = False
        self._has_looked = False

    def at(self, offset: EndedOffset) -> int | None:
        """Return the watermark that is reported to Spark at an offset (ms), None if there is none.

        It is the end of time only if the input is finished for good: Spark stores it in the checkpoint, and
        drops all later rows.
        """
        return said_watermark(MAX if offset.ended else offset.signals.combined) if self._told else None

    def due(self, offset: EndedOffset) -> bool:
        """Return whether a batch is needed that has only the row of the watermark."""
        return not self._said and self.at(offset) is not None

    def looks_again(self, offset: EndedOffset) -> bool:
        """Return whether the source plans again although it has read everything.

        It does so once in a run: changes since the last run may raise the watermark.
        """
        looks = self._told and not (self._has_looked or offset.ended)
        self._has_looked = True
        return looks

    def rises(self, before: PlannedSignals, after: PlannedSignals) -> bool:
        """Return whether a planning raises the watermark."""
        return self._told and after.combined != before.combined

    def put_into(
        self,
        partitions: Sequence[PlannedPartition],
        after: EndedOffset,
        without_records: Callable[[], PlannedPartition],
    ) -> Sequence[PlannedPartition]:
        """Return the partitions of a batch, one of which carries the watermark at its end."""
        watermark = self.at(after)
        if watermark is None:
            return partitions
        self._said = True
        told = list(partitions) or [without_records()]
        told[0].watermark = watermark
        return told

    def shown(self, offset: EndedOffset) -> dict[str, Any]:
        """Return the watermark as the progress of the query shows it."""
        return {} if self._check is None else {SAID_WATERMARK: self.at(offset), CHECK: str(self._check)}

    def check(self) -> None:
        """Raise `LostWatermarkError` if Spark's watermark was found not to follow the sources."""
        if self._check is not None and self._check.exists():
            raise LostWatermarkError(self._check.read_text(encoding="utf-8"))
