"""The options of sources over Kafka, as far as no broker is needed: one clear line for each mistake."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import pytest
from kafka_broker import free_port

from tidegauge_spark import BrokenLogError, IllegalOptionError
from tidegauge_spark.source.kafka.log import KafkaLog
from tidegauge_spark.source.options.source import parse_options

SERVERS = {"kafka.bootstrap.servers": "127.0.0.1:9"}


def kafka_log(**options: str) -> KafkaLog:
    named = {name.replace("__", "."): value for name, value in options.items()}
    parsed = parse_options({**SERVERS, "subscribe": "a", **named})
    assert parsed.kafka is not None
    return KafkaLog(parsed.kafka)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"subscribe": "a"}, "option subscribe = 'a': set kafka.bootstrap.servers as well, such as \"broker"),
        (SERVERS, "option kafka.bootstrap.servers: set subscribe as well"),
        ({**SERVERS, "subscribe": "a,,b"}, "option subscribe = 'a,,b': write the names of topics"),
        (
            {**SERVERS, "subscribe": "a", "kafka.group.id": "mine"},
            "option kafka.group.id = 'mine': the source decides that itself",
        ),
        (
            {**SERVERS, "subscribe": "a", "startingOffsets": "newest"},
            'option startingOffsets = \'newest\': write "latest" or "earliest"',
        ),
        (
            {**SERVERS, "subscribe": "a", "startingOffsets": "latest", "startingTimestamp": "5"},
            "option startingTimestamp = '5': startingOffsets says something else; leave one out",
        ),
        (
            {**SERVERS, "subscribe": "a", "path": "/x"},
            "option path = '/x': the source reads a log that has no",
        ),
        ({**SERVERS, "subscribe": "a", "end": "5"}, "option end = '5': it is of number sequences, and the"),
        ({"startingOffsets": "latest"}, "option startingOffsets = 'latest': set subscribe as well, or leave"),
        (
            {**SERVERS, "subscribe": "a", "progressColumn": "VALUE"},
            "option progressColumn = 'VALUE': there is",
        ),
    ],
)
def test_wrong_options_are_refused_in_one_line(options: Mapping[str, str], message: str) -> None:
    with pytest.raises(IllegalOptionError) as error:
        parse_options(options)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_an_option_that_the_client_does_not_know_is_named() -> None:
    with pytest.raises(
        IllegalOptionError, match=r"the options kafka\.\*: .*\"no.such.thing\"; they are those"
    ):
        kafka_log(kafka__no__such__thing="1").splits()


def test_brokers_that_do_not_answer_fail_after_the_patience() -> None:
    servers = f"127.0.0.1:{free_port()}"
    log = kafka_log(brokerTimeout="200ms", kafka__bootstrap__servers=servers)
    with pytest.raises(
        BrokenLogError, match=rf"no answer from Kafka at kafka.bootstrap.servers = '{servers}' within 0.2 s"
    ):
        log.splits()


def test_a_missing_client_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    with pytest.raises(IllegalOptionError, match=r"pip install 'tidegauge-spark\[kafka\]', on the driver"):
        kafka_log().splits()
