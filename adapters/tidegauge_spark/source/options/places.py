"""The places that a source can read: local folders and S3. Other stores are rejected."""

from __future__ import annotations

import os
import re
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from tidegauge_spark.source.options.given import GivenOptions

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")

_REMEDIES: Final = {
    "s3a": "write s3:// instead; the settings of Hadoop (fs.s3a) are ignored, use those of the environment",
    "s3n": "write s3:// instead",
    "dbfs": "write the path of its mount, /dbfs/...",
}

_STORES: Final = {
    "gs": "Google Cloud Storage",
    "gcs": "Google Cloud Storage",
    "abfs": "Azure Data Lake Storage",
    "abfss": "Azure Data Lake Storage",
    "adl": "Azure Data Lake Storage",
    "wasb": "Azure Blob Storage",
    "wasbs": "Azure Blob Storage",
    "hdfs": "HDFS",
    "viewfs": "HDFS",
    "webhdfs": "HDFS",
    "oss": "Alibaba Cloud OSS",
    "http": "web servers",
    "https": "web servers",
    "ftp": "FTP servers",
}

_SECRETS: Final = ("access_key", "secret_key", "session_token")


def local_path(path: str) -> str | None:
    """Return the absolute path of a local path or a `file:` URI, None for the URI of another store."""
    scheme = _SCHEME.match(path)
    if scheme is None:
        return os.path.abspath(path)
    return unquote(urlsplit(path).path) if scheme[1].lower() == "file" else None


def read_path(given: GivenOptions) -> str | None:
    """Return the folder of a source as an absolute path or an S3 URI, None if `path` is not set.

    A relative path would not do: the executors may have another working directory.

    Raises `IllegalOptionError` for a store that the source does not read, and for a path with credentials,
    because the path is written to the checkpoint.
    """
    path = given.text("path")
    if path is None:
        return None
    if (local := local_path(path)) is not None:
        return local
    name = path.partition(":")[0].lower()
    if name != "s3":
        shown = f"{name}:{'//' if '://' in path else '/'}..."  # the rest may contain credentials
        store = f"the source does not read {_STORES.get(name, f'{name}:')}"
        given.refuse(
            "path", shown, _REMEDIES.get(name, f"{store}; write a local or mounted folder, or s3://")
        )
    parts = urlsplit(path)
    if parts.username or parts.password or not parse_qs(parts.query).keys().isdisjoint(_SECRETS):
        given.refuse(
            "path",
            f"s3://***@{parts.hostname}...",
            "the path goes into the checkpoint; leave the credentials out, and set AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY, or a profile, on the driver and the executors",
        )
    return path
