"""What the progress of a query shows of an aligned source: blocked splits, delays, and when there is a warning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from spark_programs.driven_files import DrivenFiles, aligned, write_parquet
from spark_programs.driven_query import DrivenQuery, WallClock
from test_spark_own_log import MemoryLog

from tidegauge_spark.source.logs.reader import AlignedLogReader
from tidegauge_spark.source.options.source import parse_options

NOW = WallClock().now


def shown(query: DrivenQuery) -> dict[str, Any]:
    progress: dict[str, Any] = query.reader.reportLatestOffset()
    return progress


def settle(query: DrivenFiles) -> None:
    """Run batches, each after a further update interval of the bound, until there is none."""
    assert query.clock is not None
    while query.batch():
        query.clock.now += 1


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "tidegauge_spark"]


def test_blocked_splits_show_what_is_unread_and_until_when(tmp_path: Path) -> None:
    """`far` is blocked before its first row, `fast` in the middle of its first file."""
    write_parquet(tmp_path, "slow", "a", [0, 100])
    write_parquet(tmp_path, "fast", "a", [0, 300, 900])
    write_parquet(tmp_path, "fast", "b", [1_000])
    write_parquet(tmp_path, "far", "a", [50_000])
    query = DrivenFiles(tmp_path, WallClock(), available_now=False, maxOutOfOrderness="20ms", **aligned(250))
    settle(query)
    progress = shown(query)
    assert progress["heldBy"] == ["far"]  # it has no watermark yet
    assert progress["blockedSplits"] == 2
    assert progress["blocked"] == [
        {"split": "far", "unreadFiles": 1, "until": 50_000 - 20 - 250},
        {"split": "fast", "unreadFiles": 2, "until": 300 - 20 - 1},
    ]
    write_parquet(tmp_path, "slow", "b", [299])
    (tmp_path / "far" / "_PAUSED").touch()
    query.restart()
    settle(query)
    assert query.times("fast") == [0, 300]  # the slowest is at 278: one millisecond is missing
    assert shown(query)["blocked"][1:] == [{"split": "far", "unreadFiles": 1, "until": None}]
    write_parquet(tmp_path, "slow", "c", [300])
    query.restart()
    settle(query)
    assert query.times("fast") == [0, 300, 900]


def test_the_delay_is_behind_the_latest_event_time_that_was_read(tmp_path: Path) -> None:
    write_parquet(tmp_path, "slow", "a", [NOW - 5_000])
    write_parquet(tmp_path, "fast", "a", [NOW - 1_000, NOW - 2_000])
    query = DrivenFiles(tmp_path, WallClock(), available_now=False, maxOutOfOrderness="2 seconds")
    query.batch()
    progress = shown(query)
    assert (progress["watermark"], progress["drift"]) == (NOW - 7_001, 4_000)
    assert progress["delay"] == 6_001
    assert progress["heldBy"] == ["slow"]
    assert "blocked" not in progress


def test_a_log_shows_positions_and_a_number_sequence_shows_numbers() -> None:
    log = MemoryLog({"a": {n: n * 10 for n in range(100)}, "b": {0: 0}}, complete=False)
    reader = AlignedLogReader(parse_options(aligned(100), own=()), log, WallClock())
    start = reader.initialOffset()
    for _ in range(3):
        start = reader.latestOffset(start, reader.getDefaultReadLimit())
    progress = reader.reportLatestOffset()
    assert progress is not None
    read = start["splits"]["a"][1]
    assert progress["blocked"] == [{"split": "a", "unreadPositions": 100 - read, "until": read * 10 - 100}]
    rates = {"recordsPerMillisecond__1": "0.001"}
    numbers = DrivenQuery(
        numSubtasks="2", split="repeat", end="99", clockStep="1 second", **rates, **aligned(10)
    )
    numbers.batch()
    numbers.batch()
    (blocked,) = shown(numbers)["blocked"]
    first = int(numbers.offset["subtasks"][0]["next"])
    assert blocked == {"split": "0", "unreadNumbers": 100 - first, "until": first - 10}


def test_alignment_that_blocks_nothing_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for split in "ab":
        for file in range(110):
            write_parquet(tmp_path, split, f"{file:03}", [NOW - 1_000_000 + file * 1_000 + ord(split)])
    query = DrivenFiles(tmp_path, WallClock(), maxRowsPerTrigger="2", **aligned(30_000))
    query.run()
    (line,) = warnings(caplog)
    assert "100 batches of 200 records have blocked no split" in line
    assert "1 ms apart at most, where maxAllowedWatermarkDrift allows 30000 ms" in line


def test_alignment_that_blocks_once_gains_something(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for file in range(110):
        write_parquet(tmp_path, "a", f"{file:03}", [NOW - 1_000_000 + file * 1_000])
    write_parquet(tmp_path, "b", "a", [NOW - 1_000_000, NOW - 890_000])
    query = DrivenFiles(tmp_path, WallClock(), maxRowsPerTrigger="1", **aligned(30_000))
    query.run()
    assert len(query.log) > 100
    assert warnings(caplog) == []


def test_a_split_that_is_blocked_for_long_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Time counts from its last record on: a split that is read on meanwhile is not blocked for long."""
    write_parquet(tmp_path, "slow", "a", [0, 100])
    write_parquet(tmp_path, "fast", "a", [0, 300, 400, 900])
    options = {"idleTimeout": "1 minute", "discoveryInterval": "0 seconds", "clockStep": "25 seconds"}
    query = DrivenFiles(tmp_path, available_now=False, sourceName="orders", **options, **aligned(250))
    for file, times in {"b": [101], "c": [200], "d": [201], "e": [202]}.items():
        query.batch()
        write_parquet(tmp_path, "slow", file, times)
    query.batch()
    assert query.times("fast") == [0, 300, 400]
    assert warnings(caplog) == []
    for file in "fgh":
        write_parquet(tmp_path, "slow", file, [202])
        query.batch()
    (line,) = warnings(caplog)
    assert line.startswith(
        "source orders: split 'fast' has been blocked for 75000 ms, longer than idleTimeout"
    )
    assert "(60000 ms): 1 files of it are unread" in line
    assert "at 399 ms; the slowest splits of this source are slow" in line
