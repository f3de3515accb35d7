"""Jobs over number sequences: whatever can be read exists from the beginning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql.streaming.readwriter import DataStreamWriter

from tidegauge.wire.steps.job import SourceSetup
from tidegauge.wire.timestamps import from_wire, to_wire
from tidegauge.wire.vocabulary import LogEvent

from .running_job import RunningJob


class SequenceJob(RunningJob):
    """Sources alone: their rows are the log."""

    def options(self, source: SourceSetup) -> dict[str, str]:
        """A sequence for each subtask, with its rate."""
        first, last = from_wire(source.subtasks[0].first), from_wire(source.subtasks[-1].end)
        options = {
            "start": str(first),
            "end": str(last - 1),
            "split": "range" if self.setup.split_range else "repeat",
        }
        for index, subtask in enumerate(source.subtasks):
            options[f"recordsPerMillisecond.{index}"] = str(subtask.records_per_millisecond)
            if not self.setup.split_range:
                options[f"end.{index}"] = str(from_wire(subtask.end) - 1)
        return options

    def behind(self, sources: DataFrame) -> DataFrame:
        """Nothing."""
        return sources

    def triggered(self, writer: DataStreamWriter) -> DataStreamWriter:
        """To the end, if there is one."""
        return writer if self.setup.endless else writer.trigger(availableNow=True)

    def logged(self, batch: int, rows: Any) -> list[LogEvent]:
        """The records as runs of consecutive numbers; a number that comes twice makes two runs."""
        return list(_runs(rows))


def _runs(rows: Any) -> Iterator[LogEvent]:
    if not rows.num_rows:
        return
    frame = rows.to_pandas()
    for (source, planned_at, subtask), part in frame.groupby(["source", "planned_at", "subtask"], sort=True):
        numbers = np.sort(part["number"].to_numpy())
        borders = np.flatnonzero(np.diff(numbers) != 1) + 1
        for run in np.split(numbers, borders):
            yield LogEvent(
                "record", str(source), int(subtask), to_wire(int(run[-1])), int(planned_at), len(run)
            )
