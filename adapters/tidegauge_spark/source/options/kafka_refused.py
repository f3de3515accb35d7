"""The options of Spark's own Kafka source that this source does not have, each with its remedy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tidegauge_spark.source.options.given import IllegalOptionError, shown_value

_NO_END: Final = (
    "a stream has no end, as in Spark; leave it out, and use trigger(availableNow=True) to read up to the "
    "records that exist"
)
_NO_LEAST: Final = "a batch begins as soon as there are records; set the trigger of the query instead"
_NO_RETRIES: Final = "the client repeats its requests until brokerTimeout; set that instead"

REFUSED: Final = {
    "endingOffsets": _NO_END,
    "endingOffsetsByTimestamp": _NO_END,
    "endingTimestamp": _NO_END,
    "maxOffsetsPerTrigger": "set maxRowsPerTrigger instead, the maximum number of rows in a batch",
    "minOffsetsPerTrigger": _NO_LEAST,
    "maxTriggerDelay": _NO_LEAST,
    "minPartitions": "a batch has one partition for each subtask with records; set numSubtasks instead, "
    "up to the number of partitions of the topics",
    "maxRecordsPerPartition": "set numSubtasks instead, the number of partitions of a batch, and "
    "maxRowsPerTrigger, its maximum number of rows",
    "groupIdPrefix": "the source joins no consumer group; leave it out",
    "kafkaConsumer.pollTimeoutMs": "set brokerTimeout instead",
    "fetchOffset.numRetries": _NO_RETRIES,
    "fetchOffset.retryIntervalMs": _NO_RETRIES,
}


def refuse_options_of_spark(options: Mapping[str, str]) -> None:
    """Raise `IllegalOptionError` for an option that only Spark's own Kafka source has."""
    spelled = {name.lower(): name for name in REFUSED}
    for written, value in options.items():
        name = spelled.get(written.lower())
        if name is not None:
            raise IllegalOptionError(f"option {name} = {shown_value(name, value)!r}: {REFUSED[name]}")
