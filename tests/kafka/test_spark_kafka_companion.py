"""Spark's own Kafka source with the exact watermark of `watermark_of`: what fires, and what is never
early."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest
from kafka_broker import Broker
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql.functions import col, expr, window
from pyspark.sql.streaming import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamReader
from spark_kafka_jars import set_spark_jars
from spark_programs import companion_program
from spark_programs.companion_program import POINTS
from spark_programs.exact_jobs import Job
from spark_programs.kill_points import kill_session
from spark_programs.queries import PATIENCE, SparkQueries, spark_queries

from tidegauge_spark import BrokenLogError, IllegalOptionError, watermark_of
from tidegauge_spark.source import exact_watermark

set_spark_jars()  # when this module is imported, no session has started

pytestmark = [pytest.mark.kafka, pytest.mark.xdist_group("spark")]

START, SECOND, MINUTE = 1_760_000_400_000, 1_000, 60_000
Seconds = Mapping[int, Sequence[int]]


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


def produce(broker: Broker, topic: str, seconds: Seconds) -> None:
    for partition, each in seconds.items():
        broker.produce(topic, partition, [START + second * SECOND for second in each])


def reader(queries: SparkQueries, broker: Broker, topic: str, **options: Any) -> DataStreamReader:
    given = {"kafka.bootstrap.servers": broker.address, "subscribe": topic, "startingOffsets": "earliest"}
    given = {**given, "maxOffsetsPerTrigger": 150, **options}
    return queries.session.readStream.format("kafka").options(**given)


def minutes(rows: DataFrame, at: str = "timestamp") -> DataFrame:
    """Return how many records each partition of a topic has in each minute."""
    counts = rows.groupBy(window(at, "1 minute"), "topic", "partition").count()
    return counts.select(
        (col("window.start").cast("long") * 1000).alias("start"), "partition", "count", "topic"
    )


def fired(job: Job, topic: str | None = None) -> Counter[tuple[int, int]]:
    rows = [row for row in job.rows if topic in (None, row.topic)]
    found = [((row.start, row.partition), row["count"]) for row in rows]
    assert len(dict(found)) == len(found), "a window has fired twice"
    return Counter(dict(found))


def expected(seconds: Seconds, before: int) -> Counter[tuple[int, int]]:
    """Return what windows have that end at or before a second, by partition."""
    ends = START + before * SECOND
    times = [(START + each * SECOND, partition) for partition, all_ in seconds.items() for each in all_]
    starts = [(time_ // MINUTE * MINUTE, partition) for time_, partition in times]
    return Counter(start for start in starts if start[0] + MINUTE <= ends)


def wait(reached: Callable[[], bool], query: StreamingQuery) -> None:
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert query.isActive, query.exception()
        assert time.monotonic() < deadline, query.lastProgress
        time.sleep(0.1)


def watermarks(job: Job) -> list[int]:
    return [round(datetime.fromisoformat(each).timestamp() * 1000) for each in job.watermarks]


def check_never_ahead(job: Job, seconds: Seconds, out_of_orderness: int = 0) -> None:
    """Compare the watermark of each batch with what Spark's own source had read two batches before."""
    assert job.query is not None
    bounds = []
    for progress in job.query.recentProgress:
        (kafka,) = (each for each in progress.sources if each.description.startswith("KafkaV2"))
        ((_, ends),) = json.loads(kafka.endOffset).items()
        read = {partition: list(each)[: ends[str(partition)]] for partition, each in seconds.items()}
        if all(read.values()):
            latest = min(START + max(each) * SECOND for each in read.values())
            bounds.append(latest - out_of_orderness - 1)
        else:
            bounds.append(0)
    for watermark, bound in zip(watermarks(job), [0, 0, *bounds], strict=False):
        assert watermark <= max(0, bound)


GAP = {0: [*range(60), *range(660, 730)], 1: [*range(730)]}


def test_a_gap_loses_nothing_that_spark_alone_loses(queries: SparkQueries, broker: Broker) -> None:
    broker.create("own-gap", 2)
    produce(broker, "own-gap", GAP)
    plain = reader(queries, broker, "own-gap").load().withWatermark("timestamp", "70 seconds")
    lossy = Job(queries, "own-gap-plain").run(minutes(plain))
    assert lossy.dropped > 0
    job = Job(queries, "own-gap").run(minutes(watermark_of(reader(queries, broker, "own-gap"))))
    assert fired(job) == expected(GAP, before=720)
    assert job.dropped == 0
    check_never_ahead(job, GAP)


