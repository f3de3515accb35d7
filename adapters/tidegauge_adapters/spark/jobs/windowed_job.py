"""Jobs with event-time windows: sources of files, valves and windows in one streaming query.

The files of a source appear while time goes on. What the sources say in band goes to all subtasks of the
operator, which judge records by their own valve.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import coalesce, col, lit, unix_millis, when
from pyspark.sql.streaming.readwriter import DataStreamWriter

from tidegauge.wire.steps.job import JobSetup, SourceSetup
from tidegauge.wire.timestamps import to_wire
from tidegauge.wire.vocabulary import LogEvent
from tidegauge_spark import (
    TumblingWindows,
    WindowSettings,
    run_windows,
)
from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.operators.aggregates import count
from tidegauge_spark.operators.operator_input import operator_input, run_operator_input

from .job_files import TIME_COLUMN, JobFiles
from .running_job import CLOCK_STEP, RunningJob

_OPERATOR_SUBTASKS = 2
_RECORD_KEYS = 4
_OF_SOURCES = ("record", "idle", "active")
_COLUMNS = ("kind", "source", "subtask", "event_time", "planned_at", "count")


class WindowedJob(RunningJob):
    """Sources, with windows of `setup.window` ms over all of them; the sources' rows and what comes out of
    the windows are the log."""

    def __init__(self, session: SparkSession, source: str, setup: JobSetup, folder: Path) -> None:
        super().__init__(session, source, setup, folder)
        self._files = {each.name: JobFiles(folder / f"source-{each.name}", each) for each in setup.sources}
        self._ended = False
        self._write(CLOCK_STEP)

    def options(self, source: SourceSetup) -> dict[str, str]:
        """The folder of a source, looked through at each planning."""
        options = {
            "path": str(self._files[source.name].folder),
            "eventTimeColumn": TIME_COLUMN,
            "progressColumn": "progress",
            "inBandWatermarks": "true",
            "discoveryInterval": "0 seconds",
            "maxOutOfOrderness": f"{source.max_out_of_orderness} milliseconds",
        }
        if source.idle_timeout is not None:
            options["idleTimeout"] = f"{source.idle_timeout} milliseconds"
        return options

    def behind(self, sources: DataFrame) -> DataFrame:
        """The sources' own rows, and what comes out of the windows behind them."""
        told = col("progress")
        from_sources = sources.where(told["kind"].isin(*_OF_SOURCES)).select(
            told["kind"].alias("kind"),
            told["source"].alias("source"),
            told["subtask"].alias("subtask"),
            told["timestamp"].alias("event_time"),
            told["planned_at"].alias("planned_at"),
            lit(1).alias("count"),
        )
        assert self.setup.window is not None
        numbers = {source.name: len(source.subtasks) for source in self.setup.sources}
        steps = operator_input(
            sources.withColumn("key", col("number") % _RECORD_KEYS), numbers, _OPERATOR_SUBTASKS, key="key"
        )
        asked = steps.where("kind = 'watermark'").withColumns(
            {"kind": lit("kept-state"), "channel": lit(None).cast("int"), "timestamp": _no_number()}
        )
        inputs = run_operator_input(steps.union(asked), sum(numbers.values()))
        outputs = run_windows(inputs, WindowSettings(TumblingWindows(self.setup.window)), {"count": count()})
        of_windows = outputs.select(
            when(col("kind") == "result", "fire").otherwise(col("kind")).alias("kind"),
            lit(None).cast("string").alias("source"),
            col("subtask").cast("int").alias("subtask"),
            coalesce(unix_millis("window_end"), "watermark", f"record.{TIME_COLUMN}").alias("event_time"),
            _no_number().alias("planned_at"),
            coalesce("count", "records").cast("int").alias("count"),
        )
        return from_sources.union(of_windows)

    def triggered(self, writer: DataStreamWriter) -> DataStreamWriter:
        """As often as can be: files may come at any time."""
        return writer

    def ended(self) -> bool:
        """Whether the windows have heard that nothing will come any more."""
        return self._ended

    def logged(self, batch: int, rows: Any) -> list[LogEvent]:
        """The log of a micro-batch; and the files of the next one are written."""
        now = (batch + 1) * CLOCK_STEP
        found = rows.select(_COLUMNS).to_pylist()
        events = [*_of_sources(found), *_of_windows(found, now)]
        self._ended = self._ended or any(
            event.kind == "watermark" and event.event_time == to_wire(MAX) for event in events
        )
        self._write(now + CLOCK_STEP)
        return events

    def _write(self, now: int) -> None:
        for files in self._files.values():
            files.write(now)


def _no_number() -> Column:
    return lit(None).cast("long")


def _of_sources(rows: list[Mapping[str, Any]]) -> Iterator[LogEvent]:
    """What left the sources, subtask by subtask."""
    own = [row for row in rows if row["source"] is not None]
    for row in sorted(own, key=lambda row: (row["source"], row["planned_at"], row["subtask"])):
        yield LogEvent(
            row["kind"],
            row["source"],
            row["subtask"],
            0 if row["event_time"] is None else to_wire(row["event_time"]),
            row["planned_at"],
        )


def _of_windows(rows: list[Mapping[str, Any]], now: int) -> Iterator[LogEvent]:
    """What came out of the subtasks of the operator, as if it were one: results of a window are added up."""
    own = [row for row in rows if row["source"] is None]
    for row in own:
        if row["kind"] == "late":
            yield LogEvent("late", "", 0, to_wire(row["event_time"]), now)
    for watermark in sorted({row["event_time"] for row in own if row["kind"] == "watermark"}):
        yield LogEvent("watermark", "", 0, to_wire(watermark), now)
    fired: dict[int, int] = {}
    for row in own:
        if row["kind"] == "fire":
            fired[row["event_time"]] = fired.get(row["event_time"], 0) + row["count"]
    for end, records in sorted(fired.items()):
        yield LogEvent("fire", "", 0, to_wire(end), now, records)
    sizes = {row["subtask"]: row["count"] for row in own if row["kind"] == "state-size"}
    if sizes:
        yield LogEvent("state-size", "", 0, 0, now, sum(sizes.values()))
