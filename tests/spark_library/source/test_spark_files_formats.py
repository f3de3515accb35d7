"""Formats of files and their columns: types, schemas and event times."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from pyspark.sql.types import (
    ArrayType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructType,
    TimestampType,
)
from spark_programs.driven_files import DrivenFiles, query_of_inferred, write_json, write_table

from tidegauge_spark import BrokenLogError, IllegalOptionError
from tidegauge_spark.source.aligned_source import AlignedSource
from tidegauge_spark.source.planning.progress_rows import PROGRESS_SCHEMA


@pytest.mark.parametrize(
    ("type_", "values", "times"),
    [
        (pa.int32(), [1, -2], [1, -2]),
        (pa.timestamp("s"), [1, -2], [1000, -2000]),
        (pa.timestamp("ms", "Europe/Berlin"), [1, -2], [1, -2]),
        (pa.timestamp("us", "UTC"), [1999, -1], [1, -1]),
        (pa.timestamp("ns"), [1_999_999, -1], [1, -1]),
        (pa.date32(), [1, -1], [86_400_000, -86_400_000]),
        (pa.date64(), [86_400_000, -86_400_000], [86_400_000, -86_400_000]),
    ],
    ids=str,
)
def test_event_times_of_all_types_are_rounded_down_to_ms(
    tmp_path: Path, type_: Any, values: list[int], times: list[int]
) -> None:
    write_table(tmp_path, "x", "a", pa.table({"at": pa.array(values, type_)}))
    query = query_of_inferred(tmp_path, eventTimeColumn="AT")
    query.run()
    assert [row["progress"]["timestamp"] for row in query.rows()] == times
    assert query.offset["watermarks"] == [max(times) - 1]


@pytest.mark.parametrize("format_", ["parquet", "json"])
def test_the_event_time_may_be_a_field_of_a_struct(tmp_path: Path, format_: str) -> None:
    meta = [{"at": 5, "by": {"Clock": 50}}, {"at": 7, "by": {"Clock": 70}}]
    if format_ == "parquet":
        write_table(tmp_path, "x", "a", pa.table({"id": [1, 2], "meta": meta}))
    else:
        write_json(tmp_path, "x", "a", [{"id": id, "meta": each} for id, each in enumerate(meta, 1)])
    for column, times in (("meta.at", [5, 7]), ("META.by.clock", [50, 70])):
        query = query_of_inferred(tmp_path, eventTimeColumn=column, fileFormat=format_)
        query.run()
        assert [row["progress"]["timestamp"] for row in query.rows()] == times
        assert [row["meta"] for row in query.rows()] == meta
        assert query.offset["watermarks"] == [times[-1] - 1]


def test_a_text_in_a_struct_of_json_is_an_event_time(tmp_path: Path) -> None:
    records = [{"meta": {"at": f"1970-01-01T00:00:0{second}Z", "n": None}, "id": second} for second in (1, 2)]
    write_json(tmp_path, "x", "a", records)
    query = query_of_inferred(tmp_path, eventTimeColumn="meta.at", fileFormat="json")
    query.run()
    assert [row["progress"]["timestamp"] for row in query.rows()] == [1_000, 2_000]
    assert [row["meta"]["at"].second for row in query.rows()] == [1, 2]
    assert query.offset["watermarks"] == [1_999]


def test_a_timestamp_anywhere_in_json_is_a_text(tmp_path: Path) -> None:
    write_json(tmp_path, "x", "a", [{"time": 1, "s": {"Seen": ["1970-01-01T00:00:07Z", None]}}, {"time": 2}])
    seen = StructType().add("seen", ArrayType(TimestampType()))
    schema = StructType().add("time", LongType()).add("s", seen).add("progress", PROGRESS_SCHEMA)
    query = DrivenFiles(tmp_path, schema=schema, fileFormat="json")
    query.run()
    (first, second) = query.rows()
    assert first["s"]["seen"] == [datetime(1970, 1, 1, 0, 0, 7, tzinfo=UTC), None]
    assert second["s"] is None


BAD_TIMES = ["yesterday", True, 1.5, 2**70, {"at": 1}]


@pytest.mark.parametrize("value", BAD_TIMES, ids=str)
@pytest.mark.parametrize("type_", [LongType(), TimestampType()], ids=str)
def test_what_is_no_event_time_in_json_comes_through_if_it_may(
    tmp_path: Path, type_: Any, value: object
) -> None:
    good: list[object] = [5, 9] if type_ == LongType() else ["1970-01-01T00:00:05Z", "1970-01-01T00:00:09Z"]
    records = [{"time": time, "id": id} for id, time in enumerate((good[0], value, good[1]))]
    write_json(tmp_path, "x", "a", records)
    schema = StructType().add("time", type_).add("id", LongType()).add("progress", PROGRESS_SCHEMA)
    query = DrivenFiles(tmp_path, schema=schema, fileFormat="json", failOnInvalidTimestamp="false")
    query.run()
    assert [(row["id"], row["time"] is None) for row in query.rows()] == [(0, False), (1, True), (2, False)]
    with pytest.raises(
        BrokenLogError, match=r"row 1, .* of the file .*x/a' has no valid event time .*'time'"
    ):
        DrivenFiles(tmp_path, schema=schema, fileFormat="json").run()


def test_a_value_of_another_type_in_json_is_named_with_its_column(tmp_path: Path) -> None:
    write_json(tmp_path, "x", "a", [{"time": 1, "price": 3}])
    write_json(tmp_path, "x", "b", [{"time": 2, "price": 0.5}])
    message = r"the column 'price' of the file .*x/b' has a value .* int64 \(0.5 is not a whole number\): give .* schema"
    with pytest.raises(BrokenLogError, match=message):
        query_of_inferred(tmp_path, fileFormat="json").run()
    with_price = StructType().add("time", LongType()).add("price", DoubleType())
    query = DrivenFiles(tmp_path, schema=with_price.add("progress", PROGRESS_SCHEMA), fileFormat="json")
    query.run()
    assert [row["price"] for row in query.rows()] == [3.0, 0.5]


def test_values_of_several_types_in_the_first_file_of_json_are_no_damage(tmp_path: Path) -> None:
    write_json(tmp_path, "x", "a", [{"time": 1, "v": "x"}, {"time": 2, "v": 1}])
    with pytest.raises(BrokenLogError, match=r"x/a' do not tell the types .* give the columns by schema"):
        query_of_inferred(tmp_path, fileFormat="json")


def test_a_column_of_a_type_that_spark_does_not_have_is_named(tmp_path: Path) -> None:
    write_table(tmp_path, "x", "a", pa.table({"time": [1], "big": pa.array([2], pa.uint64())}))
    with pytest.raises(
        BrokenLogError, match=r"the column 'big' of the file .*x/a' is uint64, which Spark does"
    ):
        query_of_inferred(tmp_path)


def test_a_wrong_event_time_column_is_refused_before_a_query_starts(tmp_path: Path) -> None:
    write_table(tmp_path, "x", "a", pa.table({"time": ["one"]}))
    for wrong in ("time", "when"):
        with pytest.raises(IllegalOptionError, match=f"option eventTimeColumn = '{wrong}'"):
            AlignedSource({"path": str(tmp_path), "eventTimeColumn": wrong}).schema()


@pytest.mark.parametrize("column", ["meta.when", "meta.at.x", "at", "meta"])
def test_a_field_that_is_not_there_or_no_time_is_refused(tmp_path: Path, column: str) -> None:
    write_table(tmp_path, "x", "a", pa.table({"meta": [{"at": 5}]}))
    with pytest.raises(IllegalOptionError, match=r"there is no such column|it must be a timestamp"):
        query_of_inferred(tmp_path, eventTimeColumn=column)


def test_a_struct_that_is_null_has_no_event_time(tmp_path: Path) -> None:
    write_table(tmp_path, "x", "a", pa.table({"meta": [{"at": 5}, None, {"at": None}]}))
    query = query_of_inferred(tmp_path, eventTimeColumn="meta.at", failOnInvalidTimestamp="false")
    query.run()
    assert [row["progress"]["timestamp"] for row in query.rows()] == [5, None, None]


@pytest.mark.parametrize(
    ("unit", "values", "times"),
    [
        ("s", [1_760_000_400, 1_760_000_401], [1_760_000_400_000, 1_760_000_401_000]),
        ("ms", [1_760_000_400, 1_760_000_401], [1_760_000_400, 1_760_000_401]),
        ("us", [1_999, -1], [1, -1]),
        ("ns", [1_999_999, -1], [1, -1]),
    ],
)
def test_whole_numbers_count_what_the_option_says(
    tmp_path: Path, unit: str, values: list[int], times: list[int]
) -> None:
    write_table(tmp_path, "x", "a", pa.table({"at": values}))
    query = query_of_inferred(tmp_path, eventTimeColumn="at", eventTimeUnit=unit)
    query.run()
    assert [row["progress"]["timestamp"] for row in query.rows()] == times
    assert query.offset["watermarks"] == [max(times) - 1]


@pytest.mark.parametrize(
    ("unit", "values", "times"),
    [
        ("s", [1_760_000_400.001, -0.001], [1_760_000_400_001, -1]),
        ("ms", [1.999, -0.5], [1, -1]),
        ("us", [1_999.4, -1.0], [1, -1]),
        ("ns", [1_999_000.0, -1_000.0], [1, -1]),
    ],
)
@pytest.mark.parametrize("type_", [pa.float64(), pa.decimal128(20, 4)], ids=str)
def test_numbers_with_fractions_are_event_times_in_the_unit_that_is_set(
    tmp_path: Path, unit: str, values: list[float], times: list[int], type_: Any
) -> None:
    write_table(tmp_path, "x", "a", pa.table({"at": pa.array(values).cast(type_)}))
    query = query_of_inferred(tmp_path, eventTimeColumn="at", eventTimeUnit=unit)
    query.run()
    assert [row["progress"]["timestamp"] for row in query.rows()] == times
    assert query.offset["watermarks"] == [max(times) - 1]
    with pytest.raises(
        IllegalOptionError, match=r"'at': the column is .*, and the unit .* is unknown: set eventTimeUnit to"
    ):
        query_of_inferred(tmp_path, eventTimeColumn="at")


def test_numbers_that_are_no_moments_are_not_valid(tmp_path: Path) -> None:
    write_table(tmp_path, "x", "a", pa.table({"at": [1.5, float("nan"), float("inf"), 1e300, None]}))
    query = query_of_inferred(
        tmp_path, eventTimeColumn="at", eventTimeUnit="s", failOnInvalidTimestamp="false"
    )
    query.run()
    assert [row["progress"]["timestamp"] for row in query.rows()] == [1_500, None, None, None, None]


@pytest.mark.parametrize(
    ("type_", "values", "times"),
    [
        ("date", ["1970-01-02", "1970-01-01", "1970-13-01", 5, True], [86_400_000, 0, None, None, None]),
        ("double", [1.5, 2, "1.5", True, None], [1_500, 2_000, None, None, None]),
        ("decimal(9, 3)", [1.5, 2, "1.5", True, None], [1_500, 2_000, None, None, None]),
    ],
)
def test_dates_and_numbers_with_fractions_are_event_times_in_json(
    tmp_path: Path, type_: str, values: list[object], times: list[int | None]
) -> None:
    write_json(tmp_path, "x", "a", [{"at": value} for value in values])
    schema = StructType().add("at", type_).add("progress", PROGRESS_SCHEMA)
    options = {"eventTimeColumn": "at", "eventTimeUnit": "s", "failOnInvalidTimestamp": "false"}
    query = DrivenFiles(tmp_path, schema=schema, fileFormat="json", **options)
    query.run()
    assert [row["progress"]["timestamp"] for row in query.rows()] == times


def test_numbers_that_look_like_seconds_are_refused_unless_their_unit_is_given(tmp_path: Path) -> None:
    write_table(tmp_path, "x", "a", pa.table({"at": [1_760_000_400, 1_760_000_401]}))
    query = query_of_inferred(tmp_path, eventTimeColumn="at")
    with pytest.raises(
        BrokenLogError, match=r"'at' .* such as 1760000400, which look like seconds since 1970"
    ):
        query.run()


def test_the_columns_are_those_of_the_first_file(tmp_path: Path) -> None:
    write_table(tmp_path, "y", "a", pa.table({"other": [1]}))
    (tmp_path / "w").mkdir()
    values = {
        "time": pa.array([5], pa.timestamp("us", "UTC")),
        "local": pa.array([5], pa.timestamp("us")),
        "text": pa.array(["a"]).dictionary_encode(),
        "list": [[1, 2]],
        "map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
        "struct": [{"a": 1.5}],
    }
    write_table(tmp_path, "x", "a", pa.table(values))
    query = query_of_inferred(tmp_path)
    assert query._schema.simpleString() == (
        "struct<time:timestamp,local:timestamp_ntz,text:string,list:array<bigint>,map:map<string,bigint>,"
        f"struct:struct<a:double>,progress:{PROGRESS_SCHEMA.simpleString()}>"
    )
    shutil.rmtree(tmp_path / "y")
    query.restart()
    query.plan()
    (partition,) = query.reader.partitions(query.start, query.offset)
    batches = query.reader.read(partition)
    (row,) = next(batches).to_pylist()
    assert (row["text"], row["list"], row["map"], row["struct"]) == ("a", [1, 2], [("k", 1)], {"a": 1.5})


def test_columns_that_spark_wrote_have_the_types_that_they_had(tmp_path: Path) -> None:
    written = StructType().add("time", TimestampType(), False).add("id", IntegerType())
    far = datetime(3000, 1, 1, tzinfo=UTC)  # further than nanoseconds go
    table = pa.table({"time": pa.array([far], pa.timestamp("us")), "id": pa.array([1], pa.int32())})
    spark = {"org.apache.spark.sql.parquet.row.metadata": written.json()}
    (tmp_path / "x").mkdir()
    parquet.write_table(
        table.replace_schema_metadata(spark), tmp_path / "x" / "a", use_deprecated_int96_timestamps=True
    )
    query = query_of_inferred(tmp_path, progressColumn="progress")
    assert query._schema == written.__class__().add("time", TimestampType()).add("id", IntegerType()).add(
        "progress", PROGRESS_SCHEMA
    )
    query.run()
    assert query.rows()[0]["time"] == far
    assert query.offset["watermarks"] == [far.timestamp() * 1000 - 1]


def test_a_schema_of_the_users_own_chooses_and_converts_columns(tmp_path: Path) -> None:
    write_table(tmp_path, "x", "a", pa.table({"Time": pa.array([7], pa.int32()), "id": [1], "no": ["x"]}))
    write_table(tmp_path, "x", "b", pa.table({"time": [8]}))
    schema = StructType().add("id", IntegerType()).add("time", LongType()).add("new", StringType())
    query = DrivenFiles(tmp_path, schema=schema, progressColumn="")
    query.batch()
    assert query._rows[0] == [
        {"id": 1, "time": 7, "new": None},
        {"id": None, "time": 8, "new": None},
    ]


def test_json_lines_are_read_as_parquet_is(tmp_path: Path) -> None:
    records = [
        {"time": "2024-01-01T00:00:00Z", "id": 1, "some": {"a": [1, 2]}, "none": None},
        {"id": 2, "time": "2024-01-01T01:00:00.5+01:00", "more": 1.5},
    ]
    write_json(tmp_path, "x", "a", records)
    query = query_of_inferred(tmp_path, fileFormat="json")
    assert query._schema.simpleString().startswith(
        "struct<time:timestamp,id:bigint,some:struct<a:array<bigint>>,none:string,more:double,progress:"
    )
    write_json(tmp_path, "x", "a", [*records, {"TIME": "2024-01-01 00:00:01", "id": None}])
    schema = StructType().add("time", TimestampType()).add("id", LongType()).add("progress", PROGRESS_SCHEMA)
    query = DrivenFiles(tmp_path, schema=schema, fileFormat="json", maxRowsPerTrigger="2")
    query.run()
    start = 1_704_067_200_000
    assert [(row["progress"]["timestamp"], row["id"]) for row in query.rows()] == [
        (start, 1),
        (start + 500, 2),
        (start + 1000, None),
    ]


def test_json_lines_of_many_blocks_are_read_once_each(tmp_path: Path) -> None:
    write_json(tmp_path, "x", "a", [{"time": 3 * row, "id": row, "more": "é" * 99} for row in range(13_000)])
    (tmp_path / "x" / "b").write_text('\n{"time": 40000, "id": 0}\r\n\n  \n{"time": 40001, "id": 1}')
    (tmp_path / "x" / "c").touch()
    query = DrivenFiles(tmp_path, fileFormat="json", maxRowsPerTrigger="1999")
    query.run()
    assert [row["id"] for row in query.rows()] == [*range(13_000), 0, 1]
    assert len({each[2] for offset in query.log for each in offset["slices"]["x"]}) > 2
    assert query.offset["watermarks"] == [40_000]


def test_json_values_of_all_types(tmp_path: Path) -> None:
    write_json(tmp_path, "x", "a", [{"time": 1, "d": "2024-02-29", "m": 1.25, "s": [{"a": True}], "f": 2}])
    schema = (
        StructType()
        .add("time", LongType())
        .add("d", "date")
        .add("m", "decimal(5,2)")
        .add("s", ArrayType(StructType().add("a", "boolean")))
        .add("f", "float")
    )
    query = DrivenFiles(tmp_path, schema=schema, fileFormat="json", progressColumn="")
    query.batch()
    (row,) = query._rows[0]
    assert [str(value) for value in row.values()] == ["1", "2024-02-29", "1.25", "[{'a': True}]", "2.0"]
