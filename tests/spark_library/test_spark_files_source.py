"""The aligned source over folders of files: readers driven as Spark drives them, then real queries.

Expectations are worked out by hand. Times are in ms; a split stands at the greatest event time it has planned,
minus the bound on the disorder, minus 1, and before its first record at what that one will make of it.
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from pyspark.errors import AnalysisException, StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows
from pyspark.sql.types import ArrayType, IntegerType, LongType, StringType, StructType, TimestampType
from spark_programs.driven_files import (
    SCHEMA,
    DrivenFiles,
    files_reader,
    read_rows,
    write_json,
    write_parquet,
    write_table,
)
from spark_programs.driven_query import WallClock, make_reader
from spark_programs.queries import PATIENCE, SparkQueries, spark_queries, spreads

from tidegauge_spark import (
    MAX,
    MIN,
    PROGRESS_SCHEMA,
    AlignedSource,
    BrokenLogError,
    IllegalOffsetError,
    IllegalOptionError,
    LostFileError,
    coordination,
)
from tidegauge_spark.group_coordination.client import Address, report
from tidegauge_spark.source.files.limited_cache import LimitedCache
from tidegauge_spark.source.files.parquet_format import ParquetFormat
from tidegauge_spark.source.options.files import FileOptions
from tidegauge_spark.source.options.source import parse_options

PLAIN = StructType().add("time", LongType()).add("id", LongType())
VIRTUAL = {"clockStep": "1 second"}
ALL = {"maxRowsPerBatch": str(2**62)}


def aligned(drift: int, **more: str) -> dict[str, str]:
    """Return the options of a source whose splits may be `drift` ms apart; one round a planning."""
    return {
        "watermarkGroup": "g",
        "maxAllowedWatermarkDrift": f"{drift} milliseconds",
        "updateInterval": "1 millisecond",
        **more,
    }


# What comes out


def test_job_1_files_are_read_in_order_of_name_and_rows_in_order(tmp_path: Path) -> None:
    for name, times in (("b", [3, 4]), ("a", [1, 2]), ("c", []), ("d", [5])):
        write_parquet(tmp_path, "x", name, times)
    write_parquet(tmp_path, "y", "a", [7, 6, 8])
    query = DrivenFiles(tmp_path, maxRowsPerBatch="2")
    query.run()
    assert query.times("x") == [1, 2, 3, 4, 5]
    assert query.times("y") == [7, 6, 8]
    assert {len(rows) for rows in query._rows.values()} <= {0, 1, 2}


@pytest.mark.parametrize("row_group", [1, 3, 1000])
def test_row_groups_and_batches_need_not_agree(tmp_path: Path, row_group: int) -> None:
    write_parquet(tmp_path, "x", "a", range(100), row_group=row_group)
    query = DrivenFiles(tmp_path, maxRowsPerBatch="7")
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
    query = DrivenFiles(tmp_path, maxRowsPerBatch="9")
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
    query = DrivenFiles(tmp_path, maxRowsPerBatch="700", **VIRTUAL)
    query.reader._index._most_rows = 4_000
    query.run()
    assert query.times("x") == list(range(5_000))
    assert len(decoded) == 3  # windows of 2,000 rows


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
    assert batch.schema.equals(to_arrow_schema(SCHEMA, timezone="UTC"))


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


# ALIGN and SOURCE: the rules, batch by batch


def test_source_1_no_split_is_planned_past_the_bound(tmp_path: Path) -> None:
    write_parquet(tmp_path, "slow", "a", range(0, 1001, 100))
    write_parquet(tmp_path, "fast", "a", range(1001))
    query = DrivenFiles(tmp_path, numSubtasks="2", **aligned(250), **VIRTUAL)
    assert query.batch()
    assert query.offset["bound"] == 249  # -1 + 250
    assert query.batch_times() == {"slow": [0, 100, 200], "fast": list(range(250))}
    assert query.batch()
    assert query.offset["bound"] == 449  # 199 + 250
    assert query.batch_times() == {"slow": [300, 400], "fast": list(range(250, 450))}
    query.run()
    assert (len(query.times("slow")), len(query.times("fast"))) == (11, 1001)


@pytest.mark.parametrize("by_split", ["true", "false"])
def test_a_source_alone_in_its_group_raises_the_bound_while_it_plans(tmp_path: Path, by_split: str) -> None:
    for split in ("x", "y"):
        write_parquet(tmp_path, split, "a", range(0, 10_000, 10))
    options = {**aligned(100, splitAlignment=by_split), "updateInterval": "", **VIRTUAL}
    query = DrivenFiles(tmp_path, numSubtasks="2", **options)
    assert query.batch()
    reached = [query.times(split)[-1] for split in ("x", "y")]
    assert min(reached) >= 15 * 90
    assert max(reached) - min(reached) <= 100
    query.run()
    assert [query.times(split) for split in ("x", "y")] == [list(range(0, 10_000, 10))] * 2


def test_source_9_part_2_bounds_each_split_of_a_subtask(tmp_path: Path) -> None:
    write_parquet(tmp_path, "slow", "a", range(0, 1001, 100))
    write_parquet(tmp_path, "fast", "a", range(1001))
    query = DrivenFiles(tmp_path, **aligned(250), **VIRTUAL)
    assert query.batch()
    assert query.batch_times() == {"slow": [0, 100, 200], "fast": list(range(250))}


def test_part_1_bounds_the_subtask_by_its_slowest_split_only(tmp_path: Path) -> None:
    write_parquet(tmp_path, "a-slow", "a", range(0, 1001, 100))
    write_parquet(tmp_path, "b-slow", "a", range(0, 1001, 100))
    write_parquet(tmp_path, "c-fast", "a", range(50, 1001))
    query = DrivenFiles(tmp_path, numSubtasks="2", splitAlignment="false", **aligned(250), **VIRTUAL)
    assert query.batch()  # the bound is 249; "a-slow" and "c-fast" are of the same subtask
    assert query.batch_times() == {
        "a-slow": [0, 100, 200],
        "b-slow": [0, 100, 200],
        "c-fast": list(range(50, 1001)),
    }
    assert query.offset["watermarks"] == [199, 199]


def test_part_1_blocks_a_subtask_that_is_ahead_with_all_its_splits(tmp_path: Path) -> None:
    write_parquet(tmp_path, "a", "a", [100, 1000, 1001])
    write_parquet(tmp_path, "b", "a", [0, 10, 2000])
    write_parquet(tmp_path, "c", "a", [101, 1100, 1101])
    query = DrivenFiles(
        tmp_path, available_now=False, numSubtasks="2", splitAlignment="false", **aligned(50), **VIRTUAL
    )
    batches = []
    for _ in range(5):
        query.batch()
        batches.append(query.batch_times())
    assert batches == [
        {"b": [0, 10]},  # the bound is 49, and the other subtask is at 99
        {"b": [2000]},  # it holds the minimum, 9
        {"a": [100], "c": [101, 1100, 1101]},  # "a" is the slowest of its subtask, "c" is not
        {"a": [1000]},
        {"a": [1001]},
    ]


def test_source_2_the_slowest_reads_its_next_record_however_far_it_is(tmp_path: Path) -> None:
    write_parquet(tmp_path, "a", "a", [0, 10_000, 10_000, 10_001])
    write_parquet(tmp_path, "b", "a", [1, 9_000, 9_001, 20_000])
    query = DrivenFiles(tmp_path, **aligned(0), **VIRTUAL)
    batches = []
    while query.batch():
        batches.append(query.batch_times())
    assert batches == [
        {"a": [0]},
        {"a": [10_000, 10_000]},
        {"b": [1]},
        {"b": [9_000]},
        {"b": [9_001]},
        {"b": [20_000]},
        {"a": [10_001]},
    ]


def test_source_1_a_split_that_is_ahead_does_not_read_late_records(tmp_path: Path) -> None:
    write_parquet(tmp_path, "a", "a", [0, 10_000, 5, 6, 10_000], row_group=2)
    write_parquet(tmp_path, "b", "a", [1, 9_000])
    query = DrivenFiles(tmp_path, maxRowsPerBatch="1", **aligned(0), **VIRTUAL)
    query.run()
    times = [(row["progress"]["split"], row["time"]) for row in query.rows()]
    assert times == [("a", 0), ("a", 10_000), ("b", 1), ("b", 9_000), ("a", 5), ("a", 6), ("a", 10_000)]


def test_align_1_a_split_counts_before_its_first_record(tmp_path: Path) -> None:
    write_parquet(tmp_path, "late", "a", [50_000])
    write_parquet(tmp_path, "early", "a", range(0, 60_000, 1000))
    query = DrivenFiles(tmp_path, **aligned(10_000), **VIRTUAL)
    query.run()
    assert len(query.rows()) == 61
    log = [(offset["bound"], offset["watermarks"][0]) for offset in query.log]
    assert log[:2] == [(9_999, MIN), (18_999, MIN)]  # nothing of "late", which is not waited for
    assert log[-1][1] == 49_999


def test_source_1_disorder_is_allowed_for(tmp_path: Path) -> None:
    write_parquet(tmp_path, "slow", "a", [1000, 1100, 1050, 1200])
    write_parquet(tmp_path, "fast", "a", [1000, 1400, 1150, 1401, 1300])
    query = DrivenFiles(tmp_path, maxOutOfOrderness="200 milliseconds", **aligned(401), **VIRTUAL)
    assert query.batch()  # 1000 - 200 - 1 + 401: event times up to 1400
    assert query.offset["bound"] == 1200
    assert query.batch_times() == {"slow": [1000, 1100, 1050, 1200], "fast": [1000, 1400, 1150]}
    assert query.offset["watermarks"] == [999]
    query.run()
    assert query.times("fast") == [1000, 1400, 1150, 1401, 1300]


def test_source_4_without_alignment_nobody_is_held_back(tmp_path: Path) -> None:
    write_parquet(tmp_path, "slow", "a", [0])
    write_parquet(tmp_path, "fast", "a", [10**12, 10**15])
    query = DrivenFiles(tmp_path, available_now=False)
    assert query.batch()
    assert query.batch_times() == {"slow": [0], "fast": [10**12, 10**15]}
    assert query.offset["bound"] is None


def test_a_split_that_has_caught_up_is_waited_for(tmp_path: Path) -> None:
    write_parquet(tmp_path, "slow", "a", [0, 100])
    write_parquet(tmp_path, "fast", "a", range(0, 1001, 10))
    options = {"discoveryInterval": "5 seconds", **aligned(250), **VIRTUAL}
    query = DrivenFiles(tmp_path, available_now=False, **options)
    query.batch()
    query.batch()
    assert query.times("fast")[-1] == 340  # 99 + 250
    write_parquet(tmp_path, "slow", "b", [200])
    query.batch()
    query.batch()
    query.batch()
    assert query.batch_times() == {}
    query.batch()  # at 6 s: the listing of 1 s is 5 s old
    assert query.batch_times() == {"slow": [200]}
    query.batch()
    assert query.times("fast")[-1] == 440


def test_align_5_a_split_that_is_finished_is_not_waited_for(tmp_path: Path) -> None:
    write_parquet(tmp_path, "slow", "a", [0, 100])
    write_parquet(tmp_path, "fast", "a", range(0, 1001, 10))
    (tmp_path / "slow" / "_FINISHED").touch()
    query = DrivenFiles(tmp_path, available_now=False, **aligned(250), **VIRTUAL)
    for _ in range(5):
        query.batch()
    assert query.times("fast")[-1] == 1000
    assert query.offset["watermarks"] == [999]
    shutil.rmtree(tmp_path / "slow")
    query.restart()
    query.batch()


def test_a_split_that_is_finished_later_is_remembered(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [0])
    query = DrivenFiles(tmp_path, WallClock(), available_now=False, discoveryInterval="0 seconds")
    query.batch()
    (tmp_path / "x" / "_FINISHED").touch()
    query.restart()
    assert query.batch()
    assert (query.rows("x")[1:], query.offset["splits"]["x"][-1]) == ([], True)
    shutil.rmtree(tmp_path / "x")
    query.restart()
    assert not query.batch()
    write_parquet(tmp_path, "y", "a", [7])
    query.restart()
    query.batch()
    assert query.planned() == {"y": 1}
    write_parquet(tmp_path, "x", "a", [8])
    query.restart()
    query.batch()
    assert query.times("x") == [0, 8]  # it is a new one, of the same name


def test_source_6_a_slow_split_that_comes_later_does_not_lower_the_watermark(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", range(0, 1001, 100))
    options = {"discoveryInterval": "1 second", **aligned(250), **VIRTUAL}
    query = DrivenFiles(tmp_path, available_now=False, **options)
    query.batch()
    query.batch()
    assert query.offset["watermarks"] == [399]
    write_parquet(tmp_path, "y", "a", [0, 50, 600, 700])
    query.batch()
    assert query.offset["bound"] == 649
    assert query.batch_times() == {"x": [500, 600], "y": [0, 50, 600]}
    assert query.offset["watermarks"] == [599]


def test_source_6_a_split_without_a_record_holds_the_watermark(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", range(0, 2001, 100))
    options = {"discoveryInterval": "1 second", **aligned(250), **VIRTUAL}
    query = DrivenFiles(tmp_path, available_now=False, **options)
    query.batch()
    (tmp_path / "y").mkdir()
    for _ in range(3):
        query.batch()
    assert query.times("x")[-1] == 400
    assert (query.offset["bound"], query.offset["watermarks"]) == (449, [199])


def test_an_update_interval_keeps_the_bound(tmp_path: Path) -> None:
    write_parquet(tmp_path, "slow", "a", range(0, 1001, 100))
    write_parquet(tmp_path, "fast", "a", range(1001))
    query = DrivenFiles(tmp_path, **aligned(250, updateInterval="3 seconds"), **VIRTUAL)
    for _ in range(7):
        query.batch()
    assert [offset["bound"] for offset in query.log] == [249, 249, 249, 449, 449, 449, 649]


# Splits and subtasks


def test_new_splits_go_to_the_subtasks_that_have_the_fewest(tmp_path: Path) -> None:
    for split in "bdac":
        write_parquet(tmp_path, split, "a", [0])
    (tmp_path / "b" / "_FINISHED").touch()
    query = DrivenFiles(
        tmp_path, WallClock(), available_now=False, numSubtasks="3", discoveryInterval="0 seconds"
    )
    query.batch()
    assert _subtasks(query) == {"a": 0, "b": 1, "c": 2, "d": 0}
    for split in ("A", "e"):
        write_parquet(tmp_path, split, "a", [0])
    query.restart()
    query.batch()
    assert _subtasks(query) == {"a": 0, "b": 1, "c": 2, "d": 0, "A": 1, "e": 1}


def _subtasks(query: DrivenFiles) -> dict[str, int]:
    return {split: position[0] for split, position in query.offset["splits"].items()}


def test_discovery_in_the_background_finds_what_is_new(tmp_path: Path) -> None:
    clock = WallClock()
    write_parquet(tmp_path, "x", "a", [0])
    query = DrivenFiles(tmp_path, clock, available_now=False, discoveryInterval="1 second")
    query.batch()
    write_parquet(tmp_path, "y", "a", [1])
    clock.now += 999
    assert not query.batch()
    assert query.reader._discovery._coming is None
    clock.now += 1
    query.batch()
    while not query.batch():
        pass
    assert query.batch_times() == {"y": [1]}
    query.reader.stop()


def test_what_cannot_be_planned_is_not_tried_again_until_something_is_different(tmp_path: Path) -> None:
    clock = WallClock()
    write_parquet(tmp_path, "x", "a", [1, 1000])
    write_parquet(tmp_path, "y", "a", [0])
    query = DrivenFiles(tmp_path, clock, available_now=False, **aligned(250))
    assert query.batch()
    plannings = []
    planning = query.reader._planning
    query.reader._planning = lambda *arguments: plannings.append(arguments) or planning(*arguments)
    for _ in range(5):
        assert not query.batch()
        clock.now += 10
    assert len(plannings) == 1


def test_what_could_not_be_planned_is_when_the_group_has_moved(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [0, 1000])
    with coordination() as address:
        group = {**aligned(250), "updateInterval": "", "coordinator": address}
        query = DrivenFiles(tmp_path, WallClock(), available_now=False, **group)
        report(Address.parse(address), "g", "other", -2)
        assert query.batch()
        assert not query.batch()
        assert not query.batch()
        report(Address.parse(address), "g", "other", 750)
        assert query.batch()
    assert query.times("x") == [0, 1000]


# AvailableNow


def test_available_now_ends_with_what_was_there_at_the_start(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", range(100))
    query = DrivenFiles(tmp_path, maxRowsPerBatch="30", discoveryInterval="0 seconds")
    query.batch()
    write_parquet(tmp_path, "x", "b", [1000])
    write_parquet(tmp_path, "y", "a", [1000])
    query.run()
    assert query.times("x") == list(range(100))
    assert query.rows("y") == []
    query.restart()
    query.run()
    assert query.times("x") == [*range(100), 1000]
    assert query.times("y") == [1000]


def test_available_now_does_not_wait_for_splits_that_are_read(tmp_path: Path) -> None:
    write_parquet(tmp_path, "short", "a", [0])
    write_parquet(tmp_path, "empty", "a", [])
    write_parquet(tmp_path, "long", "a", range(0, 100_000, 1000))
    (tmp_path / "nothing").mkdir()
    query = DrivenFiles(tmp_path, numSubtasks="2", **aligned(2000), **VIRTUAL)
    query.run()
    assert len(query.times("long")) == 100
    assert query.reader.latestOffset(query.offset, query.limit) == query.offset


def test_available_now_remembers_what_is_finished(tmp_path: Path) -> None:
    query = DrivenFiles(tmp_path)
    write_parquet(tmp_path, "x", "a", [0])
    query.restart()
    query.run()
    (tmp_path / "x" / "_FINISHED").touch()
    query.commit()
    query.restart()
    query.run()
    query.commit()
    shutil.rmtree(tmp_path / "x")
    query.restart()
    assert not query.batch()


def test_available_now_ends_where_there_is_nothing(tmp_path: Path) -> None:
    query = DrivenFiles(tmp_path, **aligned(2000))
    assert not query.batch()


def test_read_all_available_ignores_the_option(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", range(100))
    query = DrivenFiles(tmp_path, maxRowsPerBatch="1")
    assert query.limit == ReadMaxRows(1)
    query.limit = ReadAllAvailable()
    query.batch()
    assert len(query.rows()) == 100


# JOB-4: crashes and restarts


def test_job_4_files_that_appear_later_change_nothing_about_a_batch(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [1, 2])
    write_parquet(tmp_path, "x", "m", [3, 4])
    query = DrivenFiles(tmp_path, maxRowsPerBatch="3")
    query.batch()
    write_parquet(tmp_path, "x", "b", [10])
    write_parquet(tmp_path, "x", "z", [5])
    fresh = files_reader(SCHEMA, **query.options)
    assert [row["time"] for row in read_rows(fresh, query.start, query.log[0])] == [1, 2, 3]


@pytest.mark.parametrize("seed", range(5))
def test_job_4_crashes_anywhere_lose_nothing_and_repeat_nothing(tmp_path: Path, seed: int) -> None:
    """With new splits, files of all sizes and finished splits, and the bound checked at each batch."""
    draw = random.Random(seed)
    disorder, drift = draw.choice([0, 30]), draw.choice([0, 50, 400])
    log = GrowingLog(tmp_path, draw, disorder)
    log.grow()
    query = DrivenFiles(
        tmp_path,
        available_now=False,
        numSubtasks=str(draw.randint(1, 3)),
        maxOutOfOrderness=f"{disorder} milliseconds",
        maxRowsPerBatch=str(draw.choice([1, 9, 50, 1000])),
        discoveryInterval="2 seconds",
        **aligned(drift),
        **VIRTUAL,
    )
    for _ in range(60):
        match draw.randrange(5):
            case 0:
                query.restart()
            case 1:
                query.reader.latestOffset(query.offset, query.limit)  # planned, and not logged
                query.restart()
            case 2:
                query.plan()
                query.restart()  # logged, and not read
            case 3:
                log.grow()
            case 4:
                query.batch()
        if len(query.log) > 1:
            check_bound(query, drift, disorder)
    for split in log.times:
        (tmp_path / split / "_FINISHED").touch()
    for _ in range(4000):
        query.batch()
        if query.planned() == {split: len(times) for split, times in log.times.items()}:
            break
    for split, times in log.times.items():
        assert query.times(split) == times


class GrowingLog:
    """A log of a few splits, whose files come little by little; `times` is what each split has."""

    def __init__(self, folder: Path, draw: random.Random, disorder: int) -> None:
        self.folder, self.draw, self.disorder = folder, draw, disorder
        self.times: dict[str, list[int | None]] = {}
        self.files = 0

    def grow(self) -> None:
        for split in self.draw.sample("abcd", 2):
            times = self.times.setdefault(split, [])
            last = max((time for time in times if time is not None), default=0)
            new: list[int | None] = []
            for _ in range(self.draw.choice([0, 1, 5, 40])):
                last += self.draw.choice([0, 1, 10, 10, 200])
                new.append(last - self.draw.randint(0, self.disorder))
            times += new
            self.files += 1
            write_parquet(
                self.folder, split, f"{self.files:04}", new, row_group=self.draw.choice([1, 7, 100])
            )


def check_bound(query: DrivenFiles, drift: int, disorder: int) -> None:
    """Check that no split is past the bound but those that were the slowest, by one event time."""
    before, after = query.log[-2]["splits"], query.log[-1]["splits"]
    bound = query.log[-1]["bound"]
    for split, position in after.items():
        latest, was = position[9], before.get(split, [None] * 9 + [MIN])[9]
        if latest == was or latest - disorder <= bound:
            continue
        assert was == MIN or was - disorder - 1 <= bound - drift
        read = query.times(split)[-(position[8] - (before[split][8] if split in before else 0)) :]
        assert {max(latest, time or 0) for time in read} == {latest}


@pytest.mark.parametrize(
    "change", [{"numSubtasks": "3"}, {"path": "/elsewhere"}, {"fileFormat": "json"}], ids=str
)
def test_job_4_a_checkpoint_of_other_files_is_refused(tmp_path: Path, change: dict[str, str]) -> None:
    write_parquet(tmp_path, "x", "a", [1])
    query = DrivenFiles(tmp_path)
    query.batch()
    other = files_reader(SCHEMA, **{**query.options, **change})
    with pytest.raises(IllegalOffsetError, match="set path, fileFormat and numSubtasks as before"):
        other.latestOffset(query.offset, query.limit)


def test_an_offset_of_the_other_kind_is_refused(tmp_path: Path) -> None:
    files, numbers = DrivenFiles(tmp_path), make_reader()
    with pytest.raises(IllegalOffsetError, match="not one of a source over files"):
        files.reader.latestOffset(numbers.initialOffset(), files.limit)
    with pytest.raises(IllegalOffsetError, match="not one of this source"):
        numbers.latestOffset(files.start, files.limit)


def test_a_damaged_offset_is_refused_whatever_was_changed(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", range(20), row_group=5)
    write_parquet(tmp_path, "y", "a", range(20))
    query = DrivenFiles(tmp_path, numSubtasks="2", maxRowsPerBatch="13")
    query.batch()
    damaged = list(_damaged(query.offset))
    assert len(damaged) > 40
    for offset in damaged:
        with pytest.raises(IllegalOffsetError, match="checkpoint"):
            files_reader(SCHEMA, **query.options).latestOffset(offset, query.limit)


def _damaged(value: Any) -> Iterator[Any]:
    """Yield copies of a JSON value, each with one change in it."""
    if isinstance(value, dict):
        for key in value:
            yield {name: each for name, each in value.items() if name != key}
            for changed in _damaged(value[key]):
                yield {**value, key: changed}
    elif isinstance(value, list):
        for index in range(len(value)):
            yield [*value[:index], *value[index + 1 :]]
            for changed in _damaged(value[index]):
                yield [*value[:index], changed, *value[index + 1 :]]
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
        yield str(value)
    elif isinstance(value, str):
        yield value + "x"


def test_offsets_that_do_not_follow_one_another_are_refused(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", range(20))
    query = DrivenFiles(tmp_path, maxRowsPerBatch="5")
    query.run()
    with pytest.raises(IllegalOffsetError, match="two offsets that do not follow one another"):
        query.reader.partitions(query.log[0], query.log[2])
    assert query.reader.partitions(query.log[1], query.log[1]) == []


# Formats and columns


@pytest.mark.parametrize(
    ("type_", "values", "times"),
    [
        (pa.int32(), [1, -2], [1, -2]),
        (pa.timestamp("s"), [1, -2], [1000, -2000]),
        (pa.timestamp("ms", "Europe/Berlin"), [1, -2], [1, -2]),
        (pa.timestamp("us", "UTC"), [1999, -1], [1, -1]),
        (pa.timestamp("ns"), [1_999_999, -1], [1, -1]),
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


def query_of_inferred(folder: Path, **options: str) -> DrivenFiles:
    """Return a query with the columns of the first file."""
    given = {"path": str(folder), "eventTimeColumn": "time", "progressColumn": "progress", **options}
    return DrivenFiles(folder, schema=AlignedSource(given).schema(), **options)


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
    query = DrivenFiles(tmp_path, schema=schema, fileFormat="json", maxRowsPerBatch="2")
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
    query = DrivenFiles(tmp_path, fileFormat="json", maxRowsPerBatch="1999")
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


# Faults


def broken(folder: Path, message: str, **options: str) -> None:
    """Check that a query over a folder fails with a message of one line, in planning or in reading."""
    with pytest.raises(BrokenLogError, match=message) as failure:
        DrivenFiles(folder, **options).run()
    assert "\n" not in str(failure.value)


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
        '{"time": 1.5}\n',
        '{"time": "soon"}\n',
        '{"time": true}\n',
        '{"time": 9223372036854775808}\n',
        '{"time": 1, "id": "one"}\n',
        "PAR1",
        b"\xff\xfe",
    ],
    ids=str,
)
def test_json_that_is_none_is_an_error(tmp_path: Path, text: str | bytes) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a").write_bytes(text if isinstance(text, bytes) else text.encode())
    broken(tmp_path, "the file '.*/x/a' is not JSON lines, or is damaged or cut off", fileFormat="json")


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
    broken(tmp_path, "the column 'time' of the file '.*/x/a' is string, no timestamp and no integer")
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


def test_an_invalid_event_time_further_on_is_named_by_its_row(tmp_path: Path) -> None:
    write_parquet(tmp_path, "x", "a", [1, 2, 3, 4, None], row_group=2)
    broken(tmp_path, "row 4, counted from 0")
    write_json(tmp_path, "x", "a", [{"time": 1}, {"id": 1}])
    broken(tmp_path, "row 1, counted from 0", fileFormat="json")


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    broken(tmp_path / "none", "the folder '.*/none' cannot be read .*: correct the option path")
    broken(tmp_path, "the path 'unknown://x' cannot be opened", path="unknown://x")


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
    query = DrivenFiles(folder, maxRowsPerBatch="3", **options)
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
    query = DrivenFiles(tmp_path, available_now=False, maxRowsPerBatch="6")
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
    assert query.offset["splits"]["x"][-1] is True
    query.commit()
    away.rename(tmp_path / "x")
    query.restart()
    query.batch()
    assert query.times("x") == [1, 2, 3, 5]  # the rest of "d" was given up


# Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fileFormat": "json"}, "option fileFormat = 'json': set path as well, or leave fileFormat out"),
        (
            {"path": "/x"},
            "option path = '/x': set eventTimeColumn as well: the column that has the event time",
        ),
        ({"fileFormat": "csv"}, 'option fileFormat = \'csv\': write "parquet" or "json"'),
        (
            {"maxOutOfOrderness": "5"},
            "option maxOutOfOrderness = '5': it is not a number and a unit, such as",
        ),
        ({"failOnDataLoss": "no"}, 'option failOnDataLoss = \'no\': write "true" or "false"'),
        ({"progressColumn": "Time"}, "option progressColumn = 'Time': there is a column of that name; write"),
        (
            {"split": "repeat"},
            "option split = 'repeat': it is of number sequences, and path says to read files",
        ),
        ({"end.0": "5"}, "option end.0 = '5': it is of number sequences, and path says to read files; leave"),
        (
            {"splitAlignment": "false"},
            "option splitAlignment = 'false': set watermarkGroup as well, or leave",
        ),
        (
            {"updateInterval": "1 second"},
            "option updateInterval = '1 second': set watermarkGroup as well, or",
        ),
        (
            {**aligned(0), "updateInterval": "0 seconds"},
            "option updateInterval = '0 seconds': write a duration from 1 to",
        ),
        (
            {"pipeline.backlog.watermark-lag-threshold": "1 minute"},
            "option pipeline.backlog.watermark-lag-threshold = '1 minute': there is one threshold for all sources "
            "of the job; set it by spark.conf.set('pipeline.backlog.watermark-lag-threshold', '1 minute')",
        ),
    ],
)
def test_a_wrong_option_is_refused_in_one_line(options: dict[str, str], message: str) -> None:
    files = {"path": "/x", "eventTimeColumn": "time"}
    given = (
        options if len(options) == 1 and options.keys() <= {"path", "fileFormat"} else {**files, **options}
    )
    if options == {"fileFormat": "csv"}:
        given = {**files, **options}
    with pytest.raises(IllegalOptionError) as refusal:
        AlignedSource(dict(given)).schema()
    assert str(refusal.value).startswith(message)
    assert "\n" not in str(refusal.value)


def test_a_path_is_the_same_in_every_process(tmp_path: Path) -> None:
    write_parquet(tmp_path / "a b", "x", "a", [1])
    for path in (f"{tmp_path}/a b/", f"file:{tmp_path}/a%20b", f"file://{tmp_path}/a%20b"):
        query = DrivenFiles(tmp_path, path=path)
        query.run()
        assert query.times("x") == [1]
        assert query.offset["path"] == f"{tmp_path}/a b"
    assert parse_options({"path": "a", "eventTimeColumn": "t"}).files == FileOptions(
        str(Path.cwd() / "a"), "parquet", 1, "t"
    )


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (
            StructType().add("id", LongType()),
            "option eventTimeColumn = 'time': there is no such column; there",
        ),
        (
            StructType().add("time", StringType()),
            "option eventTimeColumn = 'time': the column is string; it must",
        ),
        (
            PLAIN,
            "option progressColumn = 'progress': the schema has no column 'progress' of the type struct<",
        ),
    ],
)
def test_a_schema_that_does_not_fit_is_refused(tmp_path: Path, schema: StructType, message: str) -> None:
    with pytest.raises(IllegalOptionError) as refusal:
        DrivenFiles(tmp_path, schema=schema)
    assert str(refusal.value).startswith(message)


def test_without_a_file_the_columns_are_not_known(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with pytest.raises(
        BrokenLogError, match=r"has no file yet that tells the columns: give them by schema\(\)"
    ):
        query_of_inferred(tmp_path)
    write_parquet(tmp_path, "x", "a", [1])
    with pytest.raises(
        IllegalOptionError, match="option progressColumn = 'id': the file .* has a column of that"
    ):
        query_of_inferred(tmp_path, progressColumn="id")


# On Spark


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


def as_numbers(files: DataFrame) -> DataFrame:
    """Return the rows of files in the columns of a number sequence."""
    return files.selectExpr(
        "progress.source", "progress.subtask", "time AS number", "progress.timestamp", "progress.planned_at"
    )


@pytest.mark.xdist_group("spark")
def test_spark_aligns_files_with_a_number_sequence_over_a_restart(
    queries: SparkQueries, tmp_path: Path
) -> None:
    for split in ("x", "y"):
        for first in range(0, 4001, 1000):
            write_parquet(tmp_path, split, f"{first:05}", range(first, first + 1000, 2), row_group=300)
    with coordination() as address:
        group = {**aligned(1500), "coordinator": address, "sourcesInGroup": "2", **VIRTUAL, **ALL}
        numbers = queries.source(sourceName="numbers", end="4999", recordsPerMillisecond__0="1", **group)
        files = queries.source(
            sourceName="files",
            path=str(tmp_path),
            eventTimeColumn="time",
            progressColumn="progress",
            numSubtasks="2",
            **group,
        )
        both = numbers.union(as_numbers(files))
        first = queries.start(both, "files-and-numbers")
        first.stop_after(2)
        write_parquet(tmp_path, "x", "05000", [5000])
        second = queries.run(both, "files-and-numbers")
    rows = {(each.batch, each.source, each.subtask): each for each in [*first.rows(), *second.rows()]}
    found = [rows[key] for key in sorted(rows)]
    expected = {
        ("numbers", 0): list(range(5000)),
        ("files", 0): [*range(0, 5000, 2), 5000],
        ("files", 1): list(range(0, 5000, 2)),
    }
    for (source, subtask), times in expected.items():
        mine = [each for each in found if (each.source, each.subtask) == (source, subtask)]
        assert [number for each in mine for number in each.numbers] == times
    assert max(spreads(found, {key: times[-1] for key, times in expected.items()})) <= 1500


@pytest.mark.xdist_group("spark")
def test_spark_finds_new_splits_while_it_runs(queries: SparkQueries, tmp_path: Path) -> None:
    write_json(tmp_path, "x", "a", [{"time": time, "id": 0} for time in range(5)])
    (tmp_path / "x" / "_FINISHED").touch()
    files = (
        queries.session.readStream.format("tidegauge")
        .schema(SCHEMA)
        .option("eventTimeColumn", "time")
        .option("progressColumn", "progress")
        .option("fileFormat", "json")
        .option("discoveryInterval", "100 milliseconds")
        .option("watermarkGroup", "g")
        .option("maxAllowedWatermarkDrift", "1 second")
        .load(str(tmp_path))
    )
    query = queries.start(as_numbers(files), "new-splits", available_now=False)
    wait(lambda: query.numbers(0) == [0, 1, 2, 3, 4])
    write_json(tmp_path, "y", "a", [{"time": 7, "id": 0}])
    wait(lambda: query.numbers(0) == [0, 1, 2, 3, 4, 7])
    (tmp_path / "y" / "b").write_text('{"time": 8, "i')
    with pytest.raises(
        StreamingQueryException, match="the file '.*/y/b' is not JSON lines, or is damaged or cut"
    ):
        query.wait()


def wait(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.xdist_group("spark")
def test_spark_refuses_what_is_wrong_when_the_source_is_loaded(queries: SparkQueries, tmp_path: Path) -> None:
    with pytest.raises(AnalysisException, match="option path = .*: set eventTimeColumn as well: the column"):
        queries.source(path=str(tmp_path))
    with pytest.raises(AnalysisException, match="has no file yet that tells the columns"):
        queries.source(path=str(tmp_path), eventTimeColumn="time")
