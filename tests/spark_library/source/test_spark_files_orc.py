"""ORC files: types as Spark reads them, stripes as blocks, and the time zone of the writer."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import orc
from pyspark.sql.types import IntegerType, LongType, StringType, StructType
from spark_programs.driven_files import DrivenFiles, query_of_inferred

from tidegauge_spark import BrokenLogError
from tidegauge_spark.source.files.orc_format import OrcFormat
from tidegauge_spark.source.planning.progress_rows import PROGRESS_SCHEMA

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def write_orc(folder: Path, split: str, name: str, table: Any, **options: Any) -> Path:
    """Write an ORC file."""
    (folder / split).mkdir(parents=True, exist_ok=True)
    orc.write_table(table, folder / split / name, **options)
    return folder / split / name


def with_time_zone(file: Path, zone: bytes) -> None:
    """Replace the writer's time zone, GMT, in an uncompressed file by a name of the same length."""
    content = file.read_bytes()
    assert content.count(b"\x1a\x03GMT") == 1
    file.write_bytes(content.replace(b"\x1a\x03GMT", b"\x1a\x03" + zone))


def test_stripes_are_read_once_each(tmp_path: Path) -> None:
    rows = 60_000
    table = pa.table(
        {"time": range(rows), "id": range(rows), "text": [f"{row * 7919:09}" for row in range(rows)]}
    )
    file = write_orc(tmp_path, "x", "a", table, stripe_size=1 << 16, batch_size=1024)
    assert orc.ORCFile(file).nstripes > 2
    write_orc(tmp_path, "x", "b", table.slice(0, 0))
    write_orc(tmp_path, "x", "c", pa.table({"Time": [rows], "id": pa.array([rows], pa.int32())}))
    query = DrivenFiles(tmp_path, fileFormat="orc", maxRowsPerTrigger="7001")
    query.run()
    assert [row["id"] for row in query.rows()] == list(range(rows + 1))
    assert query.offset["watermarks"] == [rows - 1]


def test_columns_have_the_types_that_spark_reads(tmp_path: Path) -> None:
    local = pa.field("local", pa.int64(), metadata={"spark.sql.catalyst.type": "timestamp_ntz"})
    schema = pa.schema(
        [("at", pa.timestamp("us")), local, ("s", pa.struct([("id", pa.int8())])), ("d", pa.date32())]
    )
    table = pa.table([[NEW_YEAR.replace(tzinfo=None)], [5], [{"id": 1}], [NEW_YEAR.date()]], schema=schema)
    write_orc(tmp_path, "x", "a", table)
    query = query_of_inferred(tmp_path, fileFormat="orc", eventTimeColumn="at")
    assert query._schema.simpleString().startswith(
        "struct<at:timestamp,local:timestamp_ntz,s:struct<id:tinyint>,d:date,progress:"
    )
    query.run()
    (row,) = query.rows()
    assert (row["at"], row["local"], row["s"]) == (NEW_YEAR, datetime(1970, 1, 1, 0, 0, 0, 5), {"id": 1})
    assert query.offset["watermarks"] == [NEW_YEAR.timestamp() * 1000 - 1]
    of_local = query_of_inferred(tmp_path, fileFormat="orc", eventTimeColumn="local")
    of_local.run()
    assert of_local.offset["watermarks"] == [-1]


@pytest.mark.parametrize("compression", ["uncompressed", "zlib", "zstd", "snappy"])
def test_the_event_time_may_be_a_field_of_a_struct(tmp_path: Path, compression: str) -> None:
    meta = pa.array([{"at": NEW_YEAR}, None], pa.struct([("at", pa.timestamp("us"))]))
    write_orc(tmp_path, "x", "a", pa.table({"id": [1, 2], "meta": meta}), compression=compression)
    query = query_of_inferred(
        tmp_path, fileFormat="orc", eventTimeColumn="META.at", failOnInvalidTimestamp="false"
    )
    query.run()
    assert [row["meta"] for row in query.rows()] == [{"at": NEW_YEAR}, None]
    assert query.offset["watermarks"] == [NEW_YEAR.timestamp() * 1000 - 1]


def test_wall_clocks_of_another_time_zone_are_refused(tmp_path: Path) -> None:
    table = pa.table({"at": pa.array([5], pa.timestamp("us")), "id": [1]})
    file = write_orc(tmp_path, "x", "a", table, compression="uncompressed")
    with_time_zone(file, b"EST")
    message = (
        r"column 'at' of the file .*x/a' are wall clocks of the time zone EST, and only UTC .*user.timezone"
    )
    with pytest.raises(BrokenLogError, match=message):
        query_of_inferred(tmp_path, fileFormat="orc", eventTimeColumn="at").run()
    columns = StructType().add("id", LongType()).add("progress", PROGRESS_SCHEMA)
    query = DrivenFiles(tmp_path, fileFormat="orc", schema=columns, eventTimeColumn="id")
    query.run()
    assert [row["id"] for row in query.rows()] == [1]


def test_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    file = write_orc(tmp_path, "x", "a", pa.table({"time": [1], "id": ["x"]}))
    with pytest.raises(
        BrokenLogError, match=r"the column 'id' of the file .*x/a' is string, and cannot be read"
    ):
        DrivenFiles(tmp_path, fileFormat="orc").run()
    columns = StructType().add("at", LongType()).add("id", StringType()).add("progress", PROGRESS_SCHEMA)
    query = DrivenFiles(tmp_path, fileFormat="orc", schema=columns, eventTimeColumn="at")
    with pytest.raises(BrokenLogError, match=r"x/a' has no column 'at', which eventTimeColumn names"):
        query.run()
    far = pa.table({"time": pa.array([datetime(3000, 1, 1)], pa.timestamp("us")), "id": [1]})
    write_orc(tmp_path, "x", "a", far)
    with pytest.raises(BrokenLogError, match=r"x/a' is not ORC, or is damaged or cut off .* out of range"):
        query_of_inferred(tmp_path, fileFormat="orc").run()
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(BrokenLogError, match=r"x/a' is not ORC, or is damaged or cut off"):
        query_of_inferred(tmp_path, fileFormat="orc")


def test_columns_are_converted_to_a_schema_of_the_users_own(tmp_path: Path) -> None:
    write_orc(tmp_path, "x", "a", pa.table({"time": pa.array([1], pa.int32()), "id": [2]}))
    schema = StructType().add("time", LongType()).add("id", IntegerType()).add("new", StringType())
    query = DrivenFiles(tmp_path, schema=schema, fileFormat="orc", progressColumn="")
    query.batch()
    assert query._rows[0] == [{"time": 1, "id": 2, "new": None}]
    assert not OrcFormat.keeps_statistics
