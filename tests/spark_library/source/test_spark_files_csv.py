"""CSV files: column positions, headers, quotes, and rejected files."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql.types import LongType, StructType
from spark_programs.driven_files import DrivenFiles, query_of_inferred

from tidegauge_spark import BrokenLogError
from tidegauge_spark.source.files import text_lines
from tidegauge_spark.source.planning.progress_rows import PROGRESS_SCHEMA


def write_csv(folder: Path, split: str, name: str, text: str) -> Path:
    """Write a CSV file."""
    (folder / split).mkdir(parents=True, exist_ok=True)
    file = folder / split / name
    file.write_bytes(text.encode())
    return file


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("compressed", [True, False])
def test_lines_of_many_blocks_are_read_once_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, header: bool, compressed: bool
) -> None:
    monkeypatch.setattr(text_lines, "BLOCK", 1_000)
    names = "TIME,id\n" if header else ""
    file = write_csv(tmp_path, "x", "a.csv", names + "".join(f"{row},{row}\r\n" for row in range(999)))
    if compressed:
        file.rename(file.with_suffix(".csv.gz")).write_bytes(
            gzip.compress(file.with_suffix(".csv.gz").read_bytes())
        )
    write_csv(tmp_path, "x", "b.csv", names + "\n999,999")
    write_csv(tmp_path, "x", "c.csv", names)
    write_csv(tmp_path, "x", "d.csv", "")
    query = DrivenFiles(tmp_path, fileFormat="csv", header=str(header).lower(), maxRowsPerTrigger="123")
    query.run()
    assert [(row["time"], row["id"]) for row in query.rows()] == [(row, row) for row in range(1_000)]
    assert query.offset["watermarks"] == [998]


def test_columns_that_nobody_gave_are_texts_and_the_event_time(tmp_path: Path) -> None:
    write_csv(tmp_path, "x", "a", '\ufeffat;n;"a;b"\n2026-01-01T00:00:00Z;1;"x;y"\n2026-01-01 00:00:01;;""\n')
    options = {"fileFormat": "csv", "sep": ";", "eventTimeColumn": "at"}
    query = query_of_inferred(tmp_path, header="true", **options)
    assert query._schema.simpleString().startswith("struct<at:timestamp,n:string,a;b:string,progress:")
    query.run()
    assert [tuple(row.values())[:3] for row in query.rows()] == [
        (datetime(2026, 1, 1, tzinfo=UTC), "1", "x;y"),
        (datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC), None, ""),
    ]
    write_csv(tmp_path, "x", "a", "5,1\n7,2\n")
    query = query_of_inferred(tmp_path, fileFormat="csv", eventTimeColumn="_c0", eventTimeUnit="s")
    query.run()
    assert [(row["_c0"], row["_c1"]) for row in query.rows()] == [(5, "1"), (7, "2")]
    assert query.offset["watermarks"] == [6_999]


def test_values_of_all_types(tmp_path: Path) -> None:
    write_csv(tmp_path, "x", "a", "1,2024-02-29,1.25,TRUE,2e3,-7,2024-02-29 00:00:01\n2,,,,,,\n")
    schema = StructType().add("time", LongType()).add("d", "date").add("m", "decimal(5,2)")
    schema = schema.add("b", "boolean").add("f", "float").add("i", "integer").add("at", "timestamp")
    query = DrivenFiles(tmp_path, schema=schema, fileFormat="csv", progressColumn="")
    query.batch()
    first, second = query._rows[0]
    assert [str(value) for value in first.values()] == [
        *("1", "2024-02-29", "1.25", "True", "2000.0", "-7", "2024-02-29 00:00:01+00:00")
    ]
    assert list(second.values()) == [2, *[None] * 6]


def test_event_times_that_are_not_valid_come_through_if_they_may(tmp_path: Path) -> None:
    write_csv(tmp_path, "x", "a", f"5,0\nx,1\n{2**70},2\n,3\n1_0,4\n9,5\n")
    query = DrivenFiles(tmp_path, fileFormat="csv", failOnInvalidTimestamp="false")
    query.run()
    assert [row["time"] for row in query.rows()] == [5, None, None, None, None, 9]
    with pytest.raises(BrokenLogError, match=r"row 1, .* of the file .*x/a' has no valid event time"):
        DrivenFiles(tmp_path, fileFormat="csv").run()


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("1,2\n1,2,3\n", {}, r"x/a' is not CSV, or is damaged or cut off .*Expected 2 columns, got 3"),
        ("1,x\n", {}, r"column 'id' of the file .*x/a' has a value that cannot be read as int64 .*'x'"),
        (
            "1,2,3\n",
            {},
            r"x/a' has the columns _c0, _c1, _c2, not time, id: give schema\(\) with the columns",
        ),
        ("id,time\n1,2\n", {"header": "true"}, r"x/a' has the columns id, time, not time, id: give schema"),
        ('1,"2\n3"\n', {}, r"x/a' has a value of several lines|x/a' is not CSV"),
        ('1,"2""3"\n', {}, r"x/a' has a backslash, or a quote in a quoted value: set the option escape"),
        ("1,2\\3\n", {}, r"x/a' has a backslash, or a quote in a quoted value: set the option escape"),
    ],
)
def test_lines_that_cannot_be_read_are_refused(
    tmp_path: Path, text: str, options: dict[str, str], message: str
) -> None:
    write_csv(tmp_path, "x", "a", text)
    with pytest.raises(BrokenLogError, match=message) as refusal:
        DrivenFiles(tmp_path, fileFormat="csv", **options).run()
    assert "\n" not in str(refusal.value)


def test_doubled_quotes_are_read_if_the_option_says_so(tmp_path: Path) -> None:
    write_csv(tmp_path, "x", "a", '1,"2""3"\n2,c:\\new\n3,a"b\n')
    schema = StructType().add("time", LongType()).add("text", "string")
    query = DrivenFiles(tmp_path, schema=schema, fileFormat="csv", escape='"', progressColumn="")
    query.batch()
    assert [row["text"] for row in query._rows[0]] == ['2"3', "c:\\new", 'a"b']


def test_a_tab_may_be_the_separator(tmp_path: Path) -> None:
    write_csv(tmp_path, "x", "a", "5\t6\n")
    query = DrivenFiles(tmp_path, fileFormat="csv", sep=r"\t")
    query.run()
    assert [(row["time"], row["id"]) for row in query.rows()] == [(5, 6)]


def test_partition_columns_are_the_last_columns(tmp_path: Path) -> None:
    write_csv(tmp_path, "day=1", "a", "5,6\n")
    options = {"fileFormat": "csv", "splitBy": "day"}
    schema = StructType().add("time", LongType()).add("id", LongType()).add("day", LongType())
    query = DrivenFiles(tmp_path, schema=schema.add("progress", PROGRESS_SCHEMA), **options)
    query.run()
    assert [(row["time"], row["id"], row["day"]) for row in query.rows()] == [(5, 6, 1)]
    first = StructType().add("day", LongType()).add("time", LongType()).add("id", LongType())
    query = DrivenFiles(tmp_path, schema=first.add("progress", PROGRESS_SCHEMA), **options)
    with pytest.raises(BrokenLogError, match=r"day=1/a' are not the last columns: name them last in schema"):
        query.run()
