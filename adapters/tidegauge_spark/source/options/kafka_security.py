"""SASL and TLS for the Kafka client: the option names of the Java client, translated for librdkafka."""

from __future__ import annotations

from typing import Final, NoReturn

from tidegauge_spark.source.options.given import IllegalOptionError, shown_value
from tidegauge_spark.source.options.kafka_jaas import parse_jaas

PREFIX: Final = "kafka."
"""The prefix of options for the Kafka client. The rest of the name is the name in the client."""

_NAME_AND_PASSWORD: Final = {"username": "sasl.username", "password": "sasl.password"}
_CLIENT_OF_TOKENS: Final = {
    "clientId": "sasl.oauthbearer.client.id",
    "clientSecret": "sasl.oauthbearer.client.secret",
}

_MODULES: Final = {
    "PlainLoginModule": (("PLAIN",), _NAME_AND_PASSWORD),
    "ScramLoginModule": (("SCRAM-SHA-256", "SCRAM-SHA-512"), _NAME_AND_PASSWORD),
    "OAuthBearerLoginModule": (("OAUTHBEARER",), _CLIENT_OF_TOKENS),
}
"""The login modules: their mechanisms, and their required options with the names in librdkafka."""

_TOKENS: Final = "OAUTHBEARER"
_TOKEN_ENDPOINT: Final = "sasl.oauthbearer.token.endpoint.url"
_LOGIN_HANDLER: Final = "sasl.login.callback.handler.class"
_RENAMED: Final = {
    "sasl.oauthbearer.client.credentials.client.id": "sasl.oauthbearer.client.id",
    "sasl.oauthbearer.client.credentials.client.secret": "sasl.oauthbearer.client.secret",
}
"""Option names of the Java client since Kafka 4.1, and the names in librdkafka."""

_INSTEAD: Final = "use another mechanism, or Spark's own Kafka source with watermark_of(reader)"
_NO_IAM: Final = f"the client has no IAM of AWS; {_INSTEAD} (MSK has SCRAM at port 9096)"


def with_names_of_librdkafka(config: dict[str, str]) -> dict[str, str]:
    """Return a client configuration in which the security options have the names of librdkafka.

    Raises `IllegalOptionError` for an option of the Java client that librdkafka does not support.
    """
    config = {_RENAMED.get(name, name): value for name, value in config.items()}
    name = "sasl.mechanism" if "sasl.mechanism" in config else "sasl.mechanisms"
    mechanism = config.get(name, "").strip().upper()
    if mechanism == "AWS_MSK_IAM":
        _refuse(name, config[name], _NO_IAM)
    if "sasl.jaas.config" in config:
        _log_in(config, mechanism)
    if mechanism == _TOKENS:
        _take_tokens(config, name)
    _trust(config)
    _present(config)
    algorithm = "ssl.endpoint.identification.algorithm"
    if algorithm in config:  # in the Java client, an empty text disables the host name check
        config[algorithm] = config[algorithm].strip().lower() or "none"
    return config


def _log_in(config: dict[str, str], mechanism: str) -> None:
    """Replace sasl.jaas.config by a user name and password, or by the OAuth client's id and secret."""
    name = "sasl.jaas.config"
    written = config.pop(name)
    try:
        module, options = parse_jaas(written)
    except ValueError:
        module, options = "", {}
    if module == "IAMLoginModule":
        _refuse(name, written, _NO_IAM)
    mechanisms, needed = _MODULES.get(module, ((), _NAME_AND_PASSWORD))
    given = {own: options[java] for java, own in needed.items() if java in options}
    if not mechanisms or (len(given) < len(needed) and module != "OAuthBearerLoginModule"):
        _refuse(
            name,
            written,
            "write a login module with a name and a password, such as org.apache.kafka.common.security.scram."
            'ScramLoginModule required username="..." password="...";',
        )
    if options.get("tokenauth", "").lower() == "true":
        _refuse(name, written, f"the client has no delegation tokens (tokenauth); {_INSTEAD}")
    if mechanism not in mechanisms:
        _refuse(name, written, f"set kafka.sasl.mechanism to {' or '.join(mechanisms)}, for {module}")
    if not config.get("security.protocol", "").strip().upper().startswith("SASL_"):
        _refuse(name, written, "set kafka.security.protocol to SASL_SSL as well, or SASL_PLAINTEXT")
    if mechanism == _TOKENS and "scope" in options:
        given["sasl.oauthbearer.scope"] = options["scope"]
    for own in given:
        if own in config:
            _refuse(name, written, f"kafka.{own} is set, too; leave one out")
    config.update(given)


def _take_tokens(config: dict[str, str], mechanism: str) -> None:
    """Configure the client to obtain tokens from an endpoint with an OAuth client secret."""
    if config.get(_LOGIN_HANDLER, "").endswith(".OAuthBearerLoginCallbackHandler"):
        del config[_LOGIN_HANDLER]
    if not {*_CLIENT_OF_TOKENS.values(), _TOKEN_ENDPOINT} <= config.keys():
        _refuse(
            mechanism,
            _TOKENS,
            f"set {PREFIX}{_TOKEN_ENDPOINT}, and clientId and clientSecret of OAuthBearerLoginModule in "
            f"{PREFIX}sasl.jaas.config; no other way of obtaining a token is supported",
        )
    config["sasl.oauthbearer.method"] = "oidc"


def _trust(config: dict[str, str]) -> None:
    """Replace the truststore by PEM certificates."""
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
    """Replace the keystore by a PEM key and certificate, unless it is PKCS12, which librdkafka reads."""
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
