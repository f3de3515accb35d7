"""The options that select Kafka topics, named like those of Spark's own source."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tidegauge_spark.source.options.given import GivenOptions

TOPIC_OPTIONS: Final = ("subscribe", "subscribePattern", "assign")
"""The options that select topics or partitions; exactly one must be set."""


@dataclass(frozen=True)
class Subscription:
    """The topics or partitions that are read.

    option, written: the option and its value. topics: the names of the topics, empty if there is a pattern.
    pattern: the regular expression that must match the whole topic name; None if the topics are named.
    partitions: the partitions of each topic, empty if all partitions are read.
    """

    option: str
    written: str
    topics: tuple[str, ...] = ()
    pattern: str | None = None
    partitions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the description used in messages and checkpoints."""
        if self.pattern is not None:
            return f"topics of Kafka that match {self.pattern!r}"
        if self.partitions:
            names = [split_name(topic, each) for topic in self.topics for each in self.partitions[topic]]
            return f"partitions {', '.join(names)} of Kafka"
        return f"topics {', '.join(self.topics)} of Kafka"


def parse_subscription(given: GivenOptions) -> Subscription | None:
    """Return the subscription; None if no option sets it. Raises `IllegalOptionError`."""
    options = [name for name in TOPIC_OPTIONS if name in given]
    if not options:
        return None
    option = options[0]
    written = given.text(option) or ""
    if len(options) > 1:
        given.refuse(option, written, f"{options[1]} says something else; leave one out")
    if option == "subscribePattern":
        try:
            re.compile(written)
        except re.error as error:
            given.refuse(
                option, written, f'write a regular expression as Python has it, such as "orders-.*" ({error})'
            )
        return Subscription(option, written, pattern=written)
    if option == "assign":
        partitions = _partitions(given, written)
        return Subscription(option, written, tuple(partitions), partitions=partitions)
    topics = tuple(sorted({name.strip() for name in written.split(",")}))
    if "" in topics:
        given.refuse(option, written, 'write the names of topics, such as "orders,returns"')
    return Subscription(option, written, topics)


def split_name(topic: str, partition: int) -> str:
    """Return the name of the split for a partition."""
    return f"{topic}-{partition}"


def _partitions(given: GivenOptions, written: str) -> dict[str, tuple[int, ...]]:
    """Return the sorted partitions of each topic, from a JSON object {topic: [partition, ...]}."""
    try:
        read = json.loads(written)
        partitions = {topic: tuple(sorted(set(read[topic]))) for topic in sorted(read)}
    except (ValueError, TypeError, RecursionError):
        partitions = {}
    listed = [each for of_topic in partitions.values() for each in of_topic or (None,)]
    if not listed or any(type(each) is not int or each < 0 for each in listed):
        given.refuse("assign", written, 'write JSON such as {"orders": [0, 1], "returns": [2]}')
    return partitions
