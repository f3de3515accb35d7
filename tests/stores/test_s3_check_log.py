"""`tidegauge check-log` of a log in S3."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from conftest import Command, run_module
from s3_server import ACCESS_KEY, REGION, SECRET_KEY, S3Store
from spark_programs.driven_query import DrivenQuery

pytestmark = pytest.mark.stores


@pytest.fixture(name="log")
def _log(store: S3Store) -> str:
    """The log of a source over numbers."""
    folder = f"{store.bucket('checked')}/log"
    if not store.names(folder):
        DrivenQuery(end="20", maxRowsPerTrigger="10", eventLog=folder, sourceName="n", **store.options).run()
    return folder


def environment(store: S3Store, tmp_path: Path, **changed: str) -> dict[str, str]:
    return {
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_REGION": REGION,
        "AWS_ENDPOINT_URL": store.endpoint,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"),
        **changed,
    }


@pytest.fixture(name="tidegauge")
def _tidegauge(tmp_path: Path) -> Command:
    return run_module(tmp_path, "tidegauge")


def test_a_log_in_s3_is_judged(store: S3Store, log: str, tidegauge: Command, tmp_path: Path) -> None:
    for path in (log, log.replace("s3://", "s3a://") + "/"):
        ended = tidegauge("check-log", path, environment=environment(store, tmp_path))
        assert (ended.returncode, ended.stderr) == (0, "")
        assert "of 1 job, 1 operator, 1 subtask" in ended.stdout


def test_a_single_object_and_a_bad_one(store: S3Store, log: str, tidegauge: Command, tmp_path: Path) -> None:
    one = f"{log}/{store.names(log)[0]}"
    ended = tidegauge("check-log", one, environment=environment(store, tmp_path))
    assert ended.returncode == 0, ended.stderr
    folder = f"{store.bucket('checked')}/bad"
    store.put_table(f"{folder}/a.parquet", pa.table({"x": [1]}))
    ended = tidegauge("check-log", folder, environment=environment(store, tmp_path))
    assert ended.returncode == 2
    assert "s3://checked/bad/a.parquet" in ended.stderr


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize(
    ("path", "changed", "message"),
    [
        (
            "s3://nothing/log",
            {},
            "s3://nothing/log cannot be read: there is no such bucket: correct the path",
        ),
        ("s3://checked/nothing", {}, "s3://checked/nothing: no such file or folder"),
        (
            "s3://checked/log",
            {"AWS_SECRET_ACCESS_KEY": "falsch"},
            "s3://checked/log cannot be read: the store ",
        ),
        (
            "s3://checked/log",
            {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"},
            "the store does not answer: correct",
        ),
        ("s3://checked/log", {"AWS_REGION": "eu-west-1"}, "the bucket is in another region: set AWS_REGION"),
    ],
)
def test_what_fails_is_one_line_without_secrets(
    *,
    store: S3Store,
    tidegauge: Command,
    tmp_path: Path,
    path: str,
    changed: dict[str, str],
    message: str,
) -> None:
    ended = tidegauge("check-log", path, environment=environment(store, tmp_path, **changed))
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)
    assert message in ended.stderr
    assert not any(secret in ended.stderr for secret in ("falsch", SECRET_KEY, ACCESS_KEY))
