"""The options of sources over Kafka, as far as no broker is needed: one clear line for each mistake."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import pyarrow as pa
import pytest
from confluent_kafka import Message
from kafka_broker import free_port

from tidegauge_spark import BrokenLogError, IllegalOptionError
from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.kafka.log import KafkaLog
from tidegauge_spark.source.kafka.rows import record_batch
from tidegauge_spark.source.options.kafka import kafka_config
from tidegauge_spark.source.options.kafka_starts import EARLIEST, LATEST
from tidegauge_spark.source.options.source import parse_options
from tidegauge_spark.source.planning.json_times import times_in

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
            {**SERVERS, "subscribe": "a", "subscribePattern": "b"},
            "option subscribe = 'a': subscribePattern says something else; leave one out",
        ),
        ({"subscribePattern": "b"}, "option subscribePattern = 'b': set kafka.bootstrap.servers as well"),
        (
            {**SERVERS, "subscribePattern": "(a"},
            "option subscribePattern = '(a': write a regular expression as Python has it",
        ),
        *(
            ({**SERVERS, "assign": written}, f"option assign = {written!r}: write JSON such as ")
            for written in ("a", "[]", "{}", "5", '{"a": []}', '{"a": [-1]}', '{"a": [true]}', '{"a": 0}')
        ),
        (
            {**SERVERS, "subscribe": "a", "kafka.group.id": "mine"},
            "option kafka.group.id = 'mine': the source decides that itself",
        ),
        (
            {**SERVERS, "subscribe": "a", "startingOffsets": "newest"},
            'option startingOffsets = \'newest\': write "latest", "earliest", or JSON',
        ),
        (
            {**SERVERS, "subscribe": "a", "startingOffsets": "latest", "startingTimestamp": "5"},
            "option startingTimestamp = '5': startingOffsets says something else; leave one out",
        ),
        (
            {**SERVERS, "subscribe": "a", "startingOffsetsByTimestamp": "5"},
            'option startingOffsetsByTimestamp = \'5\': write JSON such as {"orders": {"0": 1700000000000}}',
        ),
        (
            {**SERVERS, "subscribe": "a", "startingOffsetsByTimestampStrategy": "latest"},
            "option startingOffsetsByTimestampStrategy = 'latest': set startingOffsetsByTimestamp as well",
        ),
        *(
            ({**SERVERS, "subscribe": "a", "startingOffsets": written}, "option startingOffsets = ")
            for written in (
                '{"a": {"0": -3}}',
                '{"a": {"0": 1.0}}',
                '{"a": {"0": true}}',
                '{"a": {"-1": 0}}',
                '{"a": [0]}',
                "{}",
                "{",
                '{"a": {}}',
                '{"a":' * 100_000,
            )
        ),
        (
            {**SERVERS, "subscribe": "a", "endingOffsets": "latest"},
            "option endingOffsets = 'latest': a stream has no end, as in Spark; leave it out, and use",
        ),
        (
            {**SERVERS, "subscribe": "a", "maxoffsetspertrigger": "7"},
            "option maxOffsetsPerTrigger = '7': set maxRowsPerTrigger instead",
        ),
        (
            {**SERVERS, "subscribe": "a", "minPartitions": "7"},
            "option minPartitions = '7': a batch has one partition for each subtask with records; set numSubt",
        ),
        (
            {**SERVERS, "subscribe": "a", "path": "/x"},
            "option path = '/x': the source reads a log that has no",
        ),
        (
            {**SERVERS, "subscribe": "a", "end": "5"},
            "option end = '5': it belongs to number sequences, and the",
        ),
        ({"startingOffsets": "latest"}, "option startingOffsets = 'latest': set subscribe as well, or leave"),
        (
            {**SERVERS, "subscribe": "a", "brokerTimeout": "1 day"},
            "option brokerTimeout = '1 day': write a duration of at most 1 hour",
        ),
        ({"includeHeaders": "true"}, "option includeHeaders = 'true': set subscribe as well, or leave"),
        (
            {**SERVERS, "subscribe": "a", "includeHeaders": "true", "progressColumn": "Headers"},
            "option progressColumn = 'Headers': there is a column of that name",
        ),
        ({"eventTimeField": "at"}, "option eventTimeField = 'at': set subscribe as well, or leave"),
        (
            {**SERVERS, "subscribe": "a", "eventTimeUnit": "s"},
            "option eventTimeUnit = 's': set eventTimeField as well, or leave",
        ),
        (
            {**SERVERS, "subscribe": "a", "eventTimeField": "at", "progressColumn": "eventtime"},
            "option progressColumn = 'eventtime': there is a column of that name",
        ),
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


def test_starting_offsets_of_partitions_have_to_name_the_partitions_that_are_read() -> None:
    parsed = parse_options(
        {**SERVERS, "subscribe": "a,b-1", "startingOffsets": '{"a": {"0": 23, "1": -1}, "b-1": {"10": -2}}'}
    )
    assert parsed.kafka is not None
    starts = parsed.kafka.starts
    assert starts.of(dict.fromkeys(("a-0", "a-1", "b-1-10"))) == {
        "a-0": 23,
        "a-1": LATEST,
        "b-1-10": EARLIEST,
    }
    with pytest.raises(IllegalOptionError, match="option startingOffsets: it has to name every .* add a-2 "):
        starts.of(dict.fromkeys(("a-0", "a-1", "a-2", "b-1-10")))
    with pytest.raises(IllegalOptionError, match="it names what is not read, leave out a-1, b-1-10 "):
        starts.of(dict.fromkeys(("a-0",)))


LOGIN = {
    "kafka.security.protocol": "SASL_SSL",
    "kafka.sasl.mechanism": "SCRAM-SHA-512",
    "kafka.sasl.jaas.config": 'o.a.k.ScramLoginModule required username="u" password="hunter2";',
}


@pytest.mark.parametrize(
    ("entry", "password"),
    [
        ('org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p";', "p"),
        ("kafkashaded.a.ScramLoginModule REQUIRED\n  username='u'\n  password=p-1 ;\n", "p-1"),
        ('ScramLoginModule required password="a\\"b;\\\\c=\'" username=u;', "a\"b;\\c='"),
        ('ScramLoginModule required username="u" password="";', ""),
    ],
)
def test_a_jaas_entry_becomes_a_name_and_a_password(entry: str, password: str) -> None:
    config = kafka_config({**LOGIN, "kafka.sasl.jaas.config": entry})
    assert (config["sasl.username"], config["sasl.password"]) == ("u", password)
    assert "sasl.jaas.config" not in config


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        *(
            ({"sasl.jaas.config": entry}, "sasl.jaas.config = '***': write a login module with a name and a")
            for entry in (
                "hunter2",
                'ScramLoginModule required username="u";',
                'ScramLoginModule required username="u" password="hunter2"',
                'ScramLoginModule required username="u" password="hunter2;',
                'OtherLoginModule required username="u" password="hunter2";',
            )
        ),
        (
            {"sasl.jaas.config": "a.OAuthBearerLoginModule required clientSecret='hunter2';"},
            "sasl.jaas.config = '***': set kafka.sasl.mechanism to OAUTHBEARER, for OAuthBearerLoginModule",
        ),
        (
            {
                "sasl.mechanism": "OAUTHBEARER",
                "sasl.jaas.config": "a.OAuthBearerLoginModule required clientId=u clientSecret='hunter2';",
            },
            "sasl.mechanism = 'OAUTHBEARER': set kafka.sasl.oauthbearer.token.endpoint.url, and clientId and",
        ),
        (
            {"sasl.jaas.config": "software.amazon.msk.auth.iam.IAMLoginModule required;"},
            "sasl.jaas.config = '***': the client has no IAM of AWS; use another mechanism, or Spark's",
        ),
        (
            {"sasl.jaas.config": 'ScramLoginModule required username="u" password="hunter2" tokenauth=true;'},
            "sasl.jaas.config = '***': the client has no delegation tokens",
        ),
        ({"sasl.mechanism": "AWS_MSK_IAM"}, "sasl.mechanism = 'AWS_MSK_IAM': the client has no IAM of AWS"),
        (
            {"sasl.mechanism": "PLAIN"},
            "sasl.jaas.config = '***': set kafka.sasl.mechanism to SCRAM-SHA-256 or SCRAM-SHA-512, for Scram",
        ),
        ({"security.protocol": "SSL"}, "sasl.jaas.config = '***': set kafka.security.protocol to SASL_SSL"),
        ({"sasl.password": "hunter2"}, "sasl.jaas.config = '***': kafka.sasl.password is set, too"),
        (
            {"ssl.truststore.location": "/x/trust.jks"},
            "ssl.truststore.location = '/x/trust.jks': the client reads PEM, not JKS (kafka.ssl.truststore.type",
        ),
        (
            {"ssl.keystore.location": "/x/client.jks", "ssl.keystore.password": "hunter2"},
            "ssl.keystore.location = '/x/client.jks': the client reads PKCS12 and PEM, not JKS: convert it with "
            "keytool -importkeystore -srckeystore '/x/client.jks' -destkeystore client.p12",
        ),
        ({"ssl.protocol": "TLSv1.3"}, "ssl.protocol = 'TLSv1.3': the client is librdkafka, and OpenSSL"),
        ({"max.poll.records": "5"}, "max.poll.records = '5': set maxRowsPerTrigger instead"),
    ],
)
def test_security_that_the_client_cannot_take_is_refused_without_secrets(
    changed: Mapping[str, str], message: str
) -> None:
    options = {**SERVERS, "subscribe": "a", **LOGIN}
    with pytest.raises(IllegalOptionError) as error:
        parse_options({**options, **{f"kafka.{name}": value for name, value in changed.items()}})
    assert str(error.value).startswith(f"option kafka.{message}")
    assert "hunter2" not in str(error.value)
    assert "\n" not in str(error.value)


def test_the_client_of_tokens_may_be_named_as_in_kafka_4() -> None:
    of_tokens = "kafka.sasl.oauthbearer"
    named = {f"{of_tokens}.client.credentials.client.{name}": name for name in ("id", "secret")}
    endpoint = {"kafka.sasl.mechanism": "OAUTHBEARER", f"{of_tokens}.token.endpoint.url": "http://x"}
    config = kafka_config({**named, **endpoint, f"{of_tokens}.scope": "s"})
    shown = {name.removeprefix("sasl.oauthbearer."): value for name, value in config.items()}
    assert (shown["client.id"], shown["client.secret"], shown["method"]) == ("id", "secret", "oidc")


def test_stores_of_java_are_files_of_librdkafka() -> None:
    given = {
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": "/x/ca.pem",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": "/x/client.pem",
        "ssl.endpoint.identification.algorithm": "",
    }
    assert kafka_config({f"kafka.{name}": value for name, value in given.items()}) == {
        "ssl.ca.location": "/x/ca.pem",
        "ssl.certificate.location": "/x/client.pem",
        "ssl.key.location": "/x/client.pem",
        "ssl.endpoint.identification.algorithm": "none",
    }
    texts = ("truststore.certificates", "keystore.key", "keystore.certificate.chain")
    config = kafka_config({f"kafka.ssl.{name}": name for name in texts})
    assert config == dict(zip(("ssl.ca.pem", "ssl.key.pem", "ssl.certificate.pem"), texts, strict=True))


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


@pytest.mark.parametrize(
    ("value", "field", "unit", "microseconds"),
    [
        (b'{"at": 5}', "at", "ms", 5_000),
        (b'{"meta": {"at": -5}}', "meta.at", "s", -5_000_000),
        (b'{"meta.at": 7, "meta": {"at": 5}}', "meta.at", "us", 7),
        (b'{"at": -1}', "at", "ns", -1),
        (b'{"at": "1970-01-01T01:00:00.000001+01:00"}', "at", "s", 1),
        (b'{"at": "1970-01-01 00:00:01"}', "at", "ms", 1_000_000),
        *(
            (value, "at", "ms", None)
            for value in (
                None,
                b"",
                b"text",
                b"\xff",
                b"[5]",
                b'{"to": 5}',
                b'{"at": null}',
                b'{"at": true}',
                b'{"at": 5.0}',
                b'{"at": "soon"}',
                b'{"at": [5]}',
                b'{"at": 9223372036854775807}',
                b'{"at": ' + b"9" * 5_000 + b"}",
                b"[" * 100_000,
            )
        ),
        (b'{"meta": 5}', "meta.at", "ms", None),
        (b'{"at": -9223372036854775808}', "at", "us", None),
    ],
)
def test_an_event_time_is_in_a_field_of_a_json_value_or_there_is_none(
    value: bytes | None, field: str, unit: str, microseconds: int | None
) -> None:
    (found,) = times_in([value], field, unit).cast(pa.int64()).to_pylist()
    assert found == microseconds


def test_a_field_of_the_value_is_one_more_column_and_part_of_what_is_read() -> None:
    log = kafka_log(eventTimeField="meta.at")
    assert log.schema.names[-2:] == ["timestampType", "eventTime"]
    assert log.event_time_column == "eventTime"
    assert log.identity == "topics a of Kafka, event time from eventTimeField meta.at"
    assert log.seek("a-0", 5) is None  # brokers know timestamps only


def messages_of(*values: bytes) -> list[Message]:
    """Return messages of one partition, as the client hands them out."""
    return [
        Message(topic="a", partition=0, offset=offset, value=value, timestamp=(1, 9))
        for offset, value in enumerate(values, start=7)
    ]


def test_event_times_of_values_are_planned_by_and_come_out() -> None:
    messages = messages_of(b'{"at": 5}', b'{"at": "1970-01-01"}', b"none")
    log = kafka_log(eventTimeField="at", failOnInvalidTimestamp="false")
    assert log._times("a-0", messages) == [5, 0, MIN]
    batch = record_batch(messages, log._options)
    assert batch.schema.names == log.schema.names
    assert batch.column("eventTime").cast(pa.int64()).to_pylist() == [5_000, 0, None]
    assert record_batch(messages, kafka_log()._options).schema.names == kafka_log().schema.names


def test_headers_are_one_more_column_before_the_event_time() -> None:
    log = kafka_log(includeHeaders="true", eventTimeField="at")
    assert log.schema.names[-3:] == ["timestampType", "headers", "eventTime"]
    headers = [("trace", b"7"), ("trace", None)]
    (message,) = messages_of(b'{"at": 5}')
    message.set_headers(headers)
    batch = record_batch([message, *messages_of(b'{"at": 6}')], log._options)
    assert batch.schema.names == log.schema.names
    assert batch.column("headers").to_pylist() == [
        [{"key": key, "value": value} for key, value in headers],
        None,
    ]


def test_values_without_an_event_time_are_refused_in_one_line() -> None:
    with pytest.raises(
        BrokenLogError, match="the record at offset 8 of a-0 has no valid event time in the"
    ) as no:
        kafka_log(eventTimeField="at")._times("a-0", messages_of(b'{"at": 5}', b"{}"))
    seconds = messages_of(b'{"at": 1760000400}')
    with pytest.raises(BrokenLogError, match="times such as 1760000400, which look like seconds") as unit:
        kafka_log(eventTimeField="at")._times("a-0", seconds)
    assert "\n" not in f"{no.value}{unit.value}"
    assert kafka_log(eventTimeField="at", eventTimeUnit="ms")._times("a-0", seconds) == [1_760_000_400]
