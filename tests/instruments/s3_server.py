"""An S3 server in a separate process (Versity's gateway over a folder), for tests that require one."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.fs as filesystems
import pyarrow.parquet as parquet
import pytest
from kafka_broker import free_port

SERVER: Final = "TIDEGAUGE_S3_SERVER"
VERSION: Final = "v1.8.0"
PATIENCE: Final = 60
"""The maximum time to wait for the server (s). It starts in less than a second on an idle machine."""

REGION: Final = "eu-west-3"
ACCESS_KEY, SECRET_KEY = "tidegauge-tests", "geheim-und-lang"
STRANGER, STRANGERS_SECRET = "stranger", "geheim-und-fremd"
"""A user of the store who may not read the buckets of others."""


class S3Store:
    """A running server: its buckets and objects."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.filesystem: Any = filesystems.S3FileSystem(
            access_key=ACCESS_KEY,
            secret_key=SECRET_KEY,
            region=REGION,
            endpoint_override=endpoint.removeprefix("http://"),
            scheme="http",
            allow_bucket_creation=True,
            allow_bucket_deletion=True,
            allow_delayed_open=True,
        )

    @property
    def options(self) -> dict[str, str]:
        """The options with which a source connects to the server."""
        return {
            "fs.s3a.endpoint": self.endpoint,
            "fs.s3a.endpoint.region": REGION,
            "fs.s3a.path.style.access": "true",
            "fs.s3a.access.key": ACCESS_KEY,
            "fs.s3a.secret.key": SECRET_KEY,
        }

    def bucket(self, name: str) -> str:
        """Create a bucket and return its URI."""
        self.filesystem.create_dir(name)
        return f"s3://{name}"

    def put(self, uri: str, content: bytes = b"") -> None:
        """Write an object."""
        with self.filesystem.open_output_stream(_path(uri)) as file:
            file.write(content)

    def put_table(self, uri: str, table: Any, **how: Any) -> None:
        """Write a Parquet object."""
        with self.filesystem.open_output_stream(_path(uri)) as file:
            parquet.write_table(table, file, **how)

    def put_times(self, uri: str, times: list[int]) -> None:
        """Write a Parquet object whose rows have an event time (ms) and an id, the row number."""
        self.put_table(uri, pa.table({"time": pa.array(times, pa.int64()), "id": list(range(len(times)))}))

    def remove(self, uri: str) -> None:
        """Remove all objects in a folder."""
        self.filesystem.delete_dir(_path(uri))

    def names(self, uri: str) -> list[str]:
        """Return the paths of the objects in a folder, relative to it."""
        selector = filesystems.FileSelector(_path(uri), recursive=True, allow_not_found=True)
        infos = self.filesystem.get_file_info(selector)
        return sorted(each.path[len(_path(uri)) + 1 :] for each in infos if each.is_file)

    def table(self, uri: str) -> Any:
        """Return the rows of a Parquet object."""
        return parquet.read_table(_path(uri), filesystem=self.filesystem, partitioning=None)


def _path(uri: str) -> str:
    return uri.partition("://")[2]


@contextmanager
def running_s3(folder: Path) -> Iterator[S3Store]:
    """Start a server whose objects are in a folder. If its program is missing, the test fails with a remedy."""
    program = Path(os.environ.get(SERVER, "")) / "versitygw"
    if not os.environ.get(SERVER) or not program.is_file():
        pytest.fail(
            f"no versitygw in {SERVER} = {os.environ.get(SERVER)!r}: tox -e stores builds it, with "
            f"GOBIN=FOLDER go install github.com/versity/versitygw/cmd/versitygw@{VERSION}",
            pytrace=False,
        )
    data, users, port = folder / "data", folder / "users", free_port()
    data.mkdir(parents=True)
    users.mkdir()
    root = {"ROOT_ACCESS_KEY": ACCESS_KEY, "ROOT_SECRET_KEY": SECRET_KEY}
    arguments = ["--port", f"127.0.0.1:{port}", "--region", REGION, "--iam-dir", str(users), "--quiet"]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [program, *arguments, "posix", str(data)], env={**os.environ, **root}, stdout=log, stderr=log
        )
    try:
        store = S3Store(f"http://127.0.0.1:{port}")
        _wait_for(store, process, folder / "server.log")
        _add_stranger(program, store)
        yield store
    finally:
        process.kill()
        process.wait(PATIENCE)


def _wait_for(store: S3Store, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the server answers."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            store.filesystem.get_file_info(filesystems.FileSelector(""))
            return
        except OSError:
            continue
    pytest.fail(f"the server does not answer:\n{log.read_text(errors='replace')[-2000:]}", pytrace=False)


def _add_stranger(program: Path, store: S3Store) -> None:
    as_root = ["--access", ACCESS_KEY, "--secret", SECRET_KEY, "--region", REGION]
    user = ["--access", STRANGER, "--secret", STRANGERS_SECRET, "--role", "user"]
    subprocess.run(
        [program, "admin", *as_root, "--endpoint-url", store.endpoint, "create-user", *user],
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )
