"""The options for S3, with Hadoop's names."""

from __future__ import annotations

from typing import Final

from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.places.s3 import S3Settings
from tidegauge_spark.source.options.given import GivenOptions

_ENDPOINT: Final = "fs.s3a.endpoint"
_REGION: Final = "fs.s3a.endpoint.region"
_PATH_STYLE: Final = "fs.s3a.path.style.access"
_ENCRYPTED: Final = "fs.s3a.connection.ssl.enabled"
_PROVIDER: Final = "fs.s3a.aws.credentials.provider"
_ACCESS_KEY: Final = "fs.s3a.access.key"
_SECRET_KEY: Final = "fs.s3a.secret.key"
_SESSION_TOKEN: Final = "fs.s3a.session.token"
_CONNECT_TIMEOUT: Final = "fs.s3a.connection.establish.timeout"
_REQUEST_TIMEOUT: Final = "fs.s3a.connection.timeout"
_ATTEMPTS: Final = "fs.s3a.attempts.maximum"

S3_OPTIONS: Final = (
    _ENDPOINT,
    _REGION,
    _PATH_STYLE,
    _ENCRYPTED,
    _PROVIDER,
    _ACCESS_KEY,
    _SECRET_KEY,
    _SESSION_TOKEN,
    _CONNECT_TIMEOUT,
    _REQUEST_TIMEOUT,
    _ATTEMPTS,
)

_ANONYMOUS: Final = "AnonymousAWSCredentialsProvider"
_PROVIDERS: Final = (_ANONYMOUS, "SimpleAWSCredentialsProvider", "TemporaryAWSCredentialsProvider")
"""The supported credentials providers, without their packages."""

_MOST_ATTEMPTS: Final = 100


def parse_s3(given: GivenOptions) -> S3Settings:
    """Return the connection settings for S3. Raises `IllegalOptionError`."""
    endpoint = given.text(_ENDPOINT)
    if endpoint is not None and "@" in endpoint:
        given.refuse(_ENDPOINT, "***", f"leave the credentials out; set {_ACCESS_KEY} and {_SECRET_KEY}")
    if endpoint is not None and "://" in endpoint and not endpoint.startswith(("http://", "https://")):
        given.refuse(_ENDPOINT, endpoint, 'write for example "https://store:9000"')
    path_style = given.boolean(_PATH_STYLE, default=False) if _PATH_STYLE in given else None
    if path_style and endpoint is None:
        given.refuse(
            _PATH_STYLE, "true", f"set {_ENDPOINT} as well; AWS has the bucket in the name of the host"
        )
    for present, missing in (
        (_ACCESS_KEY, _SECRET_KEY),
        (_SECRET_KEY, _ACCESS_KEY),
        (_SESSION_TOKEN, _ACCESS_KEY),
    ):
        given.require(present, missing)
    access_key = given.text(_ACCESS_KEY)
    anonymous = _provider(given) == _ANONYMOUS
    if anonymous and access_key is not None:
        given.refuse(_PROVIDER, _ANONYMOUS, f"it uses no credentials; leave it or {_ACCESS_KEY} out")
    defaults = S3Settings()
    return S3Settings(
        endpoint=endpoint,
        region=given.text(_REGION),
        encrypted=given.boolean(_ENCRYPTED, default=True),
        path_style=path_style,
        anonymous=anonymous,
        access_key=access_key,
        secret_key=given.text(_SECRET_KEY),
        session_token=given.text(_SESSION_TOKEN),
        connect_timeout=_milliseconds(given, _CONNECT_TIMEOUT, defaults.connect_timeout),
        request_timeout=_milliseconds(given, _REQUEST_TIMEOUT, defaults.request_timeout),
        attempts=given.integer(_ATTEMPTS, defaults.attempts, 1, _MOST_ATTEMPTS),
    )


def refuse_s3_without_place(given: GivenOptions, remedy: str) -> None:
    """Reject S3 options if no place of the source is in S3."""
    for name in S3_OPTIONS:
        if name in given:
            given.refuse(name, given.value(name), remedy)


def _provider(given: GivenOptions) -> str | None:
    """Return the credentials provider without its package; None if it is not set."""
    written = given.text(_PROVIDER)
    if written is None:
        return None
    name = written.rpartition(".")[2]
    if name not in _PROVIDERS:
        given.refuse(
            _PROVIDER,
            written,
            f"write {', '.join(_PROVIDERS)}, or leave it out: then the environment, a profile or the machine "
            "give the credentials",
        )
    return name


def _milliseconds(given: GivenOptions, name: str, default: int) -> int:
    """Return a duration (ms). As in Hadoop, a number without a unit is in ms."""
    if name in given and given.value(name).isascii() and given.value(name).isdigit():
        return given.integer(name, default, 1, MAX)
    duration = given.duration(name, least=1)
    return default if duration is None else duration
