"""Drives a source over a log as Spark does, without Spark: to its end, under AvailableNow."""

from __future__ import annotations

import json
import pickle
from typing import Any

from pyspark.cloudpickle import dumps

from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.logs.reader import AlignedLogReader
from tidegauge_spark.source.logs.split_log import SplitLog
from tidegauge_spark.source.options.source import SourceOptions
from tidegauge_spark.spark_version import ReadLimit

MOST_BATCHES = 200


class DrivenLog:
    """A query over one log. `offsets` are those that were logged, `batches` the rows of each batch."""

    def __init__(self, options: SourceOptions, log: SplitLog) -> None:
        self.options, self.log = options, log
        self.offsets: list[dict[str, Any]] = []
        self.batches: list[list[dict[str, Any]]] = []

    def run(self, batches: int = MOST_BATCHES) -> None:
        """Start, or start again, and go on to the end, or for so many batches."""
        reader = AlignedLogReader(self.options, self.log)
        reader.prepareForTriggerAvailableNow()
        if not self.offsets:
            self.offsets.append(reader.initialOffset())
        limit: ReadLimit = reader.getDefaultReadLimit()
        executor = pickle.loads(dumps(reader))
        for _ in range(batches):
            start = json.loads(json.dumps(self.offsets[-1]))
            end = json.loads(json.dumps(reader.latestOffset(start, limit)))
            if end == start:
                break
            partitions = [pickle.loads(dumps(each)) for each in reader.partitions(start, end)]
            rows = [row for each in partitions for batch in executor.read(each) for row in batch.to_pylist()]
            self.offsets.append(end)
            self.batches.append(rows)
            reader.commit(end)
        else:
            assert batches < MOST_BATCHES, "it does not end"
        reader.stop()

    def column(self, name: str) -> list[Any]:
        """A column of all rows, in order."""
        return [row[name] for rows in self.batches for row in rows]

    def latest(self) -> list[dict[str, int]]:
        """The greatest event time (ms) of each split that has one, after each batch."""
        return [
            {split: position[3] for split, position in offset["splits"].items() if position[3] != MIN}
            for offset in self.offsets[1:]
        ]
