"""Spark's windows on the exact watermark over topics of Kafka: partitions with gaps, idle ones, runs apart."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from kafka_broker import Broker
from pyspark.sql import DataFrame
from pyspark.sql.functions import col, window
from spark_programs.exact_jobs import Job, aligned
from spark_programs.queries import SparkQueries, aligned_queries, wait_until

from tidegauge_spark import load

pytestmark = [pytest.mark.kafka, pytest.mark.xdist_group("spark")]

START, SECOND, MINUTE = 1_760_000_400_000, 1_000, 60_000
YEAR_2100 = 4_102_444_800_000

NOT_ALIGNED = {"watermarkGroup": None, "maxAllowedWatermarkDrift": None}


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with aligned_queries() as queries:
        yield queries


def produce(broker: Broker, topic: str, partition: int, seconds: Sequence[int]) -> None:
    broker.produce(topic, partition, [START + second * SECOND for second in seconds])


def minutes(queries: SparkQueries, broker: Broker, topic: str, **options: Any) -> DataFrame:
    """Return how many records each partition has in each minute."""
    given = {
        "kafka.bootstrap.servers": broker.address,
        "subscribe": topic,
        "startingOffsets": "earliest",
        "discoveryInterval": "1 second",
        "maxRowsPerTrigger": 100,
        **aligned(topic),
        **options,
    }
    given = {name: value for name, value in given.items() if value is not None}
    rows = load(queries.session.readStream.format("tidegauge").options(**given))
    counts = rows.groupBy(window(options.get("at", "timestamp"), "1 minute"), col("partition")).count()
    return counts.select((col("window.start").cast("long") * 1000).alias("start"), "partition", "count")


def fired(job: Job) -> Counter[tuple[int, int]]:
    found = [((row.start, row.partition), row["count"]) for row in job.rows]
    assert len(dict(found)) == len(found), "a window has fired twice"
    return Counter(dict(found))


def expected(seconds: Mapping[int, Sequence[int]], before: int) -> Counter[tuple[int, int]]:
    """Return what windows have that end at or before a second, by partition."""
    ends = START + before * SECOND
    times = [(START + each * SECOND, partition) for partition, all_ in seconds.items() for each in all_]
    starts = [(time_ // MINUTE * MINUTE, partition) for time_, partition in times]
    return Counter(start for start in starts if start[0] + MINUTE <= ends)


@pytest.mark.parametrize("subtasks", [1, 3])
def test_a_gap_of_ten_minutes_loses_nothing(queries: SparkQueries, broker: Broker, subtasks: int) -> None:
    topic = f"gap-{subtasks}"
    broker.create(topic, 2)
    seconds = {0: [*range(60), *range(660, 730)], 1: [*range(730)]}
    for partition, each in seconds.items():
        produce(broker, topic, partition, each)
    job = Job(queries, f"kafka-{topic}").run(minutes(queries, broker, topic, numSubtasks=subtasks))
    assert fired(job) == expected(seconds, before=720)
    assert job.dropped == 0


def test_a_record_of_the_far_future_takes_nothing_of_other_partitions(
    queries: SparkQueries, broker: Broker
) -> None:
    broker.create("future", 2, message_timestamp_after_max_ms=str(2**63 - 1))
    seconds = {0: [*range(100), 10**9, *range(100, 130)], 1: [*range(730)]}
    for partition, each in seconds.items():
        produce(broker, "future", partition, each)
    job = Job(queries, "kafka-future").run(minutes(queries, broker, "future"))
    found = Counter({place: count for place, count in fired(job).items() if place[1] == 1})
    assert found == expected({1: seconds[1]}, before=720)


@pytest.mark.parametrize("alignment", [True, False], ids=["aligned", "not-aligned"])
def test_records_of_the_year_2100_cost_no_record_behind_a_guard(
    queries: SparkQueries, broker: Broker, alignment: bool
) -> None:
    """They are first, in the middle and last in a partition each; these go on, and the other one loses none."""
    topic = f"guarded-{alignment}"
    broker.create(topic, 4, message_timestamp_after_max_ms=str(2**63 - 1))
    in_2100 = (YEAR_2100 - START) // SECOND
    seconds = {partition: [*range(200)] for partition in range(3)} | {3: [*range(400)]}
    for partition, place in enumerate((0, 100, 200)):
        produce(broker, topic, partition, [*range(place), in_2100, *range(place, 200)])
    produce(broker, topic, 3, seconds[3])
    options = {"maxFutureEventTime": "1 hour", **({} if alignment else NOT_ALIGNED)}
    job = Job(queries, f"kafka-{topic}").run(minutes(queries, broker, topic, **options))
    assert fired(job) == expected(seconds, before=180)
    for partition in range(3):
        produce(broker, topic, partition, [*range(200, 400)])
        seconds[partition] = [*range(400)]
    if alignment:
        options["watermarkGroup"] = f"{topic}-2"
    job.run(minutes(queries, broker, topic, **options))
    assert fired(job) == expected(seconds, before=360)
    assert job.dropped == 0


def test_a_partition_that_is_behind_loses_nothing_in_the_next_run(
    queries: SparkQueries, broker: Broker
) -> None:
    broker.create("behind", 2)
    seconds = {0: [*range(60)], 1: [*range(1450)]}
    for partition, each in seconds.items():
        produce(broker, "behind", partition, each)
    job = Job(queries, "kafka-behind").run(minutes(queries, broker, "behind"))
    produce(broker, "behind", 0, [*range(60, 1450)])
    seconds[0] = [*range(1450)]
    job.run(minutes(queries, broker, "behind", watermarkGroup="behind-2"))
    assert fired(job) == expected(seconds, before=1440)
    assert job.dropped == 0


def test_late_records_are_an_output_of_their_own(queries: SparkQueries, broker: Broker) -> None:
    broker.create("late", 2)
    late = [*range(10, 40)]
    produce(broker, "late", 0, [*range(200), *late, *range(200, 400)])
    produce(broker, "late", 1, [*range(400)])
    options = {"kafka.bootstrap.servers": broker.address, "subscribe": "late", "startingOffsets": "earliest"}
    reader = queries.session.readStream.format("tidegauge").options(lateColumn="is_late", **options)
    rows = load(reader.option("maxRowsPerTrigger", 80))
    late_rows = rows.where("is_late").selectExpr(
        "timestamp AS at", "partition", "1L AS count", "true AS late"
    )
    in_time = rows.where("NOT is_late").groupBy(window("timestamp", "1 minute"), col("partition")).count()
    windows = in_time.selectExpr("window.start AS at", "partition", "count", "false AS late")
    job = Job(queries, "kafka-late").run(windows.unionByName(late_rows))
    told = [row.at.timestamp() - START / SECOND for row in job.rows if row.late]
    assert sorted(told) == late
    assert {row.partition for row in job.rows if row.late} == {0}
    found = Counter(
        {(int(row.at.timestamp() * SECOND), row.partition): row["count"] for row in job.rows if not row.late}
    )
    assert found == expected({0: [*range(400)], 1: [*range(400)]}, before=360)
    assert job.dropped == 0
    assert job.query is not None
    progress = json.loads(job.query.lastProgress.sources[0].latestOffset)
    assert (progress["lateRows"], progress["uncheckedRows"]) == (len(late), 0)


def test_an_idle_partition_holds_back_no_window(queries: SparkQueries, broker: Broker) -> None:
    broker.create("idle", 2)
    seconds = {0: [*range(60)], 1: [*range(400)]}
    for partition, each in seconds.items():
        produce(broker, "idle", partition, each)
    job = Job(queries, "kafka-idle")
    query = job.start(minutes(queries, broker, "idle", idleTimeout="2 seconds"), available_now=False)
    wait_until(lambda: expected(seconds, before=360) <= fired(job), query)
    for partition in seconds:
        produce(broker, "idle", partition, [*range(400, 500)])
        seconds[partition] = [*seconds[partition], *range(400, 500)]
    wait_until(lambda: expected(seconds, before=480) <= fired(job), query)
    query.stop()
    assert fired(job) == expected(seconds, before=480)
