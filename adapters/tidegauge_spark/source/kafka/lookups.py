"""Lookups of topics and offsets at the Kafka brokers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, Final

from tidegauge_spark.source.kafka.client import answer, client_library, passing
from tidegauge_spark.source.kafka.connecting import connected_admin
from tidegauge_spark.source.options.given import IllegalOptionError
from tidegauge_spark.source.options.kafka import SERVERS, KafkaOptions
from tidegauge_spark.source.planning.broken_log import BrokenLogError

NO_ID: Final = "AAAAAAAAAAAAAAAAAAAAAA"
"""The topic id if the broker does not support ids: 16 zero bytes in Base64."""


class Lookups:
    """The driver's client for lookups. It connects on first use."""

    def __init__(self, options: KafkaOptions) -> None:
        self._options = options
        self._client: Any = None

    def topics(self) -> list[Any]:
        """Return the descriptions of the topics that are read, in order of name.

        Raises `IllegalOptionError` for a named topic or partition that does not exist, `BrokenLogError` if no
        broker answers.
        """
        subscription = self._options.subscription
        if subscription.pattern is None:
            topics = self._described(subscription.topics)
        else:
            matching = self._described(self._matching(subscription.pattern))
            topics = [topic for topic in matching if not topic.is_internal]
        for topic in topics:
            there = {partition.id for partition in topic.partitions}
            for partition in subscription.partitions.get(topic.name, ()):
                if partition not in there:
                    raise self._missing(f"no partition {partition} of the topic {topic.name!r}")
        return topics

    def offsets(self, places: Sequence[Any], which: str) -> list[int]:
        """Return the "earliest" or "latest" offsets of partitions. The latest is that of the next record."""
        levels = client_library().IsolationLevel
        from confluent_kafka.admin import OffsetSpec

        committed = self._options.config.get("isolation.level") == "read_committed"
        level = levels.READ_COMMITTED if committed else levels.READ_UNCOMMITTED
        wanted = {place: getattr(OffsetSpec, which)() for place in places}

        def ask(seconds: float) -> list[int]:
            asked: dict[Any, Future[Any]] = self._connected().list_offsets(
                wanted, isolation_level=level, request_timeout=seconds
            )
            return [asked[place].result().offset for place in places]

        offsets: list[int] = answer(self._options, ask) if places else []
        return offsets

    def close(self) -> None:
        """Close the connection to the brokers."""
        self._client = None

    def _connected(self) -> Any:
        if self._client is None:
            self._client = connected_admin(self._options)
        return self._client

    def _matching(self, pattern: str) -> list[str]:
        """Return the topics whose whole name matches a regular expression, as in Spark."""
        found = answer(self._options, lambda seconds: self._connected().list_topics(timeout=seconds))
        return sorted(name for name in found.topics if re.fullmatch(pattern, name))

    def _described(self, names: Sequence[str]) -> list[Any]:
        library = client_library()

        def ask(seconds: float) -> list[Any]:
            wanted = library.TopicCollection(list(names))
            asked = self._connected().describe_topics(wanted, request_timeout=seconds)
            return [topic for name in names if (topic := self._answered(name, asked[name])) is not None]

        described: list[Any] = answer(self._options, ask) if names else []
        return described

    def _answered(self, name: str, asked: Future[Any]) -> Any:
        """Return the description of a topic; None if a topic that matched the pattern no longer exists."""
        library = client_library()
        try:
            return asked.result()
        except library.KafkaException as error:
            cause = error.args[0]
            if cause.code() == library.KafkaError.UNKNOWN_TOPIC_OR_PART:
                if self._options.subscription.pattern is not None:
                    return None
                raise self._missing(f"no topic {name!r}") from None
            if cause.code() in passing(library):
                raise
            raise BrokenLogError(f"the topic {name!r} cannot be read: {cause.str()}") from None

    def _missing(self, what: str) -> IllegalOptionError:
        """Return the error for a topic or partition that does not exist."""
        subscription = self._options.subscription
        return IllegalOptionError(
            f"option {subscription.option} = {subscription.written!r}: Kafka at "
            f"{self._options.config[SERVERS]!r} has {what}; correct it, or create the topic"
        )
