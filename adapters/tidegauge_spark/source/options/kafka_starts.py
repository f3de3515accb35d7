"""The options for the initial position of a query over Kafka, named like those of Spark's own source."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.options.files import starting_timestamp
from tidegauge_spark.source.options.given import GivenOptions, IllegalOptionError
from tidegauge_spark.source.options.kafka_topics import split_name

LATEST: Final = -1
EARLIEST: Final = -2
"""The end and the beginning of a partition, as encoded in the JSON of startingOffsets."""

START_OPTIONS: Final = ("startingOffsets", "startingOffsetsByTimestamp", "startingTimestamp")
"""The options for the initial position; at most one may be set."""

STRATEGY: Final = "startingOffsetsByTimestampStrategy"

_MOST_NAMED: Final = 5


@dataclass(frozen=True)
class KafkaStarts:
    """The initial position of each partition when a query starts for the first time.

    option: the option that was set. is_time: whether the values are record timestamps (ms); otherwise they
    are offsets, `LATEST` or `EARLIEST`. everywhere: the value for all partitions; None if each partition has
    its own. by_partition: the values of the partitions, by split. fails_without_record: whether a partition
    without a record at or after the timestamp is an error; otherwise reading starts at the partition's end.
    """

    option: str = "startingOffsets"
    is_time: bool = False
    everywhere: int | None = LATEST
    by_partition: Mapping[str, int] = field(default_factory=dict)
    fails_without_record: bool = False

    def of(self, splits: Mapping[str, Any]) -> Mapping[str, int]:
        """Return the value of each split.

        Raises `IllegalOptionError` if an option that names partitions does not name exactly these splits.
        """
        if self.everywhere is not None:
            return dict.fromkeys(splits, self.everywhere)
        for names, what in (
            (splits.keys() - self.by_partition.keys(), "it has to name every partition, add"),
            (self.by_partition.keys() - splits.keys(), "it names what is not read, leave out"),
        ):
            if names:
                shown = sorted(names)[:_MOST_NAMED]
                more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
                raise IllegalOptionError(
                    f"option {self.option}: {what} {', '.join(shown)}{more} (topic-partition)"
                )
        return self.by_partition


def parse_starts(given: GivenOptions) -> KafkaStarts:
    """Return the initial positions of a query. Raises `IllegalOptionError`."""
    written = [name for name in START_OPTIONS if name in given]
    if len(written) > 1:
        given.refuse(
            written[-1], given.value(written[-1]), f"{written[0]} says something else; leave one out"
        )
    option = written[0] if written else "startingOffsets"
    if STRATEGY in given and option == "startingOffsets":
        given.refuse(
            STRATEGY, given.value(STRATEGY), "set startingOffsetsByTimestamp as well, or leave it out"
        )
    # Spark's default is "error". startingTimestamp is also an option of files, where it is not an error if a
    # split has no such record.
    strategies = ("latest", "error") if option == "startingTimestamp" else ("error", "latest")
    fails = given.one_of(STRATEGY, strategies) == "error"
    if option == "startingTimestamp":
        return KafkaStarts(option, True, starting_timestamp(given), fails_without_record=fails)
    if option == "startingOffsetsByTimestamp":
        times = _by_partition(given, option, MIN + 1, '{"orders": {"0": 1700000000000}}')
        return KafkaStarts(option, True, None, times, fails)
    if option in given and given.value(option).startswith("{"):
        offsets = _by_partition(given, option, EARLIEST, '{"orders": {"0": 23, "1": -1, "2": -2}}')
        return KafkaStarts(option, False, None, offsets)
    return KafkaStarts(everywhere=_offset_everywhere(given, option))


def _offset_everywhere(given: GivenOptions, option: str) -> int:
    named = {"latest": LATEST, "earliest": EARLIEST}
    written = given.value(option) if option in given else "latest"
    if written.lower() not in named:
        given.refuse(option, written, 'write "latest", "earliest", or JSON such as {"orders": {"0": 23}}')
    return named[written.lower()]


def _by_partition(given: GivenOptions, option: str, least: int, example: str) -> dict[str, int]:
    """Return the whole numbers of an object {topic: {partition: number}}, by split."""
    written = given.value(option)
    try:
        found = {
            split_name(topic, int(_partition(partition))): _number(value, least)
            for topic, partitions in json.loads(written).items()
            for partition, value in partitions.items()
        }
    except (ValueError, AttributeError, RecursionError):
        found = {}
    if not found:
        given.refuse(option, written, f"write JSON such as {example}, with numbers from {least} on")
    return found


def _partition(written: str) -> str:
    if not re.fullmatch(r"0|[1-9][0-9]{0,9}", written):
        raise ValueError("not a partition")
    return written


def _number(value: Any, least: int) -> int:
    if type(value) is not int or not least <= value < MAX:
        raise ValueError("not a number in the range")
    return value
