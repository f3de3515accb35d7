"""The source over a real S3 server, driven without Spark: listing, reading, and one-line errors."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from s3_server import ACCESS_KEY, REGION, SECRET_KEY, STRANGER, STRANGERS_SECRET, S3Store, running_s3
from spark_programs.driven_files import DrivenFiles, query_of_inferred

from tidegauge_spark.source.planning.broken_log import BrokenLogError

pytestmark = pytest.mark.stores


@pytest.fixture(autouse=True)
def _no_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide the user's own credentials from the tests."""
    for name in [each for each in os.environ if each.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))


@pytest.fixture(name="folder")
def _folder(store: S3Store, request: pytest.FixtureRequest) -> str:
    """A separate folder for each test."""
    return f"{store.bucket('source')}/{abs(hash(request.node.name))}"


def test_splits_in_folders_are_read_as_from_a_disk(store: S3Store, folder: str) -> None:
    """Also covers columns, new files and splits, and a split that is finished and removed."""
    store.put_times(f"{folder}/eu/1", [1, 2])
    store.put_times(f"{folder}/us/1", [1])
    query = query_of_inferred(folder, **store.options)
    query.run()
    assert (query.times("eu"), query.times("us")) == ([1, 2], [1])
    store.put_times(f"{folder}/eu/2", [3])
    store.put_times(f"{folder}/asia/1", [2, 9])
    store.put(f"{folder}/us/_FINISHED")
    query.restart()
    query.run()
    assert (query.times("eu"), query.times("us"), query.times("asia")) == ([1, 2, 3], [1], [2, 9])
    assert query.offset["watermarks"] == [2]
    store.remove(f"{folder}/us")
    store.put_times(f"{folder}/eu/3", [10])
    store.put(f"{folder}/_FINISHED")
    query.restart()
    query.run()
    assert query.times("eu") == [1, 2, 3, 10]


def test_a_folder_whose_files_are_all_read_and_removed_is_an_empty_split(store: S3Store, folder: str) -> None:
    """S3 has no empty folders. A file that is not read yet must not vanish."""
    store.put_times(f"{folder}/eu/1", [1, 2])
    store.put_times(f"{folder}/us/1", [1])
    query = DrivenFiles(folder, **store.options)
    query.run()
    store.remove(f"{folder}/eu")
    store.put_times(f"{folder}/us/2", [2])
    query.restart()
    query.run()
    assert query.times("us") == [1, 2]
    store.put_times(f"{folder}/eu/2", [3])
    query.restart()
    query.run()
    assert query.times("eu") == [1, 2, 3]
    store.put_times(f"{folder}/eu/3", [4])
    unread = DrivenFiles(folder, available_now=False, maxRowsPerTrigger="1", **store.options)
    unread.batch()
    unread.commit()
    store.remove(f"{folder}/eu")
    unread.restart()
    with pytest.raises(BrokenLogError, match="vanished"):
        unread.run()


def test_a_split_without_files_is_an_object_that_names_a_folder(store: S3Store, folder: str) -> None:
    store.put_times(f"{folder}/eu/1", [1, 2])
    store.filesystem.create_dir(f"{folder.removeprefix('s3://')}/silent")
    query = DrivenFiles(folder, **store.options)
    query.run()
    assert set(query.offset["splits"]) == {"eu", "silent"}
    assert query.offset["watermarks"] == [-(2**63)]


def test_splits_of_partition_columns(store: S3Store, folder: str) -> None:
    store.put_times(f"{folder}/day=1/region=eu/part-00000-a.parquet", [1, 2])
    store.put_times(f"{folder}/day=1/region=us/part-00000-b.parquet", [3])
    query = DrivenFiles(folder, splitBy="region", **store.options)
    query.run()
    assert (query.times("region=eu"), query.times("region=us")) == ([1, 2], [3])


def test_files_of_a_job_that_has_not_committed_are_not_read(store: S3Store, folder: str) -> None:
    """Hadoop's magic committer completes the uploads of a job one by one."""
    store.put_times(f"{folder}/part-00000-b.parquet", [2])
    store.put(f"{folder}/__magic_job-1/tasks/part-00001-c.pending")
    query = DrivenFiles(folder, available_now=False, splitBy="none", **store.options)
    assert not query.batch()
    store.put_times(f"{folder}/part-00001-a.parquet", [1])
    store.remove(f"{folder}/__magic_job-1")
    query.restart()
    query.run()
    assert sorted(query.times("all")) == [1, 2]


def test_only_committed_files_of_a_sink_are_read(store: S3Store, folder: str) -> None:
    for name, time in (("part-00000-a.parquet", 1), ("part-00000-b.parquet", 2)):
        store.put_times(f"{folder}/{name}", [time])
    entry = {
        "path": f"s3a://{folder.removeprefix('s3://')}/part-00000-b.parquet",
        "size": store.filesystem.get_file_info(f"{folder.removeprefix('s3://')}/part-00000-b.parquet").size,
        "isDir": False,
        "modificationTime": 1,
        "blockReplication": 1,
        "blockSize": 1,
        "action": "add",
    }
    store.put(f"{folder}/_spark_metadata/0", f"v1\n{json.dumps(entry)}".encode())
    query = DrivenFiles(folder, splitBy="none", **store.options)
    query.run()
    assert query.times("all") == [2]


