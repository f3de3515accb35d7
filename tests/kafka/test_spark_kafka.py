"""Real queries on Spark over topics of Kafka."""

from __future__ import annotations

import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from kafka_broker import Broker
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from spark_programs.kill_points import SOURCE_POINTS, STATE_POINTS
from spark_programs.kills import KilledJob, draw_kill
from spark_programs.queries import PATIENCE, SparkQueries, logged_offsets, spark_queries
from spark_programs.shop import Shop

from tidegauge_spark import coordination
from tidegauge_spark.decisions.timestamps import MIN

pytestmark = [pytest.mark.kafka, pytest.mark.xdist_group("spark")]

START = 1_700_000_000_000
DRIFT, GAP = 30_000, 500
"""How far the sources may be apart (ms), and how far two records of a partition are apart at most (ms)."""


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


class Sink:
    """The rows of each batch, by batch: one that is written again replaces itself."""

    def __init__(self, queries: SparkQueries, frame: DataFrame, checkpoint: str) -> None:
        self.batches: dict[int, list[Any]] = {}
        self.checkpoint = queries.folder / checkpoint
        self.frame = frame

    def run(self, stop_after: int | None = None) -> None:
        """Run to the end, or stop somewhere after so many batches."""
        writer = self.frame.writeStream.foreachBatch(self._take).trigger(availableNow=True)
        query = writer.option("checkpointLocation", str(self.checkpoint)).start()
        if stop_after is None:
            assert query.awaitTermination(PATIENCE), query.lastProgress
            return
        deadline = time.monotonic() + PATIENCE
        while len(self.batches) < stop_after and query.isActive:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        query.stop()

    def _take(self, frame: DataFrame, batch: int) -> None:
        self.batches[batch] = frame.collect()

    def records(self) -> dict[tuple[str, int], list[int]]:
        """The offsets that came out of each partition, in the order of the batches."""
        found: dict[tuple[str, int], list[int]] = defaultdict(list)
        for batch in sorted(self.batches):
            for row in sorted(self.batches[batch], key=lambda row: row.offset):
                found[row.topic, row.partition].append(row.offset)
        return dict(found)


def source(queries: SparkQueries, broker: Broker, topic: str, **options: str) -> DataFrame:
    return queries.source(
        kafka__bootstrap__servers=broker.address, subscribe=topic, startingOffsets="earliest", **options
    )


def test_two_topics_are_aligned_and_read_exactly_once_over_a_restart(
    queries: SparkQueries, broker: Broker
) -> None:
    """Orders in four partitions, the last one silent; payments in two, ten minutes behind."""
    behind = 600_000
    broker.create("orders", 4)
    broker.create("payments-of-orders", 2)
    produced = {}
    for partition in range(3):
        produced["orders", partition] = [START + n * (100 + 50 * partition) for n in range(2_000)]
    for partition in range(2):
        produced["payments-of-orders", partition] = [START - behind + n * GAP for n in range(1_500)]
    for (topic, partition), times in produced.items():
        broker.produce(topic, partition, times)
    with coordination() as address:
        group = {
            "watermarkGroup": "shop",
            "maxAllowedWatermarkDrift": "30 seconds",
            "idleTimeout": "2 seconds",
            "coordinator": address,
            "sourcesInQuery": "2",
            "maxRowsPerTrigger": "600",
            "numSubtasks": "2",
        }
        both = source(queries, broker, "orders", **group).union(
            source(queries, broker, "payments-of-orders", **group)
        )
        sink = Sink(queries, both, "two-topics")
        sink.run(stop_after=3)
        assert len(sink.batches) < 12
        later = [START + 400_000 + n * GAP for n in range(20)]
        broker.produce("orders", 0, later)
        produced["orders", 0] += later
        sink.run()
    assert sink.records() == {place: list(range(len(times))) for place, times in produced.items()}
    values = {(row.topic, row.partition, row.offset): row for rows in sink.batches.values() for row in rows}
    for (topic, partition), times in produced.items():
        rows = [values[topic, partition, offset] for offset in range(len(times))]
        assert [row.value for row in rows] == [str(each).encode() for each in times]
        assert [round(row.timestamp.timestamp() * 1000) for row in rows] == times
    assert 0 < furthest_apart(sink, produced) <= DRIFT + GAP


