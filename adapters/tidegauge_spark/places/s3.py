"""The object store S3: connection settings, and one-line explanations of errors."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

SCHEME: Final = "s3://"

_CREDENTIALS: Final = (
    "AWS_ACCESS_KEY_ID",
    "AWS_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_ROLE_ARN",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)
"""The environment variables that hold credentials or point to them."""

_REGIONS: Final = ("AWS_REGION", "AWS_DEFAULT_REGION")
_ENDPOINTS: Final = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")


@dataclass(frozen=True)
class S3Settings:
    """Connection settings for S3. Values that are None come from the environment or the AWS profile.

    Attributes:
        endpoint: URL, or host and port, of the store; None: AWS_ENDPOINT_URL, or else AWS.
        region: the region of the bucket; None: see `opened_s3`.
        encrypted: whether to use https if the endpoint is not a URL.
        path_style: whether the bucket is in the request path (True) or in the host name (False). None: in the
            path if there is an endpoint.
        anonymous: whether requests are not signed.
        access_key, secret_key, session_token: the credentials; None: those of the environment.
        connect_timeout: the maximum time to establish a connection (ms).
        request_timeout: the maximum time without data during a request (ms).
        attempts: the maximum number of attempts per request.
    """

    endpoint: str | None = None
    region: str | None = None
    encrypted: bool = True
    path_style: bool | None = None
    anonymous: bool = False
    access_key: str | None = field(default=None, repr=False)
    secret_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    connect_timeout: int = 5_000
    request_timeout: int = 30_000
    attempts: int = 3

    @property
    def store(self) -> str:
        """The name of the store in messages."""
        return self.endpoint or _first_set(_ENDPOINTS) or "AWS"

    @property
    def has_credentials(self) -> bool:
        """Whether the settings, the environment or a profile have credentials. The credentials of an AWS
        instance role are not detected."""
        profile = Path(os.environ.get("AWS_SHARED_CREDENTIALS_FILE") or "~/.aws/credentials").expanduser()
        return bool(self.access_key) or any(map(os.environ.get, _CREDENTIALS)) or profile.is_file()


FROM_ENVIRONMENT: Final = S3Settings()
"""Settings that come only from the environment and the profile."""


@lru_cache(maxsize=32)
def opened_s3(bucket: str, settings: S3Settings) -> Any:
    """Return the file system of a bucket. It is cached in the process, with its connections and credentials.

    The region comes from the settings, AWS_REGION or AWS_DEFAULT_REGION. If none is set and there is no
    endpoint, the region is looked up at AWS. Raises `OSError` if AWS does not answer or the bucket does not
    exist.
    """
    from pyarrow import fs as filesystems  # imported late: a query without files does not need it

    endpoint = settings.endpoint or _first_set(_ENDPOINTS)
    region = settings.region or _first_set(_REGIONS)
    if endpoint is None and region is None:
        region = filesystems.resolve_s3_region(bucket)
    scheme, separator, host = (endpoint or "").rpartition("://")
    return filesystems.S3FileSystem(
        access_key=settings.access_key,
        secret_key=settings.secret_key,
        session_token=settings.session_token,
        anonymous=settings.anonymous,
        region=region,
        endpoint_override=host.rstrip("/") or None,
        scheme=scheme if separator else "https" if settings.encrypted else "http",
        force_virtual_addressing=settings.path_style is False,
        connect_timeout=settings.connect_timeout / 1000,
        request_timeout=settings.request_timeout / 1000,
        retry_strategy=filesystems.AwsStandardS3RetryStrategy(max_attempts=settings.attempts),
    )


def explained(error: OSError, path: str, settings: S3Settings) -> str | None:
    """Return the meaning of an S3 error and its remedy; None if the error is not an S3 error."""
    bucket = path.removeprefix(SCHEME).partition("/")[0]
    said = " ".join(str(error).split())
    if "AWS Error" not in said:
        return None
    if "NO_SUCH_BUCKET" in said:
        return f"there is no bucket {bucket!r} at {settings.store}: correct the path, or fs.s3a.endpoint"
    if "NETWORK_CONNECTION" in said or "curlCode" in said:
        reason = said.partition("curlCode: ")[2].partition(", ")[2].partition("; Details")[0] or said
        return (
            f"no answer from {settings.store} in {settings.attempts} attempts ({reason}): correct "
            "fs.s3a.endpoint, start the store, or raise fs.s3a.connection.timeout"
        )
    if any(code in said for code in ("INVALID_ACCESS_KEY_ID", "SIGNATURE_DOES_NOT_MATCH", "ExpiredToken")):
        return (
            f"{settings.store} rejects the credentials ({_code(said)}): correct AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY, the profile, or fs.s3a.access.key and fs.s3a.secret.key"
        )
    if "ACCESS_DENIED" in said or "HTTP status 403" in said:
        if settings.anonymous or settings.has_credentials:
            return (
                f"{settings.store} denies access to the bucket {bucket!r}: use other credentials, or allow "
                "s3:ListBucket and s3:GetObject (s3:PutObject for an event log)"
            )
        return (
            f"{settings.store} denies access to the bucket {bucket!r}, and there are no credentials: set "
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or a profile on the driver and the executors, or "
            "fs.s3a.access.key and fs.s3a.secret.key"
        )
    if "HTTP status 301" in said or "HTTP status 400" in said:
        detail = said.partition("Message: ")[2].partition(" (Request ID")[0] or "it does not say which"
        return (
            f"{settings.store} has the bucket {bucket!r} in another region ({detail}): set "
            "fs.s3a.endpoint.region, or AWS_REGION"
        )
    return f"{settings.store} answers: {said}"


def _first_set(variables: Iterable[str]) -> str | None:
    """Return the value of the first environment variable that is set."""
    return next(filter(None, map(os.environ.get, variables)), None)


def _code(said: str) -> str:
    """Return the code in an error message, such as "INVALID_ACCESS_KEY_ID"."""
    return said.partition("AWS Error ")[2].partition(" during ")[0].partition(" (")[0]
