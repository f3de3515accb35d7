"""`ProgressListener`: it receives the same events as PySpark's own listener, with few calls to the JVM."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from py4j.clientserver import ClientServerConnection
from pyspark.sql.functions import max as greatest
from pyspark.sql.streaming.listener import StreamingQueryProgress
from spark_programs.queries import PATIENCE, SparkQueries, spark_queries

from tidegauge_spark.progress_listener import ProgressListener

pytestmark = pytest.mark.xdist_group("spark")


class Recorder(ProgressListener):
    """Records the progress of queries, and the threads in which Spark calls the listener."""

    def __init__(self) -> None:
        self.progress: list[StreamingQueryProgress] = []
        self.threads: set[int] = set()
        self.ended = threading.Event()

    def onQueryStarted(self, event: Any) -> None: ...

    def onQueryProgress(self, event: Any) -> None:
        self.progress.append(event.progress)
        self.threads.add(threading.get_ident())

    def onQueryTerminated(self, event: Any) -> None:
        self.ended.set()


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


def test_a_progress_is_read_in_few_calls(queries: SparkQueries, monkeypatch: pytest.MonkeyPatch) -> None:
    """For comparison: a `StreamingQueryListener` makes 642 calls for this query."""
    calls: list[int] = []
    send = ClientServerConnection.send_command

    def counted(connection: Any, command: str) -> Any:
        calls.append(threading.get_ident())
        return send(connection, command)

    monkeypatch.setattr(ClientServerConnection, "send_command", counted)
    listener = Recorder()
    queries.session.streams.addListener(listener)
    try:
        rows = queries.source(end="9").observe("numbers", greatest("number").alias("greatest"))
        counts = rows.groupBy("subtask").count()
        writer = counts.writeStream.format("noop").outputMode("complete")
        query = writer.option("checkpointLocation", str(queries.folder / "listened")).start()
        query.processAllAvailable()
        query.stop()
        assert listener.ended.wait(PATIENCE)
    finally:
        queries.session.streams.removeListener(listener)
    (thread,) = listener.threads
    assert calls.count(thread) <= 20 * len(listener.progress)
    reported = {each.batchId: each for each in query.recentProgress}
    assert {each.batchId for each in listener.progress} == set(reported)
    for each in listener.progress:
        expected = reported[each.batchId]
        assert (each.eventTime, each.observedMetrics) == (expected.eventTime, expected.observedMetrics)
        assert [one.numRowsTotal for one in each.stateOperators] == [
            one.numRowsTotal for one in expected.stateOperators
        ]
