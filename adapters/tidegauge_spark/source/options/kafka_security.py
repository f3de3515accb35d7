"""SASL and TLS for the Kafka client: the names of Java's client, and what librdkafka calls them."""

from __future__ import annotations

from typing import Final, NoReturn

from tidegauge_spark.source.options.given import IllegalOptionError, shown_value
from tidegauge_spark.source.options.kafka_jaas import parse_jaas

PREFIX: Final = "kafka."
"""The prefix of options for the Kafka client, which knows them by the rest of the name."""

_MODULES: Final = {"PlainLoginModule": ("PLAIN",), "ScramLoginModule": ("SCRAM-SHA-256", "SCRAM-SHA-512")}
"""The login modules with a name and a password, and their mechanisms."""

_INSTEAD: Final = "use SCRAM or PLAIN here, or Spark's own Kafka source with watermark_of(reader)"

_UNTRIED: Final = {
    "OAUTHBEARER": f"tokens were never tried with this source; {_INSTEAD}",
    "AWS_MSK_IAM": f"the client has no such mechanism; {_INSTEAD} (MSK has SCRAM at port 9096)",
}
"""The mechanisms that are rejected, with their remedies."""

_UNTRIED_MODULES: Final = {
    "OAuthBearerLoginModule": _UNTRIED["OAUTHBEARER"],
    "IAMLoginModule": _UNTRIED["AWS_MSK_IAM"],
}


def with_names_of_librdkafka(config: dict[str, str]) -> dict[str, str]:
    """Return the configuration of a client with the security options that librdkafka has.

    Raises `IllegalOptionError` for an option of Java's client that librdkafka cannot take.
    """
    config = dict(config)
    mechanism = "sasl.mechanism" if "sasl.mechanism" in config else "sasl.mechanisms"
    if (written := config.get(mechanism, "")).strip().upper() in _UNTRIED:
        _refuse(mechanism, written, _UNTRIED[written.strip().upper()])
    if "sasl.jaas.config" in config:
        _log_in(config, config.get(mechanism, "").strip().upper())
    _trust(config)
    _present(config)
    algorithm = "ssl.endpoint.identification.algorithm"
    if algorithm in config:  # an empty text is how Java's client is told to check no name
        config[algorithm] = config[algorithm].strip().lower() or "none"
    return config


def _log_in(config: dict[str, str], mechanism: str) -> None:
    """Replace sasl.jaas.config by a name and a password."""
    name = "sasl.jaas.config"
    written = config.pop(name)
    try:
        module, options = parse_jaas(written)
    except ValueError:
        module, options = "", {}
    if module in _UNTRIED_MODULES:
        _refuse(name, written, f"{module}: {_UNTRIED_MODULES[module]}")
    if module not in _MODULES or not {"username", "password"} <= options.keys():
        _refuse(
            name,
            written,
            "write a login module with a name and a password, such as org.apache.kafka.common.security.scram."
            'ScramLoginModule required username="..." password="...";',
        )
    if options.get("tokenauth", "").lower() == "true":
        _refuse(name, written, f"the client has no delegation tokens (tokenauth); {_INSTEAD}")
    if mechanism not in _MODULES[module]:
        _refuse(name, written, f"set kafka.sasl.mechanism to {' or '.join(_MODULES[module])}, for {module}")
    if not config.get("security.protocol", "").strip().upper().startswith("SASL_"):
        _refuse(name, written, "set kafka.security.protocol to SASL_SSL as well, or SASL_PLAINTEXT")
    for own in ("sasl.username", "sasl.password"):
        if own in config:
            _refuse(name, written, f"kafka.{own} is set, too; leave one out")
    config["sasl.username"], config["sasl.password"] = options["username"], options["password"]


def _trust(config: dict[str, str]) -> None:
    """Replace the truststore by certificates in PEM."""
    kind = config.pop("ssl.truststore.type", "JKS").strip().upper()
    config.pop("ssl.truststore.password", None)
    certificates, location = (
        config.pop(f"ssl.truststore.{name}", None) for name in ("certificates", "location")
    )
    if certificates is not None:
        config["ssl.ca.pem"] = certificates
    if location is None:
        return
    if kind != "PEM":
        _refuse(
            "ssl.truststore.location",
            location,
            f"the client reads PEM, not {kind} (kafka.ssl.truststore.type): make a file of PEM with keytool "
            f"-list -rfc -keystore '{location}' > ca.pem, name that here, and set kafka.ssl.truststore.type "
            "to PEM",
        )
    config["ssl.ca.location"] = location


def _present(config: dict[str, str]) -> None:
    """Replace the keystore by a key and a certificate in PEM, unless librdkafka reads it: PKCS12."""
    location = config.get("ssl.keystore.location")
    name = (location or "").lower()
    kind = config.pop("ssl.keystore.type", "JKS" if name.endswith(".jks") else "PKCS12").strip().upper()
    for java, own in (("key", "ssl.key.pem"), ("certificate.chain", "ssl.certificate.pem")):
        if (text := config.pop(f"ssl.keystore.{java}", None)) is not None:
            config[own] = text
    if location is None or kind == "PKCS12":
        return
    if kind != "PEM":
        _refuse(
            "ssl.keystore.location",
            location,
            f"the client reads PKCS12 and PEM, not {kind}: convert it with keytool -importkeystore "
            f"-srckeystore '{location}' -destkeystore client.p12 -deststoretype PKCS12, name that here, and "
            "set kafka.ssl.keystore.type to PKCS12",
        )
    config["ssl.certificate.location"] = config["ssl.key.location"] = config.pop("ssl.keystore.location")
    config.pop("ssl.keystore.password", None)


def _refuse(name: str, value: str, remedy: str) -> NoReturn:
    raise IllegalOptionError(f"option {PREFIX}{name} = {shown_value(name, value)!r}: {remedy}")