def furthest_apart(sink: Sink, produced: dict[tuple[str, int], list[int]]) -> int:
    """How far the partitions were apart (ms) at the borders of batches, of those with more to read."""
    apart = [0]
    for offsets in zip(*(logged_offsets(sink.checkpoint, number) for number in (0, 1)), strict=True):
        marks = [
            latest
            for offset in offsets
            for split, (_, at, _, latest, _) in offset["splits"].items()
            if latest != MIN and at < len(produced[split.rpartition("-")[0], int(split[-1])]) - 50
        ]
        apart.append(max(marks, default=0) - min(marks, default=0))
    return max(apart)


def test_a_topic_that_comes_to_a_pattern_is_read_from_its_beginning_over_a_restart(
    queries: SparkQueries, broker: Broker
) -> None:
    """The second topic is created while the query is down, with records older than those of the first."""
    broker.create("region-1", 2)
    for partition in range(2):
        broker.produce("region-1", partition, [START + n * GAP for n in range(200)])
    frame = queries.source(
        kafka__bootstrap__servers=broker.address,
        subscribePattern="region-[0-9]+",
        startingOffsets="earliest",
        maxRowsPerTrigger="100",
        includeHeaders="true",
    )
    sink = Sink(queries, frame, "pattern")
    sink.run(stop_after=2)
    broker.create("region-2", 1)
    broker.produce("region-2", 0, [START - 1_000 + n for n in range(50)])
    sink.run()
    assert sink.records() == {
        ("region-1", 0): list(range(200)),
        ("region-1", 1): list(range(200)),
        ("region-2", 0): list(range(50)),
    }


def test_a_topic_that_there_is_not_fails_the_query_in_one_line(queries: SparkQueries, broker: Broker) -> None:
    sink = Sink(queries, source(queries, broker, "nowhere"), "nowhere")
    with pytest.raises(
        StreamingQueryException, match="has no topic 'nowhere'; correct it, or create the topic"
    ):
        sink.run()


# Event times in the values


JSON_OPTIONS = {"eventTimeField": "meta.at", "maxOutOfOrderness": "3 seconds"}
DISORDER = 3_000


def jumbled(times: list[int], seed: int) -> list[int]:
    """Return event times out of order, none by more than `DISORDER`."""
    draw = random.Random(seed)
    return sorted(times, key=lambda time: time + draw.uniform(0, DISORDER))


def json_values(times: list[int], as_text: bool) -> list[str]:
    """Return values with event times in a nested field: whole numbers, or ISO 8601 texts of UTC."""
    told = [datetime.fromtimestamp(time / 1000, UTC).isoformat() if as_text else time for time in times]
    return [json.dumps({"number": number, "meta": {"at": each}}) for number, each in enumerate(told)]


def event_times(rows: list[Any]) -> list[int | None]:
    """Return the column eventTime in ms."""
    return [None if row.eventTime is None else round(row.eventTime.timestamp() * 1000) for row in rows]


