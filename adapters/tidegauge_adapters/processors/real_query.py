"""Play a trace in a streaming query of a real Spark and compare its rows with those of the kit's calls."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable
from typing import Any

from pyspark.sql import DataFrame, functions
from pyspark.sql.types import LongType, StructField, StructType

from ..ddl import schema_of
from ..spark.streaming.checkpointed_query import CheckpointedQuery, QueryFailed
from ..spark_session.checksums import without_checksums
from ..spark_session.session import DEFAULT_MASTER, running_spark
from .checks.check import Check, Wrong
from .playing.player import Player
from .playing.trace import Arrival, Trace
from .processor_under_test import ProcessorUnderTest
from .words import row_text, when_text

EVENT_TIME = "_event_time"
"""The event-time column on which the query defines its watermark. It is the last column of a row."""

_DELAY_DAYS = 36_500
_DELAY = _DELAY_DAYS * 86_400_000
"""The delay of the watermark (ms).

The delay is so long that no row of the user raises the watermark: the times of these rows are before 2070.
Rows of the kit raise the watermark as the trace demands. A filter removes them before the processor.
"""

_SETTINGS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.streaming.minBatchesToRetain": "100000",
}
_NO_DATA_BATCHES = "spark.sql.streaming.noDataMicroBatches.enabled"


def differs_in_query(player: Player, trace: Trace, master: str = DEFAULT_MASTER) -> str | None:
    """Return how the rows of a real query differ from those of the kit's calls; None if they agree."""
    played = player.as_spark(trace)
    try:
        answers = rows_of_query(player, trace, master)
    except QueryFailed as failed:
        return None if played.problem else f"the query fails: {failed}"
    if played.problem is not None:
        return f"the query does not fail, but the processor raises {played.problem.text} otherwise"
    expected: dict[int, list[str]] = {}
    for output in played.outputs:
        expected.setdefault(output.segment, []).append(row_text(output.row))
    actual = {segment: [row_text(row) for row in rows] for segment, rows in answers.items() if rows}
    for segment in sorted({*expected, *actual}):
        first, second = expected.get(segment, []), actual.get(segment, [])
        if Counter(first) != Counter(second):
            when = when_text(player.subject, played.times.get(segment, 0))
            return f"the query returns {_text(second)} instead of {_text(first)}{when}"
    return None


QUERY = Check(
    "query",
    "a real query returns the rows that the kit's own calls return",
    "what only Spark does, as far as its times can be moved",
    lambda subject: (
        "the clock of processing time cannot be moved" if subject.mode == "ProcessingTime" else ""
    ),
    lambda player, trace: _wrong_in_query(player, trace),
)


def _wrong_in_query(player: Player, trace: Trace) -> Wrong | None:
    difference = differs_in_query(player, trace)
    return None if difference is None else Wrong(difference, tuple(player.as_spark(trace).outputs))


def rows_of_query(
    player: Player, trace: Trace, master: str = DEFAULT_MASTER
) -> dict[int, list[dict[str, Any]]]:
    """Return the output rows of a query, grouped by the segments of the trace.

    The query restarts from its checkpoint after each micro-batch with rows. Raises `QueryFailed` if the query
    fails.
    """
    subject = player.subject
    spark = running_spark(master, None)
    session = spark.session.newSession()
    for name, value in _SETTINGS.items():
        session.conf.set(name, value)
    batches = player.batches(trace)
    # A watermark meets the rows of the next micro-batch only if Spark adds no micro-batch for it before.
    adds_batches = not any(batch.to is not None and batch.chunks for batch in batches)
    session.conf.set(_NO_DATA_BATCHES, str(adds_batches).lower())
    folder = spark.folder.subfolder("processor")
    schema = StructType([*subject.inputs, StructField(EVENT_TIME, LongType())])
    query = CheckpointedQuery(session, folder, schema, lambda rows: _operator(player, rows))
    segments: list[int] = []
    try:
        with without_checksums(session):
            query.start()
            for batch in batches:
                if batch.to is not None:
                    mark = [_mark(subject, batch.to)]
                    query.feed(mark, batches=2 if adds_batches else 1)
                    segments += [batch.segment] * (2 if adds_batches else 1)
                    if not adds_batches and not batch.chunks:
                        query.feed(mark)
                        segments.append(batch.segment)
                if batch.chunks:
                    query.feed([_row(player, one) for chunk in batch.chunks for one in chunk])
                    segments.append(batch.segment)
                    query.stop()
                    query.start()
            query.stop()
            answers: dict[int, list[dict[str, Any]]] = {}
            for segment, (_, rows) in zip(segments, query.in_order(), strict=True):
                answers.setdefault(segment, []).extend(rows)
            return answers
    finally:
        query.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _row(player: Player, arrival: Arrival) -> dict[str, Any]:
    subject = player.subject
    is_timed = subject.mode == "EventTime" and subject.late_rows == "dropped"
    return {**player.rows.typed(arrival.row), EVENT_TIME: player.rows.time(arrival) if is_timed else None}


def _mark(subject: ProcessorUnderTest, to: int) -> dict[str, Any]:
    """Return a row that raises the watermark to `to` (ms)."""
    return {**dict.fromkeys(subject.inputs.names), EVENT_TIME: to + _DELAY}


def _operator(player: Player, rows: DataFrame) -> DataFrame:
    subject = player.subject
    processor = player.instance()
    if subject.mode == "EventTime":
        # Rows of the kit have the latest event times, and this filter removes them. Spark does not push a
        # filter on the event-time column below the watermark operator, so the rows still raise the watermark.
        timed = rows.withColumn(EVENT_TIME, functions.timestamp_millis(EVENT_TIME))
        timed = timed.withWatermark(EVENT_TIME, f"{_DELAY_DAYS} days")
        latest = functions.timestamp_millis(functions.lit(_DELAY))
        event_time = functions.col(EVENT_TIME)
        rows = timed.filter(event_time.isNull() | (event_time < latest))
    grouped = rows.groupBy(*subject.keys)
    if subject.form == "group-state":
        assert subject.state_schema is not None
        timeouts = {"None": "NoTimeout", "EventTime": "EventTimeTimeout"}
        return grouped.applyInPandasWithState(
            processor, subject.outputs, schema_of(subject.state_schema), "append", timeouts[subject.mode]
        )
    initial = None
    if subject.initial_rows:
        session = rows.sparkSession
        initial = session.createDataFrame(
            [tuple(row[name] for name in subject.initial_states.names) for row in subject.initial_rows],
            subject.initial_states,
        ).groupBy(*subject.keys)
    call = grouped.transformWithStateInPandas if subject.form == "pandas" else grouped.transformWithState
    return call(processor, subject.outputs, "Append", subject.mode, initial)


def _text(rows: Iterable[str]) -> str:
    return ", ".join(rows) or "no row"