def test_a_filter_of_the_query_takes_no_watermark_out_or_the_query_ends(
    queries: SparkQueries, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second query has a filter behind the watermark that Spark merges with the next one."""
    broker.create("own-filtered", 2)
    produce(broker, "own-filtered", GAP)
    source = reader(queries, broker, "own-filtered", maxOffsetsPerTrigger=400)
    job = Job(queries, "own-filtered").run(minutes(watermark_of(source).where("partition = 1")))
    assert fired(job) == expected({1: GAP[1]}, before=720)
    monkeypatch.setattr(exact_watermark, "BARRIER", "false")
    rows = minutes(watermark_of(source).where("partition = 1"))
    with pytest.raises(
        StreamingQueryException, match="the rows that carry the watermark do not reach it: .* ms; use"
    ):
        Job(queries, "own-filtered-early").run(rows)


def test_a_partition_that_is_behind_loses_nothing_in_the_next_run(
    queries: SparkQueries, broker: Broker
) -> None:
    """Partition 2 has no record before the third run: until then no window fires."""
    broker.create("own-behind", 3)
    first = {0: range(60), 1: range(1450)}
    produce(broker, "own-behind", first)
    rows = minutes(watermark_of(reader(queries, broker, "own-behind", maxOffsetsPerTrigger=400)))
    job = Job(queries, "own-behind").run(rows)
    produce(broker, "own-behind", {0: range(60, 1450)})
    job.run(rows)
    assert fired(job) == Counter()
    produce(broker, "own-behind", {2: range(1000, 1450)})
    job.run(minutes(watermark_of(reader(queries, broker, "own-behind"))))
    seconds = {0: range(1450), 1: range(1450), 2: range(1000, 1450)}
    assert fired(job) == expected(seconds, before=1440)
    assert job.dropped == 0


def test_an_idle_partition_holds_back_no_window(queries: SparkQueries, broker: Broker) -> None:
    """Partition 2 is empty at first; then all get records, and none of them is late."""
    broker.create("own-idle", 3)
    seconds: dict[int, list[int]] = {0: [*range(60)], 1: [*range(400)]}
    produce(broker, "own-idle", seconds)
    job = Job(queries, "own-idle")
    rows = watermark_of(reader(queries, broker, "own-idle"), idle_timeout="2 seconds")
    query = job.start(minutes(rows), available_now=False)
    wait(lambda: expected(seconds, before=360) <= fired(job), query)
    later = {partition: [*range(400, 500)] for partition in range(3)}
    produce(broker, "own-idle", later)
    seconds = {partition: [*seconds.get(partition, []), *each] for partition, each in later.items()}
    wait(lambda: expected(seconds, before=480) <= fired(job), query)
    query.stop()
    assert fired(job) == expected(seconds, before=480)
    assert job.dropped == 0


def test_available_now_waits_until_silent_partitions_are_idle(queries: SparkQueries, broker: Broker) -> None:
    broker.create("own-silent", 2)
    seconds = {0: range(60), 1: range(400)}
    produce(broker, "own-silent", seconds)
    rows = watermark_of(reader(queries, broker, "own-silent"), idle_timeout="1 second")
    job = Job(queries, "own-silent").run(minutes(rows))
    assert fired(job) == expected(seconds, before=360)


def test_a_query_that_starts_at_the_end_of_its_topic(queries: SparkQueries, broker: Broker) -> None:
    broker.create("own-latest", 2)
    produce(broker, "own-latest", {0: range(50), 1: range(1000)})
    job = Job(queries, "own-latest")
    rows = minutes(watermark_of(reader(queries, broker, "own-latest", startingOffsets="latest")))
    query = job.start(rows, available_now=False)
    wait(lambda: len(query.recentProgress) > 0, query)
    seconds = {0: [*range(100, 110), *range(500, 700)], 1: [*range(100, 700)]}
    produce(broker, "own-latest", seconds)
    wait(lambda: expected(seconds, before=660) <= fired(job), query)
    query.stop()
    assert fired(job) == expected(seconds, before=660)
    assert job.dropped == 0


@pytest.mark.parametrize("stop_after", [2, 5])
def test_what_a_run_has_read_and_not_reported_counts_in_the_next(
    queries: SparkQueries, broker: Broker, stop_after: int
) -> None:
    """Partition 0 is read to its end in the first batches; the run stops, and no record of it comes later."""
    topic = f"own-stopped-{stop_after}"
    broker.create(topic, 2)
    seconds = {0: [1, 725], 1: [*range(730)]}
    produce(broker, topic, seconds)
    job = Job(queries, topic)
    query = job.start(minutes(watermark_of(reader(queries, broker, topic))))
    wait(lambda: len(job.batches) >= stop_after or not query.isActive, query)
    query.stop()
    job.run(minutes(watermark_of(reader(queries, broker, topic))))
    assert fired(job) == expected(seconds, before=720)
    assert job.dropped == 0


def test_event_times_in_values_may_be_out_of_order(queries: SparkQueries, broker: Broker) -> None:
    """Each record is up to 30 s behind the largest before it; all have one timestamp in Kafka."""
    broker.create("own-values", 2)
    seconds: dict[int, list[int]] = defaultdict(list)
    for partition, all_ in GAP.items():
        for place in range(0, len(all_), 30):
            seconds[partition] += reversed(all_[place : place + 30])
        values = [json.dumps({"at": START + second * SECOND}) for second in seconds[partition]]
        broker.produce_values("own-values", partition, values, START)
    at = expr("timestamp_millis(CAST(get_json_object(CAST(value AS STRING), '$.at') AS BIGINT))")
    rows = watermark_of(reader(queries, broker, "own-values"), at, max_out_of_orderness="30 seconds")
    job = Job(queries, "own-values").run(minutes(rows, "eventTime"))
    assert fired(job) == expected(seconds, before=729 - 30)
    assert job.dropped == 0
    check_never_ahead(job, seconds, 30 * SECOND)


def test_of_two_topics_the_slower_one_counts_and_an_idle_one_does_not(
    queries: SparkQueries, broker: Broker
) -> None:
    for topic in ("own-orders", "own-returns"):
        broker.create(topic, 1)
    orders, returns = {0: [*range(700)]}, {0: [*range(200)]}
    produce(broker, "own-orders", orders)
    produce(broker, "own-returns", returns)
    both = watermark_of(reader(queries, broker, "own-orders")).union(
        watermark_of(reader(queries, broker, "own-returns"), idle_timeout="2 seconds")
    )
    job = Job(queries, "own-two")
    query = job.start(minutes(both), available_now=False)
    wait(lambda: expected(orders, before=660) <= fired(job, "own-orders"), query)
    query.stop()
    assert fired(job, "own-orders") == expected(orders, before=660)
    assert fired(job, "own-returns") == expected(returns, before=660)
    assert job.dropped == 0


def test_a_new_partition_ends_the_query_which_continues_after_a_new_start(
    queries: SparkQueries, broker: Broker
) -> None:
    broker.create("own-grown", 1)
    produce(broker, "own-grown", {0: range(200)})
    job = Job(queries, "own-grown")
    rows = minutes(watermark_of(reader(queries, broker, "own-grown")))
    job.run(rows)
    broker.grow("own-grown", 2)
    produce(broker, "own-grown", {0: range(200, 400), 1: range(300, 400)})
    with pytest.raises(StreamingQueryException, match="the partition own-grown-1 is new since the call of"):
        job.run(rows)
    job.run(minutes(watermark_of(reader(queries, broker, "own-grown"))))
    assert fired(job) == expected({0: range(400), 1: range(300, 400)}, before=360)
    assert job.dropped == 0


def test_what_does_not_fit_is_refused_in_one_line(queries: SparkQueries, broker: Broker) -> None:
    broker.create("own-refused", 1)
    right = reader(queries, broker, "own-refused")
    with pytest.raises(TypeError, match=r"watermark_of\(reader\) calls load\(\) itself"):
        watermark_of(right.load())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"was given a reader of 'rate': it watches Spark's own Kafka source"):
        watermark_of(queries.session.readStream.format("rate"))
    with pytest.raises(IllegalOptionError, match=r"write watermark_of\(reader, idle_timeout='1 minute'\)"):
        watermark_of(reader(queries, broker, "own-refused", idleTimeout="1 minute"))
    with pytest.raises(IllegalOptionError, match="Kafka at '.*' lacks one of these topics"):
        watermark_of(reader(queries, broker, "own-nowhere"))
    with pytest.raises(
        TypeError, match="event_time = 'value' is of type binary: write a timestamp expression"
    ):
        watermark_of(right, "value")
    with pytest.raises(IllegalOptionError, match="leave it out, and set max_out_of_orderness instead"):
        watermark_of(right).withWatermark("timestamp", "1 minute")
    impatient = {"kafka.default.api.timeout.ms": 2_000, "kafka.request.timeout.ms": 1_000}
    nobody = reader(queries, Broker("127.0.0.1:9"), "own-refused", **impatient)
    with pytest.raises(BrokenLogError, match="has not said which partitions there are"):
        watermark_of(nobody)
    pattern = queries.session.readStream.format("kafka").option("kafka.bootstrap.servers", broker.address)
    with pytest.raises(IllegalOptionError, match="option subscribePattern = 'own.*': .* with subscribe"):
        watermark_of(pattern.option("subscribePattern", "own.*"))


def test_a_driver_that_is_killed_loses_nothing_and_fires_nothing_twice(
    queries: SparkQueries, broker: Broker, tmp_path: Path
) -> None:
    """Partition 0 is read to its end early: after the kills its event times are known all the same."""
    broker.create("own-killed", 2)
    seconds = {0: [1, 725], 1: [*range(730)]}
    produce(broker, "own-killed", seconds)
    for batch, point in enumerate(POINTS):
        program = [sys.executable, "-m", "spark_programs.companion_program", str(tmp_path), broker.address]
        driver = subprocess.Popen(
            [*program, "own-killed", point, str(batch)],
            cwd=Path(companion_program.__file__).parent.parent,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            driver.wait(PATIENCE)
        finally:
            kill_session(driver.pid)
            driver.wait()
        assert (tmp_path / f"killed-{point}").exists()
    query = companion_program.start(
        queries.session, tmp_path, broker.address, "own-killed", written=lambda _: None
    )
    assert query.awaitTermination(PATIENCE), query.lastProgress
    tables = [parquet.read_table(file) for file in (tmp_path / "rows").glob("*.parquet")]
    rows = [row for table in tables for row in table.to_pylist()]
    counts = {(row["start"], row["partition"]): row["count"] for row in rows}
    assert len(counts) == len(rows), "a window has fired twice"
    assert Counter(counts) == expected(seconds, before=720)
