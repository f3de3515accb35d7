"""The files of an event log in S3.

Credentials, region and endpoint come from the environment or a profile.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, Final

import pyarrow.fs as filesystems

from tidegauge.wire.scenario import BadInput

_URI: Final = re.compile(r"s3a?:/{1,2}([^/].*)", re.IGNORECASE)
"""Also matches a URI converted to a `Path`, which has one slash."""

_CONNECT_TIMEOUT, _REQUEST_TIMEOUT, _ATTEMPTS = 5, 30, 3
"""Connect timeout (s), longest time without data (s), and number of attempts per request."""

_MEANINGS: Final = {
    "NO_SUCH_BUCKET": "there is no such bucket: correct the path, or set AWS_ENDPOINT_URL",
    "NETWORK_CONNECTION": "the store does not answer: correct AWS_ENDPOINT_URL, or start the store",
    "INVALID_ACCESS_KEY_ID": "the store rejects the credentials: correct AWS_ACCESS_KEY_ID",
    "SIGNATURE_DOES_NOT_MATCH": "the store rejects the credentials: correct AWS_SECRET_ACCESS_KEY",
    "ACCESS_DENIED": "the store denies access: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
    "AWS_PROFILE, and allow s3:ListBucket and s3:GetObject",
    "HTTP status 301": "the bucket is in another region: set AWS_REGION",
    "HTTP status 400": "the bucket is in another region: set AWS_REGION",
}
"""The meaning of an S3 error, by a text that it contains."""


@dataclass(frozen=True)
class S3File:
    """An object: its bucket and key, and its size in bytes."""

    key: str
    size: int

    def __str__(self) -> str:
        return f"s3://{self.key}"

    def opened(self) -> Any:
        """Open the object. Raises `OSError`."""
        return _filesystem(self.key.partition("/")[0]).open_input_file(self.key)


def s3_key(path: Path | str) -> str | None:
    """Return the bucket and folder of an S3 URI, without slashes at the end; None if it is not one."""
    found = _URI.fullmatch(str(path))
    return None if found is None else found[1].rstrip("/")


def s3_files(key: str) -> list[S3File]:
    """Return an object, or all objects in a folder, in order of name.

    Objects are left out if their name or the name of one of their folders begins with "." or "_". Raises
    `BadInput` with a one-line message.
    """
    with _explained(key):
        filesystem = _filesystem(key.partition("/")[0])
        itself = filesystem.get_file_info(key)
        if itself.is_file:
            return [S3File(key, itself.size)]
        infos = filesystem.get_file_info(filesystems.FileSelector(key, recursive=True))
    return sorted(
        (S3File(info.path, info.size) for info in infos if info.is_file and not _is_hidden(info.path, key)),
        key=lambda file: file.key,
    )


def _is_hidden(path: str, folder: str) -> bool:
    return any(part.startswith((".", "_")) for part in PurePosixPath(path).relative_to(folder).parts)


@lru_cache(maxsize=8)
def _filesystem(bucket: str) -> Any:
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if endpoint is None and region is None:
        region = filesystems.resolve_s3_region(bucket)
    scheme, separator, host = (endpoint or "").rpartition("://")
    return filesystems.S3FileSystem(
        region=region,
        endpoint_override=host.rstrip("/") or None,
        scheme=scheme if separator else "https",
        connect_timeout=_CONNECT_TIMEOUT,
        request_timeout=_REQUEST_TIMEOUT,
        retry_strategy=filesystems.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS),
    )


@contextmanager
def _explained(key: str) -> Iterator[None]:
    """Convert an S3 error into `BadInput`."""
    try:
        yield
    except FileNotFoundError as error:
        raise BadInput(f"s3://{key}: no such file or folder") from error
    except (OSError, ValueError) as error:
        said = " ".join(str(error).split())
        meaning = next((each for code, each in _MEANINGS.items() if code in said), said)
        raise BadInput(f"s3://{key} cannot be read: {meaning}") from error
