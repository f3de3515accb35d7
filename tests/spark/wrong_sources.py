"""Aligned sources for PySpark, each wrong in one way: the job suite must find them on a real Spark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from pyspark.sql.types import StructType

from tidegauge_spark.decisions.sources.bounds import GroupMinimum
from tidegauge_spark.decisions.sources.signals import SplitMoment
from tidegauge_spark.decisions.sources.subtask import SourceSubtask
from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.group_coordination.client import GroupReport
from tidegauge_spark.source.aligned_source import AlignedSource
from tidegauge_spark.source.files.reader import AlignedFilesReader
from tidegauge_spark.source.numbers.offset import SourceOffset
from tidegauge_spark.source.numbers.planner import minimum
from tidegauge_spark.source.numbers.reader import AlignedSourceReader
from tidegauge_spark.source.options.source import SourceOptions, parse_options
from tidegauge_spark.source.planning.group import SourceStanding
from tidegauge_spark.source.planning.signals import PlannedSignals
from tidegauge_spark.spark_version import ReadLimit


class NeverBlocksReader(AlignedSourceReader):
    """In its process, the class that is judged under SOURCE obeys no bound."""

    def __init__(self, options: SourceOptions) -> None:
        super().__init__(options)
        patch.object(SourceSubtask, "announcement", lambda *_: []).start()


class BlocksTheSlowestReader(AlignedSourceReader):
    """Does not let the subtask that holds the minimum read."""

    def _planned(self, offset: SourceOffset, now: int, most_rows: int | None) -> SourceOffset:
        planned = super()._planned(offset, now, most_rows)
        if planned.bound is None:
            return planned
        lowest = minimum(offset, self._options.sequences, now)
        subtasks = tuple(
            before if before.watermark == lowest and before.records else after
            for before, after in zip(offset.subtasks, planned.subtasks, strict=True)
        )
        return replace(planned, subtasks=subtasks)


class WaitsForTheFinishedReader(AlignedSourceReader):
    """Forgets that a finished subtask has finished, and waits for it."""

    def _planned(self, offset: SourceOffset, now: int, most_rows: int | None) -> SourceOffset:
        self._lowest = min(subtask.watermark for subtask in offset.subtasks)
        return super()._planned(offset, now, most_rows)

    def _group_minimum(self, standing: SourceStanding) -> GroupMinimum | None:
        known = super()._group_minimum(standing)
        return None if known is None else GroupMinimum(known.complete, self._lowest)


class IgnoresOtherSourcesReader(AlignedSourceReader):
    def _group_minimum(self, standing: SourceStanding) -> GroupMinimum | None:
        known = super()._group_minimum(standing)
        return None if known is None else GroupMinimum(known.complete, standing.minimum, MAX)


class CountsOnOtherQueriesReader(AlignedSourceReader):
    """Reads as if the batches of other queries had come out as soon as they can be planned."""

    _has_companions = True

    def _reach_of_others(self, answer: GroupReport) -> int | None:
        return answer.reach if answer.joined > 1 else MAX


class RemembersInTheReaderReader(AlignedSourceReader):
    """Keeps how far it has read in the reader; the offset only counts the batches."""

    _memory: SourceOffset | None = None

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        counted = SourceOffset.from_json(start)
        if self._memory is None:
            self._memory = SourceOffset.initial(self._options.sequences, counted.source, counted.started_at)
        self._before = self._memory
        self._memory = SourceOffset.from_json(super().latestOffset(self._memory.to_json(), limit))
        if self._memory.finished and self._before.finished:
            return start
        return replace(counted, now=counted.now + 1).to_json()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[Any]:
        if self._memory is None:
            return []
        return super().partitions(self._before.to_json(), self._memory.to_json())


class CountsBlockedTimeReader(AlignedFilesReader):
    """Its idle timeout runs on while a split is blocked."""

    def _signals(
        self,
        before: PlannedSignals,
        moment: int,
        looked_at: int,
        splits: Mapping[str, SplitMoment],
        ended: bool,
    ) -> PlannedSignals:
        polled = {name: split._replace(blocked=False) for name, split in splits.items()}
        return super()._signals(before, moment, looked_at, polled, ended)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._options, self._schema)


class NeverIdleReader(AlignedFilesReader):
    """Says nothing of a split that has fallen silent."""

    def __init__(self, options: SourceOptions, schema: StructType) -> None:
        assert options.signals is not None
        super().__init__(replace(options, signals=replace(options.signals, idle_timeout=None)), schema)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._options, self._schema)


class RunsAheadReader(AlignedFilesReader):
    """Reads files whatever the bound is."""

    def _group_minimum(self, standing: SourceStanding) -> GroupMinimum | None:
        known = super()._group_minimum(standing)
        return None if known is None else GroupMinimum(known.complete, None)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._options, self._schema)


def _source(reader: type[AlignedSourceReader | AlignedFilesReader]) -> type[AlignedSource]:
    class WrongSource(AlignedSource):
        @classmethod
        def name(cls) -> str:
            return reader.__name__.lower()

        def streamReader(self, schema: StructType) -> AlignedSourceReader | AlignedFilesReader:
            options = parse_options(self.options)
            if issubclass(reader, AlignedFilesReader):
                return reader(options, schema)
            return reader(options)

    return WrongSource


WRONG_SOURCES: dict[str, tuple[type[AlignedSource], str, str]] = {
    "never blocks": (_source(NeverBlocksReader), "flip-182", "SOURCE-1"),
    "blocks the slowest": (_source(BlocksTheSlowestReader), "flip-182", "SOURCE-2"),
    "waits for the finished": (_source(WaitsForTheFinishedReader), "short-subtask", "ALIGN-5"),
    "ignores other sources": (_source(IgnoresOtherSourcesReader), "two-sources-one-query", "ALIGN-2"),
    "counts on other queries": (
        _source(CountsOnOtherQueriesReader),
        "two-sources-two-queries",
        "ALIGN-2",
    ),
    "remembers in the reader": (_source(RemembersInTheReaderReader), "flip-182-restarted", "JOB-4"),
}
"""By what is wrong: the source, the job that shows it, and the rule that it breaks."""

WRONG_FILE_SOURCES: dict[str, tuple[type[AlignedSource], str, str]] = {
    "counts blocked time": (
        _source(CountsBlockedTimeReader),
        "blocked-is-not-idle",
        "job-blocked-is-not-idle",
    ),
    "counts time under backpressure": (
        _source(CountsBlockedTimeReader),
        "backpressured-is-not-idle",
        "job-backpressured-is-not-idle",
    ),
    "runs ahead": (_source(RunsAheadReader), "window-state", "job-window-state-bounded"),
}
"""By what is wrong: the source, the job with windows that shows it, and the property that it lacks."""
