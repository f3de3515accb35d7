"""The rows of a topic are the same as those of Spark's own Kafka source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Producer
from kafka_broker import Broker
from pyspark.sql import DataFrame
from spark_kafka_jars import set_spark_jars
from spark_programs.queries import PATIENCE, SparkQueries, spark_queries

set_spark_jars()  # on import, before any session has started

pytestmark = [pytest.mark.kafka, pytest.mark.xdist_group("spark")]


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


def rows_of(queries: SparkQueries, frame: DataFrame) -> list[Any]:
    """Return the rows of a stream that terminates."""
    rows: list[Any] = []
    writer = frame.writeStream.foreachBatch(lambda batch, _: rows.extend(batch.collect()))
    writer = writer.option("checkpointLocation", str(queries.folder / "columns"))
    assert writer.trigger(availableNow=True).start().awaitTermination(PATIENCE)
    return sorted(rows, key=lambda row: row.offset)


def test_columns_and_headers_are_those_of_spark(queries: SparkQueries, broker: Broker) -> None:
    broker.create("headers", 1)
    producer = Producer({"bootstrap.servers": broker.address})
    for headers in ([("trace", b"\x00\xff"), ("trace", None), ("", b"")], [], None):
        producer.produce("headers", b"value", key=b"key", headers=headers, timestamp=1_700_000_000_000)
    assert producer.flush(PATIENCE) == 0
    options = {
        "kafka.bootstrap.servers": broker.address,
        "subscribe": "headers",
        "startingOffsets": "earliest",
        "includeHeaders": "true",
    }
    own = queries.session.read.format("kafka").options(**options).load()
    ours = queries.session.readStream.format("tidegauge").options(**options).load()
    assert ours.schema.simpleString() == own.schema.simpleString()
    rows = rows_of(queries, ours)
    assert rows == own.orderBy("offset").collect()
    assert rows[0].headers[0] == ("trace", bytearray(b"\x00\xff"))
