"""The companion as a data source: its only rows carry the watermark of the reader beside it."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from tidegauge_spark.decisions.durations import parse_duration
from tidegauge_spark.source.companion.offset import CompanionOffset
from tidegauge_spark.source.companion.planning import CompanionPlanning
from tidegauge_spark.source.companion.report import ReaderReport
from tidegauge_spark.source.options.added_columns import AddedColumns
from tidegauge_spark.source.planning.added_columns import watermark_batch, with_added_columns
from tidegauge_spark.source.planning.broken_log import BrokenLogError
from tidegauge_spark.source.planning.said_watermark import LostWatermarkError, said_watermark
from tidegauge_spark.source.planning.standing import CHECK, COMPANION, SAID_WATERMARK, shown
from tidegauge_spark.spark_version import (
    ReadAllAvailable,
    ReadLimit,
    SupportsTriggerAvailableNow,
    to_arrow_in_utc,
)

FORMAT: Final = "tidegauge_companion"

REPORT: Final = "report"
"""The key in its progress for the file in which the companion looks for reports."""

PATIENCE: Final = 60.0
"""How long a planning under AvailableNow waits for the report of a completed batch (s)."""

GLANCE: Final = 0.1
"""How long a planning waits for a report, or for a partition to become idle, before it returns to Spark
(s)."""

LOOK_AGAIN: Final = 0.002


@dataclass
class WatermarkPartition(InputPartition):
    """The one row of a batch: the watermark of the reader (ms)."""

    watermark: int


class CompanionSource(DataSource):
    """A source of watermarks for `watermark_of`, which sets its options:

    * `watermarkColumn`: the column of its rows.
    * `companionOf`: the name under which the progress of the query has the largest event times of the reader.
    * `partitions`: JSON, the names of the partitions that are observed.
    * `watermarkCheck`: the file through which it is notified that its watermark is lost. Reports lie beside
      it.
    * `maxOutOfOrderness`, `idleTimeout`: durations; the second is optional.
    """

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return FORMAT

    def schema(self) -> StructType:
        """Return the column of watermarks."""
        return with_added_columns(StructType([]), AddedColumns(watermark=self.options["watermarkColumn"]))

    def streamReader(self, schema: StructType) -> CompanionReader:
        """Return the reader of one run of a query."""
        return CompanionReader(dict(self.options.items()), schema)


class CompanionReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Plans the watermark that the companion emits in each batch, from the report of the batches before."""

    def __init__(self, options: Mapping[str, str], schema: StructType) -> None:
        given = {name.lower(): value for name, value in options.items()}
        idle_timeout = given.get("idletimeout")
        self._schema = schema
        self._observation = given["companionof"]
        self._observed = frozenset(json.loads(given["partitions"]))
        self._check = Path(given["watermarkcheck"])
        self._max_out_of_orderness = parse_duration(given["maxoutoforderness"])
        self._planning = CompanionPlanning(
            self._max_out_of_orderness, None if idle_timeout is None else parse_duration(idle_timeout)
        )
        self._run = str(uuid.uuid4())
        self._report = self._check.with_name(f"{self._check.name}-{self._run}")
        self._has_planned = self._available_now = False
        self._last: CompanionOffset | None = None
        self._stale: ReaderReport | None = None

    def initialOffset(self) -> dict[str, Any]:
        """Return the offset of a new companion, without knowledge of the reader."""
        return CompanionOffset(self._run, 0, time.time_ns() // 1_000_000).to_json()

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the read limit: none."""
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        """Spark will end the query as soon as no source has anything new."""
        self._available_now = True

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Return the current knowledge of the reader; `start` if it has not changed.

        Each offset has its round, which returns with the report of its batch. The companion therefore knows
        whether a report is outstanding: reports come some milliseconds after their batches, which do not wait
        for them. Under AvailableNow the query does not end before the last report. The first planning of a
        run emits the last watermark again, because Spark does not store it.

        Raises `LostWatermarkError` if Spark's watermark does not follow, or if under AvailableNow a report is
        missing, and `BrokenLogError` if the reader has partitions that are not observed.
        """
        self._raise_if_lost()
        offset = CompanionOffset.from_json(start)
        if not self._has_planned:
            self._has_planned = True
            planned = offset if offset.run == self._run else offset._replace(run=self._run, round=0)
            return self._planned(start, planned)
        report = ReaderReport.read(self._report)
        insists = self._available_now and not _is_current(report, offset)
        if insists and (report is None or not report.unread or report == self._stale):
            report, insists = self._awaited(offset), False
        self._stale = (
            report  # the reader continues from it, or one batch is empty: both take less than a wait
        )
        if report is None:
            return self._planned(start, offset)
        self._raise_if_unobserved(report)
        planned = self._planning.with_report(offset, report)
        is_next = insists or _known(planned) != _known(offset)
        if is_next or (_is_current(report, offset) and self._is_next(planned, report)):
            return self._planned(start, planned._replace(round=offset.round + 1))
        return self._planned(start, offset)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Return the row with the watermark at the end of a batch."""
        watermark = said_watermark(CompanionOffset.from_json(end).signals.combined)
        return [] if start == end or watermark is None else [WatermarkPartition(watermark)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the row of a partition."""
        assert isinstance(partition, WatermarkPartition)
        schema = to_arrow_in_utc(self._schema)
        yield watermark_batch(partition.watermark, self._schema.names[0], schema)

    def reportLatestOffset(self) -> dict[str, Any]:
        """Return the companion's progress: the watermark of the reader, and what the listener needs."""
        offset = self._last or CompanionOffset(self._run, 0, 0)
        return {
            **shown(offset.standings(self._max_out_of_orderness), time.time_ns() // 1_000_000),
            SAID_WATERMARK: said_watermark(offset.signals.combined),
            CHECK: str(self._check),
            COMPANION: self._observation,
            REPORT: str(self._report),
        }

    def _planned(self, start: dict[str, Any], offset: CompanionOffset) -> dict[str, Any]:
        self._last = offset
        stored = offset.to_json()
        return start if stored == start else stored

    def _awaited(self, offset: CompanionOffset) -> ReaderReport:
        """Return the report that covers an offset's batch and all batches before. Raises
        `LostWatermarkError`."""
        end = time.monotonic() + PATIENCE
        report = None
        while time.monotonic() < end or not (report is None or report.complete):
            report = ReaderReport.read(self._report)
            if report is not None and _is_current(report, offset):
                return report
            time.sleep(LOOK_AGAIN)
        raise LostWatermarkError(
            f"the progress of a batch has not come within {PATIENCE:g} s, so watermark_of does not know what "
            "Spark's source has read: look for listeners that block, then start the query again"
        )

    def _is_next(self, offset: CompanionOffset, report: ReaderReport) -> bool:
        """Return whether an empty batch is needed to detect idle partitions.

        A partition becomes idle when a batch finds it empty, and under AvailableNow the query would end
        before that.
        """
        now = time.time_ns() // 1_000_000
        if self._planning.may_become_idle(offset, report, now):
            return True
        if not self._available_now or not self._planning.may_become_idle(offset, report):
            return False
        time.sleep(GLANCE)
        return True

    def _raise_if_lost(self) -> None:
        if self._check.exists():
            raise LostWatermarkError(self._check.read_text(encoding="utf-8"))

    def _raise_if_unobserved(self, report: ReaderReport) -> None:
        new = sorted(set(report.ends) - self._observed)
        if new:
            raise BrokenLogError(
                f"the partition {new[0]} is new since the call of watermark_of, which watches the partitions "
                "that there were then: start the program again; the query continues from its checkpoint"
            )


def _is_current(report: ReaderReport | None, offset: CompanionOffset) -> bool:
    """Return whether a report covers the batch of an offset and all batches before."""
    return report is not None and report.complete and report.round >= offset.round


def _known(offset: CompanionOffset) -> tuple[Any, ...]:
    return offset.partitions, offset.signals.combined, offset.signals.idle_splits
