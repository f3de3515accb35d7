"""Files that are damaged, changed, lost or of another kind: an error that says what to do, or what is left out."""

from __future__ import annotations

import shutil
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructType,
)
from spark_programs.driven_files import VIRTUAL, DrivenFiles, aligned, write_json, write_parquet, write_table

from tidegauge_spark import BrokenLogError
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.files.folder.log_files import LostFileError


def broken(folder: Path, message: str, **options: str) -> None:
    """Check that a query over a folder fails with a message of one line, in planning or in reading."""
    with pytest.raises(BrokenLogError, match=message) as failure:
        DrivenFiles(folder, **options).run()
    assert "\n" not in str(failure.value)


def test_json_lines_may_begin_with_a_mark_of_utf_8(tmp_path: Path) -> None:
    file = write_json(tmp_path, "x", "a", [{"time": 1}, {"time": 2}])
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    query = DrivenFiles(tmp_path, fileFormat="json")
    query.run()
    assert query.times("x") == [1, 2]


@pytest.mark.parametrize("cut", [0, 3, 100, -1, -200])
def test_a_parquet_file_that_is_cut_off_is_an_error(tmp_path: Path, cut: int) -> None:
    file = write_parquet(tmp_path, "x", "b", range(100))
    write_parquet(tmp_path, "x", "a", range(100))
    file.write_bytes(file.read_bytes()[:cut])
    broken(tmp_path, "the file '.*/x/b' is not Parquet, or is damaged or cut off .*: replace it by a whole")


@pytest.mark.parametrize(
    "text",
    [
        '{"time": 1}\n{"ti',
        '{"time": 1}\nnull\n',
        '{"time": 1}\n[{"time": 1}]\n',
        '{"time": 1} {"time": 2}\n',
        "PAR1",
        b"\xff\xfe",
    ],
    ids=str,
)
def test_json_that_is_none_is_an_error(tmp_path: Path, text: str | bytes) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a").write_bytes(text if isinstance(text, bytes) else text.encode())
    broken(tmp_path, "the file '.*/x/a' is not JSON lines, or is damaged or cut off", fileFormat="json")


NO_TIME = "row 0, counted from 0, of the file '.*/x/a' has no valid event time in the column 'time'"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"time": 1.5}', NO_TIME),
        ('{"time": "soon"}', NO_TIME),
        ('{"time": true}', NO_TIME),
        ('{"time": 9223372036854775808}', NO_TIME),
        (
            '{"time": 1, "id": "one"}',
            "the column 'id' of the file '.*/x/a' has a value that cannot be read as int64",
        ),
    ],
    ids=lambda text: text,
)
def test_json_with_values_of_other_types_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a").write_text(text + "\n")
    broken(tmp_path, message, fileFormat="json")


def test_rows_that_cannot_be_decoded_are_an_error(tmp_path: Path) -> None:
    file = write_parquet(tmp_path, "x", "a", range(5000))
    content = bytearray(file.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 4000] = b"\xff" * 4000
    file.write_bytes(content)
    broken(tmp_path, "the file '.*/x/a' is not Parquet, or is damaged or cut off")


def test_a_file_of_other_columns_is_an_error(tmp_path: Path) -> None:
    write_table(tmp_path, "x", "a", pa.table({"when": [1], "id": [1]}))
    broken(tmp_path, "the file '.*/x/a' has no column 'time', which eventTimeColumn names; it has when, id")
    write_json(tmp_path, "x", "a", [{"when": 1}])
    broken(tmp_path, "the file '.*/x/a' has no column 'time', which eventTimeColumn", fileFormat="json")
    write_table(tmp_path, "x", "a", pa.table({"time": ["1"], "id": [1]}))
    broken(tmp_path, "the column 'time' of the file '.*/x/a' is string, no timestamp, date or number")
    for other in (["1"], [datetime(2024, 1, 1)], [2**40], [1.5], [True]):
        table = pa.table({"time": [1], "id": other})
        write_table(tmp_path, "x", "a", table)
        schema = StructType().add("time", LongType()).add("id", IntegerType())
        query = DrivenFiles(tmp_path, schema=schema, progressColumn="")
        message = (
            rf"the column 'id' of the file '.*/x/a' is {table.schema.types[1]}, and cannot be read as int32"
        )
        with pytest.raises(BrokenLogError, match=message.replace("[", r"\[")):
            query.run()


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (pa.array([1e300]), FloatType()),
        (pa.array([Decimal("12345678901234567890.12")]), DoubleType()),
        (pa.array([0.125]), DecimalType(30, 2)),
        (pa.array([[1e300]]), ArrayType(FloatType())),
        (pa.array([{"price": 1e300}]), StructType().add("price", FloatType())),
        (pa.array([[("a", 1e300)]], pa.map_(pa.string(), pa.float64())), MapType(StringType(), FloatType())),
        (pa.array([1e300]).dictionary_encode(), FloatType()),
    ],
)
def test_numbers_are_not_read_in_a_type_that_loses_their_digits(
    given: pa.Array, wanted: DataType, tmp_path: Path
) -> None:
    """Spark refuses such files, too."""
    write_table(tmp_path, "x", "a", pa.table({"time": [1], "id": given}))
    schema = StructType().add("time", LongType()).add("id", wanted)
    query = DrivenFiles(tmp_path, schema=schema, progressColumn="")
    with pytest.raises(BrokenLogError, match=r"column 'id' of the file .* \(digits would be lost\)"):
        query.run()


