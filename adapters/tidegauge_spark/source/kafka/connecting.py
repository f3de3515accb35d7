"""The first connection to the Kafka brokers, and the cause if it fails.

librdkafka retries a connection forever, even with a wrong password. Only its error callback receives the
cause.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Mapping
from typing import Any, Final

from tidegauge_spark.source.kafka.client import LOG, client_library, not_reached, refused
from tidegauge_spark.source.options.kafka import SERVERS, KafkaOptions
from tidegauge_spark.source.options.kafka_security import PREFIX
from tidegauge_spark.source.planning.broken_log import BrokenLogError

_WAIT: Final = 0.1

_CONNECTION: Final = re.compile(
    r"(?:\w+://)?(?P<address>\S+):(?P<port>\d+)/\S+: (?P<cause>.*?)(?: \(after [^()]*\))?"
)
"""The format of a librdkafka error: "sasl_ssl://broker:9093/bootstrap: ... (after 5ms in state ...)"."""


class ConnectionErrors:
    """The connection errors of a client. An instance is the client's error callback.

    last: the last error that names a cause; None if there is none. final: the first error that a retry cannot
    resolve, None if there is none: the login fails, or the broker's certificate cannot be verified. The Java
    client does not retry these errors either.
    """

    def __init__(self) -> None:
        self.last: Any = None
        self.final: Any = None

    def __call__(self, error: Any) -> None:
        """Record an error of the client."""
        codes = client_library().KafkaError
        if error.code() == codes._ALL_BROKERS_DOWN:
            return
        self.last = error
        unverified = error.code() == codes._SSL and "certificate verify failed" in error.str()
        if self.final is None and (unverified or error.code() == codes._AUTHENTICATION):
            self.final = error


def connected_admin(options: KafkaOptions) -> Any:
    """Return a client for lookups that is connected to a broker.

    Raises `IllegalOptionError` for options that the client does not know, and `BrokenLogError` if no broker
    answers or if a retry would fail as well.
    """
    library = client_library()
    from confluent_kafka.admin import AdminClient

    errors = ConnectionErrors()
    config = {name: value for name, value in options.config.items() if name != "isolation.level"}
    try:
        client = AdminClient({**config, "error_cb": errors}, logger=LOG)
    except library.KafkaException as error:
        raise refused(error) from None
    asked = client.describe_cluster(request_timeout=options.patience / 1000)
    while True:
        try:
            asked.result(_WAIT)
            return client
        except TimeoutError:
            client.poll(0)
            if errors.final is not None:
                raise _rejected(options, errors.final) from None
        except library.KafkaException as error:
            client.poll(0)
            raise not_reached(options, _cause(errors.last or error.args[0])) from None


def _rejected(options: KafkaOptions, error: Any) -> BrokenLogError:
    """Return the error for a broker that answers but with which no connection can be established."""
    config = options.config
    if error.code() == client_library().KafkaError._AUTHENTICATION:
        return BrokenLogError(
            f"the login to Kafka at {PREFIX}{SERVERS} = {config[SERVERS]!r} fails: {_cause(error)}; correct "
            f"the user ({PREFIX}sasl.jaas.config), or {PREFIX}sasl.mechanism"
        )
    found = _CONNECTION.fullmatch(error.str())
    why = None if found is None else _unverified(found["address"], int(found["port"]), config)
    return BrokenLogError(
        f"the certificate of Kafka at {PREFIX}{SERVERS} = {config[SERVERS]!r} cannot be verified: "
        f"{why or _cause(error)}; name the certificate of its authority ({PREFIX}ssl.truststore.location), "
        f"and write the host in {PREFIX}{SERVERS} as the certificate names it"
    )


def _cause(error: Any) -> str:
    """Return librdkafka's message about a connection in one line, without times and states."""
    said = " ".join(error.str().split())
    found = _CONNECTION.fullmatch(said)
    return said if found is None else found["cause"]


def _unverified(address: str, port: int, config: Mapping[str, str]) -> str | None:
    """Return why the certificate of a broker cannot be verified; None if the reason cannot be determined.

    librdkafka reports the same message for an untrusted authority and for a wrong host name.
    """
    try:
        file, text = config.get("ssl.ca.location"), config.get("ssl.ca.pem")
        context = ssl.create_default_context(cafile=file, cadata=text)
        with socket.create_connection((address, port), timeout=5) as plain:
            context.wrap_socket(plain, server_hostname=address).close()
    except ssl.SSLCertVerificationError as error:
        return error.verify_message.rstrip(".")
    except (OSError, ValueError):
        return None
    return None
