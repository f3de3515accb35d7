"""Places that the source does not read, and tables that look like folders of files, are rejected in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from spark_programs.driven_files import DrivenFiles, write_parquet

from tidegauge_spark.places.place import place_of
from tidegauge_spark.places.s3 import S3Settings
from tidegauge_spark.source.files.folder.spark_folders import is_of_a_job
from tidegauge_spark.source.options.given import IllegalOptionError
from tidegauge_spark.source.options.source import parse_options
from tidegauge_spark.source.planning.broken_log import BrokenLogError

FILES = {"eventTimeColumn": "time"}


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("gs://bucket/x", "option path = 'gs://...': Google Cloud Storage is not supported; write a"),
        (
            "abfss://c@a.dfs.core.windows.net/x",
            "Azure Data Lake Storage is not supported; write a local",
        ),
        (
            "hdfs://name:8020/x",
            "option path = 'hdfs://...': HDFS is not supported; write a local or mounted",
        ),
        (
            "hdfs:/x",
            "option path = 'hdfs:/...': HDFS is not supported; write a local or mounted folder",
        ),
        ("dbfs:/x", "option path = 'dbfs:/...': write the path of its mount, /dbfs/..."),
        ("s3n://bucket/x", "option path = 's3n://...': write s3:// instead"),
        (
            "s3://bucket//x",
            "option path = 's3://bucket//x': write s3://bucket/folder, with one slash between",
        ),
        ("s3a:/bucket/x", "option path = 's3a:/bucket/x': write s3://bucket/folder, with one slash between"),
        (
            "unknown://u:geheim@x",
            "option path = 'unknown://...': unknown: is not supported; write a local",
        ),
        (
            "s3://AKIA:geheim@bucket/x",
            "option path = 's3://***@bucket...': the path goes into the checkpoint; leave",
        ),
        (
            "s3://bucket/x?secret_key=geheim",
            "option path = 's3://bucket...?...': the path goes into the checkpoint; write settings as options",
        ),
    ],
)
def test_another_store_is_rejected_by_its_name(path: str, message: str) -> None:
    with pytest.raises(IllegalOptionError) as refusal:
        parse_options({"path": path, **FILES})
    assert message in str(refusal.value)
    assert "geheim" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_store_of_the_event_log_is_no_relative_path() -> None:
    with pytest.raises(
        IllegalOptionError, match=r"option eventLog = 'dbfs:/...': write the path of its mount"
    ):
        parse_options({"path": "/x", "eventLog": "dbfs:/log", **FILES})


def test_a_place_has_one_spelling() -> None:
    assert place_of("file:/a%20b") == place_of("/a b") == place_of("/a b/") == "/a b"
    assert place_of("s3a://lake/a%20b/") == place_of("S3://lake/a%20b") == "s3://lake/a%20b"
    assert place_of("s3://lake/") == place_of("s3a://lake") == "s3://lake"


def test_the_options_of_s3_have_the_names_of_hadoop() -> None:
    options = {
        "path": "s3a://lake/log",
        "fs.s3a.endpoint": "https://store:9000",
        "FS.S3A.endpoint.region": "eu-west-3",
        "fs.s3a.path.style.access": "true",
        "fs.s3a.access.key": "AKIA",
        "fs.s3a.secret.key": "geheim",
        "fs.s3a.connection.timeout": "20000",
        "fs.s3a.connection.establish.timeout": "3s",
        "fs.s3a.attempts.maximum": "4",
    }
    files = parse_options({**options, **FILES}).files
    assert files is not None
    assert files.s3 == S3Settings(
        "https://store:9000", "eu-west-3", True, True, False, "AKIA", "geheim", None, 3_000, 20_000, 4
    )
    assert "geheim" not in repr(files)
    assert "AKIA" not in repr(files)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"path": "/x"},
            "option fs.s3a.endpoint = 'store': neither path nor eventLog is s3://; leave it out",
        ),
        (
            {"fs.s3a.endpoint": "https://AKIA:geheim@store"},
            "option fs.s3a.endpoint = '***': leave the credential",
        ),
        (
            {"fs.s3a.endpoint": "ftp://x"},
            "option fs.s3a.endpoint = 'ftp://x': write for example \"https://sto",
        ),
        ({"fs.s3a.access.key": "geheim"}, "option fs.s3a.access.key = '***': set fs.s3a.secret.key as well"),
        ({"fs.s3a.secret.key": "geheim"}, "option fs.s3a.secret.key = '***': set fs.s3a.access.key as well"),
        ({"fs.s3a.session.token": "geheim"}, "option fs.s3a.session.token = '***': set fs.s3a.access.key as"),
        (
            {"fs.s3a.aws.credentials.provider": "com.amazonaws.auth.WebIdentityTokenCredentialsProvider"},
            "option fs.s3a.aws.credentials.provider = '***': write AnonymousAWSCredentialsProvider, SimpleAWSCr",
        ),
        (
            {"fs.s3a.connection.timeout": "soon"},
            "option fs.s3a.connection.timeout = 'soon': it is not a number",
        ),
        (
            {"fs.s3a.attempts.maximum": "0"},
            "option fs.s3a.attempts.maximum = '0': write a whole number from 1",
        ),
        (
            {"fs.s3a.endpoint": "", "fs.s3a.path.style.access": "true"},
            "option fs.s3a.path.style.access = 'true': set fs.s3a.endpoint as well",
        ),
        ({"fs.s3a.endpont": "x"}, "there is no such option (did you mean fs.s3a.endpoint?)"),
    ],
)
def test_a_wrong_option_of_s3_is_refused_in_one_line(options: dict[str, str], message: str) -> None:
    given = {"path": "s3://lake/log", "fs.s3a.endpoint": "store", **options, **FILES}
    with pytest.raises(IllegalOptionError) as refusal:
        parse_options({name: value for name, value in given.items() if value})
    assert message in str(refusal.value)
    assert "geheim" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_job_with_the_magic_committer_has_not_committed() -> None:
    assert is_of_a_job("__magic_job-0001")
    assert is_of_a_job("__magic")


@pytest.mark.parametrize(
    ("mark", "is_folder", "table_format"),
    [
        ("_delta_log", True, "Delta"),
        (".hoodie", True, "Hudi"),
        ("metadata/v1.metadata.json", False, "Iceberg"),
    ],
)
@pytest.mark.parametrize("split_by", ["folder", "none"])
def test_a_table_and_its_parts_are_rejected(
    tmp_path: Path, mark: str, is_folder: bool, table_format: str, split_by: str
) -> None:
    """Read as plain files, a table would return rows that it has replaced or deleted."""
    table = tmp_path / "table"
    write_parquet(table / "data", "region=eu" if split_by == "none" else "eu", "a", [1])
    (table / mark).parent.mkdir(exist_ok=True)
    if is_folder:
        (table / mark).mkdir()
        (table / mark / "0.json").touch()
    else:
        (table / mark).touch()
    remedy = f'with files that are not part of it any more: read it by format\\("{table_format.lower()}"\\)'
    for path, message in (
        (table, f"the folder '{table}' is a {table_format} table \\(it has .*\\), {remedy}"),
        (tmp_path, f"the folder '{table}' is a {table_format} table"),
        (
            table / "data",
            f"the folder '{table}/data' is a part of '{table}', a {table_format} table .*, {remedy}",
        ),
        (table / "data" / "region=eu", f"is a part of '{table}', a {table_format} table"),
    ):
        if path.name == "region=eu" and split_by == "folder":
            continue
        with pytest.raises(BrokenLogError, match=message) as failure:
            DrivenFiles(path, splitBy=split_by).run()
        assert "\n" not in str(failure.value)


def test_a_partition_of_a_hudi_table_is_rejected(tmp_path: Path) -> None:
    write_parquet(tmp_path, "eu", "a", [1])
    (tmp_path / "eu" / ".hoodie_partition_metadata").touch()
    with pytest.raises(BrokenLogError, match=f"the folder '{tmp_path}/eu' is a Hudi table"):
        DrivenFiles(tmp_path).run()


def test_what_lies_beside_the_data_of_a_table_is_read(tmp_path: Path) -> None:
    """A table ignores folders that begin with "_", and a folder `metadata` alone is not a table."""
    (tmp_path / "table" / "_delta_log").mkdir(parents=True)
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "v1.metadata.json").touch()
    for folder in (tmp_path / "table" / "_events", tmp_path / "events"):
        write_parquet(folder, "x", "a", [1])
        query = DrivenFiles(folder)
        query.run()
        assert query.times("x") == [1]


@pytest.mark.parametrize(
    "name",
    [
        "sasl.password",
        "SASL_PASSWORD",
        "ssl.key.password",
        "sslKeyPassword",
        "sasl.jaas.config",
        "fs.azure.account.key",
        "fs.gs.auth.service.account.private.key",
        "aws_session_token",
        "ssl.key.pem",
        "ssl.truststore.passphrase",
    ],
)
def test_a_secret_under_a_wrong_name_is_not_shown(name: str) -> None:
    with pytest.raises(IllegalOptionError, match=r"option .* = '\*\*\*': there is no such option") as refusal:
        parse_options({"path": "/x", name: "geheim", **FILES})
    assert "geheim" not in str(refusal.value)


def test_the_value_of_another_unknown_option_is_shown() -> None:
    with pytest.raises(IllegalOptionError, match="option splitby2 = 'passed': there is no such option"):
        parse_options({"path": "/x", "splitBy2": "passed", **FILES})
