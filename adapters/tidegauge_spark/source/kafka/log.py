"""The Kafka topics that a source reads, as a `SplitLog`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pyspark.sql.types import StructType

from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.kafka.client import PLANNING, answer, client_library, consumer, messages
from tidegauge_spark.source.kafka.lookups import NO_ID, Lookups
from tidegauge_spark.source.kafka.rows import record_batch, value_times
from tidegauge_spark.source.logs.split_log import RecordTimes, SplitLog, SplitRange
from tidegauge_spark.source.options.given import IllegalOptionError
from tidegauge_spark.source.options.kafka import EVENT_TIME, KafkaOptions
from tidegauge_spark.source.options.kafka_starts import EARLIEST, LATEST, STRATEGY
from tidegauge_spark.source.options.kafka_topics import split_name
from tidegauge_spark.source.planning.broken_log import BrokenLogError
from tidegauge_spark.source.planning.event_times import maybe_seconds, milliseconds

TIMES_AT_ONCE: Final = 2_000
"""The number of records whose event times the driver reads at once; beyond that it looks up offsets by
time."""

_readers: Final[dict[tuple[Any, ...], Any]] = {}
"""The consumers of this process, an executor's. They are cached because connecting takes time."""


class KafkaLog(SplitLog):
    """Kafka topics. A split is named "topic-partition". Positions are offsets.

    The event time of a record is its timestamp, or a field of its value, which is then a JSON object. With
    isolation.level "read_committed" a split ends at the last finished transaction.
    """

    def __init__(self, options: KafkaOptions) -> None:
        self._options = options
        self._partitions: list[Any] = []
        self._generations: Mapping[str, str] = {}
        self._looked_at: float | None = None
        self._lookups = Lookups(options)
        self._consumer: Any = None
        self._ranges: Mapping[str, SplitRange] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the options only: connections are made where they are needed."""
        return KafkaLog, (self._options,)

    @property
    def identity(self) -> str:
        """The topics and the source of the event time. The brokers may change over a restart."""
        field = self._options.event_time_field
        event_time = "" if field is None else f", event time from eventTimeField {field}"
        return f"{self._options.subscription}{event_time}"

    @property
    def schema(self) -> StructType:
        """The columns of Spark's own Kafka source, and the column of an event time in the value."""
        return self._options.schema

    @property
    def event_time_column(self) -> str:
        """The timestamp of the record, or the time in its value."""
        return "timestamp" if self._options.event_time_field is None else EVENT_TIME

    def splits(self) -> Mapping[str, SplitRange]:
        """Return the partitions and their first and next offsets.

        Raises `IllegalOptionError` for a topic or partition that does not exist, `BrokenLogError` if no
        broker answers.
        """
        places = self._found_partitions()
        begins, ends = (self._lookups.offsets(places, which) for which in ("earliest", "latest"))
        self._ranges = {
            split_name(place.topic, place.partition): SplitRange(begin, max(begin, end))
            for place, begin, end in zip(places, begins, ends, strict=True)
        }
        return self._ranges

    def generations(self) -> Mapping[str, str]:
        """Return the topic ids, looked up after each discovery interval; none before Kafka 2.8."""
        self._found_partitions()
        return self._generations

    def starts(self) -> Mapping[str, int]:
        """Return the initial offsets for a first start; see `KafkaStarts`.

        Raises `IllegalOptionError` if the options do not fit the partitions.
        """
        ranges = self.splits()
        return {
            split: self._start(split, value, ranges[split])
            for split, value in self._options.starts.of(ranges).items()
        }

    def _start(self, split: str, value: int, range_: SplitRange) -> int:
        """Return the initial offset of a split from an offset or a timestamp."""
        starts = self._options.starts
        if starts.is_time:
            offset = self._offset_at(split, value)
            if offset is None and starts.fails_without_record:
                raise IllegalOptionError(
                    f"option {starts.option}: {split} has no record of the time {value} or a later one; "
                    f"correct it, or set {STRATEGY} to latest to begin at the end of the partition"
                )
            return range_.end if offset is None else min(offset, range_.end)
        if value > range_.end:
            raise IllegalOptionError(
                f"option {starts.option}: {split} ends before the offset {value}, at {range_.end}; correct "
                f"it, or write {LATEST} for the end"
            )
        return {EARLIEST: range_.begin, LATEST: range_.end}.get(value, value)

    def event_times(self, split: str, first: int, end: int) -> RecordTimes:
        """Return the event times of the next records: up to `TIMES_AT_ONCE` of them.

        Raises `BrokenLogError` for a record without a valid event time in its value, unless that is allowed.
        """
        positions: list[int] = []
        times: list[int] = []
        place, until = self._place(split, first), first
        for found in messages(self._plans(), self._options, place, end, TIMES_AT_ONCE):
            positions += [message.offset() for message in found]
            times += self._times(split, found)
            until = positions[-1] + 1 if found else end
        return RecordTimes(positions, times, until)

    def seek(self, split: str, time: int) -> int | None:
        """Return the first offset whose record has this timestamp or a later one.

        None if the event time is in the value: brokers know only the timestamp.
        """
        if self._options.event_time_field is not None:
            return None
        offset = self._offset_at(split, time)
        return self._ranges[split].end if offset is None else offset

    def _offset_at(self, split: str, time: int) -> int | None:
        """Return the offset of the first record at or after this timestamp; None if there is none."""
        place = self._place(split, max(0, time))
        options = self._options
        found = answer(options, lambda seconds: self._plans().offsets_for_times([place], seconds))[0]
        if found.error is not None:
            raise BrokenLogError(f"{split} of {self.identity} cannot be read: {found.error.str()}")
        return int(found.offset) if found.offset >= 0 else None

    def _times(self, split: str, messages: list[Any]) -> list[int]:
        """Return the event times of messages (ms), `MIN` where there is none."""
        field, unit = self._options.event_time_field, self._options.event_time_unit
        if field is None:
            return [message.timestamp()[1] for message in messages]
        times: list[int | None] = milliseconds(value_times(messages, field, unit)).to_pylist()
        if None in times and self._options.fail_on_invalid_timestamp:
            offset = messages[times.index(None)].offset()
            raise BrokenLogError(
                f"the record at offset {offset} of {split} has no valid event time in the field {field!r} of "
                "its value (no JSON object, or neither a whole number nor an ISO 8601 text there): correct "
                "it, or set failOnInvalidTimestamp to false to let such records through"
            )
        valid = [time for time in times if time is not None]
        if unit is None and valid and maybe_seconds(min(valid)) and maybe_seconds(max(valid)):
            raise BrokenLogError(
                f"the field {field!r} of values in {split} has times such as {valid[0]}, which look like "
                'seconds since 1970: set eventTimeUnit to "s", or to "ms" if they are milliseconds'
            )
        return [MIN if time is None else time for time in times]

    def read(self, split: str, first: int, end: int) -> Iterator[Any]:
        """Yield the records with these offsets."""
        key = tuple(sorted(self._options.config.items()))
        if key not in _readers:
            _readers[key] = consumer(self._options, {})
        for found in messages(_readers[key], self._options, self._place(split, first), end):
            if found:
                yield record_batch(found, self._options)

    def close(self) -> None:
        """Close the connections to the brokers."""
        if self._consumer is not None:
            self._consumer.close()
        self._consumer = None
        self._lookups.close()

    def _plans(self) -> Any:
        """Return the consumer that reads timestamps."""
        if self._consumer is None:
            self._consumer = consumer(self._options, PLANNING)
        return self._consumer

    def _place(self, split: str, offset: int) -> Any:
        topic, _, partition = split.rpartition("-")
        return client_library().TopicPartition(topic, int(partition), offset)

    def _found_partitions(self) -> list[Any]:
        """Return the partitions; they are looked up again after the discovery interval."""
        now = time.monotonic()
        if self._looked_at is None or now - self._looked_at >= self._options.discovery_interval / 1000:
            topics = self._lookups.topics()
            assigned = self._options.subscription.partitions
            self._partitions = [
                client_library().TopicPartition(topic.name, partition)
                for topic in topics
                for partition in assigned.get(topic.name) or sorted(each.id for each in topic.partitions)
            ]
            ids = {topic.name: str(topic.topic_id) for topic in topics}
            self._generations = {name: id_ for name, id_ in ids.items() if id_ != NO_ID}
            self._looked_at = now
        return self._partitions
