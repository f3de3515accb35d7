"""Messages of Kafka as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa

SPARKS_TIMESTAMP_TYPES: Final = {0: -1, 1: 0, 2: 1}
"""What Spark, as Kafka's own client, calls the types of timestamps, by the numbers of confluent-kafka: none,
the time of creation, the time of appending."""


def record_batch(messages: Sequence[Any]) -> Any:
    """Return messages of one partition as an Arrow record batch, with the columns of `KafkaLog.schema`."""
    count, first = len(messages), messages[0]
    stamps = [message.timestamp() for message in messages]
    milliseconds = pa.array([time for _, time in stamps], pa.int64())
    types = [SPARKS_TIMESTAMP_TYPES[kind] for kind, _ in stamps]
    return pa.RecordBatch.from_pydict(
        {
            "key": pa.array([message.key() for message in messages], pa.binary()),
            "value": pa.array([message.value() for message in messages], pa.binary()),
            "topic": pa.repeat(pa.scalar(first.topic(), pa.string()), count),
            "partition": pa.repeat(pa.scalar(first.partition(), pa.int32()), count),
            "offset": pa.array([message.offset() for message in messages], pa.int64()),
            "timestamp": milliseconds.cast(pa.timestamp("ms", "UTC")).cast(pa.timestamp("us", "UTC")),
            "timestampType": pa.array(types, pa.int32()),
        }
    )
