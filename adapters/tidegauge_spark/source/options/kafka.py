"""The options of a source over Kafka topics, named like those of Spark's own source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from tidegauge_spark.source.options.files import DISCOVERY_INTERVAL, UNITS
from tidegauge_spark.source.options.given import GivenOptions, IllegalOptionError
from tidegauge_spark.source.options.kafka_refused import refuse_options_of_java
from tidegauge_spark.source.options.kafka_security import PREFIX, with_names_of_librdkafka
from tidegauge_spark.source.options.kafka_starts import START_OPTIONS, STRATEGY, KafkaStarts, parse_starts
from tidegauge_spark.source.options.kafka_topics import TOPIC_OPTIONS, Subscription, parse_subscription

KAFKA_OPTIONS: Final = (
    *TOPIC_OPTIONS,
    *START_OPTIONS,
    STRATEGY,
    "discoveryInterval",
    "brokerTimeout",
    "includeHeaders",
    "eventTimeField",
    "eventTimeUnit",
    "failOnInvalidTimestamp",
)

OWN_OPTIONS: Final = (
    "startingOffsets",
    "startingOffsetsByTimestamp",
    STRATEGY,
    "brokerTimeout",
    "includeHeaders",
    "eventTimeField",
)
"""The options that require a topic; the others are also options of files."""

SERVERS: Final = "bootstrap.servers"

FIXED: Final = (
    "group.id",
    "enable.auto.commit",
    "enable.auto.offset.store",
    "auto.offset.reset",
    "enable.partition.eof",
)
"""Options that the source sets itself: its offsets are in the checkpoint of the query."""

DEFAULT_PATIENCE: Final = 60_000
"""The default of brokerTimeout (ms)."""

MOST_PATIENCE: Final = 3_600_000
"""The maximum of brokerTimeout (ms): the client rejects requests with a longer timeout."""

KAFKA_SCHEMA: Final = StructType(
    [
        StructField("key", BinaryType()),
        StructField("value", BinaryType()),
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("offset", LongType()),
        StructField("timestamp", TimestampType()),
        StructField("timestampType", IntegerType()),
    ]
)
"""The columns of a record, the same as those of Spark's own Kafka source."""

HEADERS: Final = StructField(
    "headers", ArrayType(StructType([StructField("key", StringType()), StructField("value", BinaryType())]))
)
"""The additional column for includeHeaders, the same as in Spark's own Kafka source."""

EVENT_TIME: Final = "eventTime"
"""The additional column if the event time is in the value of the record."""


@dataclass(frozen=True)
class KafkaOptions:
    """The partitions of a source over Kafka, validated.

    config: the configuration of the client. subscription: the partitions to read. starts: the initial
    position of each partition when the query starts for the first time. discovery_interval: the maximum time
    until new topics and partitions are detected (ms). patience: how long to wait for the brokers (ms).
    event_time_field: the field of a JSON value that contains the event time; None: the event time is the
    timestamp of the record. event_time_unit: the unit of a whole number in that field; None: not set.
    fail_on_invalid_timestamp: whether a value without a valid event time is an error. include_headers:
    whether rows contain the headers.
    """

    config: Mapping[str, str] = field(repr=False)  # it may contain a password
    subscription: Subscription
    starts: KafkaStarts
    discovery_interval: int
    patience: int
    event_time_field: str | None = None
    event_time_unit: str | None = None
    fail_on_invalid_timestamp: bool = True
    include_headers: bool = False

    @property
    def schema(self) -> StructType:
        """The columns of a record."""
        headers = [HEADERS] if self.include_headers else []
        event_time = [] if self.event_time_field is None else [StructField(EVENT_TIME, TimestampType())]
        return StructType([*KAFKA_SCHEMA.fields, *headers, *event_time])


def kafka_config(options: Mapping[str, str]) -> dict[str, str]:
    """Return the options for the Kafka client, librdkafka, without the prefix.

    Raises `IllegalOptionError`.
    """
    config = {
        name[len(PREFIX) :].lower(): value
        for name, value in options.items()
        if name.lower().startswith(PREFIX)
    }
    for name in FIXED:
        if name in config:
            raise IllegalOptionError(
                f"option {PREFIX}{name} = {config[name]!r}: the source decides that itself, since the "
                "offsets are in the checkpoint; leave it out (see startingOffsets)"
            )
    config = with_names_of_librdkafka(config)
    refuse_options_of_java(config)
    return config


def parse_kafka(given: GivenOptions, config: Mapping[str, str]) -> KafkaOptions | None:
    """Return the options about Kafka, None if the source does not read Kafka. Raises `IllegalOptionError`."""
    subscription = parse_subscription(given)
    if subscription is None:
        for name in OWN_OPTIONS:
            given.require(name, "subscribe")
        if config:
            raise IllegalOptionError(
                f"option {PREFIX}{next(iter(config))}: set subscribe as well, the topics to read, or "
                "leave it out"
            )
        return None
    if not config.get(SERVERS):
        given.refuse(
            subscription.option, subscription.written, f'set {PREFIX}{SERVERS} as well, such as "broker:9092"'
        )
    for name in ("eventTimeUnit", "failOnInvalidTimestamp"):
        given.require(name, "eventTimeField")
    if (given.duration("brokerTimeout") or 0) > MOST_PATIENCE:
        given.refuse("brokerTimeout", given.value("brokerTimeout"), "write a duration of at most 1 hour")
    interval, patience = given.duration("discoveryInterval"), given.duration("brokerTimeout", least=1)
    return KafkaOptions(
        config=config,
        subscription=subscription,
        starts=parse_starts(given),
        discovery_interval=DISCOVERY_INTERVAL if interval is None else interval,
        patience=DEFAULT_PATIENCE if patience is None else patience,
        event_time_field=given.text("eventTimeField"),
        event_time_unit=given.one_of("eventTimeUnit", UNITS) if "eventTimeUnit" in given else None,
        fail_on_invalid_timestamp=given.boolean("failOnInvalidTimestamp", default=True),
        include_headers=given.boolean("includeHeaders", default=False),
    )
