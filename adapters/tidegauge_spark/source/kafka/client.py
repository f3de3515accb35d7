"""Kafka consumers, and explanations of Kafka errors."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from tidegauge_spark.source.logs.split_log import LostRecordsError
from tidegauge_spark.source.options.given import IllegalOptionError
from tidegauge_spark.source.options.kafka import SERVERS, KafkaOptions
from tidegauge_spark.source.options.kafka_security import PREFIX
from tidegauge_spark.source.planning.broken_log import BrokenLogError

PLANNING: Final = {"fetch.message.max.bytes": 1 << 18, "queued.max.messages.kbytes": 1 << 10}
"""The driver reads short ranges at several offsets, so large fetches would mostly be discarded."""

FOR_ALL: Final = {
    "group.id": "tidegauge",  # required, although the consumer does not join a group
    "enable.auto.commit": False,
    "auto.offset.reset": "error",
    "enable.partition.eof": True,
    "fetch.wait.max.ms": 50,
}

DEFAULTS: Final = {"isolation.level": "read_uncommitted"}
"""The same as in Spark's Kafka source."""

MOST_AT_ONCE: Final = 10_000
_WAIT: Final = 0.1

LOG: Final = logging.getLogger("tidegauge_spark.kafka")
LOG.addHandler(logging.NullHandler())


def client_library() -> Any:
    """Return `confluent_kafka`. Raises `IllegalOptionError` if it is not installed."""
    try:
        import confluent_kafka
    except ImportError as error:
        raise IllegalOptionError(
            "option subscribe: reading Kafka needs confluent-kafka, which is not installed here "
            f"({error}): pip install 'tidegauge-spark[kafka]', on the driver and on all executors"
        ) from error
    return confluent_kafka


def consumer(options: KafkaOptions, own: Mapping[str, Any]) -> Any:
    """Return a new consumer. Raises `IllegalOptionError` for options that the consumer does not know."""
    library = client_library()
    try:
        return library.Consumer({**DEFAULTS, **own, **options.config, **FOR_ALL}, logger=LOG)
    except library.KafkaException as error:
        raise refused(error) from None


def refused(error: Any) -> IllegalOptionError:
    """Return the error for options that the client rejects."""
    return IllegalOptionError(
        f"the options {PREFIX}*: {error.args[0].str()}; they are those of librdkafka, correct or leave out"
    )


def not_reached(options: KafkaOptions, error: Any) -> BrokenLogError:
    """Return the error for brokers that did not answer."""
    return BrokenLogError(
        f"no answer from Kafka at {PREFIX}{SERVERS} = {options.config[SERVERS]!r} within "
        f"{options.patience / 1000:g} s ({error}): correct it, start the broker, or raise brokerTimeout"
    )


def answer(options: KafkaOptions, ask: Callable[[float], Any]) -> Any:
    """Return the brokers' answer to a request.

    ask: sends the request; its argument is the timeout (s). Raises `BrokenLogError` if there is no answer in
    time, or if the brokers reject the request.
    """
    library = client_library()
    try:
        return ask(options.patience / 1000)
    except library.KafkaException as error:
        cause = error.args[0]
        if cause.code() not in passing(library):
            raise BrokenLogError(f"{options.subscription} cannot be read: {cause.str()}") from None
        raise not_reached(options, cause.str()) from None


def messages(
    consumer: Any, options: KafkaOptions, place: Any, end: int, most: int | None = None
) -> Iterator[Any]:
    """Yield lists of a partition's messages, from the offset of `place` to the offset `end`, exclusive.

    most: the number of messages after which the iterator may stop. Offsets may be missing: after compaction,
    or where a transaction ended. An empty list is yielded last if there are no more messages before the end.
    Raises `LostRecordsError` if the first offset no longer exists, and `BrokenLogError` if the brokers do not
    answer.
    """
    library = client_library()
    consumer.assign([place])
    at, waited, left = place.offset, time.monotonic(), MOST_AT_ONCE if most is None else most
    while at < end and left > 0:
        found = []
        for message in consumer.consume(min(left, MOST_AT_ONCE, end - at), _WAIT):
            if message.error() is None:
                at = message.offset() + 1
                if at <= end:
                    found.append(message)
            elif message.error().code() == library.KafkaError._PARTITION_EOF:
                at = max(at, message.offset())
            else:
                _check(library, message.error(), place)
        if found:
            waited = time.monotonic()
            left = left - len(found) if most is not None else left
            yield found
        elif time.monotonic() - waited > options.patience / 1000:
            raise not_reached(options, f"offset {at} of {place.topic}-{place.partition}, which was there")
    if at >= end:
        yield []


def _check(library: Any, error: Any, place: Any) -> None:
    """Raise the exception for an error, unless the client will try again."""
    where = f"offset {place.offset} of partition {place.partition} of the topic {place.topic!r}"
    if error.code() == library.KafkaError._AUTO_OFFSET_RESET:
        raise LostRecordsError(
            f"{where} has vanished before it was read; raise the retention of the topic, or set "
            "failOnDataLoss to false to go on without it"
        )
    if error.fatal() or not (error.retriable() or error.code() in passing(library)):
        raise BrokenLogError(f"{where} cannot be read: {error.str()}")


def passing(library: Any) -> tuple[int, ...]:
    """Return the codes of transient errors: no broker answers at present."""
    kafka = library.KafkaError
    return (kafka._ALL_BROKERS_DOWN, kafka._TRANSPORT, kafka._TIMED_OUT, kafka._RESOLVE)
