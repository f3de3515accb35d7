"""Folders as Spark writes them: what is a split, in which order it is read, and what is refused."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pytest
from pyspark.sql.types import DecimalType, LongType, StringType, StructType, TimestampType
from spark_programs.driven_files import (
    PLAIN,
    SCHEMA,
    VIRTUAL,
    DrivenFiles,
    files_reader,
    query_of_inferred,
    write_json,
    write_parquet,
    write_table,
)
from spark_programs.driven_query import WallClock

from tidegauge_spark import BrokenLogError, IllegalOptionError
from tidegauge_spark.source.files.folder import log_files
from tidegauge_spark.source.files.folder.listing import Listing
from tidegauge_spark.source.files.folder.log_files import LogFolder, LostFileError
from tidegauge_spark.source.files.folder.spark_folders import spark_listing
from tidegauge_spark.source.files.folder.split_discovery import SplitDiscovery
from tidegauge_spark.source.options.layout import Layout
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError

PARTS = {"splitBy": "partNumber"}
REGIONS = {"splitBy": "region"}


def part(number: int, job: str = "4f2c") -> str:
    """Return a name as Spark gives it to a file."""
    return f"part-{number:05}-{job}-c000.snappy.parquet"


def put(folder: Path, below: str, name: str, times: list[int | None], at: int) -> Path:
    """Write a file that was modified at a moment (s)."""
    file = write_parquet(folder, below, name, times)
    os.utime(file, (at, at))
    return file


@pytest.mark.parametrize("pattern", ["*.parquet", "[^n]*.{orc,parquet}", "?.{p,j}{arquet,son}"])
def test_files_of_other_names_are_not_seen(tmp_path: Path, pattern: str) -> None:
    write_parquet(tmp_path, "x", "a.parquet", [1, 2])
    (tmp_path / "x" / "notes.txt").write_text("none of these files is a table")
    (tmp_path / "manifest.csv").touch()
    (tmp_path / "x" / "_FINISHED").touch()
    query = DrivenFiles(tmp_path, pathGlobFilter=pattern)
    query.run()
    assert query.times("x") == [1, 2]
    assert query.finished("x")
    with pytest.raises(BrokenLogError, match=r"'manifest.csv' in .* would never be read"):
        DrivenFiles(tmp_path).run()
    write_parquet(tmp_path, "x", "notes.parquet", [0])
    whole = DrivenFiles(tmp_path / "x", splitBy="none", pathGlobFilter="a*")
    whole.run()
    assert whole.times("all") == [1, 2]


def test_flat_files_are_split_by_part_number_and_read_as_they_were_written(tmp_path: Path) -> None:
    put(tmp_path, "", part(0, "ffff"), [1, 2], at=1)
    put(tmp_path, "", part(1, "ffff"), [1], at=2)
    put(tmp_path, "", part(0, "0000"), [3, 4], at=3)
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / f".{part(0)}.crc").touch()
    query = DrivenFiles(tmp_path, available_now=False, discoveryInterval="0 seconds", **PARTS)
    query.batch()
    assert (query.times("00000"), query.times("00001")) == ([1, 2, 3, 4], [1])
    put(tmp_path, "", part(0, "aaaa"), [5], at=4)
    query.restart()
    query.batch()
    assert query.times("00000") == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("options", "below", "times"),
    [
        ({"splitBy": "none"}, "", [5, 1, 9]),
        ({"splitBy": "none", "fileOrder": "name"}, "", [1, 5, 9]),
        ({"splitBy": "`none`"}, "", None),
        ({}, "all", [1, 5, 9]),
        ({"fileOrder": "modificationTime"}, "all", [5, 1, 9]),
    ],
)
def test_the_order_in_a_folder_is_what_the_option_says(
    tmp_path: Path, options: dict[str, str], below: str, times: list[int] | None
) -> None:
    for name, at in (("b", 1), ("a", 2), ("c", 3)):
        put(tmp_path, below, name, [{"a": 1, "b": 5, "c": 9}[name]], at)
    if times is None:
        with pytest.raises(BrokenLogError, match="has no partition column 'none', which splitBy names"):
            DrivenFiles(tmp_path, **options)
    else:
        query = DrivenFiles(tmp_path, **options)
        query.run()
        assert query.times("all") == times


def test_folders_are_read_in_order_of_the_values_of_their_columns(tmp_path: Path) -> None:
    days = ["__HIVE_DEFAULT_PARTITION__", "-1", "2", "9", "10", "a%3Ab", "b"]
    for time, day in enumerate(days):
        put(tmp_path, f"day={day}/Region=eu", part(0), [time], at=100 - time)
    put(tmp_path, "day=2/Region=us", part(0), [7], at=1)
    query = query_of_inferred(tmp_path, **REGIONS)
    query.run()
    assert query.times("Region=eu") == list(range(len(days)))
    assert query.times("Region=us") == [7]
    assert [row["day"] for row in query.rows("Region=eu")] == [None, "-1", "2", "9", "10", "a:b", "b"]


def test_several_columns_are_a_split_together(tmp_path: Path) -> None:
    for day in (1, 2):
        for region in ("eu", "us"):
            put(tmp_path, f"day={day}/region={region}", part(0), [day], at=1)
    query = query_of_inferred(tmp_path, splitBy="region, day")
    query.run()
    assert sorted(query.planned()) == [
        f"region={region}/day={day}" for region in ("eu", "us") for day in (1, 2)
    ]


@pytest.mark.parametrize(
    ("values", "type_", "read"),
    [
        (["1", "-2", "+3"], "int", [1, -2, 3]),
        (["1", "5000000000"], "bigint", [1, 5_000_000_000]),
        (["1", "2.5"], "double", [1.0, 2.5]),
        (["5000000000", "2.5"], "string", ["5000000000", "2.5"]),
        (["2026-01-01", "__HIVE_DEFAULT_PARTITION__"], "date", [date(2026, 1, 1), None]),
        (["2026-01-01", "1"], "string", ["2026-01-01", "1"]),
        (["2026-02-30"], "string", ["2026-02-30"]),
        (["a%3Ab", "c d", "1"], "string", ["a:b", "c d", "1"]),
        (["__HIVE_DEFAULT_PARTITION__"], "string", [None]),
        (["true"], "string", ["true"]),
    ],
)
@pytest.mark.parametrize("format_", ["parquet", "json"])
def test_values_of_partition_columns_have_the_types_that_spark_infers(
    tmp_path: Path, values: list[str], type_: str, read: list[object], format_: str
) -> None:
    for number, value in enumerate(values):
        if format_ == "json":
            write_json(tmp_path, f"k={value}", part(number), [{"time": 0, "id": 0}])
        else:
            write_parquet(tmp_path, f"k={value}", part(number), [0])
    query = query_of_inferred(tmp_path, fileFormat=format_, **PARTS)
    assert query._schema["k"].dataType.simpleString() == type_
    query.run()
    assert [row["k"] for number in range(len(values)) for row in query.rows(f"{number:05}")] == read


def test_a_column_of_the_folders_takes_the_place_of_one_in_the_files(tmp_path: Path) -> None:
    write_table(tmp_path, "K=7", part(0), pa.table({"time": [5], "k": ["x"], "id": [1]}))
    query = query_of_inferred(tmp_path, **PARTS)
    assert query._schema.names[:3] == ["time", "K", "id"]
    query.run()
    assert [row["K"] for row in query.rows()] == [7]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "2026-01-01 10%3A00%3A00",
            "value '2026-01-01 10%3A00%3A00', a timestamp of the session's time zone",
        ),
        ("1e5", "value '1e5', a decimal to Spark, which this source does not infer: give the columns by"),
    ],
)
def test_types_that_depend_on_settings_of_spark_are_not_inferred(
    tmp_path: Path, value: str, message: str
) -> None:
    write_parquet(tmp_path, f"k={value}", part(0), [0])
    with pytest.raises(BrokenLogError, match=message):
        query_of_inferred(tmp_path, **PARTS)


def test_a_schema_gives_the_types_and_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    write_parquet(tmp_path, f"at={quote('2026-01-01 10:00:00')}/price=1.55", part(0), [0])
    schema = StructType([*PLAIN.fields]).add("at", TimestampType()).add("price", DecimalType(5, 2))
    query = DrivenFiles(tmp_path, schema=schema, progressColumn="", **PARTS)
    query.batch()
    (row,) = query._rows[0]
    assert (str(row["at"]), str(row["price"])) == ("2026-01-01 10:00:00+00:00", "1.55")
    for field, text in ((LongType(), "it is of another kind"), (DecimalType(5, 1), "")):
        wrong = StructType([*PLAIN.fields]).add("price", field)
        with pytest.raises(BrokenLogError, match=f"price is '1.55', which cannot be read as .*{text}"):
            DrivenFiles(tmp_path, schema=wrong, progressColumn="", **PARTS).batch()
    none = StructType([*PLAIN.fields]).add("price", StringType(), False)
    shutil.rmtree(tmp_path)
    write_parquet(tmp_path, "price=__HIVE_DEFAULT_PARTITION__", part(0), [0])
    with pytest.raises(BrokenLogError, match="it is null, and the schema says that there are none"):
        DrivenFiles(tmp_path, schema=none, progressColumn="", **PARTS).batch()


def test_what_is_not_in_the_layout_is_refused_in_one_line(tmp_path: Path) -> None:
    refused: list[tuple[str, str, dict[str, str], str]] = [
        ("", part(0), {}, r"the file 'part-.*' in .* would never be read: .* splitBy says what a split is"),
        ("day=1", part(0), {}, "the folder 'day=1' in '.*' names a partition column: set splitBy, to 'day'"),
        ("eu", part(0), PARTS, "the folder 'eu' does not name a partition column, as in"),
        ("day=", part(0), PARTS, "the folder 'day=' does not name a partition column"),
        ("", "orders.parquet", PARTS, "the file 'orders.parquet' in .* has no part number"),
        ("", part(0), REGIONS, "has no partition column 'region', which splitBy names; it has none"),
        ("_delta_log", "0", PARTS, r'is a Delta table .*: read it by format\("delta"\)'),
        ("day=1", "_PAUSED", REGIONS, "the file 'day=1/_PAUSED' in .* says nothing about a split, since its"),
    ]
    for number, (below, name, options, message) in enumerate(refused):
        folder = tmp_path / str(number)
        write_parquet(folder, below, name, [1])
        with pytest.raises(BrokenLogError, match=message) as failure:
            DrivenFiles(folder, **options).run()
        assert "\n" not in str(failure.value)
    mixed = tmp_path / "mixed"
    for below in ("day=1/region=eu", "region=eu"):
        write_parquet(mixed, below, part(0), [1])
    with pytest.raises(BrokenLogError, match="has the partition columns .*, others have .*: all files must"):
        DrivenFiles(mixed, **REGIONS).run()
    write_parquet(tmp_path / "one", "region=eu", part(0), [1])
    with pytest.raises(IllegalOptionError, match="eventTimeColumn = 'region': it is a partition column"):
        query_of_inferred(tmp_path / "one", eventTimeColumn="region", **REGIONS)


def test_a_split_or_all_of_them_are_finished_or_paused(tmp_path: Path) -> None:
    for region in ("eu", "us"):
        put(tmp_path, f"region={region}", part(0), [1], at=1)
    (tmp_path / "region=us" / "_PAUSED").touch()
    query = DrivenFiles(tmp_path, available_now=False, discoveryInterval="0 seconds", **REGIONS)
    query.batch()
    assert query.planned() == {"region=eu": 1, "region=us": 0}
    (tmp_path / "region=us" / "_PAUSED").unlink()
    (tmp_path / "region=us" / "_FINISHED").touch()
    query.restart()
    query.batch()
    assert not query.finished("region=eu")
    assert query.finished("region=us")
    (tmp_path / "_FINISHED").touch()
    query.restart()
    query.batch()
    assert query.finished("region=eu")


def test_files_of_a_job_that_has_not_committed_are_not_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    put(tmp_path, "", part(0, "a"), [1], at=1)
    options = {"discoveryInterval": "1 second", "idleTimeout": "3 seconds", **PARTS, **VIRTUAL}
    query = DrivenFiles(tmp_path, available_now=False, **options)
    query.batch()
    put(tmp_path, "_temporary/0", part(0, "b"), [2], at=2)
    put(tmp_path, "", part(0, "c"), [3], at=3)  # moved already, before the one above
    for _ in range(9):
        query.batch()
    assert query.times("00000") == [1]
    assert query.offset["signals"]["state"]["idle_splits"] == []
    (line,) = caplog.messages
    assert line.startswith(f"{tmp_path}: a Spark job is writing here; its files are read when it has ended")
    (tmp_path / "_temporary" / "0" / part(0, "b")).rename(tmp_path / part(0, "b"))
    shutil.rmtree(tmp_path / "_temporary")
    query.batch()
    assert query.times("00000") == [1, 2, 3]
    for _ in range(9):
        query.batch()
    assert query.offset["signals"]["state"]["idle_splits"] == ["00000"]


@pytest.mark.parametrize("available_now", [True, False])
def test_a_first_look_waits_for_a_job_that_has_not_committed(tmp_path: Path, available_now: bool) -> None:
    put(tmp_path, "", part(0, "a"), [1], at=1)
    clock = WallClock()
    options = {"splitBy": "none", **VIRTUAL, "discoveryInterval": "0 seconds"}
    query = DrivenFiles(tmp_path, clock, available_now=available_now, **options)
    query.batch()
    query.commit()
    staged = put(tmp_path, "_temporary/0", part(0, "b"), [2], at=2)
    put(tmp_path, "", part(1, "b"), [3], at=3)
    (tmp_path / "_FINISHED").touch()

    def end_job(seconds: float) -> None:
        clock.now += round(seconds * 1000)
        staged.rename(tmp_path / part(0, "b"))
        shutil.rmtree(tmp_path / "_temporary")

    if available_now:
        with pytest.raises(BrokenLogError, match="a Spark job is writing to '.*', and has not ended for"):
            query.restart()
        clock.sleep = end_job  # type: ignore[method-assign]
        query.restart()
    else:
        query.restart()
        query.batch()
        query.batch()
        assert query.times("all") == [1]
        assert not query.finished("all")
        end_job(0)
    query.batch()
    query.batch()
    assert query.times("all") == [1, 2, 3]
    assert query.finished("all")


@pytest.mark.parametrize("own", ["day=2/_temporary", ".spark-staging-1234"])
def test_a_job_that_writes_partitions_is_waited_for(tmp_path: Path, own: str) -> None:
    put(tmp_path, "day=1", part(0, "a"), [1], at=1)
    options = {"available_now": False, "discoveryInterval": "0 seconds", "splitBy": "none", **VIRTUAL}
    query = DrivenFiles(tmp_path, **options)  # type: ignore[arg-type]
    query.batch()
    staged = put(tmp_path, f"{own}/_temporary/0", part(0, "b"), [2], at=2)
    put(tmp_path, "day=2", part(1, "b"), [3], at=3)
    query.batch()
    query.batch()
    assert query.times("all") == [1]
    staged.rename(tmp_path / "day=2" / part(0, "b"))
    shutil.rmtree(tmp_path / own)
    query.batch()
    query.batch()
    assert query.times("all") == [1, 2, 3]


def test_a_job_that_ends_while_files_are_looked_up_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    staged = put(tmp_path, "_temporary/0", part(0), [1], at=1)
    put(tmp_path, "day=1", part(1), [1], at=1)

    def listed_as_the_job_ends(entries: Iterable[tuple[str, Any]], *rest: Any) -> Listing:
        found = [(path, info) for path, info in entries if not path.startswith("_temporary")]
        staged.rename(tmp_path / "day=1" / part(0))
        shutil.rmtree(tmp_path / "_temporary")
        return spark_listing(found, *rest)

    monkeypatch.setattr(log_files, "spark_listing", listed_as_the_job_ends)
    folder = LogFolder(str(tmp_path), Layout("none", (), by_modification=True))
    assert folder.list().being_written
    monkeypatch.undo()
    assert not folder.list().being_written


def test_a_file_that_sorts_before_what_is_read_is_an_error(tmp_path: Path) -> None:
    put(tmp_path, "day=2/region=eu", part(0, "b"), [3], at=5)
    query = DrivenFiles(tmp_path, available_now=False, discoveryInterval="0 seconds", **REGIONS)
    query.batch()
    query.commit()
    for day, at in ((1, 9), (2, 4)):
        late = put(tmp_path, f"day={day}/region=eu", part(0, "a"), [1], at)
        query.restart()
        with pytest.raises(
            BrokenLogError, match="a file was added to the split 'region=eu' .* later time of"
        ):
            query.batch()
        late.unlink()


def test_files_may_be_removed_when_they_are_read_and_not_before(tmp_path: Path) -> None:
    files = [
        put(tmp_path, "", part(0, job), times, at) for at, job, times in ((1, "b", [1, 2]), (2, "a", [3, 4]))
    ]
    options = {"available_now": False, "maxRowsPerTrigger": "3", "discoveryInterval": "0 seconds"}
    query = DrivenFiles(tmp_path, **options, **PARTS)  # type: ignore[arg-type]
    query.batch()
    query.commit()
    files[0].unlink()
    query.restart()
    assert query.times("00000") == [1, 2, 3]
    away = files[1].rename(tmp_path / "_away")
    with pytest.raises(
        LostFileError, match=rf"the file '{tmp_path}/part-.*' has vanished after 1 of its rows"
    ):
        query.batch()
    away.rename(files[1])
    query.restart()
    query.batch()
    query.commit()
    assert query.times("00000") == [1, 2, 3, 4]
    files[1].unlink()  # no file tells of the split now
    query.restart()
    assert not query.batch()
    put(tmp_path, "", part(0, "0"), [5], at=3)
    query.restart()
    query.batch()
    assert query.times("00000") == [1, 2, 3, 4, 5]


def test_files_may_move_with_the_times_of_their_modification_only(tmp_path: Path) -> None:
    here, there, copied = tmp_path / "here", tmp_path / "there", tmp_path / "copied"
    for at, job in ((1, "c"), (2, "a"), (3, "b")):
        put(here, "day=1", part(0, job), [at, at], at)
    query = DrivenFiles(here, maxRowsPerTrigger="3", **PARTS)
    query.batch()
    query.commit()
    shutil.copytree(here, there)
    shutil.copytree(here, copied, copy_function=shutil.copy)
    shutil.rmtree(here)
    query.options |= {"path": str(copied), "pathMoved": "true"}
    query.restart()
    with pytest.raises(
        IllegalOffsetError, match=r"is not there with the time of modification .*cp -p, rsync"
    ):
        query.batch()
    query.options |= {"path": str(there)}
    query.restart()
    query.run()
    assert query.times("00000") == [1, 1, 2, 2, 3, 3]


def test_a_file_that_is_touched_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    put(tmp_path, "", part(0), [1, 2], at=1)
    query = DrivenFiles(tmp_path, maxRowsPerTrigger="1", discoveryInterval="0 seconds", **PARTS)
    query.batch()
    os.utime(tmp_path / part(0), (7, 7))
    query.restart()
    with pytest.raises(
        BrokenLogError, match=r"was modified after it was found, .* restore that time \(1000000000"
    ):
        query.batch()


@pytest.mark.parametrize("change", [{"splitBy": "none"}, {"fileOrder": "name"}], ids=str)
def test_a_checkpoint_of_another_layout_is_refused(tmp_path: Path, change: dict[str, str]) -> None:
    put(tmp_path, "", part(0), [1], at=1)
    query = DrivenFiles(tmp_path, **PARTS)
    query.batch()
    other = files_reader(SCHEMA, **{**query.options, **change})
    with pytest.raises(
        IllegalOffsetError, match="splitBy partNumber, fileOrder modificationTime, the options"
    ):
        other.latestOffset(query.offset, query.limit)


def committed(folder: Path, batch: str, *files: tuple[Path, int]) -> None:
    """Write a batch of the log of Spark's file sink: files and when they were modified (s)."""
    log = folder / "_spark_metadata"
    log.mkdir(exist_ok=True)
    entries = [
        {
            "path": f"file://{quote(str(file))}",
            "size": file.stat().st_size,
            "isDir": False,
            "modificationTime": at * 1000,
            "blockReplication": 1,
            "blockSize": 1,
            "action": "add",
        }
        for file, at in files
    ]
    (log / batch).write_text("\n".join(["v1", *map(json.dumps, entries)]))


