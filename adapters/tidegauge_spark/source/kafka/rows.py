"""Kafka messages as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.types import StructType

from tidegauge_spark.source.options.kafka import EVENT_TIME, HEADERS, KafkaOptions
from tidegauge_spark.source.planning.json_times import times_in
from tidegauge_spark.spark_version import to_arrow_in_utc

SPARKS_TIMESTAMP_TYPES: Final = {0: -1, 1: 0, 2: 1}
"""The names of timestamp types in Spark, which are those of Kafka's own client, by the numbers of
confluent-kafka: none, time of creation, time of appending."""


HEADERS_TYPE: Final = to_arrow_in_utc(StructType([HEADERS])).field(0).type


def record_batch(messages: Sequence[Any], options: KafkaOptions) -> Any:
    """Return messages of one partition as an Arrow record batch: see `KafkaOptions.schema`."""
    count, first = len(messages), messages[0]
    stamps = [message.timestamp() for message in messages]
    milliseconds = pa.array([time for _, time in stamps], pa.int64())
    types = [SPARKS_TIMESTAMP_TYPES[kind] for kind, _ in stamps]
    columns = {
        "key": pa.array([message.key() for message in messages], pa.binary()),
        "value": pa.array([message.value() for message in messages], pa.binary()),
        "topic": pa.repeat(pa.scalar(first.topic(), pa.string()), count),
        "partition": pa.repeat(pa.scalar(first.partition(), pa.int32()), count),
        "offset": pa.array([message.offset() for message in messages], pa.int64()),
        "timestamp": milliseconds.cast(pa.timestamp("ms", "UTC")).cast(pa.timestamp("us", "UTC")),
        "timestampType": pa.array(types, pa.int32()),
    }
    if options.include_headers:
        columns[HEADERS.name] = pa.array([_headers(message) for message in messages], HEADERS_TYPE)
    if options.event_time_field is not None:
        columns[EVENT_TIME] = value_times(messages, options.event_time_field, options.event_time_unit)
    return pa.RecordBatch.from_pydict(columns)


def _headers(message: Any) -> list[dict[str, Any]] | None:
    """Return the headers of a message; None if it has none, as in Spark's own source."""
    headers = message.headers()
    return [{"key": key, "value": value} for key, value in headers] if headers else None


def value_times(messages: Sequence[Any], field: str, unit: str | None) -> Any:
    """Return the event times in the values of messages: see `times_in`."""
    return times_in([message.value() for message in messages], field, unit or "ms")
