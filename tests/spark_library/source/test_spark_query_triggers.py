"""The listener that passes the trigger of a query to its readers, in real queries on every PySpark."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from spark_programs.queries import PATIENCE, SparkQueries, spark_queries, wait_until

from tidegauge_spark.source.aligned_source import FORMAT
from tidegauge_spark.source.query_triggers import (
    AVAILABLE_NOW,
    ONCE,
    WRAPPER_CONF,
    TriggerListener,
    UnknownTriggerError,
    follow_triggers,
    trigger_of,
)
from tidegauge_spark.spark_version import READ_LIMITS

pytestmark = pytest.mark.xdist_group("spark")

BEFORE_LIMITS = pytest.mark.skipif(READ_LIMITS.exists, reason="this PySpark passes the trigger to a source")


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


@pytest.fixture(name="folder")
def _folder(queries: SparkQueries, tmp_path: Path) -> Iterator[Path]:
    """Yield the folder where a listener of the session writes the triggers of its queries."""
    listener = TriggerListener(queries.session, tmp_path)
    queries.session.streams.addListener(listener)
    yield tmp_path
    queries.session.streams.removeListener(listener)


def is_known(folder: Path, options: dict[str, str]) -> bool:
    try:
        trigger_of(folder, FORMAT, options)
    except UnknownTriggerError:
        return False
    return True


@pytest.mark.parametrize(
    ("trigger", "name"),
    [
        ({"availableNow": True}, AVAILABLE_NOW),
        ({"once": True}, ONCE),
        ({"processingTime": "1 second"}, "ProcessingTimeTrigger"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*[Oo]nce")
def test_the_trigger_is_written_before_the_source_is_created_and_forgotten_at_the_end(
    queries: SparkQueries, folder: Path, tmp_path: Path, trigger: dict[str, object], name: str
) -> None:
    options = {"end": "9", "sourceName": name}
    seen = []

    def take(rows: DataFrame, _: int) -> None:
        rows.collect()
        seen.append(trigger_of(folder, FORMAT, options))

    writer = queries.source(**options).writeStream.foreachBatch(take).trigger(**trigger)
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    query.processAllAvailable()
    query.stop()
    assert set(seen) == {name}
    while is_known(folder, options):  # Spark reports the end of a query a little after it
        assert not query.isActive
    assert [file for file in folder.iterdir() if file.is_file()] == []


def test_equal_sources_under_two_triggers_are_ambiguous_until_one_query_has_ended(
    queries: SparkQueries, folder: Path
) -> None:
    options = {"end": "9", "sourceName": "twice"}
    began, continues = threading.Event(), threading.Event()

    def wait(rows: DataFrame, _: int) -> None:
        rows.collect()
        began.set()
        continues.wait(PATIENCE)

    held = queries.source(**options).writeStream.foreachBatch(wait).trigger(availableNow=True).start()
    assert began.wait(PATIENCE)
    other = queries.source(**options).writeStream.format("noop").trigger(processingTime="1 hour").start()
    if READ_LIMITS.exists:
        with pytest.raises(UnknownTriggerError, match="set the option sourceName in one of them$"):
            trigger_of(folder, FORMAT, options)
        continues.set()
        assert held.awaitTermination(PATIENCE)
        wait_until(lambda: is_known(folder, options), other)
        assert trigger_of(folder, FORMAT, options) == "ProcessingTimeTrigger"
    else:
        with pytest.raises(StreamingQueryException, match="set the option sourceName in one of them"):
            other.awaitTermination(PATIENCE)
        wait_until(lambda: is_known(folder, options), held)
        continues.set()
        assert held.awaitTermination(PATIENCE)
    other.stop()


def test_a_session_has_one_listener_and_runs_another_batch_when_the_watermark_has_risen(
    queries: SparkQueries,
) -> None:
    session = queries.session.newSession()
    folder = follow_triggers(session)
    assert follow_triggers(session) == folder
    assert session.conf.get(WRAPPER_CONF) == "true"
    assert len(session._jsparkSession.streams().listListeners()) == 1


def test_a_query_that_no_listener_has_seen_has_no_known_trigger(tmp_path: Path) -> None:
    for folder in (None, tmp_path):
        with pytest.raises(UnknownTriggerError, match="start the query in the session that was given to"):
            trigger_of(folder, FORMAT, {"end": "9"})


@BEFORE_LIMITS
def test_available_now_over_a_group_is_rejected_with_version_and_remedy(queries: SparkQueries) -> None:
    options = {"recordsPerMillisecond__0": "0.000001", "end": "9"}
    query = queries.start(queries.source(**options), "several batches", available_now=True)
    with pytest.raises(
        StreamingQueryException,
        match=r"Trigger\.AvailableNow .* needs PySpark 4\.2 or later, and PySpark 4\.\d\.\d is installed: leave",
    ):
        query.wait()
