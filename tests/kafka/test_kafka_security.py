"""A broker with SASL and TLS, configured with the Java client's names: successes and one-line errors."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from broker_keys import HOST, PASSWORD, Keys
from kafka_broker import USERS, Broker, free_port, running_broker
from pyspark.errors import StreamingQueryException
from spark_programs.driven_log import DrivenLog
from spark_programs.queries import PATIENCE, spark_queries
from token_endpoint import CLIENT, SCOPE, SECRET, Signer, token_endpoint

from tidegauge_spark import BrokenLogError, IllegalOptionError
from tidegauge_spark.source.kafka.log import KafkaLog
from tidegauge_spark.source.options.source import parse_options

pytestmark = [pytest.mark.kafka, pytest.mark.xdist_group("spark")]

MODULES = "org.apache.kafka.common.security"


class Secured(NamedTuple):
    """A broker with one record in the topic "orders", the keys of its certificates, and the address of a
    token endpoint."""

    broker: Broker
    keys: Keys
    endpoint: str

    def over_sasl(self, **changed: str) -> dict[str, str]:
        """Return the options of a source that logs in; "__" in the name of an option stands for "."."""
        options = {
            "kafka.bootstrap.servers": self.broker.sasl_address,
            "kafka.security.protocol": "SASL_SSL",
            "kafka.sasl.mechanism": "SCRAM-SHA-512",
            "kafka.sasl.jaas.config": login("scram.ScramLoginModule", "bob", USERS["bob"]),
            "kafka.ssl.truststore.type": "PEM",
            "kafka.ssl.truststore.location": str(self.keys.authority),
            **{f"kafka.{name.replace('__', '.')}": value for name, value in changed.items()},
        }
        return {"subscribe": "orders", "startingOffsets": "earliest", **options}

    def with_tokens(self, secret: str, **changed: str) -> dict[str, str]:
        """Return the options of a source that obtains tokens."""
        client = f'clientId="{CLIENT}" clientSecret="{secret}" scope="{SCOPE}"'
        module = f"{MODULES}.oauthbearer.OAuthBearerLogin"
        options = {
            "sasl__mechanism": "OAUTHBEARER",
            "sasl__jaas__config": f"{module}Module required {client};",
            "sasl__login__callback__handler__class": f"{module}CallbackHandler",
            "sasl__oauthbearer__token__endpoint__url": self.endpoint,
        }
        return self.over_sasl(**{**options, **changed})

    def over_tls(self, **changed: str) -> dict[str, str]:
        """Return the options of a source that authenticates by its certificate, if the options name one."""
        options = self.over_sasl(
            security__protocol="SSL", bootstrap__servers=self.broker.tls_address, **changed
        )
        return {name: value for name, value in options.items() if not name.startswith("kafka.sasl.")}


@pytest.fixture(scope="module", name="secured")
def _secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    folder = tmp_path_factory.mktemp("secured")
    keys = Keys(folder / "keys")
    signer = Signer(folder / "signer")
    with running_broker(folder, keys, signer.public) as broker, token_endpoint(signer) as endpoint:
        broker.create("orders", 1)
        broker.produce("orders", 0, [1_700_000_000_000])
        yield Secured(broker, keys, endpoint)


def login(module: str, user: str, password: str) -> str:
    """Return a JAAS entry."""
    quoted = password.replace('"', '\\"')
    return f'{MODULES}.{module} required username="{user}" password="{quoted}";'


def values(options: Mapping[str, str]) -> list[bytes]:
    """Return the values that a source reads."""
    parsed = parse_options(options)
    assert parsed.kafka is not None
    query = DrivenLog(parsed, KafkaLog(parsed.kafka))
    query.run()
    return query.column("value")


def error_of(options: Mapping[str, str]) -> str:
    """Return the one-line error with which a source fails."""
    with pytest.raises((BrokenLogError, IllegalOptionError)) as error:
        values(options)
    line = str(error.value)
    assert "\n" not in line
    assert not any(secret in line for secret in (*USERS.values(), "not-the-password", PASSWORD, SECRET))
    return line


READ = [b"1700000000000"]


def test_the_certificate_of_the_authority_may_be_a_text(secured: Secured) -> None:
    text = secured.keys.authority.read_text(encoding="utf-8")
    options = secured.over_sasl(ssl__truststore__certificates=text)
    del options["kafka.ssl.truststore.location"]
    assert values(options) == READ


def test_users_with_scram_and_plain_read(secured: Secured) -> None:
    assert values(secured.over_sasl()) == READ
    alice = login("plain.PlainLoginModule", "alice", USERS["alice"])
    assert values(secured.over_sasl(sasl__mechanism="PLAIN", sasl__jaas__config=alice)) == READ


@pytest.mark.parametrize(
    ("mechanism", "module"),
    [("SCRAM-SHA-512", "scram.ScramLoginModule"), ("PLAIN", "plain.PlainLoginModule")],
)
def test_a_wrong_password_fails_at_once_in_one_line(secured: Secured, mechanism: str, module: str) -> None:
    """The failure is immediate: otherwise the test would take as long as `brokerTimeout`."""
    wrong = login(module, "bob", "not-the-password")
    options = secured.over_sasl(sasl__mechanism=mechanism, sasl__jaas__config=wrong)
    line = error_of({**options, "brokerTimeout": "1 hour"})
    assert f"'{secured.broker.sasl_address}' fails: SASL authentication error: Authentication failed" in line
    assert line.endswith("correct the user (kafka.sasl.jaas.config), or kafka.sasl.mechanism")


def test_a_mechanism_that_the_broker_does_not_have_fails_with_those_that_it_has(secured: Secured) -> None:
    line = error_of(secured.over_sasl(sasl__mechanism="SCRAM-SHA-256"))
    assert "broker's supported mechanisms: PLAIN,SCRAM-SHA-512" in line


def test_a_client_of_oauth_reads_with_tokens_from_an_endpoint(secured: Secured) -> None:
    assert values(secured.with_tokens(SECRET)) == READ
    line = error_of(secured.with_tokens("not-the-password"))
    assert "fails: Failed to acquire SASL OAUTHBEARER token: " in line
    assert "invalid_client" in line
    nowhere = f"http://127.0.0.1:{free_port()}/token"
    line = error_of(secured.with_tokens(SECRET, sasl__oauthbearer__token__endpoint__url=nowhere))
    assert "OAUTHBEARER token: Failed to connect to 127.0.0.1" in line


def test_a_wrong_authority_and_a_wrong_name_fail_each_with_its_cause(secured: Secured) -> None:
    authority = error_of(secured.over_sasl(ssl__truststore__location=str(secured.keys.stranger)))
    assert "cannot be verified: unable to get local issuer certificate; name the certificate" in authority
    other = secured.broker.sasl_address.replace(HOST, "127.0.0.1")
    name = error_of(secured.over_sasl(bootstrap__servers=other))
    assert "cannot be verified: IP address mismatch, certificate is not valid for '127.0.0.1'; na" in name
    unchecked = {"bootstrap__servers": other, "ssl__endpoint__identification__algorithm": ""}
    assert values(secured.over_sasl(**unchecked)) == READ


def test_a_listener_without_tls_fails_with_its_cause(secured: Secured) -> None:
    options = secured.over_sasl(bootstrap__servers=secured.broker.address)
    line = error_of({**options, "brokerTimeout": "2 seconds"})
    assert "SSL connection closed by peer" in line


def test_a_certificate_of_the_client_is_read_from_each_store(secured: Secured) -> None:
    pem = {"ssl__keystore__type": "PEM", "ssl__keystore__location": str(secured.keys.client)}
    assert values(secured.over_tls(**pem)) == READ
    text = secured.keys.client.read_text(encoding="utf-8")
    key, mark, certificate = text.partition("-----BEGIN CERTIFICATE-----")
    written = {"ssl__keystore__key": key, "ssl__keystore__certificate__chain": mark + certificate}
    assert values(secured.over_tls(**written, ssl__keystore__type="PEM")) == READ
    encrypted = {"ssl__keystore__type": "PEM", "ssl__keystore__location": str(secured.keys.encrypted)}
    assert values(secured.over_tls(**encrypted, ssl__key__password=PASSWORD)) == READ
    pkcs12 = {"ssl__keystore__type": "PKCS12", "ssl__keystore__location": str(secured.keys.client_store)}
    assert values(secured.over_tls(**pkcs12, ssl__keystore__password=PASSWORD)) == READ
    line = error_of(secured.over_tls(**pkcs12, ssl__keystore__password="not-the-password"))
    assert "Failed to parse ssl.keystore.location PKCS#12 file" in line
    none = error_of({**secured.over_tls(), "brokerTimeout": "2 seconds"})
    assert "bad certificate" in none or "certificate required" in none


def test_the_commands_for_stores_of_java_make_stores_that_are_read(secured: Secured, tmp_path: Path) -> None:
    trust = {"ssl__truststore__location": str(secured.keys.authority_in_jks())}
    run_advice(secured.over_sasl(**trust, ssl__truststore__type="JKS"), tmp_path)
    assert values(secured.over_sasl(ssl__truststore__location=str(tmp_path / "ca.pem"))) == READ
    run_advice(secured.over_tls(ssl__keystore__location=str(secured.keys.client_in_jks())), tmp_path)
    store = {"ssl__keystore__type": "PKCS12", "ssl__keystore__location": str(tmp_path / "client.p12")}
    assert values(secured.over_tls(**store, ssl__keystore__password=PASSWORD)) == READ


def run_advice(options: Mapping[str, str], folder: Path) -> None:
    """Run the keytool command from the error message. It prompts for passwords."""
    with pytest.raises(IllegalOptionError, match="with keytool ") as error:
        parse_options(options)
    command = str(error.value).partition(" with ")[2].partition(", name")[0]
    passwords = f"{PASSWORD}\n" * 3
    subprocess.run(
        command, shell=True, cwd=folder, input=passwords, text=True, check=True, capture_output=True
    )


def test_a_password_is_neither_in_the_checkpoint_nor_in_the_progress_of_a_query(secured: Secured) -> None:
    rows: list[Any] = []
    with spark_queries() as queries:
        checkpoint = queries.folder / "secured"
        frame = queries.session.readStream.format("tidegauge").options(**secured.over_sasl()).load()
        writer = frame.writeStream.foreachBatch(lambda batch, _: rows.extend(batch.collect()))
        writer = writer.option("checkpointLocation", str(checkpoint))
        query = writer.trigger(availableNow=True).start()
        assert query.awaitTermination(PATIENCE)
        assert [bytes(row.value) for row in rows] == READ
        progress = json.dumps([json.loads(each.json) for each in query.recentProgress])
        files = [file.read_text(errors="replace") for file in checkpoint.rglob("*") if file.is_file()]
        assert "orders-0" in progress + "".join(files)
        assert USERS["bob"] not in progress + "".join(files)
        wrong = secured.over_sasl(
            sasl__jaas__config=login("scram.ScramLoginModule", "bob", "not-the-password")
        )
        failing = queries.session.readStream.format("tidegauge").options(**wrong).load()
        again = failing.writeStream.format("noop").option("checkpointLocation", str(queries.folder / "wrong"))
        with pytest.raises(StreamingQueryException, match=r"the login to Kafka .* fails: SASL auth") as error:
            again.start().awaitTermination(PATIENCE)
        assert "not-the-password" not in str(error.value)
