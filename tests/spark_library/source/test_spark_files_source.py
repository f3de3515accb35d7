"""The aligned source over folders of files: what comes out of readers driven as Spark drives them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from pyspark.sql.types import LongType, StructType, TimestampNTZType
from spark_programs.driven_files import (
    PLAIN,
    SCHEMA,
    VIRTUAL,
    DrivenFiles,
    aligned,
    write_json,
    write_parquet,
    write_table,
)

from tidegauge_spark import BrokenLogError
from tidegauge_spark.source.files.folder.log_files import LogFolder
from tidegauge_spark.source.files.limited_cache import LimitedCache
from tidegauge_spark.source.files.parquet_format import ParquetFormat
from tidegauge_spark.source.files.position import FilePosition
from tidegauge_spark.spark_version import to_arrow_in_utc


def test_job_1_files_are_read_in_order_of_name_and_rows_in_order(tmp_path: Path) -> None:
    for name, times in (("b", [3, 4]), ("a", [1, 2]), ("c", []), ("d", [5])):
        write_parquet(tmp_path, "x", name, times)
    write_parquet(tmp_path, "y", "a", [7, 6, 8])
    query = DrivenFiles(tmp_path, maxRowsPerTrigger="2")
    query.run()
    assert query.times("x") == [1, 2, 3, 4, 5]
    assert query.times("y") == [7, 6, 8]
    assert {len(rows) for rows in query._rows.values()} <= {0, 1, 2}


def test_a_batch_begins_no_more_files_than_it_may(tmp_path: Path) -> None:
    for split in "xyz":
        for name in "abcd":
            write_parquet(tmp_path, split, name, range(10))
    query = DrivenFiles(tmp_path, maxFilesPerTrigger="2")
    query.batch()
    assert query.planned() == {"x": 20, "y": 0, "z": 0}
    query.batch()
    assert query.planned() == {"x": 20, "y": 20, "z": 0}
    query.run()
    assert query.planned() == {"x": 40, "y": 40, "z": 40}
    assert {len(rows) for rows in query._rows.values()} <= {0, 20}


def test_a_file_that_was_begun_is_not_counted_again(tmp_path: Path) -> None:
    for name in "ab":
        write_parquet(tmp_path, "x", name, range(10))
    query = DrivenFiles(tmp_path, maxFilesPerTrigger="1", maxRowsPerTrigger="6")
    counts = []
    while query.batch():
        counts.append(len(query._rows[len(query.log) - 1]))
    assert counts[:4] == [6, 6, 6, 2]


@pytest.mark.parametrize("row_group", [1, 3, 1000])
def test_nothing_is_read_before_the_starting_timestamp(tmp_path: Path, row_group: int) -> None:
    write_parquet(tmp_path, "x", "a", range(0, 100, 10), row_group)
    write_parquet(tmp_path, "x", "b", [100, 40, 110])
    write_parquet(tmp_path, "y", "a", [80, 90, 10])
    write_parquet(tmp_path, "z", "a", [1, 2])
    query = DrivenFiles(tmp_path, startingTimestamp="85", discoveryInterval="0 seconds", **aligned(5))
    query.run()
    assert query.times("x") == [90, 100, 40, 110]
    assert query.times("y") == [90, 10]
    assert query.times("z") == []
    write_parquet(tmp_path, "z", "b", [3, 85, 4])
    query.restart()
    query.run()
    assert query.times("z") == [85, 4]


@pytest.mark.parametrize("row_group", [1, 3, 1000])
def test_row_groups_and_batches_need_not_agree(tmp_path: Path, row_group: int) -> None:
    write_parquet(tmp_path, "x", "a", range(100), row_group=row_group)
    query = DrivenFiles(tmp_path, maxRowsPerTrigger="7")
    query.run()
    assert query.times("x") == list(range(100))


def test_what_is_read_into_memory_together_is_limited(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", range(200_000), row_group=20_000)
    query = DrivenFiles(tmp_path)
    query.plan()
    assert [each[-1] for each in query.offset["slices"]["x"]] == [80_000, 80_000, 40_000]
    (partition,) = query.reader.partitions(query.start, query.offset)
    assert [batch.num_rows for batch in query.reader.read(partition)] == [65_536, 14_464] * 2 + [40_000]


def test_a_block_is_decoded_once_though_it_is_read_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_parquet(tmp_path, "x", "a", range(100), row_group=40)
    decoded = []
    rows = ParquetFormat.rows
    monkeypatch.setattr(ParquetFormat, "rows", lambda *given: decoded.append(given[3:5]) or rows(*given))
    query = DrivenFiles(tmp_path, maxRowsPerTrigger="9")
    query.run()
    assert query.times("x") == list(range(100))
    assert decoded == [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]


def test_what_is_kept_for_later_is_limited() -> None:
    table = pa.table({"time": range(100)})
    kept: LimitedCache[str, Any] = LimitedCache(2 * table.nbytes)
    for key in "abc":
        kept.keep(key, table, table.nbytes)
    found = [kept.take(key) is table for key in "abc"]
    assert (sum(found), found[-1]) == (2, True)
    kept.keep("d", table, 3 * table.nbytes)
    assert kept.take("d") is None


def test_what_comes_next_is_mostly_kept_where_there_is_a_little_too_much() -> None:
    kept: LimitedCache[int, int] = LimitedCache(90)
    missed = 0
    for _ in range(10):
        for split in range(100):
            if kept.get(split) is None:
                missed += 1
                kept.keep(split, split, 1)
    assert missed < 500  # 1,000 if the one used longest ago were forgotten


def test_of_a_large_block_a_window_is_kept_and_it_is_read_again_where_that_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_parquet(tmp_path, "x", "a", range(5_000))
    decoded: list[int] = []
    block = ParquetFormat.block
    monkeypatch.setattr(ParquetFormat, "block", lambda *given: decoded.append(given[3]) or block(*given))
    query = DrivenFiles(tmp_path, maxRowsPerTrigger="700", **VIRTUAL)
    query.reader._index._most_rows = 4_000
    query.run()
    assert query.times("x") == list(range(5_000))
    assert len(decoded) == 3  # windows of 2,000 rows


def test_a_paused_split_gives_no_rows_without_an_event_time(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [None, None, 5])
    (tmp_path / "x" / "_PAUSED").touch()
    options = {"failOnInvalidTimestamp": "false", "discoveryInterval": "0 seconds", **VIRTUAL}
    query = DrivenFiles(tmp_path, available_now=False, **options)
    query.batch()
    assert query.rows("x") == []
    (tmp_path / "x" / "_PAUSED").unlink()
    query.batch()
    assert query.times("x") == [None, None, 5]


def test_the_progress_column_says_where_a_row_came_from(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [5])
    write_parquet(tmp_path, "y", "a", [6])
    query = DrivenFiles(tmp_path, numSubtasks="2", sourceName="kafka", **VIRTUAL)
    query.run()
    assert query.rows() == [
        {
            "time": time,
            "id": 0,
            "progress": {
                "source": "kafka",
                "subtask": subtask,
                "split": split,
                "kind": "record",
                "timestamp": time,
                "backlog": None,
                "planned_at": 1000,
            },
        }
        for subtask, (split, time) in enumerate([("x", 5), ("y", 6)])
    ]


def test_without_a_progress_column_rows_are_as_in_the_file(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [5, 6])
    query = DrivenFiles(tmp_path, schema=PLAIN, progressColumn="")
    query.batch()
    assert query._rows[0] == [{"time": 5, "id": 0}, {"time": 6, "id": 1}]


def test_rows_are_arrow_batches_of_the_declared_schema(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [5])
    query = DrivenFiles(tmp_path)
    query.plan()
    (partition,) = query.reader.partitions(query.start, query.offset)
    (batch,) = query.reader.read(partition)
    assert batch.schema.equals(to_arrow_in_utc(SCHEMA))


def test_names_that_begin_with_an_underscore_or_a_dot_are_not_read(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [1])
    for hidden in ("_temporary", ".hidden"):
        (tmp_path / "x" / hidden).write_text("not a log")
        (tmp_path / hidden).mkdir()
        (tmp_path / hidden / "b").write_text("not a log")
    (tmp_path / "_SUCCESS").touch()
    query = DrivenFiles(tmp_path)
    query.run()
    assert query.times("x") == [1]


STAMPS = {
    "INT96": {"use_deprecated_int96_timestamps": True},
    "us": {},
    "ms": {"coerce_timestamps": "ms"},
    "ns": {},
}


def write_groups(folder: Path, kind: str, draw: random.Random) -> None:
    """Write files of out-of-order event times in row groups, with and without nulls and statistics."""
    for split in "xyz":
        for number in range(4):
            begin = number * 1000
            times = [begin + draw.randrange(1500) for _ in range(draw.choice([0, 1, 40, 300]))]
            values: list[int | None] = [*times, None] if draw.random() < 0.3 else [*times]
            column = pa.array(values, pa.int64())
            if kind in STAMPS:
                column = column.cast(pa.timestamp("ms")).cast(pa.timestamp("ns" if kind == "ns" else "us"))
            table = pa.table({"time": column, "id": range(len(values))})
            (folder / split).mkdir(parents=True, exist_ok=True)
            parquet.write_table(
                table,
                folder / split / str(number),
                row_group_size=50,
                write_statistics=kind != "none" and draw.random() < 0.8,
                **STAMPS.get(kind, {}),
            )


@pytest.mark.parametrize("kind", ["whole numbers", "none", *STAMPS])
@pytest.mark.parametrize("more", [{}, {"startingTimestamp": "1700"}, aligned(300), aligned(10_000)], ids=str)
def test_statistics_of_row_groups_change_no_decision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, more: dict[str, str]
) -> None:
    """The same offsets, batch by batch, whether event times are read or not; and fewer are read."""
    write_groups(tmp_path, kind, random.Random(kind))
    schema = (
        PLAIN if kind not in STAMPS else StructType().add("time", TimestampNTZType()).add("id", LongType())
    )
    options = {"failOnInvalidTimestamp": "false", "maxFilesPerTrigger": "3", "progressColumn": "", **more}
    read: list[int] = []
    block = ParquetFormat.block
    monkeypatch.setattr(ParquetFormat, "block", lambda *given: read.append(given[3]) or block(*given))
    for most in ("70", "1000"):
        logs, counts = [], []
        for statistics in (True, False):
            if not statistics:
                monkeypatch.setattr(ParquetFormat, "summaries", lambda *_: ())
            read.clear()
            query = DrivenFiles(tmp_path, schema=schema, maxRowsPerTrigger=most, **options, **VIRTUAL)
            query.run()
            logs.append([_without_identity(offset) for offset in query.log])
            counts.append(len(read))
        monkeypatch.setattr(ParquetFormat, "summaries", _SUMMARIES)
        assert logs[0] == logs[1]
        if kind in ("none", "INT96"):
            assert counts[0] == counts[1]
        elif more == aligned(300):  # borders within most blocks
            assert counts[0] <= counts[1]
        else:
            assert counts[0] < counts[1]


_SUMMARIES = ParquetFormat.summaries


def _without_identity(offset: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in offset.items() if name not in ("source", "started_at", "checksum")}


def test_whole_numbers_in_statistics_that_look_like_seconds_are_refused(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [1_760_000_400, 1_760_000_401])
    with pytest.raises(BrokenLogError, match="which look like seconds since 1970"):
        DrivenFiles(tmp_path).run()


def test_statistics_of_another_column_of_the_same_path_are_not_taken(tmp_path: Path) -> None:
    times = pa.array(range(100), pa.int64())
    nested = pa.StructArray.from_arrays([pa.array([0] * 100, pa.int64())], ["at"])
    write_table(tmp_path, "x", "a", pa.table({"time": nested, "time.at": times, "id": times}), 20)
    schema = StructType().add("time", StructType().add("at", LongType()))
    schema = schema.add("time.at", LongType()).add("id", LongType())
    options = {"eventTimeColumn": "time.at", "progressColumn": "", **VIRTUAL}
    query = DrivenFiles(tmp_path, schema=schema, startingTimestamp="50", **options)
    query.run()
    assert query.offset["watermarks"] == [98]
    assert query.planned() == {"x": 50}


def test_a_block_that_is_known_needs_no_summary(tmp_path: Path) -> None:
    file = write_parquet(tmp_path, "x", "a", [5, 6])
    index = DrivenFiles(tmp_path, **VIRTUAL).reader._index  # type: ignore[attr-defined]
    position = FilePosition(0, "a", file.stat().st_size, whole=False)
    summary = index.summary("x", position)
    assert (summary.rows, summary.greatest) == (2, 6)
    assert index.block("x", position).rows == 2
    assert index.summary("x", position) is None


def test_a_file_without_statistics_is_opened_once_to_plan_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_json(tmp_path, "x", "a", [{"time": 1, "id": 0}])
    opened = []
    open_ = LogFolder.open
    monkeypatch.setattr(LogFolder, "open", lambda *given: opened.append(given[2]) or open_(*given))
    DrivenFiles(tmp_path, schema=PLAIN, progressColumn="", fileFormat="json", **VIRTUAL).plan()
    assert opened == ["a"]
