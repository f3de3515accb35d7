"""The source coordinator as PySpark before 4.2 calls it.

Spark then passes `latestOffset` neither the start of the batch nor a limit, makes no difference between
triggers, and shows no progress of the source. The start is the end of the batch before: after a restart Spark
asks for the partitions of an empty batch there. The progress is stored with the offset, which Spark shows as
`latestOffset`. Checkpoints are continued by later versions, and the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from tidegauge_spark.source.planning.reader import AlignedReader
from tidegauge_spark.source.planning.sealed_offset import with_progress
from tidegauge_spark.source.query_triggers import AVAILABLE_NOW, ONCE
from tidegauge_spark.spark_version import READ_LIMITS, ReadAllAvailable


class ReaderBeforeLimits(DataSourceStreamReader):
    """A reader that knows by itself what PySpark 4.2 and later pass to it.

    trigger: returns the class of the trigger of the query.
    """

    def __init__(self, reader: AlignedReader[Any], trigger: Callable[[], str]) -> None:
        self._reader = reader
        self._trigger = trigger
        self._initial: dict[str, Any] | None = None
        self._end: dict[str, Any] | None = None

    def initialOffset(self) -> dict[str, Any]:
        """Return the offset of a new source; the one at which the first batch was planned, if it was."""
        if self._initial is None:
            self._initial = self._reader.initialOffset()
        return self._initial

    def latestOffset(self) -> dict[str, Any]:  # type: ignore[override]
        """Plan the next batch after the one that was planned or logged last.

        Raises `PySparkVersionError` under AvailableNow if one batch cannot read everything.
        """
        start = self.initialOffset() if self._end is None else self._end
        planned = self._planned(start)
        if planned != start:
            self._end = with_progress(planned, self._reader.reportLatestOffset())
            return self._end
        return start

    def _planned(self, start: dict[str, Any]) -> dict[str, Any]:
        trigger = self._trigger()
        if trigger != AVAILABLE_NOW:
            everything = ReadAllAvailable() if trigger == ONCE else None
            return self._reader.latestOffset(start, everything or self._reader.getDefaultReadLimit())
        self._reader.prepareForTriggerAvailableNow()
        planned = self._reader.latestOffset(start, ReadAllAvailable())
        if not self._reader.has_read_all(planned):
            READ_LIMITS.require(
                "Trigger.AvailableNow over this source needs several micro-batches, and so it needs",
                "leave out watermarkGroup, idleTimeout, maxFilesPerTrigger and recordsPerMillisecond, or use "
                "another trigger",
            )
        return planned

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Return the partitions between two offsets; the next batch begins at the second one."""
        self._end = end
        return self._reader.partitions(start, end)

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the rows of a partition."""
        return self._reader.read(partition)

    def commit(self, end: dict[str, Any]) -> None:
        """Note that a batch was read."""
        self._reader.commit(end)

    def stop(self) -> None:
        """Leave the group if the source was never logged."""
        self._reader.stop()
