"""A broker of Kafka in a process of its own (KRaft), for the tests that cannot do without."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from broker_keys import HOST, Keys
from confluent_kafka import KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic
from token_endpoint import AUDIENCE, ISSUER

JARS = "TIDEGAUGE_KAFKA_JARS"
PATIENCE = 120
"""How long (s) to wait for the broker: it takes some 5 s on a free machine."""

CLUSTER = "4L6g3nShT-eMCtK--X86sw"


USERS = {"alice": 'alice"s;secret', "bob": "bob-secret"}
"""The users and their passwords."""


class Broker:
    """A running broker. Topics keep their records forever, however old their timestamps are."""

    def __init__(self, address: str, sasl_address: str = "", tls_address: str = "") -> None:
        """address: without security. sasl_address: requires a password. tls_address: requires a client
        certificate."""
        self.address, self.sasl_address, self.tls_address = address, sasl_address, tls_address

    def create(self, topic: str, partitions: int, **config: str) -> None:
        """Create a topic; "_" in the name of a setting stands for "."."""
        settings = {"retention.ms": "-1", **{name.replace("_", "."): each for name, each in config.items()}}
        admin = AdminClient({"bootstrap.servers": self.address})
        admin.create_topics([NewTopic(topic, partitions, 1, config=settings)])[topic].result(PATIENCE)

    def produce(self, topic: str, partition: int, times: Sequence[int], value: str = "{}") -> None:
        """Add records with these timestamps (ms). value: what they hold, "{}" stands for the timestamp."""
        self.produce_records(topic, partition, [(value.replace("{}", str(time_)), time_) for time_ in times])

    def produce_values(self, topic: str, partition: int, values: Sequence[str], time_: int) -> None:
        """Add records with these values and one timestamp (ms)."""
        self.produce_records(topic, partition, [(value, time_) for value in values])

    def produce_records(self, topic: str, partition: int, records: Sequence[tuple[str, int]]) -> None:
        """Add records, each with its value and its timestamp (ms)."""
        producer = Producer({"bootstrap.servers": self.address, "linger.ms": 5})
        for value, time_ in records:
            producer.produce(
                topic, value=value.encode(), key=str(partition).encode(), partition=partition, timestamp=time_
            )
            producer.poll(0)
        assert producer.flush(PATIENCE) == 0

    def grow(self, topic: str, partitions: int) -> None:
        """Give a topic more partitions: so many in all."""
        admin = AdminClient({"bootstrap.servers": self.address})
        admin.create_partitions([NewPartitions(topic, partitions)])[topic].result(PATIENCE)

    def delete(self, topic: str) -> None:
        """Delete a topic and wait until the broker no longer has it: the controller answers earlier."""
        admin = AdminClient({"bootstrap.servers": self.address})
        admin.delete_topics([topic])[topic].result(PATIENCE)
        while topic in admin.list_topics(timeout=PATIENCE).topics:
            pass

    def delete_before(self, topic: str, offsets: Mapping[int, int]) -> None:
        """Delete the records of partitions that come before an offset."""
        places = [TopicPartition(topic, partition, offset) for partition, offset in offsets.items()]
        admin = AdminClient({"bootstrap.servers": self.address})
        for deleted in admin.delete_records(places).values():
            deleted.result(PATIENCE)


@contextmanager
def running_broker(
    folder: Path, keys: Keys | None = None, token_keys: Path | None = None
) -> Iterator[Broker]:
    """Start a broker whose data is in a folder. If its jars are missing, the test fails with a remedy.

    keys: the keys of the listeners with SASL and TLS; None: the broker has no such listeners. token_keys: the
    file with the keys that verify tokens at the SASL listener (JWKS); None: tokens are not accepted.
    """
    jars = Path(os.environ.get(JARS, ""))
    if not os.environ.get(JARS) or not any(jars.glob("kafka_2.13-*.jar")):
        pytest.fail(
            f"no jars of Kafka in {JARS} = {os.environ.get(JARS)!r}: tox -e kafka fetches them, with "
            "mvn -f tests/kafka/pom.xml dependency:copy-dependencies -DoutputDirectory=FOLDER",
            pytrace=False,
        )
    listener, controller = free_port(), free_port()
    settings = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "listeners": f"PLAINTEXT://127.0.0.1:{listener},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{listener}",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": str(folder / "data"),
        "offsets.topic.replication.factor": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "1",
        "auto.create.topics.enable": "false",
    }
    sasl, tls = (free_port(), free_port()) if keys is not None else (0, 0)
    if keys is not None:
        settings = secured(settings, keys, sasl, tls)
    if token_keys is not None:
        settings = with_tokens(settings, token_keys)
    properties = folder / "server.properties"
    properties.write_text("".join(f"{name}={value}\n" for name, value in settings.items()), encoding="utf-8")
    java = ["java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", f"{jars}/*"]
    if token_keys is not None:
        java.insert(1, f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={token_keys.as_uri()}")
    with (folder / "broker.log").open("wb") as log:
        formatted = [*java, "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", str(properties)]
        formatted += [part for user in USERS for part in ("--add-scram", scram(user))]
        subprocess.run(formatted, stdout=log, stderr=log, check=True, timeout=PATIENCE)
        process = subprocess.Popen([*java, "kafka.Kafka", str(properties)], stdout=log, stderr=log)
        try:
            broker = Broker(f"127.0.0.1:{listener}", f"{HOST}:{sasl}", f"{HOST}:{tls}")
            wait_for(broker, process, folder / "broker.log")
            yield broker
        finally:
            process.kill()
            process.wait(PATIENCE)


def secured(settings: Mapping[str, str], keys: Keys, sasl: int, tls: int) -> dict[str, str]:
    """Return settings with a listener for SASL over TLS and a listener for TLS with client certificates."""
    module = "org.apache.kafka.common.security"
    known = " ".join(f'user_{user}="{escaped(password)}"' for user, password in USERS.items())
    listeners = f",SASL_SSL://127.0.0.1:{sasl},SSL://127.0.0.1:{tls}"
    of_sasl = "listener.name.sasl_ssl"
    return {
        **settings,
        "listeners": settings["listeners"] + listeners,
        "advertised.listeners": settings["advertised.listeners"] + listeners.replace("127.0.0.1", HOST),
        "listener.security.protocol.map": settings["listener.security.protocol.map"]
        + ",SASL_SSL:SASL_SSL,SSL:SSL",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(keys.broker),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(keys.authority),
        "listener.name.ssl.ssl.client.auth": "required",
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-512",
        f"{of_sasl}.plain.sasl.jaas.config": f"{module}.plain.PlainLoginModule required {known};",
        f"{of_sasl}.scram-sha-512.sasl.jaas.config": f"{module}.scram.ScramLoginModule required;",
    }


def with_tokens(settings: Mapping[str, str], keys: Path) -> dict[str, str]:
    """Return settings in which the SASL listener also accepts tokens."""
    module = "org.apache.kafka.common.security.oauthbearer"
    of_tokens = "listener.name.sasl_ssl.oauthbearer"
    return {
        **settings,
        "sasl.enabled.mechanisms": settings["sasl.enabled.mechanisms"] + ",OAUTHBEARER",
        f"{of_tokens}.sasl.jaas.config": f"{module}.OAuthBearerLoginModule required;",
        f"{of_tokens}.sasl.server.callback.handler.class": f"{module}.OAuthBearerValidatorCallbackHandler",
        "sasl.oauthbearer.jwks.endpoint.url": keys.as_uri(),
        "sasl.oauthbearer.expected.audience": AUDIENCE,
        "sasl.oauthbearer.expected.issuer": ISSUER,
    }


def escaped(password: str) -> str:
    """Return a password escaped as a quoted JAAS value in a properties file."""
    return password.replace('"', '\\\\"')


def scram(user: str) -> str:
    """Return the credentials of a user in the format of kafka-storage."""
    return f"SCRAM-SHA-512=[name={user},password={USERS[user]}]"


def wait_for(broker: Broker, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the broker answers."""
    end = time.monotonic() + PATIENCE
    admin = AdminClient({"bootstrap.servers": broker.address, "log_level": 0})
    while time.monotonic() < end and process.poll() is None:
        try:
            admin.list_topics(timeout=1)
            return
        except KafkaException:
            continue
    pytest.fail(f"the broker does not answer:\n{log.read_text(errors='replace')[-2000:]}", pytrace=False)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
