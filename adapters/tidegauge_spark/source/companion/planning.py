"""The watermark that follows from the records that the reader has read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidegauge_spark.decisions.sources.signals import SourceSignals, SplitMoment
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.companion.offset import CompanionOffset, KnownPartition, partition_watermark
from tidegauge_spark.source.companion.report import ReaderReport
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError
from tidegauge_spark.source.planning.signals import PlannedSignals


class CompanionPlanning:
    """Applies reports to offsets; max_out_of_orderness and idle_timeout in ms, None: partitions never become
    idle."""

    def __init__(self, max_out_of_orderness: int, idle_timeout: int | None) -> None:
        self._max_out_of_orderness = max_out_of_orderness
        self._idle_timeout = idle_timeout

    def with_report(self, offset: CompanionOffset, report: ReaderReport) -> CompanionOffset:
        """Return the offset after a report.

        All records in the report lie before the ends of completed batches. A record that comes later is
        therefore after them, and late only if it is further out of order than allowed, or if its partition
        was idle.
        """
        partitions, arrived = {}, set()
        for name, end in report.ends.items():
            before = offset.partitions.get(name, KnownPartition(0, MIN))
            latest = max(before.latest, report.maxima.get(name, MIN))
            partitions[name] = KnownPartition(end, latest)
            if latest > before.latest or (name in offset.partitions and end > before.end):
                arrived.add(name)
        signals = self._signals(
            offset.signals, partitions, arrived, report.unread, report.at - offset.started_at, report.others
        )
        return offset._replace(partitions=partitions, signals=signals)

    def may_become_idle(self, offset: CompanionOffset, report: ReaderReport, now: int | None = None) -> bool:
        """Return whether the watermark would rise if no partition had got a record until `now`.

        now: ms since 1970; None stands for a time at which all partitions are idle. The result is only an
        estimate: records that arrived meanwhile are in the report of a batch that is planned later.
        """
        if self._idle_timeout is None:
            return False
        looked_at = MAX // 4 if now is None else now - offset.started_at
        unread = report.unread
        guess = self._signals(offset.signals, offset.partitions, (), unread, looked_at, report.others)
        return guess.combined > offset.signals.combined

    def _signals(
        self,
        before: PlannedSignals,
        partitions: Mapping[str, KnownPartition],
        arrived: Iterable[str],
        unread: Iterable[str],
        looked_at: int,
        others: int | None,
    ) -> PlannedSignals:
        signals = self._restored(before)
        moments = {
            name: SplitMoment(
                subtask=0,
                arrived=name in arrived,
                watermark=partition_watermark(partition.latest, self._max_out_of_orderness),
                blocked=name in unread,
                finished=False,
            )
            for name, partition in partitions.items()
        }
        signals.planned(looked_at, looked_at, moments, ended=False)
        if others is not None:
            signals.follow(others)
        return PlannedSignals({}, signals.state())

    def _restored(self, before: PlannedSignals) -> SourceSignals:
        if before.state is None:
            return SourceSignals(1, self._idle_timeout)
        try:
            return SourceSignals.restored(before.state, self._idle_timeout, None)
        except ValueError as error:
            raise IllegalOffsetError(
                f"the checkpoint has an offset of watermark_of with {error}: start with a new checkpoint "
                "folder, or with the tidegauge_spark that wrote it"
            ) from error
