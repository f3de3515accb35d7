"""`BacklogListener`: what it makes of the progress of queries, of whatever sources, and of a real query."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming.listener import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryProgress,
)
from spark_programs.driven_files import write_parquet
from spark_programs.queries import PATIENCE, SparkQueries, spark_queries

from tidegauge_spark import WATERMARK_LAG_CONF, BacklogListener, register
from tidegauge_spark.decisions.sources.signals import SourceSignals
from tidegauge_spark.source.backlog_listener import BacklogChange
from tidegauge_spark.source.files.offset import FilesOffset
from tidegauge_spark.source.options.layout import SUB_FOLDERS
from tidegauge_spark.source.planning.signals import PlannedSignals

QUERY = "11111111-2222-3333-4444-555555555555"
OTHER_QUERY = "99999999-2222-3333-4444-555555555555"


def offset(source: str, *backlog: bool | None) -> str:
    """The offset of a source whose subtasks have said this, as the progress of a query shows it."""
    state = {**SourceSignals(len(backlog)).state(), "backlog": list(backlog)}
    stored = FilesOffset(
        source,
        0,
        0,
        None,
        (0,) * len(backlog),
        signals=PlannedSignals({}, state),
        path="/",
        format="json",
        layout=str(SUB_FOLDERS),
    )
    return json.dumps(stored.to_json())


def progress(
    *offsets: Any, batch: int = 0, query: str = QUERY, name: str | None = "totals"
) -> StreamingQueryProgress:
    sources = [
        {
            "description": "a source",
            "startOffset": None,
            "endOffset": each,
            "latestOffset": None,
            "numInputRows": 1,
            "inputRowsPerSecond": 1.0,
            "processedRowsPerSecond": 1.0,
            "metrics": {},
        }
        for each in offsets
    ]
    return StreamingQueryProgress.fromJson(
        {
            "id": query,
            "runId": str(uuid.UUID(int=1)),
            "name": name,
            "timestamp": "2026-01-01T00:00:00.000Z",
            "batchId": batch,
            "batchDuration": 1,
            "stateOperators": [],
            "sources": sources,
            "sink": {"description": "a sink", "numOutputRows": 1},
        }
    )


def test_a_query_is_in_backlog_while_a_subtask_of_a_source_is() -> None:
    listener = BacklogListener()
    listener.progressed(progress(offset("a", False, True), offset("b", False)))
    assert listener.in_backlog("totals") is True
    assert listener.in_backlog(QUERY) is True
    assert listener.sources_in_backlog(QUERY) == {"a": True, "b": False}
    listener.progressed(progress(offset("a", False, False), offset("b", False)))
    assert listener.in_backlog("totals") is False


def test_nothing_is_known_of_queries_and_sources_that_have_said_nothing() -> None:
    listener = BacklogListener()
    assert listener.in_backlog("totals") is None
    listener.progressed(progress(offset("a", None, None), name=None))
    assert listener.in_backlog(QUERY) is None
    assert listener.sources_in_backlog(QUERY) == {}
    listener.progressed(progress(offset("a", None, False), name=None))
    assert listener.in_backlog(QUERY) is False


@pytest.mark.parametrize(
    "foreign",
    [
        None,
        "",
        "7",
        "-",
        "null",
        '"text"',
        "[1, 2]",
        '{"logOffset":7}',
        '{"topic":{"0":12}}',
        '{"source":"x","signals":null}',
        '{"source":"x","signals":{"state":{"backlog":true}}}',
        '{"source":"x","signals":{"state":{"backlog":["yes"]}}}',
        '{"source":5,"signals":{"state":{"backlog":[true]}}}',
        "not json {",
    ],
)
def test_offsets_of_other_formats_are_not_looked_at(foreign: str | None) -> None:
    listener = BacklogListener()
    listener.progressed(progress(foreign, offset("a", True), foreign))
    assert listener.sources_in_backlog(QUERY) == {"a": True}


def test_changes_are_told_once_each() -> None:
    changes: list[BacklogChange] = []
    listener = BacklogListener(changes.append)
    for batch, flags in enumerate([(None, None), (True, None), (True, True), (False, True), (False, False)]):
        listener.progressed(progress(offset("a", *flags), batch=batch))
    told = [(change.source, change.batch_id, change.backlog) for change in changes]
    assert told == [("a", 1, True), ("a", 4, False)]
    assert {(change.query_id, change.query_name) for change in changes} == {(QUERY, "totals")}


def test_a_source_that_was_never_in_backlog_is_no_change() -> None:
    changes: list[BacklogChange] = []
    BacklogListener(changes.append).progressed(progress(offset("a", False)))
    assert changes == []


def test_queries_are_kept_apart_and_forgotten_when_they_end() -> None:
    changes: list[BacklogChange] = []
    listener = BacklogListener(changes.append)
    listener.onQueryStarted(QueryStartedEvent(uuid.UUID(QUERY), uuid.UUID(int=1), "totals", "now", {}))
    assert listener.in_backlog("totals") is None
    listener.onQueryProgress(QueryProgressEvent(progress(offset("a", True))))
    listener.onQueryProgress(
        QueryProgressEvent(progress(offset("b", False), query=OTHER_QUERY, name="other"))
    )
    assert (listener.in_backlog("totals"), listener.in_backlog("other")) == (True, False)
    listener.onQueryTerminated(QueryTerminatedEvent(uuid.UUID(QUERY), uuid.UUID(int=1), None, None))
    assert (listener.in_backlog("totals"), listener.in_backlog("other")) == (None, False)
    # A restart says again that it is in backlog: whoever listens has forgotten it, too.
    listener.onQueryStarted(QueryStartedEvent(uuid.UUID(QUERY), uuid.UUID(int=2), "totals", "now", {}))
    listener.onQueryProgress(QueryProgressEvent(progress(offset("a", True), batch=7)))
    assert [(change.batch_id, change.backlog) for change in changes] == [(0, True), (7, True)]


# A real query


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


@pytest.mark.xdist_group("spark")
def test_a_real_query_beside_a_source_of_another_format(queries: SparkQueries, tmp_path: Path) -> None:
    log = tmp_path / "log"
    write_parquet(log, "x", "a", [-100_000, -99_000, 1_500, 2_500])
    (log / "x" / "_FINISHED").touch()
    (log / "_FINISHED").touch()
    changes: list[BacklogChange] = []
    caught_up = threading.Event()

    def changed(change: BacklogChange) -> None:
        changes.append(change)
        if not change.backlog:
            caught_up.set()

    listener = BacklogListener(changed)
    spark = queries.session
    spark.streams.addListener(listener)
    spark.conf.set(WATERMARK_LAG_CONF, "10 seconds")
    try:
        register(spark)
        ours = queries.source(
            path=str(log), eventTimeColumn="time", clockStep="1 second", maxRowsPerTrigger="1"
        )
        rates = spark.readStream.format("rate").load().selectExpr("value AS time", "value AS id")
        writer = ours.union(rates).writeStream.format("noop").queryName("totals")
        query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
        assert caught_up.wait(PATIENCE), (query.exception(), query.lastProgress)
        assert listener.in_backlog("totals") is False
        assert listener.in_backlog(query.id) is False
        query.stop()
    finally:
        spark.streams.removeListener(listener)
        spark.conf.unset(WATERMARK_LAG_CONF)
        register(spark)
    assert [change.backlog for change in changes] == [True, False]
    assert {(change.query_name, change.query_id) for change in changes} == {("totals", query.id)}