def test_numbers_are_read_in_a_wider_type(tmp_path: Path) -> None:
    write_table(tmp_path, "x", "a", pa.table({"time": [1], "id": pa.array([0.5], pa.float32())}))
    schema = StructType().add("time", LongType()).add("id", DoubleType())
    query = DrivenFiles(tmp_path, schema=schema, progressColumn="")
    query.run()
    assert query.planned() == {"x": 1}


def test_a_file_of_other_columns_is_refused_before_it_is_logged_so_that_it_can_be_replaced(
    tmp_path: Path,
) -> None:
    write_parquet(tmp_path, "x", "a", [1, 2])
    write_table(tmp_path, "x", "b", pa.table({"time": [3], "id": ["three"]}))
    query = DrivenFiles(tmp_path, available_now=False, maxRowsPerTrigger="2")
    query.batch()
    with pytest.raises(BrokenLogError, match="the column 'id' of the file '.*/x/b' is string, and cannot be"):
        query.plan()
    write_parquet(tmp_path, "x", "b", [3, 4, 5])
    query.restart()
    query.run()
    assert query.times("x") == [1, 2, 3, 4, 5]


def test_a_null_in_a_column_without_nulls_is_an_error(tmp_path: Path) -> None:
    write_table(tmp_path, "x", "a", pa.table({"time": [1], "id": pa.array([None], pa.int64())}))
    schema = StructType().add("time", LongType()).add("id", LongType(), False)
    query = DrivenFiles(tmp_path, schema=schema, progressColumn="")
    with pytest.raises(
        BrokenLogError, match="the column 'id' of the file '.*/x/a' has nulls, and the schema"
    ):
        query.run()


@pytest.mark.parametrize("invalid", [None, MIN, MAX])
def test_an_invalid_event_time_is_an_error_or_moves_nothing(tmp_path: Path, invalid: int | None) -> None:
    write_parquet(tmp_path, "x", "a", [invalid, 1, 2, invalid, 3, invalid], row_group=2)
    broken(
        tmp_path,
        "row 0, counted from 0, of the file '.*/x/a' has no valid event time in the column 'time' .* set "
        "failOnInvalidTimestamp to false",
    )
    query = DrivenFiles(tmp_path, failOnInvalidTimestamp="false", **aligned(0), **VIRTUAL)
    query.run()
    assert query.times("x") == [invalid, 1, 2, invalid, 3, invalid]
    assert [row["progress"]["timestamp"] for row in query.rows()] == [None, 1, 2, None, 3, None]
    assert query.offset["watermarks"] == [2]


def test_rows_without_an_event_time_at_the_beginning_do_not_lift_the_bound(tmp_path: Path) -> None:
    for split, step in (("x", 1), ("y", 10)):
        times = [None, *range(0, 1000, step)]
        write_parquet(tmp_path, split, "a", times)
    query = DrivenFiles(tmp_path, failOnInvalidTimestamp="false", **aligned(20), **VIRTUAL)
    query.batch()
    read = query.batch_times()
    assert {split: (times[:2], max(filter(None, times)) <= 20) for split, times in read.items()} == {
        "x": ([None, 0], True),
        "y": ([None, 0], True),
    }


def test_an_invalid_event_time_further_on_is_named_by_its_row(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [1, 2, 3, 4, None], row_group=2)
    broken(tmp_path, "row 4, counted from 0")
    write_json(tmp_path, "x", "a", [{"time": 1}, {"id": 1}])
    broken(tmp_path, "row 1, counted from 0", fileFormat="json")


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    broken(tmp_path / "none", "the folder '.*/none' cannot be read .*: correct the option path")


def test_what_would_never_be_read_is_an_error(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [1])
    (tmp_path / "stray").touch()
    broken(
        tmp_path, "the file 'stray' in '.*' would never be read: there must be one sub-folder for each split"
    )
    (tmp_path / "stray").unlink()
    (tmp_path / "x" / "deeper").mkdir()
    broken(tmp_path, "the folder 'x/deeper' in '.*' would never be read")


def started(folder: Path, **options: str) -> DrivenFiles:
    """Return a query that has read one file of split "x" and half of the next, and is started again."""
    write_parquet(folder, "x", "b", [1, 2])
    write_parquet(folder, "x", "d", [3, 4])
    write_parquet(folder, "x", "e", [5])
    query = DrivenFiles(folder, maxRowsPerTrigger="3", **options)
    query.batch()
    query.commit()
    return query


