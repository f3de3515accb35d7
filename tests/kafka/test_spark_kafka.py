"""Real queries on Spark over topics of Kafka."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from kafka_broker import Broker
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from spark_programs.queries import PATIENCE, SparkQueries, logged_offsets, spark_queries

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
            "sourcesInGroup": "2",
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


def test_a_topic_that_there_is_not_fails_the_query_in_one_line(queries: SparkQueries, broker: Broker) -> None:
    sink = Sink(queries, source(queries, broker, "nowhere"), "nowhere")
    with pytest.raises(
        StreamingQueryException, match="has no topic 'nowhere'; correct it, or create the topic"
    ):
        sink.run()