def test_event_times_in_json_values_align_partitions_and_come_out_over_a_restart(
    queries: SparkQueries, broker: Broker
) -> None:
    """Out of order, one partition dense, one value in each without an event time.

    The timestamps of the records are all the same: whoever goes by them reads too far.
    """
    broker.create("sensors", 2)
    produced: dict[int, list[int | None]] = {}
    values: dict[int, list[str]] = {}
    for partition, (count, step, none) in enumerate([(12_000, 10, '{"meta": 5}'), (120, 1_000, "no JSON")]):
        times = jumbled([START + n * step for n in range(count)], seed=partition)
        values[partition] = json_values(times, as_text=partition == 1)
        produced[partition] = [*times]
        values[partition][count // 2], produced[partition][count // 2] = none, None
        broker.produce_values("sensors", partition, values[partition], START - 1)
    frame = source(
        queries,
        broker,
        "sensors",
        **JSON_OPTIONS,
        watermarkGroup="sensors",
        maxAllowedWatermarkDrift="30 seconds",
        idleTimeout="1 second",
        maxRowsPerTrigger="4000",
        failOnInvalidTimestamp="false",
    )
    sink = Sink(queries, frame, "sensors")
    sink.run(stop_after=2)
    assert max(sink.records()["sensors", 0]) < 11_999
    later = jumbled([START + 120_000 + n * 100 for n in range(50)], seed=3)
    more = json_values(later, as_text=False)
    broker.produce_values("sensors", 0, more, START - 1)
    produced[0] += later
    values[0] += more
    sink.run()
    rows = sorted((row for batch in sink.batches.values() for row in batch), key=lambda row: row.offset)
    for partition in produced:
        mine = [row for row in rows if row.partition == partition]
        assert [row.value.decode() for row in mine] == values[partition]
        assert event_times(mine) == produced[partition]
    offsets = logged_offsets(sink.checkpoint)
    apart = []
    for offset in offsets:
        unread, latest_of_all = [], []
        for split, (_, at, _, latest, _) in offset["splits"].items():
            times_of_split = produced[int(split[-1])]
            assert latest == max((time for time in times_of_split[:at] if time is not None), default=MIN)
            latest_of_all.append(latest)
            if at < len(times_of_split):
                unread.append(latest)
        apart.append(max(latest_of_all) - min(unread, default=max(latest_of_all)))
    assert 5_000 < max(apart) <= 30_000 + 1_000 + DISORDER
    assert offsets[-1]["watermarks"] == [max(later) - DISORDER - 1]


def test_a_value_without_an_event_time_fails_the_query_and_costs_no_record(
    queries: SparkQueries, broker: Broker
) -> None:
    """The query is not beyond it after a second start, either; then the user lets such records through."""
    broker.create("readings", 1)
    times = [START + n * 1_000 for n in range(100)]
    values = json_values(times, as_text=False)
    values[70] = '{"meta": {"at": null}}'
    broker.produce_values("readings", 0, values, START - 1)
    options = {**JSON_OPTIONS, "maxRowsPerTrigger": "50"}
    sink = Sink(queries, source(queries, broker, "readings", **options), "readings")
    for _ in range(2):
        with pytest.raises(
            StreamingQueryException,
            match=r"the record at offset 70 of readings-0 has no valid event time in the field 'meta\.at' of its",
        ):
            sink.run()
        assert sink.records() in ({("readings", 0): list(range(50))}, {})
    sink.frame = source(queries, broker, "readings", **options, failOnInvalidTimestamp="false")
    sink.run()
    assert sink.records() == {("readings", 0): list(range(100))}
    rows = [row for batch in sorted(sink.batches) for row in sink.batches[batch]]
    assert event_times(rows) == [None if n == 70 else time for n, time in enumerate(times)]
    assert logged_offsets(sink.checkpoint)[-1]["watermarks"] == [times[-1] - DISORDER - 1]


# The shop


def test_the_shop_over_topics_is_as_pandas_has_it_when_its_driver_is_killed(
    queries: SparkQueries, broker: Broker, tmp_path: Path
) -> None:
    """Once while the state of an operator is being committed, once elsewhere; `tox -e faults` has the long run."""
    seed = time.time_ns()
    print("random.Random seed", seed)
    draw = random.Random(seed)
    job = KilledJob(tmp_path, Shop(60, broker.address))
    for point in (draw.choice(list(STATE_POINTS)), draw.choice(list(SOURCE_POINTS))):
        kill = draw_kill(draw, Shop.points, point)
        job.run(kill)
        print(kill, job.progress())
    job.finish(queries)
    print(job.check())