@pytest.mark.parametrize("name", ["a", "c"])
def test_a_file_behind_what_is_read_is_an_error(tmp_path: Path, name: str) -> None:
    query = started(tmp_path)
    write_parquet(tmp_path, "x", name, [7])
    query.restart()
    with pytest.raises(
        BrokenLogError, match="a file was added to the split 'x' .* would never be read: there"
    ):
        query.batch()


def test_a_file_of_which_all_is_read_may_be_removed_and_must_not_grow(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", range(6), row_group=3)
    query = DrivenFiles(tmp_path, available_now=False, maxRowsPerTrigger="6")
    query.batch()
    query.commit()
    write_parquet(tmp_path, "x", "a", range(7))
    query.restart()
    with pytest.raises(
        BrokenLogError, match=r"the file '.*/x/a' has changed from \d+ to \d+ bytes after it was"
    ):
        query.batch()
    (tmp_path / "x" / "a").unlink()
    query.restart()
    assert not query.batch()


def test_files_that_are_read_may_be_removed(tmp_path: Path) -> None:
    query = started(tmp_path)
    query.plan()
    (tmp_path / "x" / "b").unlink()
    query.execute()
    query.restart()
    query.run()
    assert query.times("x") == [1, 2, 3, 4, 5]


def test_a_file_that_changes_is_an_error(tmp_path: Path) -> None:
    query = started(tmp_path)
    write_parquet(tmp_path, "x", "d", [3, 4, 4])
    query.restart()
    with pytest.raises(
        BrokenLogError, match=r"the file '.*/x/d' has changed from \d+ to \d+ bytes after it was"
    ):
        query.batch()


def test_a_file_that_changes_before_it_is_read_is_an_error(tmp_path: Path) -> None:
    query = started(tmp_path)
    query.plan()
    write_parquet(tmp_path, "x", "e", [5, 6])
    with pytest.raises(
        BrokenLogError, match=r"the file '.*/x/e' has changed from \d+ to \d+ bytes after it was"
    ):
        query.execute()


def test_a_file_of_another_content_and_the_same_size_is_an_error_if_it_is_shorter(tmp_path: Path) -> None:
    file = write_json(tmp_path, "x", "a", [{"time": 1}, {"time": 2}])
    query = DrivenFiles(tmp_path, fileFormat="json")
    query.plan()
    file.write_text('{"time": 1234}'.ljust(file.stat().st_size))
    with pytest.raises(BrokenLogError, match="the file '.*/x/a' has fewer rows than when it was planned"):
        query.execute()


@pytest.mark.parametrize(
    ("lost", "message", "left"),
    [
        ("x/d", "the file '.*/x/d' has vanished after 1 of its rows were read; bring it back", [1, 2, 3, 5]),
        ("x/e", "files of the split 'x' of '.*' have vanished before they were read", [1, 2, 3, 4]),
        ("x", "the folder '.*/x' of a split has vanished; bring it back", [1, 2, 3]),
    ],
)
def test_what_vanishes_is_an_error_or_left_out(
    tmp_path: Path, lost: str, message: str, left: list[int]
) -> None:
    query = started(tmp_path / "one")
    _remove(tmp_path / "one" / lost)
    query.restart()
    with pytest.raises(LostFileError, match=message):
        query.batch()
    query = started(tmp_path / "two", failOnDataLoss="false", **aligned(0), **VIRTUAL)
    query.run()
    query = started(tmp_path / "three", failOnDataLoss="false")
    _remove(tmp_path / "three" / lost)
    query.restart()
    query.run()
    assert query.times("x") == left


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def test_a_file_that_vanishes_after_it_was_found_is_an_error_or_left_out(tmp_path: Path) -> None:
    query = started(tmp_path / "one")
    (tmp_path / "one" / "x" / "e").unlink()
    with pytest.raises(
        LostFileError, match="the file '.*/x/e' has vanished before it was read; bring it back"
    ):
        query.batch()
    query = started(tmp_path / "two", failOnDataLoss="false")
    (tmp_path / "two" / "x" / "e").unlink()
    query.run()
    assert query.times("x") == [1, 2, 3, 4]
    query = started(tmp_path / "three", failOnDataLoss="false")
    query.plan()
    (tmp_path / "three" / "x" / "e").unlink()
    query.execute()
    assert query.times("x") == [1, 2, 3, 4]


def test_nothing_is_planned_of_a_folder_that_is_known_to_be_gone(tmp_path: Path) -> None:
    options = {"failOnDataLoss": "false", "discoveryInterval": "1 second", **VIRTUAL}
    query = started(tmp_path, available_now=False, **options)
    shutil.rmtree(tmp_path / "x")
    query.batch()
    assert query.planned() == {"x": 3}


def test_a_split_that_comes_back_goes_on_where_it_was(tmp_path: Path) -> None:
    query = started(tmp_path, available_now=False, failOnDataLoss="false", discoveryInterval="0 seconds")
    away = (tmp_path / "x").rename(tmp_path / "_x")
    query.restart()
    query.batch()
    assert query.finished("x")
    query.commit()
    away.rename(tmp_path / "x")
    query.restart()
    query.batch()
    assert query.times("x") == [1, 2, 3, 5]  # the rest of "d" was given up
