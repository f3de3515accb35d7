"""Places that the source does not read, and tables that look like folders of files, are rejected in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from spark_programs.driven_files import DrivenFiles, write_parquet

from tidegauge_spark.source.options.given import IllegalOptionError
from tidegauge_spark.source.options.places import local_path
from tidegauge_spark.source.options.source import parse_options
from tidegauge_spark.source.planning.broken_log import BrokenLogError

FILES = {"eventTimeColumn": "time"}


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("gs://bucket/x", "option path = 'gs://...': the source does not read Google Cloud Storage; write a"),
        (
            "abfss://c@a.dfs.core.windows.net/x",
            "the source does not read Azure Data Lake Storage; write a local",
        ),
        (
            "hdfs://name:8020/x",
            "option path = 'hdfs://...': the source does not read HDFS; write a local or mounted",
        ),
        (
            "hdfs:/x",
            "option path = 'hdfs:/...': the source does not read HDFS; write a local or mounted folder",
        ),
        ("dbfs:/x", "option path = 'dbfs:/...': write the path of its mount, /dbfs/..."),
        ("s3a://bucket/x", "option path = 's3a://...': write s3:// instead; the settings of Hadoop"),
        (
            "unknown://u:geheim@x",
            "option path = 'unknown://...': the source does not read unknown:; write a local",
        ),
        (
            "s3://AKIA:geheim@bucket/x",
            "option path = 's3://***@bucket...': the path goes into the checkpoint; leave",
        ),
        (
            "s3://bucket/x?secret_key=geheim",
            "the path goes into the checkpoint; leave the credentials out, and set",
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
        IllegalOptionError, match=r"option eventLog = 'dbfs:/log': write a folder of the machine"
    ):
        parse_options({"path": "/x", "eventLog": "dbfs:/log", **FILES})
    assert local_path("file:/a%20b") == local_path("/a b") == "/a b"


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
        "fs.s3a.secret.key",
        "fs.s3a.access.key",
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
