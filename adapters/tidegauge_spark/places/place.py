"""A place of files, given as a path or URI, and its file system."""

from __future__ import annotations

import os
import re
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from tidegauge_spark.places.s3 import FROM_ENVIRONMENT, SCHEME, S3Settings, explained, opened_s3

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")

_S3: Final = ("s3", "s3a")

_REMEDIES: Final = {
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


class IllegalPlaceError(ValueError):
    """A rejected place. shown: the path for messages, without credentials. remedy: how to correct it."""

    def __init__(self, shown: str, remedy: str) -> None:
        super().__init__(f"{shown!r}: {remedy}")
        self.shown, self.remedy = shown, remedy


def place_of(path: str) -> str:
    """Return the canonical form of a path or URI: an absolute path, or "s3://bucket/folder", also for s3a.

    All processes and checkpoints use this form. A relative path would be ambiguous, because the executors may
    have another working directory. As in Hadoop, folder names in S3 are not percent-encoded.

    Raises `IllegalPlaceError` for a store that is not supported, and for credentials or settings in a URI,
    because the path is written to the checkpoint.
    """
    scheme = _SCHEME.match(path)
    if scheme is None:
        return os.path.abspath(path)
    name, rest = scheme[1].lower(), path[scheme.end() - 1 :]
    if name == "file":
        return unquote(urlsplit(path).path)
    if name not in _S3:
        shown = f"{name}:{'//' if rest.startswith('//') else '/'}..."  # the rest may contain credentials
        store = f"{_STORES.get(name, f'{name}:')} is not supported"
        raise IllegalPlaceError(
            shown, _REMEDIES.get(name, f"{store}; write a local or mounted folder, or s3://")
        )
    return SCHEME + _checked_folder(name, rest)


def _checked_folder(scheme: str, rest: str) -> str:
    """Return the bucket and the folder of an S3 URI, without trailing slashes."""
    bucket, _, folder = rest.removeprefix("//").partition("/")
    if "@" in bucket:
        raise IllegalPlaceError(
            f"{scheme}://***@{bucket.rpartition('@')[2]}...",
            "the path goes into the checkpoint; leave the credentials out, and set AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY, or a profile, on the driver and the executors",
        )
    if "?" in rest:
        raise IllegalPlaceError(
            f"{scheme}://{bucket.partition('?')[0]}...?...",
            "the path goes into the checkpoint; write settings as options, such as fs.s3a.endpoint and "
            "fs.s3a.endpoint.region",
        )
    folder = folder.rstrip("/")
    if not rest.startswith("//") or not bucket or "" in folder.split("/")[:-1]:
        raise IllegalPlaceError(
            f"{scheme}:{rest}", "write s3://bucket/folder, with one slash between folders"
        )
    return f"{bucket}/{folder}".rstrip("/")


def is_local(place: str) -> bool:
    """Return whether a place is in the local file system."""
    return not place.startswith(SCHEME)


def opened_place(place: str, s3: S3Settings = FROM_ENVIRONMENT) -> tuple[Any, str]:
    """Return the file system of a place, and the path of the place in that file system. Raises `OSError`."""
    if not is_local(place):
        path = place.removeprefix(SCHEME)
        return opened_s3(path.partition("/")[0], s3), path
    from pyarrow import fs as filesystems  # imported late: a query without files does not need it

    return filesystems.LocalFileSystem(), os.path.abspath(place)


def reason_of(error: OSError, place: str, s3: S3Settings = FROM_ENVIRONMENT) -> str | None:
    """Return why a store rejected a read or a write, in one line with the remedy.

    None if the message of the error is sufficient.
    """
    return None if is_local(place) else explained(error, place, s3)