def test_of_a_folder_that_a_query_writes_only_what_is_committed_is_read(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    first, second, third, fourth = (
        put(here, "k=a%3Ab", part(0, job), [time], at=9)
        for time, job in ((1, "d"), (2, "c"), (3, "b"), (4, "a"))
    )
    (here / "_spark_metadata").mkdir()
    assert not DrivenFiles(here, **PARTS).batch()  # nothing is committed yet
    committed(here, "0", (first, 1))
    committed(here, "1", (second, 2))
    query = DrivenFiles(here, available_now=False, discoveryInterval="0 seconds", **PARTS)
    query.batch()
    query.commit()
    assert query.times("00000") == [1, 2]
    committed(here, "2.compact", (first, 1), (second, 2), (third, 3))
    for old in ("0", "1"):
        (here / "_spark_metadata" / old).unlink()
    shutil.copytree(here, there, copy_function=shutil.copy)
    query.options |= {"path": str(there), "pathMoved": "true"}
    query.restart()
    query.batch()
    assert query.times("00000") == [1, 2, 3]
    query.commit()
    committed(there, "4", (fourth, 4))
    query.restart()
    with pytest.raises(BrokenLogError, match=r"the log '.*/_spark_metadata' has no batch 3, and has batch 4"):
        query.batch()
    committed(there, "3")
    (there / "_spark_metadata" / "4").write_text("v2")
    query.restart()
    with pytest.raises(BrokenLogError, match="the file 4 of the log .* is not one of Spark's file sink"):
        query.batch()


def test_files_of_a_query_that_were_written_at_the_same_time_are_in_the_order_of_its_log(
    tmp_path: Path,
) -> None:
    first, second, third = (
        put(tmp_path, "day=2", part(0, job), [time], at=1) for time, job in ((1, "ff"), (2, "00"), (3, "77"))
    )
    committed(tmp_path, "0", (first, 1))
    query = DrivenFiles(tmp_path, available_now=False, discoveryInterval="0 seconds", **PARTS)
    query.batch()
    query.commit()
    committed(tmp_path, "1", (second, 1))
    query.restart()
    query.batch()
    query.commit()
    committed(tmp_path, "2.compact", (first, 1), (second, 1), (third, 1))
    query.restart()
    query.batch()
    query.commit()
    assert query.times("00000") == [1, 2, 3]
    committed(tmp_path, "3", (put(tmp_path, "day=1", part(0, "a"), [4], at=9), 9))
    query.restart()
    with pytest.raises(
        BrokenLogError, match="a file was added .*; files are in the order of its log: .* splitBy"
    ):
        query.batch()


def test_names_of_partition_columns_are_unescaped(tmp_path: Path) -> None:
    for value in (7, 8):
        put(tmp_path, f"price%25={value}", part(0), [value], at=1)
    query = query_of_inferred(tmp_path, splitBy="price%")
    query.run()
    assert query.planned() == {"price%25=7": 1, "price%25=8": 1}
    assert [row["price%"] for row in query.rows("price%25=7")] == [7]


def test_a_value_that_is_too_large_a_number_is_a_text(tmp_path: Path) -> None:
    huge = "9e99999999999999999999"
    for value in ("a", huge, "1"):
        put(tmp_path, f"dev={value}", part(0), [1], at=1)
    query = query_of_inferred(tmp_path, **PARTS)
    query.run()
    assert [row["dev"] for row in query.rows()] == ["1", huge, "a"]


def test_hidden_names_are_those_that_spark_does_not_look_at(tmp_path: Path) -> None:
    put(tmp_path, "_date=1", part(0), [1], at=1)
    for hidden in ("_date=1", "_other", ".dot", "k._COPYING_"):
        put(tmp_path, hidden, f"{part(1)}._COPYING_", [2], at=2)
        if hidden != "_date=1":
            put(tmp_path, hidden, part(1), [2], at=2)
    query = query_of_inferred(tmp_path, **PARTS)
    query.run()
    assert [(row["_date"], row["time"]) for row in query.rows()] == [(1, 1)]


def test_a_file_of_the_same_name_in_another_place_is_not_committed(tmp_path: Path) -> None:
    committed(tmp_path, "0", (put(tmp_path, "day=1", part(0), [1], at=1), 1))
    put(tmp_path, "day=2", part(0), [2], at=2)
    query = DrivenFiles(tmp_path, **PARTS)
    query.run()
    assert query.times("00000") == [1]


def test_what_was_found_is_true_of_the_time_at_which_the_look_was_begun() -> None:
    begun, go_on = Event(), Event()
    listings = [Listing(), Listing(), Listing()]

    def look() -> Listing:
        found = listings.pop()
        if len(listings) < 2:
            begun.set()
            assert go_on.wait(60)
        return found

    discovery = SplitDiscovery(look, 10, in_background=True, sleep=lambda _: None)
    first = discovery.splits(0)
    assert discovery.splits(10) is first
    assert begun.wait(60)
    assert discovery.splits(15) is first
    assert discovery.looked_at == 0
    go_on.set()
    while discovery.splits(19) is first:
        pass
    assert discovery.looked_at == 10
    discovery.stop()
