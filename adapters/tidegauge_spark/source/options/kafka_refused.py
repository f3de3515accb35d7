"""Unsupported options of Spark's own Kafka source and of the Java client, each with a remedy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tidegauge_spark.source.options.given import IllegalOptionError, shown_value
from tidegauge_spark.source.options.kafka_security import PREFIX

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

_NO_CLASSES: Final = "the client is librdkafka, which has no classes of Java; leave it out"
_OPENSSL: Final = "the client is librdkafka, and OpenSSL chooses; leave it out"

REFUSED_OF_JAVA: Final = {
    "key.deserializer": "keys are binary, as in Spark's own source; cast the column in the query",
    "value.deserializer": "values are binary, as in Spark's own source; cast the column in the query",
    "max.poll.records": "set maxRowsPerTrigger instead, the maximum number of rows in a batch",
    "request.timeout.ms": "set brokerTimeout instead",
    "default.api.timeout.ms": "set brokerTimeout instead",
    "interceptor.classes": _NO_CLASSES,
    "metric.reporters": _NO_CLASSES,
    "sasl.client.callback.handler.class": _NO_CLASSES,
    "sasl.login.callback.handler.class": _NO_CLASSES,
    "sasl.login.class": _NO_CLASSES,
    "ssl.engine.factory.class": _NO_CLASSES,
    "ssl.enabled.protocols": _OPENSSL,
    "ssl.keymanager.algorithm": _OPENSSL,
    "ssl.protocol": _OPENSSL,
    "ssl.provider": _OPENSSL,
    "ssl.secure.random.implementation": _OPENSSL,
    "ssl.trustmanager.algorithm": _OPENSSL,
}


def refuse_options_of_java(config: Mapping[str, str]) -> None:
    """Raise `IllegalOptionError` for an option that only the Java client has.

    config: the options without the prefix.
    """
    for name, value in config.items():
        if name in REFUSED_OF_JAVA:
            raise IllegalOptionError(
                f"option {PREFIX}{name} = {shown_value(name, value)!r}: {REFUSED_OF_JAVA[name]}"
            )


def refuse_options_of_spark(options: Mapping[str, str]) -> None:
    """Raise `IllegalOptionError` for an option that only Spark's own Kafka source has."""
    spelled = {name.lower(): name for name in REFUSED}
    for written, value in options.items():
        name = spelled.get(written.lower())
        if name is not None:
            raise IllegalOptionError(f"option {name} = {shown_value(name, value)!r}: {REFUSED[name]}")
