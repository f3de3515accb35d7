"""A Kafka reader that `watermark_of` watches: how its topics are observed, and how records are read again."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import array, col, expr
from pyspark.sql.functions import max as max_of

from tidegauge_spark.source.companion.follower import UNKNOWN
from tidegauge_spark.source.options.given import IllegalOptionError
from tidegauge_spark.source.options.kafka import SERVERS
from tidegauge_spark.source.options.kafka_security import PREFIX
from tidegauge_spark.source.planning.broken_log import BrokenLogError, first_line

MAXIMA: Final = "maxima"
"""The field of the observation with the largest event time of each partition (ms), in the order of the names
of the partitions."""

EARLIEST: Final = -2
"""Kafka's name for the first available offset."""


@dataclass
class WatchedReader:
    """A reader of Spark's own Kafka source.

    options: the options of the reader. event_time: the expression for the event time of a record, None: its
    timestamp. column: the event time column of its rows.
    """

    session: SparkSession
    options: Mapping[str, str]
    partitions: tuple[str, ...]
    event_time: Column | None
    column: str

    def with_event_time(self, records: DataFrame) -> DataFrame:
        """Return records of Kafka with the column of the event time."""
        return records if self.event_time is None else records.withColumn(self.column, self.event_time)

    def observed(self, rows: DataFrame, name: str) -> DataFrame:
        """Return the same rows, observed: the progress of their query shows the largest event times under a
        name."""
        millis = f"unix_millis(`{self.column}`)"
        each = [
            max_of(expr(f"CASE WHEN {_is(partition)} THEN {millis} END")) for partition in self.partitions
        ]
        return rows.observe(name, array(*each).alias(MAXIMA))

    def look_up(self, stretches: Mapping[str, tuple[int, int]]) -> dict[str, int]:
        """Return the largest event times between offsets of partitions (ms), read by a Spark job.

        `UNKNOWN` in place of a first offset stands for the offset at which the query began.
        """
        starts, ends = _by_topic(), _by_topic()
        for name, (first, end) in stretches.items():
            topic, _, partition = name.rpartition("-")
            if first == UNKNOWN and self._option("startingOffsets", "latest").lower() != "earliest":
                continue  # from the beginning of the topic would be much more than the query has read
            starts[topic][partition] = EARLIEST if first == UNKNOWN else first
            ends[topic][partition] = end
        if not starts:
            return {}
        own = {name: value for name, value in self.options.items() if name.lower().startswith(PREFIX)}
        places = {"startingOffsets": json.dumps(starts), "endingOffsets": json.dumps(ends)}
        assign = json.dumps({topic: [int(each) for each in places_] for topic, places_ in starts.items()})
        reader = self.session.read.format("kafka").options(
            **own, **places, assign=assign, failOnDataLoss="false"
        )
        rows = self.with_event_time(reader.load())
        latest = max_of(expr(f"unix_millis(`{self.column}`)"))
        found = (
            rows.groupBy("topic", "partition").agg(latest.alias("latest")).where(col("latest").isNotNull())
        )
        return {f"{row.topic}-{row.partition}": row.latest for row in found.collect()}

    def _option(self, name: str, default: str) -> str:
        return {each.lower(): value for each, value in self.options.items()}.get(name.lower(), default)


def partitions_of(session: SparkSession, options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the partitions that a reader reads, "topic-partition", in order.

    Raises `IllegalOptionError` if the options do not name topics that exist, and `BrokenLogError` if Kafka
    does not answer.
    """
    given = {name.lower(): value for name, value in options.items()}
    if "subscribepattern" in given:
        raise IllegalOptionError(
            f"option subscribePattern = {given['subscribepattern']!r}: watermark_of has to know the "
            "partitions when it is called; name the topics with subscribe"
        )
    if "assign" in given:
        assigned = json.loads(given["assign"])
        return tuple(f"{topic}-{number}" for topic in sorted(assigned) for number in sorted(assigned[topic]))
    topics = sorted({name.strip() for name in given.get("subscribe", "").split(",")} - {""})
    if not topics or f"{PREFIX}{SERVERS}" not in given:
        raise IllegalOptionError(
            f"option subscribe: set it, the topics to read, and {PREFIX}{SERVERS} as well, the brokers"
        )
    counts = _partition_counts(session, given, topics)
    return tuple(f"{topic}-{number}" for topic in topics for number in range(counts[topic]))


def _partition_counts(session: SparkSession, options: Mapping[str, str], topics: list[str]) -> dict[str, int]:
    """Return the number of partitions of each topic, from the Kafka client of Spark's source."""
    jvm: Any = session._jvm
    config, names = jvm.java.util.Properties(), jvm.java.util.ArrayList()
    for name, value in options.items():
        if name.startswith(PREFIX):
            config.put(name[len(PREFIX) :], value)
    for topic in topics:
        names.add(topic)
    servers = options[f"{PREFIX}{SERVERS}"]
    try:
        admin = jvm.org.apache.kafka.clients.admin.Admin.create(config)
        try:
            described = admin.describeTopics(names).allTopicNames().get()
            return {topic: described.get(topic).partitions().size() for topic in topics}
        finally:
            admin.close()
    except Exception as error:
        cause = (
            first_line(error.java_exception.toString()) if hasattr(error, "java_exception") else repr(error)
        )
        if "UnknownTopicOrPartition" in cause:
            raise IllegalOptionError(
                f"option subscribe = {','.join(topics)!r}: Kafka at {servers!r} lacks one of these topics; "
                "correct it, or create the topic"
            ) from None
        raise BrokenLogError(
            f"Kafka at {PREFIX}{SERVERS} = {servers!r} has not said which partitions there are ({cause}): "
            f"correct the options {PREFIX}*, or start the broker"
        ) from None


def _is(partition: str) -> str:
    topic, _, number = partition.rpartition("-")
    return (
        f"partition = {number} AND topic = '{topic}'"  # names of topics have letters, digits, ".", "_", "-"
    )


def _by_topic() -> defaultdict[str, dict[str, int]]:
    return defaultdict(dict)