def test_a_checkpoint_does_not_depend_on_the_spelling_of_the_scheme(store: S3Store, folder: str) -> None:
    store.put_times(f"{folder}/eu/1", [1])
    query = DrivenFiles(folder.replace("s3://", "s3a://") + "/", **store.options)
    query.run()
    store.put_times(f"{folder}/eu/2", [2])
    query.options["path"] = folder
    query.restart()
    query.run()
    assert query.times("eu") == [1, 2]
    assert query.offset["path"] == folder


def test_no_secret_is_in_an_offset(store: S3Store, folder: str) -> None:
    store.put_times(f"{folder}/eu/1", [1])
    query = DrivenFiles(folder, **store.options)
    query.run()
    offset = json.dumps(query.log)
    assert ACCESS_KEY not in offset
    assert SECRET_KEY not in offset


def test_credentials_of_the_environment_and_of_a_profile(
    store: S3Store, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put_times(f"{folder}/eu/1", [1])
    options = {"fs.s3a.endpoint": store.endpoint}
    with monkeypatch.context() as environment:
        environment.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
        environment.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
        environment.setenv("AWS_REGION", REGION)
        DrivenFiles(folder, **options).run()
    Path(os.environ["AWS_SHARED_CREDENTIALS_FILE"]).write_text(
        f"[lake]\naws_access_key_id = {ACCESS_KEY}\naws_secret_access_key = {SECRET_KEY}\n"
    )
    monkeypatch.setenv("AWS_PROFILE", "lake")
    # Use another number of attempts: the file system is cached per process and settings, with its credentials.
    query = DrivenFiles(
        folder, **options, **{"fs.s3a.endpoint.region": REGION, "fs.s3a.attempts.maximum": "2"}
    )
    query.run()
    assert query.times("eu") == [1]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"path": "s3://nothing/x"},
            "there is no bucket 'nothing' at http://127.0.0.1:{port}: correct the path",
        ),
        (
            {"fs.s3a.secret.key": "falsch"},
            "rejects the credentials (SIGNATURE_DOES_NOT_MATCH): correct AWS_ACC",
        ),
        (
            {"fs.s3a.access.key": "nobody"},
            "rejects the credentials (INVALID_ACCESS_KEY_ID): correct AWS_ACCESS",
        ),
        (
            {"fs.s3a.access.key": STRANGER, "fs.s3a.secret.key": STRANGERS_SECRET},
            "denies access to the bucket 'source': use other credentials, or allow s3:ListBucket and s3:GetObj",
        ),
        (
            {"fs.s3a.access.key": "", "fs.s3a.secret.key": ""},
            "denies access to the bucket 'source', and there are no credentials: set AWS_ACCESS_KEY_ID and",
        ),
        (
            {
                "fs.s3a.access.key": "",
                "fs.s3a.secret.key": "",
                "fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider",
            },
            "denies access to the bucket 'source': use other credentials",
        ),
        (
            {"fs.s3a.endpoint.region": "eu-west-1"},
            'is wrong; expecting "eu-west-3"): set fs.s3a.endpoint.region',
        ),
        ({"path": "s3://source/nothing"}, "the folder 's3://source/nothing' cannot be read"),
    ],
)
def test_what_fails_is_one_line_without_secrets(
    store: S3Store, folder: str, changed: dict[str, str], message: str
) -> None:
    store.put_times(f"{folder}/eu/1", [1])
    options = {name: value for name, value in {**store.options, **changed}.items() if value}
    with pytest.raises(BrokenLogError) as failure:
        DrivenFiles(folder, **options).run()
    said = str(failure.value)
    assert message.format(port=store.endpoint.rpartition(":")[2]) in said
    assert "\n" not in said
    assert not any(secret in said for secret in ("geheim", "falsch", ACCESS_KEY, STRANGER))


@pytest.fixture(name="silent")
def _silent() -> Iterator[str]:
    """The address of a server that accepts connections but never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_a_store_that_does_not_answer_fails_in_one_line(store: S3Store, silent: str) -> None:
    brief = {"fs.s3a.connection.timeout": "1s", "fs.s3a.attempts.maximum": "2"}
    with pytest.raises(
        BrokenLogError,
        match=r"the folder 's3://source/x' cannot be read: no answer from http://127.0.0.1:\d+ in 2 attempts "
        r"\(Timeout was reached.*\): correct fs.s3a.endpoint, start the store, or raise",
    ):
        DrivenFiles("s3://source/x", **{**store.options, "fs.s3a.endpoint": silent, **brief}).run()


def test_a_store_that_goes_away_while_a_file_is_read_is_no_damaged_file(tmp_path: Path) -> None:
    with running_s3(tmp_path) as own:
        folder = own.bucket("gone")
        own.put_times(f"{folder}/eu/1", [1])
        query = DrivenFiles(folder, **own.options, **{"fs.s3a.attempts.maximum": "1"})
        opened = query.reader._folder.open("eu", "1", query.reader._folder.list()["eu"].sizes[0])
        file = opened.__enter__()
    try:
        file.read(1)
        pytest.fail("the server is gone")
    except OSError as error:
        broken = BrokenLogError("the file is not Parquet, or is damaged")
        broken.__cause__ = error
    with pytest.raises(BrokenLogError, match=r"the file 's3://gone/eu/1' cannot be read: no answer from"):
        opened.__exit__(BrokenLogError, broken, None)
